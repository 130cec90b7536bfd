"""The pictures of a session: put before the message that names them, and given again."""

import re
from typing import Any
from urllib.parse import quote

from anyio import to_thread
from fastapi import APIRouter, Depends, Request, Response

from lararium_daemon.api.deps import ServicesDep
from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.api import AttachmentStored
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.images import IMAGE_BYTES, image_too_large
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.storage.attachments import Attachment

router = APIRouter(tags=["attachments"])

UPLOAD_PATH = re.compile(r"/api/sessions/[^/]+/attachments/[^/]+")
"""The one path whose PUT takes octets; the guard is told."""
_OCTETS: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_IMAGE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The picture.",
        "content": {"image/*": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.put(
    "/sessions/{session_id}/attachments/{name}",
    dependencies=[Depends(require("prompt"))],
    openapi_extra=_OCTETS,
)
async def put_attachment(
    session_id: SessionId, name: str, services: ServicesDep, request: Request
) -> AttachmentStored:
    """Keep a picture (PNG, JPEG, GIF, WebP) for a message that names it; at most 20 MB."""
    await services.library.get(session_id)
    # The guard has made sure that it is a number.
    if int(request.headers.get("content-length", "0")) > IMAGE_BYTES:
        raise image_too_large()
    kept = await services.images.store.put(session_id, name, request.stream())
    return AttachmentStored(
        attachment_id=kept.attachment_id,
        media_type=kept.media_type,
        name=kept.name,
        bytes=kept.bytes,
        width=kept.width,
        height=kept.height,
    )


@router.get(
    "/sessions/{session_id}/attachments/{attachment_id}",
    dependencies=[Depends(require("read"))],
    response_class=Response,
    responses=_IMAGE,
)
async def read_attachment(
    session_id: SessionId, attachment_id: str, services: ServicesDep
) -> Response:
    """Give a picture's bytes."""
    await services.library.get(session_id)
    found, data = await to_thread.run_sync(_read, services, session_id, attachment_id)
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(found.name, safe='')}",
        "Cache-Control": "private, max-age=31536000, immutable",  # its id is its content
    }
    return Response(data, media_type=found.media_type, headers=headers)


def _read(
    services: ServicesDep, session_id: SessionId, attachment_id: str
) -> tuple[Attachment, bytes]:
    store = services.images.store
    found = store.find(session_id, attachment_id)
    data = store.read(session_id, attachment_id) if found else None
    if found is None or data is None:
        detail = "There is no picture of that id in this session."
        raise LarariumError("unknown_attachment", detail, 404)
    return found, data
