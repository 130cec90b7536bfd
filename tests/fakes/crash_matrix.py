"""The crash matrix: where a kill can fall, and where one fell, by disk, model and ledger."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.fakes.kill_ledger import Json, Ledger

ROWS: Mapping[int, str] = {
    1: "before the message is committed",
    2: "after that, before it is acknowledged",
    3: "before the model is called",
    4: "while the model streams",
    5: "stream over, before its last commit",
    6: "calls decided, before the intent",
    7: "waiting for a permission",
    8: "permission granted, before the start",
    9: "a command runs",
    10: "a change between temporary file and renaming",
    11: "a change renamed, before its result",
    13: "compaction",
    14: "between a result and the next model call",
}
"""Those that a kill of the daemon in a run can fall into. Elsewhere: 12, a call to an MCP server in
flight, cannot occur yet; 13 in a migration and 15 are in `test_killed_upkeep.py`; 16 is in
`test_killed_window.py`."""
AFTER_THE_END = 0


def rows_of(ledger: Ledger) -> set[int]:
    """Give the rows that a kill fell into; two of them when the client did not know yet."""
    events = [e for e in ledger.stage.events(ledger.session) if e["type"] != "session.updated"]
    types = [event["type"] for event in events]
    if "message.appended" not in types:
        return {1}
    rows = {2} if ledger.accepted is None else set[int]()
    if types[-1] == "run.ended":
        return rows | {AFTER_THE_END}
    turns, compactions = types.count("turn.started"), types.count("compaction.started")
    if compactions > types.count("compaction.ended"):
        return rows | {13}
    if turns > types.count("turn.ended"):
        return rows | {_row_of_turn(ledger, turns, turns + compactions)}
    return rows | ((_rows_of_calls(ledger, events) or {14}) if turns else {3})


def _row_of_turn(ledger: Ledger, turns: int, requests: int) -> int:
    """Give the row inside a turn, which is the model's request number `requests`."""
    asked: Sequence[Any] = ledger.stage.llm.requests
    if len(asked) < requests:
        return 3 if turns == 1 else 14
    return 4 if asked[requests - 1].ended is None else 5


def _rows_of_calls(ledger: Ledger, events: Sequence[Json]) -> set[int]:
    asked = {e["request"]["call_id"] for e in events if e["type"] == "permission.requested"}
    resolved = any(e["type"] == "permission.resolved" for e in events)
    begun = {e["call_id"]: e for e in events if e["type"] == "tool.started"}
    ended = {e["call_id"] for e in events if e["type"] == "tool.ended"}
    parts = [e["part"] for e in events if e["type"] == "part.appended"]
    calls = {part["call_id"]: part["tool"] for part in parts if part["type"] == "tool_call"}
    rows = {6} if set(calls) - set(begun) - asked else set[int]()
    rows |= {7} if asked and not resolved else set()
    for call_id in set(begun) - ended:
        if begun[call_id]["path"]:
            after = ledger.written if calls[call_id] == "write_file" else ledger.edited
            rows.add(11 if ledger.content() == after else 10)
        else:
            has_acted = ledger.stage.acts()[call_id] > 0
            rows.add(8 if call_id in asked and not has_acted else 9)
    return rows


def table(fell: Mapping[int, int]) -> str:
    """Give how many kills fell into each row, one a line."""
    lines = [f"  {number:>2}  {fell.get(number, 0):>5}  {name}" for number, name in ROWS.items()]
    return "\n".join([*lines, f"   -  {fell.get(AFTER_THE_END, 0):>5}  after the run's end"])
