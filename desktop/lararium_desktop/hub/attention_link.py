"""The hub's line to one daemon's attention: a WebSocket that says what is new until it ends."""

import logging
from collections.abc import Sequence
from typing import Protocol

import anyio
import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from lararium_daemon.client.find import DaemonHandle
from lararium_daemon.protocol.attention import AttentionItem
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.protocol.state import SessionSummary
from lararium_daemon.protocol.stream import (
    SUBPROTOCOL,
    ActivityChanged,
    AttentionChanged,
    StreamError,
)

logger = logging.getLogger(__name__)

OPEN_SECONDS = 5.0
SILENCE_SECONDS = 40.0
"""A daemon beats every 15 s."""
MESSAGE_BYTES = 16 * 1024 * 1024


class Sink(Protocol):
    """Takes what a daemon tells."""

    def begin(self, workspace: WorkspaceId, guid: str) -> int:
        """Give the place to go on from."""
        ...

    async def take_items(
        self, workspace: WorkspaceId, items: Sequence[AttentionItem], next_seq: int
    ) -> None:
        """Take items that are new or changed."""
        ...

    def take_activity(self, workspace: WorkspaceId, sessions: Sequence[SessionSummary]) -> None:
        """Take the sessions that are not idle."""
        ...


class LinkLostError(Exception):
    """The line ended; the text says how."""


class _Kind(BaseModel):
    type: str


_ITEMS: TypeAdapter[AttentionChanged] = TypeAdapter(AttentionChanged)
_ACTIVITY: TypeAdapter[ActivityChanged] = TypeAdapter(ActivityChanged)
_ERROR: TypeAdapter[StreamError] = TypeAdapter(StreamError)


async def follow_daemon(handle: DaemonHandle, sink: Sink) -> None:
    """Follow until the line ends.

    Raises:
        LinkLostError: always, save when cancelled.
        LarariumError: `unknown_topic`: the daemon is older than attention.
    """
    try:
        async with connect(
            f"ws://{handle.base_url.removeprefix('http://')}/api/events",
            additional_headers={"Authorization": f"Bearer {handle.token}"},
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            proxy=None,
            open_timeout=OPEN_SECONDS,
            close_timeout=1,
            max_size=MESSAGE_BYTES,
        ) as socket:
            after = sink.begin(handle.workspace_id, handle.guid)
            ask = {"type": "subscribe", "topic": "attention", "after_seq": after}
            await socket.send(orjson.dumps(ask).decode())
            await _listen(socket, handle.workspace_id, sink)
    except (OSError, WebSocketException, TimeoutError, ValidationError) as error:
        raise LinkLostError(f"{type(error).__name__}: {error}") from error


async def _listen(socket: ClientConnection, workspace: WorkspaceId, sink: Sink) -> None:
    while True:
        with anyio.fail_after(SILENCE_SECONDS):
            frame = await socket.recv()
        match _Kind.model_validate_json(frame).type:
            case "attention":
                told = _ITEMS.validate_json(frame)
                await sink.take_items(workspace, told.items, told.next_seq)
            case "activity":
                sink.take_activity(workspace, _ACTIVITY.validate_json(frame).sessions)
            case "error":
                said = _ERROR.validate_json(frame)
                raise LarariumError(said.code, said.detail, 502)
            case _:
                pass  # a heartbeat, or a word of a newer daemon
