"""A session's events as lines of JSON, for programs: first what the journal has, then live.

The whole story from any seq on, without a hole and without anything twice. A reader that falls
behind is taken back to the journal.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Annotated, Any

import anyio
import orjson
from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from lararium_daemon.api.deps import EventClients, ServicesDep
from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.ids import RunId, SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.sessions.feed import Feed, Outgoing
from lararium_daemon.sessions.session import Session

router = APIRouter(tags=["events"])

PAGE_EVENTS = 500
FRAME_SECONDS = 0.016
MEDIA_TYPE = "application/x-ndjson"
_VOLATILE_END = b'"volatile":true}'


@router.get(
    "/sessions/{session_id}/events",
    dependencies=[Depends(require("read"))],
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "One envelope a line.",
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Envelope"}}},
        }
    },
)
async def follow_events(
    session_id: SessionId,
    services: ServicesDep,
    after_seq: Annotated[int, Query(ge=0)] = 0,
    until: Annotated[RunId | None, Query(max_length=128)] = None,
) -> StreamingResponse:
    """Give every event after `after_seq` and go on live; with `until`, end with that run's end."""
    session = await services.library.get(session_id)
    if until is not None and not _knows(session, until):
        raise LarariumError("unknown_run", "There is no such run in this session.", 404)
    lines = _Lines(session, after_seq, until, services.clients)
    return StreamingResponse(lines.chunks(), media_type=MEDIA_TYPE)


class _Lines:
    """One reader's way through a session."""

    def __init__(
        self, session: Session, after_seq: int, until: RunId | None, clients: EventClients
    ) -> None:
        self._clients = clients
        self._session = session
        self._sent = after_seq
        self._until = until
        self._is_done = False

    async def chunks(self) -> AsyncGenerator[bytes]:
        """Give lines, as many at once as there are."""
        feed = Feed(self._session.epoch)
        self._clients.look(1)  # a command is attached: the daemon stays for it
        try:
            while not self._is_done and not self._session.is_gone:
                upto = self._session.follow_live(feed)
                ended = _has_ended(self._session, self._until)
                while self._sent < upto and not self._is_done:
                    yield await self._page(upto)
                self._is_done = self._is_done or ended  # it ended before the first line
                while not self._is_done:
                    await feed.filled()
                    items = feed.take()
                    if chunk := self._live(items):
                        yield chunk
                    if any(item.kind == "resync" for item in items):
                        break
                    with anyio.move_on_after(FRAME_SECONDS):
                        await feed.urgent()
        finally:
            self._clients.look(-1)
            self._session.unfollow(feed)

    async def _page(self, upto: int) -> bytes:
        limit = min(PAGE_EVENTS, upto - self._sent)
        lines = await self._session.history(self._sent, limit)
        self._sent = self._sent + limit if len(lines) == limit else upto
        return self._joined(lines)

    def _live(self, items: Sequence[Outgoing]) -> bytes:
        return self._joined([item.data for item in items if item.kind == "event"])

    def _joined(self, lines: Sequence[bytes]) -> bytes:
        chunk: list[bytes] = []
        for line in lines:
            if self._is_done:
                break
            chunk += (line, b"\n")
            if not line.endswith(_VOLATILE_END):
                self._note(orjson.loads(line))
        return b"".join(chunk)

    def _note(self, envelope: dict[str, Any]) -> None:
        self._sent = max(self._sent, envelope["seq"])
        if envelope["type"] == "run.ended" and envelope["payload"]["run_id"] == self._until:
            self._is_done = True


def _knows(session: Session, run_id: RunId) -> bool:
    run = session.state.run
    return (run is not None and run.run_id == run_id) or _has_ended(session, run_id)


def _has_ended(session: Session, run_id: RunId | None) -> bool:
    return any(run.run_id == run_id for run in session.state.runs)
