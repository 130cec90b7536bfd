"""Sessions out and in, found by what was said in them, and made anew from the journal."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from lararium_daemon.api.deps import ServicesDep
from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.api import SessionCreateInput
from lararium_daemon.protocol.archive import (
    Imported,
    MessagesImportInput,
    Rebuilt,
    SearchHit,
    SearchList,
    SessionExport,
    SessionImportInput,
)
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.sessions.archive import import_messages, imported

router = APIRouter(tags=["archive"])


@router.get("/sessions/{session_id}/export", dependencies=[Depends(require("read"))])
async def export_session(session_id: SessionId, services: ServicesDep) -> SessionExport:
    """Give what describes a session; its messages come in pages from `/messages`."""
    session = await services.library.get(session_id)
    return SessionExport(
        session=session.summary, runs=session.state.runs, notices=session.state.notices
    )


@router.post("/sessions/import", status_code=201, dependencies=[Depends(require("prompt"))])
async def import_session(given: SessionImportInput, services: ServicesDep) -> Imported:
    """Begin a session with messages from elsewhere; more may follow."""
    begin = SessionCreateInput(title=given.title)
    events = imported(given.messages, "", begin.mode, given.note)
    session = await services.library.create(begin, events)
    return Imported(session_id=session.id, messages=len(given.messages))


@router.post("/sessions/{session_id}/import", dependencies=[Depends(require("prompt"))])
async def import_more(
    session_id: SessionId, given: MessagesImportInput, services: ServicesDep
) -> Imported:
    """Add the next messages from elsewhere to a session in which nothing runs."""
    session = await services.library.get(session_id)
    await import_messages(session, given.messages)
    return Imported(session_id=session.id, messages=len(given.messages))


@router.get("/search", dependencies=[Depends(require("read"))])
async def search_sessions(
    services: ServicesDep,
    q: Annotated[str, Query(min_length=1, max_length=400)],
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> SearchList:
    """Find messages that hold all the words, the best first."""
    found = await services.library.search(q, limit)
    items = [
        SearchHit(session_id=f.session_id, message_id=f.message_id, at=f.at, snippet=f.snippet)
        for f in found
    ]
    return SearchList(items=items)


@router.post("/sessions/rebuild", dependencies=[Depends(require("admin"))])
async def rebuild_sessions(services: ServicesDep) -> Rebuilt:
    """Make list, snapshots and search anew from the events."""
    return Rebuilt(sessions=await services.library.rebuild())
