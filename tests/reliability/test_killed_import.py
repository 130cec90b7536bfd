"""Killed while sessions come in or go out: batches are there whole, in order, once, or not at all.

What was acknowledged is there; of the batch that was on its way all or nothing.
"""

import sys
import threading
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.fakes.crash_stage import CrashStage, Json
from tests.reliability.scale import dice, new_seed, report, scaled

from lararium_daemon.client.errors import ClientError
from lararium_daemon.terminal.session_file import read_file, write_file

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="fork servers are Linux's"),
    pytest.mark.timeout(1_200),
]

KILLS = scaled(6, 100)
BATCHES = 6
BATCH = 15
PAUSES = {"import.before": 0.01, "import.after": 0.01}


@dataclass
class Arrival:
    """One session that comes in batch by batch, and goes out again, as its client sees it."""

    stage: CrashStage
    folder: Path
    title: str = field(default_factory=lambda: uuid.uuid4().hex)
    session: str = ""
    acknowledged: int = 0
    """Batches."""
    exported: int = 0
    """Messages in the file; 0 when it was not finished."""

    @property
    def file(self) -> Path:
        return self.folder / f"{self.title}.jsonl"

    def send(self) -> None:
        """Send all that is left and write the file; ends at any failure."""
        try:
            for number in range(self.acknowledged, BATCHES):
                self._send_batch(number)
            self.exported = write_file(self.file, iter(self.stage.messages(self.session)), {})
        except ClientError:
            pass

    def _send_batch(self, number: int) -> None:
        body: Json = {"messages": [message(number * BATCH + place) for place in range(BATCH)]}
        if self.session:
            path = f"/api/sessions/{self.session}/import"
        else:
            path, body = "/api/sessions/import", {**body, "title": self.title}
        self.session = self.stage.client.request("POST", path, body)["session_id"]
        self.acknowledged = number + 1

    def look(self) -> list[str]:
        """Find the session by its title; give what is said in it."""
        rows = self.stage.client.request("GET", "/api/sessions?limit=200")["items"]
        [*found] = [row["id"] for row in rows if row["title"] == self.title]
        assert len(found) <= 1
        self.session = found[0] if found else ""
        said = self.stage.messages(self.session) if found else []
        return [part["text"] for each in said for part in each["parts"]]


def message(number: int) -> Json:
    part = {"type": "text", "part_id": "p", "text": f"number {number}"}
    return {"message_id": "m", "role": "user", "created_at": "", "parts": [part]}


def test_what_comes_in_is_there_batch_by_batch(stage: CrashStage, tmp_path: Path) -> None:
    seed = new_seed()
    chance = dice(seed)
    stage.plan(pauses=PAUSES)
    begun = time.monotonic()
    Arrival(stage, tmp_path).send()
    length = (time.monotonic() - begun) * 1.2
    batches = files = 0
    for number in range(KILLS):
        stage.plan(pauses=PAUSES)
        arrival = Arrival(stage, tmp_path)
        sender = threading.Thread(target=arrival.send)
        sender.start()
        time.sleep(chance.uniform(0, length))
        stage.kill()
        stage.wait_for_death()
        sender.join(20)
        assert not sender.is_alive()
        batches += arrival.acknowledged < BATCHES
        files += arrival.acknowledged == BATCHES and not arrival.exported
        check(arrival, f"kill {number} of seed {seed}")
    report(
        f"{KILLS} kills while a session came in ({batches}) or went out ({files}), seed {seed}: "
        "0 acknowledged batches lost, 0 torn, 0 twice"
    )


def check(arrival: Arrival, which: str) -> None:
    """Start the daemon again, compare, and let the rest come."""
    stage = arrival.stage
    stage.clear()
    stage.start()
    assert stage.integrity() == "ok", which
    said = arrival.look()
    assert said == [f"number {each}" for each in range(len(said))], which
    assert len(said) // BATCH - arrival.acknowledged in {0, 1}, which
    assert len(said) % BATCH == 0, which
    assert arrival.file.exists() == bool(arrival.exported), which
    arrival.acknowledged = len(said) // BATCH
    arrival.send()
    assert len(arrival.look()) == len(read_file(arrival.file).messages) == BATCHES * BATCH, which
