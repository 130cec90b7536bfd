"""Sessions: begin, list, find, change, delete."""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request

from lararium_daemon.api.deps import ServicesDep
from lararium_daemon.edge.scopes import granted_scopes, require
from lararium_daemon.protocol.api import (
    Accepted,
    SessionCreateInput,
    SessionList,
    SessionPatchInput,
)
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.permissions import Mode
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.state import SessionSummary

router = APIRouter(tags=["sessions"])

_CURSOR_PARTS = 2


@router.get("/sessions", dependencies=[Depends(require("read"))])
async def list_sessions(
    services: ServicesDep,
    archived: bool = False,
    cursor: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
) -> SessionList:
    """List sessions, newest first."""
    before = _place(cursor) if cursor else None
    rows = await services.library.list(archived=archived, limit=limit + 1, before=before)
    items, more = rows[:limit], len(rows) > limit
    return SessionList(items=items, next_cursor=_cursor(items[-1]) if more else None)


@router.post("/sessions", status_code=201, dependencies=[Depends(require("prompt"))])
async def create_session(
    given: SessionCreateInput, services: ServicesDep, request: Request
) -> SessionSummary:
    """Begin a session; it is listed at once."""
    _check_mode(given.mode, request)
    return (await services.library.create(given)).summary


@router.get("/sessions/{session_id}", dependencies=[Depends(require("read"))])
async def get_session(session_id: SessionId, services: ServicesDep) -> SessionSummary:
    """Give a session's row."""
    return await services.library.summary(session_id)


@router.patch("/sessions/{session_id}", dependencies=[Depends(require("prompt"))])
async def update_session(
    session_id: SessionId, given: SessionPatchInput, services: ServicesDep, request: Request
) -> SessionSummary:
    """Change what is given; a model of null means the default model."""
    _check_mode(given.mode, request)
    return (await services.library.patch(session_id, given)).summary


@router.delete("/sessions/{session_id}", dependencies=[Depends(require("prompt"))])
async def delete_session(session_id: SessionId, services: ServicesDep) -> Accepted:
    """Stop what a session does and forget it for good."""
    await services.manager.delete(session_id)
    await to_thread.run_sync(services.images.store.forget, session_id)
    services.grants.forget(session_id)
    return Accepted()


def _check_mode(mode: Mode | None, request: Request) -> None:
    if mode == "yolo" and "admin" not in granted_scopes(request):
        detail = "The mode without questions needs the scope “admin”."
        raise LarariumError("missing_scope", detail, 403)


def _cursor(row: SessionSummary) -> str:
    return f"{row.updated_at}~{row.id}"


def _place(cursor: str) -> tuple[str, SessionId]:
    parts = cursor.split("~")
    if len(parts) != _CURSOR_PARTS:
        raise LarariumError("invalid_cursor", "This cursor is none that the list gave.", 422)
    return parts[0], SessionId(parts[1])
