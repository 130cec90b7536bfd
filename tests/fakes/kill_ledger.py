"""What a client knows for itself of a run that is killed at a random moment.

Kept outside of the daemon, so that it can be compared with what the daemon says afterwards: what
was acknowledged, which commands ran, which files were written, what the model was asked.
"""

import threading
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.crash_stage import CrashStage, call, model_says, wait_until

from lararium_daemon.client.errors import ClientError

Json = dict[str, Any]

PAUSES = {
    "prompt.before": 0.03,
    "prompt.after": 0.03,
    "turn.after": 0.03,
    "intent.before": 0.015,
    "exec.before": 0.02,
    "rename.before": 0.03,
    "rename.after": 0.03,
    "result.after": 0.02,
    "ask.before": 0.015,
    "ask.after": 0.03,
    "grant.after": 0.02,
    "end.before": 0.015,
}
"""How long points of a run take that are over in an instant else, in seconds: so that a random
kill falls into each row of the crash matrix."""
PACE_SECONDS = 0.008
LONG = "word " * 3_500
STEP = "./step"


@dataclass
class Ledger:
    """One run, as its client sees it."""

    stage: CrashStage
    session: str
    client_id: str = field(default_factory=lambda: f"client-{uuid.uuid4().hex}")
    token: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    accepted: Json | None = None
    """What the daemon acknowledged; None when its answer never came."""
    decided: Json | None = None
    """The request whose decision was acknowledged."""
    is_over: threading.Event = field(default_factory=threading.Event)
    """Nothing more will be sent."""

    @property
    def file(self) -> str:
        """The file that the run writes."""
        return f"made-{self.token}.txt"

    def script(self) -> None:
        """Make the model ask for a command, a write and a command that needs permission."""
        self.stage.llm.script(
            model_says(
                "Let me look at it.",
                call("bash", command=f"{STEP} a-{self.token}"),
                call("write_file", path=self.file, content=f"{self.token}\n"),
                pace=PACE_SECONDS,
            ),
            model_says(LONG, call("bash", command=f"{STEP} b-{self.token}"), pace=PACE_SECONDS),
            model_says("All of it is done.", pace=PACE_SECONDS),
        )

    def send(self) -> None:
        """Send the message and answer the ask; note what is acknowledged. Ends at any failure."""
        rules = [f"Bash({STEP} a-{self.token})", "Edit"]
        try:
            self.accepted = self.stage.post(self.session, client_id=self.client_id, allow=rules)
            request = self._request()
            if request is not None:
                self.stage.decide(request)
                self.decided = request
        except ClientError:
            pass
        finally:
            self.is_over.set()

    def _request(self) -> Json | None:
        """Wait for the ask; None when the run ends without one."""
        found: list[Json] = []

        def is_there() -> bool:
            found[:] = self.stage.requests(self.session)
            return bool(found) or self.stage.row(self.session)["activity"] == "idle"

        wait_until(is_there)
        return found[0] if found else None

    def runs_of(self, step: str) -> int:
        """How often a command ran, by the file it writes to."""
        path = self.stage.folder / "ran"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return lines.count(f"{step}-{self.token}")


def rows_of(ledger: Ledger) -> set[int]:
    """Give the rows of the crash matrix that the kill fell into, by disk, model and ledger."""
    events = [e for e in ledger.stage.events(ledger.session) if e["type"] != "session.updated"]
    types = [event["type"] for event in events]
    if "message.appended" not in types:
        return {1}
    rows = {2} if ledger.accepted is None else set[int]()
    if types[-1] == "run.ended":
        return rows | {0}
    turns = types.count("turn.started")
    if turns > types.count("turn.ended"):
        return rows | {_row_of_turn(ledger, turns)}
    return rows | (_rows_of_calls(ledger, events) if turns else {3})


def _row_of_turn(ledger: Ledger, turns: int) -> int:
    asked: Sequence[Any] = ledger.stage.llm.requests
    if len(asked) < turns:
        return 3 if turns == 1 else 14
    return 4 if asked[turns - 1].ended is None else 5


def _rows_of_calls(ledger: Ledger, events: Sequence[Json]) -> set[int]:
    asked = {e["request"]["call_id"] for e in events if e["type"] == "permission.requested"}
    resolved = any(e["type"] == "permission.resolved" for e in events)
    begun = {e["call_id"]: e for e in events if e["type"] == "tool.started"}
    ended = {e["call_id"] for e in events if e["type"] == "tool.ended"}
    parts = [e["part"] for e in events if e["type"] == "part.appended"]
    calls = {part["call_id"] for part in parts if part["type"] == "tool_call"}
    rows = {6} if calls - set(begun) - asked else set[int]()
    rows |= {7} if asked and not resolved else set()
    for call_id in set(begun) - ended:
        if begun[call_id]["path"]:
            written = (ledger.stage.folder / ledger.file).exists()
            rows.add(11 if written else 10)
        else:
            has_acted = ledger.stage.acts()[call_id] > 0
            rows.add(8 if call_id in asked and not has_acted else 9)
    return rows
