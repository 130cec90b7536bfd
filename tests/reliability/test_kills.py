"""Random `kill -9`, uniform over a run's length, with real tools, against a client-side ledger.

Nothing acknowledged is lost, nothing is there twice, no command and no write is done again, the
journal stays whole, and the session can go on; and the kills fell into every row of the crash
matrix. A seed that failed is repeated with `LARARIUM_SEED`.
"""

import random
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import pytest
from tests.fakes.crash_matrix import ROWS, rows_of, table
from tests.fakes.crash_stage import CrashStage, assert_paired
from tests.fakes.kill_ledger import PAUSES, Ledger
from tests.reliability.scale import FULL, dice, new_seed, report, scaled

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="fork servers are Linux's"),
    pytest.mark.timeout(3_600),
]

KILLS = scaled(60, 1_000)
SCOPES = ("once", "once", "session", "always")
MEASURED_EVERY = 100
LEAST = 20
"""How many kills each row must have seen when all are done."""
STEP = '#!/bin/sh\necho "$1" >> ran\nsleep 0.02\n'


def test_random_kills_lose_nothing_and_repeat_nothing(stage: CrashStage) -> None:
    seed = new_seed()
    chance = dice(seed)
    step = stage.folder / "step"
    step.write_text(STEP, encoding="utf-8")
    step.chmod(0o755)
    lengths: list[float] = []
    begun = time.monotonic()
    fell: Counter[int] = Counter()
    ledgers: list[Ledger] = []
    while len(ledgers) < KILLS or (FULL and lacking(fell) and len(ledgers) < 2 * KILLS):
        if len(ledgers) % MEASURED_EVERY == 0:  # a busy machine gets slower and faster
            lengths.append(run_length(stage))
        ledger = killed_run(stage, chance.uniform(0, lengths[-1]), chance.choice(SCOPES))
        fell.update(rows_of(ledger))
        ledgers.append(ledger)
        look_after(ledger, f"kill {len(ledgers)} of seed {seed}", chance)
    audit(stage, ledgers, seed)
    each = (time.monotonic() - begun) / len(ledgers)
    report(
        f"{len(ledgers)} kills, {each:.2f} s each, over runs of {statistics.median(lengths):.2f} s,"
        f" seed {seed}; how many fell into each row (some into two):\n{table(fell)}"
    )
    assert not (FULL and lacking(fell))


def lacking(fell: Counter[int]) -> list[int]:
    """Give the rows that too few kills fell into."""
    return [row for row in ROWS if fell[row] < LEAST]


def run_length(stage: CrashStage) -> float:
    """Give how long a run takes that nobody kills, from its message to its last event."""
    lengths: list[float] = []
    for _ in range(5):
        ledger = prepared(stage)
        begun = time.time()
        ledger.send()
        assert stage.wait_idle(ledger.session)["last_outcome"] == "completed"
        ended = datetime.fromisoformat(stage.events(ledger.session)[-1]["at"])
        lengths.append(ended.timestamp() - begun)
    return statistics.median(lengths)


def prepared(stage: CrashStage, scope: str = "once") -> Ledger:
    stage.llm.reset()
    ledger = Ledger(stage, stage.session("default"), scope)
    ledger.script()
    stage.plan(pauses=PAUSES)
    return ledger


def killed_run(stage: CrashStage, moment: float, scope: str) -> Ledger:
    """Begin a run and kill the daemon so many seconds after its message was sent."""
    ledger = prepared(stage, scope)
    sender = threading.Thread(target=ledger.send)
    sender.start()
    time.sleep(moment)
    stage.kill()
    stage.wait_for_death()
    sender.join(20)
    assert not sender.is_alive()
    return ledger


def look_after(ledger: Ledger, which: str, chance: random.Random) -> None:
    """Start the daemon again and compare what it says with the ledger."""
    stage = ledger.stage
    stage.clear()
    stage.llm.reset()
    stage.start()
    assert stage.integrity() == "ok", which
    again = stage.post(ledger.session, client_id=ledger.client_id)
    if ledger.accepted is not None:
        assert again["message_id"] == ledger.accepted["message_id"], which
    check_grant(ledger, which)
    for request in stage.requests(ledger.session):
        stage.decide(request)
    row = stage.wait_idle(ledger.session)
    if row["last_outcome"] == "interrupted" and chance.random() < 0.5:
        stage.client.request("POST", f"/api/sessions/{ledger.session}/resume", {})
        assert stage.wait_idle(ledger.session)["last_outcome"] == "completed", which
    check_files(ledger, which)


def check_grant(ledger: Ledger, which: str) -> None:
    """A decision that was acknowledged is there, and a rule that it gave lasts."""
    stage, request = ledger.stage, ledger.decided
    events = stage.events(ledger.session)
    scopes = {e["request_id"]: e["scope"] for e in events if e["type"] == "permission.resolved"}
    if request is not None:
        assert scopes[request["id"]] == ledger.scope, which
    if ledger.scope == "always":
        rules = stage.client.request("GET", "/api/permissions/rules")["allow"]
        if request is not None:
            assert set(request["suggested_rules"]) <= set(rules), which
        stage.client.request("PUT", "/api/permissions/rules", {"allow": []})


def check_files(ledger: Ledger, which: str) -> None:
    """Nothing ran twice, and what is said of the file is so."""
    stage = ledger.stage
    assert ledger.runs_of("a") <= 1, which
    assert ledger.runs_of("b") <= 1, which
    done: set[str] = set()
    for call in stage.calls(ledger.session):
        assert stage.acts()[call["call_id"]] <= 1, which
        if call["state"] == "completed":
            done.add(call["tool"])
            if call["tool"] == "bash":
                assert ledger.runs_of(call["arguments"]["command"][7]) == 1, which
    written = ledger.written if "write_file" in done else ""
    assert ledger.content() == (ledger.edited if "edit_file" in done else written), which
    assert [each.name for each in stage.folder.iterdir() if each.suffix == ".tmp"] == [], which


def audit(stage: CrashStage, ledgers: Sequence[Ledger], seed: int) -> None:
    """At the end everything is there, once, and every run has one end."""
    for ledger in ledgers:
        events = stage.events(ledger.session)
        said = [
            e["message"]["client_message_id"] for e in events if e["type"] == "message.appended"
        ]
        assert said.count(ledger.client_id) == 1, f"seed {seed}"
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        begun = [event["run_id"] for event in events if event["type"] == "run.started"]
        assert begun == [event["run_id"] for event in events if event["type"] == "run.ended"]
        assert_paired(stage.messages(ledger.session))
