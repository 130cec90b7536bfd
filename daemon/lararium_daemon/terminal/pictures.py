"""Pictures from a terminal: looked at before anything is sent, then put into a session."""

from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.http import DaemonClient
from lararium_daemon.system.exit_codes import USAGE


class Picture(NamedTuple):
    """A picture that a daemon will take."""

    name: str
    data: bytes


def read_picture(path: Path) -> Picture:
    """Read a picture that a daemon will take.

    Raises:
        ClientError: `file_unusable`, `unsupported_attachment`, `image_too_large`.
    """
    # Loaded here: a prompt without pictures does not need it.
    from lararium_daemon.protocol.images import (
        IMAGE_BYTES,
        image_too_large,
        read_header,
        unsupported,
    )

    try:
        with path.open("rb") as file:
            data = file.read(IMAGE_BYTES + 1)
    except OSError as error:
        why = error.strerror or str(error)
        raise ClientError(
            "file_unusable", f"{path} cannot be read: {why}. Nothing was sent.", USAGE
        ) from error
    problem = image_too_large() if len(data) > IMAGE_BYTES else None
    problem = problem or (unsupported() if read_header(data) is None else None)
    if problem is not None:
        raise ClientError(problem.code, f"{path}: {problem.detail}", USAGE)
    return Picture(path.name, data)


def send_picture(client: DaemonClient, session_id: str, picture: Picture) -> str:
    """Put a picture into a session; give its id.

    Raises:
        ClientError: as `DaemonClient.request`.
    """
    name = quote(picture.name.encode("utf-8", "replace"), safe="")
    path = f"/api/sessions/{quote(session_id, safe='')}/attachments/{name}"
    return str(client.put_octets(path, picture.data)["attachment_id"])
