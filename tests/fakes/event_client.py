"""A client of the event stream as a page is one: folds what it gets, and asks anew at a hole."""

from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import TypeAdapter

from lararium_daemon.protocol.events import ToolStarted
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.state import SessionState
from lararium_daemon.protocol.wire import decode_envelope
from lararium_daemon.sessions.fold import Fold, fresh

_STATE: TypeAdapter[SessionState] = TypeAdapter(SessionState)


@dataclass
class FoldingClient:
    """What a client knows of one session."""

    session_id: SessionId
    fold: Fold = field(init=False)
    epoch: str = ""
    holes: int = 0
    """How often it had to ask anew."""
    duplicates: int = 0
    """Durable events that it had already."""

    def __post_init__(self) -> None:
        self.fold = fresh(self.session_id)

    def subscription(self) -> dict[str, Any]:
        """Give what to ask for, from where it is."""
        return {
            "type": "subscribe",
            "session_id": self.session_id,
            "after_seq": self.fold.state.seq,
            "epoch": self.epoch,
        }

    def take(self, message: dict[str, Any]) -> bool:
        """Fold a message in; False when it must subscribe anew."""
        match message["type"]:
            case "snapshot":
                self.epoch = message["epoch"]
                self.fold = Fold(_STATE.validate_python(message["state"]))
                self._restore_open_calls()
                return True
            case "replay":
                return all([self._apply(event) for event in message["events"]])
            case "event":
                return self._apply(message["event"])
            case "heartbeat":
                counts = message["sessions"].get(self.session_id)
                return counts is None or counts == self.fold.counts().model_dump()
            case _:
                self.epoch = ""
                return False

    def _apply(self, event: dict[str, Any]) -> bool:
        envelope = decode_envelope(orjson.dumps(event))
        assert envelope is not None
        self.duplicates += not envelope.volatile and envelope.seq <= self.fold.state.seq
        is_next = envelope.volatile or envelope.seq <= self.fold.state.seq + 1
        if is_next and self.fold.apply(envelope):
            self.epoch = envelope.epoch
            return True
        self.holes += 1
        self.epoch = ""
        return False

    def _restore_open_calls(self) -> None:
        # A page knows a running call by its state; this fold by the event that started it.
        run = self.fold.state.run
        for call in self.fold.transcript.calls.values():
            if call.state == "running" and run is not None:
                self.fold.intents[call.call_id] = ToolStarted(run.run_id, call.call_id)
