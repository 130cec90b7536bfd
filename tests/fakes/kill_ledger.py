"""What a client knows for itself of a run that is killed at a random moment.

Kept outside of the daemon, so that it can be compared with what the daemon says afterwards: what
was acknowledged, which commands ran, which files were written, what the model was asked.
"""

import threading
import uuid
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.crash_stage import CrashStage, call, model_is_full, model_says, wait_until

from lararium_daemon.client.errors import ClientError

Json = dict[str, Any]

PAUSES = {
    "prompt.before": 0.03,
    "prompt.after": 0.03,
    "turn.after": 0.03,
    "intent.before": 0.015,
    "exec.before": 0.02,
    "rename.before": 0.02,
    "rename.after": 0.02,
    "result.after": 0.02,
    "ask.before": 0.015,
    "ask.after": 0.04,
    "grant.after": 0.03,
    "end.before": 0.015,
}
"""How long points of a run take that are over in an instant else, in seconds: so that a random
kill falls into each row of the crash matrix."""
PACE_SECONDS = 0.006
LONG = "word " * 3_500
STEP = "./step"


@dataclass
class Ledger:
    """One run, as its client sees it."""

    stage: CrashStage
    session: str
    scope: str = "once"
    """Of the permission that is granted."""
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
        """The file that the run writes and edits."""
        return f"made-{self.token}.txt"

    @property
    def written(self) -> str:
        """What the file holds once it is written."""
        return f"{self.token}\nold\n"

    @property
    def edited(self) -> str:
        """What the file holds once it is edited, too."""
        return f"{self.token}\nnew\n"

    def script(self) -> None:
        """Make the model ask for all kinds of calls, and grow too full in between."""
        self.stage.llm.script(
            model_says(
                "Let me look at it.",
                call("bash", command=f"{STEP} a-{self.token}"),
                call("write_file", path=self.file, content=self.written),
                call("edit_file", path=self.file, old_string="old", new_string="new"),
                pace=PACE_SECONDS,
            ),
            model_is_full(),
            model_says("Notes: one step is done, another is left.", pace=PACE_SECONDS),
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
                self.stage.decide(request, scope=self.scope)
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

    def content(self) -> str:
        """What the file holds; "" when there is none."""
        path = self.stage.folder / self.file
        return path.read_text(encoding="utf-8") if path.exists() else ""
