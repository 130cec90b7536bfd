"""Repairs: what was open is closed, once, and nothing is claimed that is not known."""

import pytest
from tests.fakes.cut_run import ANSWER, AT, RUN, SESSION, call, fold_of

from lararium_daemon.protocol.events import (
    Event,
    PartAppended,
    PartDelta,
    PermissionRequested,
    PermissionResolved,
    QuestionAsked,
    QuestionResolved,
    RunEnded,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from lararium_daemon.protocol.ids import CallId, PartId, QuestionId, RequestId
from lararium_daemon.protocol.messages import TextPart, ToolResult
from lararium_daemon.protocol.permissions import PermissionRequest, Question
from lararium_daemon.sessions.fold import Fold
from lararium_daemon.sessions.repair import ended, repairs, written_paths


def settled(fold: Fold, hashes: dict[str, str] | None = None) -> list[Event]:
    events = repairs(fold, "restart", hashes or {})
    events += ended(fold, "interrupted", "daemon_restarted")
    for event in events:
        fold.apply_durable(event, fold.state.seq + 1, AT)
    assert repairs(fold, "restart", {}) == []
    assert ended(fold, "interrupted") == []
    assert fold.transcript.undurable() == []
    return events


def results(events: list[Event]) -> dict[str, tuple[str, str]]:
    return {e.call_id: (e.state, e.result.summary) for e in events if isinstance(e, ToolEnded)}


def test_a_cut_answer_keeps_its_text_and_is_marked() -> None:
    fold = fold_of(PartDelta(ANSWER, PartId("prt_1"), "text", 0, "Hel"))
    events = settled(fold)
    assert events == [
        PartAppended(ANSWER, TextPart(PartId("prt_1"), "Hel")),
        TurnEnded(RUN, 1, ANSWER, "", cut=True),
        RunEnded(RUN, "interrupted", 0, "daemon_restarted"),
    ]
    assert fold.state.messages[-1].cut


def test_every_open_call_gets_one_result_that_says_what_is_known() -> None:
    fold = fold_of(
        call("done"),
        call("shell"),
        call("never"),
        ToolStarted(RUN, CallId("done")),
        ToolEnded(RUN, CallId("done"), "completed", ToolResult("ok")),
        ToolStarted(RUN, CallId("shell")),
    )
    assert results(settled(fold)) == {
        "shell": ("interrupted", "outcome unknown"),
        "never": ("interrupted", "not started"),
    }


@pytest.mark.parametrize(
    ("found", "result"),
    [
        ("after", ("completed", "applied")),
        ("before", ("interrupted", "not applied")),
        ("other", ("interrupted", "outcome unknown")),
        ("", ("interrupted", "outcome unknown")),
    ],
)
def test_a_cut_write_is_settled_by_the_hash_of_the_file(
    found: str, result: tuple[str, str]
) -> None:
    fold = fold_of(call("edit"), ToolStarted(RUN, CallId("edit"), "before", "after", "/w/a.txt"))
    assert written_paths(fold) == ["/w/a.txt"]
    assert results(settled(fold, {"/w/a.txt": found})) == {"edit": result}


def test_open_asks_and_questions_are_withdrawn() -> None:
    request = PermissionRequest(
        RequestId("ask_1"), SESSION, RUN, CallId("shell"), "bash", "Run?", "", {}, "", "", [], AT
    )
    question = Question(QuestionId("qst_1"), SESSION, RUN, CallId("ask"), [], AT)
    fold = fold_of(call("shell"), PermissionRequested(request), QuestionAsked(question))
    events = settled(fold)
    assert [(e.decision, e.by) for e in events if isinstance(e, PermissionResolved)] == [
        ("deny", "restart")
    ]
    assert [e.by for e in events if isinstance(e, QuestionResolved)] == ["restart"]
    assert fold.state.requests == []
    assert fold.state.questions == []


def test_nothing_is_repaired_where_no_run_is_open() -> None:
    fold = fold_of(TurnEnded(RUN, 1, ANSWER, "stop"), RunEnded(RUN, "completed", 0))
    assert repairs(fold, "restart", {}) == []
    assert ended(fold, "interrupted") == []
