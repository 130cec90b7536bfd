"""What of a session waits for the person: from events to items."""

from dataclasses import replace

import pytest

from lararium_daemon.protocol.attention import AttentionItem
from lararium_daemon.protocol.events import (
    Event,
    Outcome,
    PermissionRequested,
    PermissionResolved,
    QuestionAsked,
    QuestionResolved,
    RunEnded,
    RunStarted,
    SessionUpdated,
)
from lararium_daemon.protocol.ids import (
    CallId,
    MessageId,
    QuestionId,
    RequestId,
    RunId,
    SessionId,
)
from lararium_daemon.protocol.permissions import (
    PermissionRequest,
    Question,
    QuestionItem,
    SpendLimit,
)
from lararium_daemon.sessions.attention import Attention

SESSION = SessionId("ses_1")
RUN = RunId("run_1")
AT = "2026-11-30T12:00:00.000Z"
LATER = "2026-11-30T12:01:30.500Z"
TITLED = SessionUpdated("Limit by key", "default", None)
STARTED = RunStarted(RUN, MessageId("msg_1"), "m", "default")
REQUEST = PermissionRequest(
    id=RequestId("ask_1"),
    session_id=SESSION,
    run_id=RUN,
    call_id=CallId("call_1"),
    tool="bash",
    title="Run this command?",
    reason="No rule allows it.",
    input={"command": "git push secret"},
    shown="/w\ngit push secret",
    shown_sha256="00",
    suggested_rules=[],
    created_at=AT,
    program="git",
)
QUESTION = Question(
    QuestionId("qst_1"), SESSION, RUN, CallId("call_2"), [QuestionItem("Which one?\nSay.", [])], AT
)


def fold(*events: Event, then: tuple[Event, ...] = ()) -> Attention:
    """Fold `events`, then `then` as one later commit; `changed` is of the latter."""
    attention = Attention(SESSION)
    for event in events:
        attention.apply(event, AT)
    attention = attention.copy()
    for event in then:
        attention.apply(event, LATER)
    return attention


def ended(outcome: Outcome, code: str = "", **more: str) -> RunEnded:
    return RunEnded(RUN, outcome, 0, code=code, **more)


def only(attention: Attention) -> AttentionItem:
    [item] = attention.open.values()
    return item


def test_a_request_waits_until_it_is_resolved_and_both_are_told() -> None:
    asked = fold(TITLED, STARTED, then=(PermissionRequested(REQUEST),))
    item = AttentionItem(
        id="ask_1",
        seq=0,
        kind="needs_you",
        session_id=SESSION,
        title="Limit by key",
        detail="Run this command?",
        at=LATER,
        request_id=REQUEST.id,
        tool="bash",
        program="git",
        shown_sha256="00",
    )
    assert asked.open == asked.changed == {"ask_1": item}
    resolved = asked.copy()
    resolved.apply(PermissionResolved(REQUEST.id, "deny", "once", "person"), LATER)
    assert resolved.open == {}
    assert resolved.changed == {"ask_1": replace(item, resolved_at=LATER)}


def test_an_item_says_nothing_of_what_is_asked_but_its_programs() -> None:
    told = repr(fold(TITLED, STARTED, PermissionRequested(REQUEST)).open)
    assert "git" in told
    assert "secret" not in told


def test_a_question_waits_with_its_first_line() -> None:
    item = only(fold(TITLED, STARTED, QuestionAsked(QUESTION)))
    assert (item.kind, item.detail, item.request_id) == ("question", "Which one?", QUESTION.id)
    closed = fold(TITLED, STARTED, QuestionAsked(QUESTION), then=(QuestionResolved(QUESTION.id),))
    assert (closed.open, list(closed.changed)) == ({}, ["qst_1"])


def test_a_question_about_a_spend_cap_is_told_apart() -> None:
    asked = replace(QUESTION, spend=SpendLimit("day", 1, 1.5, 2))
    assert only(fold(TITLED, STARTED, QuestionAsked(asked))).code == "spend_cap"
    assert only(fold(TITLED, STARTED, QuestionAsked(QUESTION))).code == ""


@pytest.mark.parametrize(
    ("end", "kind", "code"),
    [
        (ended("completed", text="All\ndone"), "finished", "completed"),
        (ended("error", "provider_auth", detail="Wrong key."), "failed", "provider_auth"),
        (ended("budget"), "failed", "budget"),
        (ended("refused_by_model"), "failed", "refused_by_model"),
        (ended("interrupted", "daemon_restarted"), "failed", "daemon_restarted"),
    ],
)
def test_a_run_that_ended_by_itself_is_told(end: RunEnded, kind: str, code: str) -> None:
    item = only(fold(TITLED, STARTED, then=(end,)))
    assert (item.id, item.kind, item.code, item.run_seconds) == (RUN, kind, code, 90.5)


def test_the_detail_is_the_answer_of_a_finished_run_and_the_reason_of_a_failed_one() -> None:
    assert only(fold(STARTED, ended("completed", text="All\ndone"))).detail == "All"
    assert only(fold(STARTED, ended("error", "x", detail="Wrong key."))).detail == "Wrong key."
    long = only(fold(STARTED, ended("completed", text="x" * 1_000))).detail
    assert (len(long), long[-1]) == (200, "…")


@pytest.mark.parametrize("code", ["", "daemon_stopped"])
def test_a_run_that_the_person_stopped_is_no_news(code: str) -> None:
    assert fold(STARTED, ended("interrupted", code)).open == {}


def test_a_run_that_the_person_let_spend_no_more_is_no_news_either() -> None:
    assert fold(STARTED, ended("budget", "spend_stopped")).open == {}
    assert only(fold(STARTED, ended("budget", "spend_cap"))).kind == "failed"


@pytest.mark.parametrize(
    "event", [replace(STARTED, run_id=RunId("run_2")), replace(TITLED, archived=True)]
)
def test_what_ended_is_closed_when_the_session_goes_on_or_is_put_away(event: Event) -> None:
    attention = fold(TITLED, STARTED, ended("completed"), then=(event,))
    assert attention.open == {}
    assert attention.changed[RUN].resolved_at == LATER


def test_what_waits_stays_when_the_session_is_put_away() -> None:
    archived = replace(TITLED, archived=True)
    asked = fold(TITLED, STARTED, PermissionRequested(REQUEST), archived)
    assert list(asked.open) == ["ask_1"]


def test_an_open_item_takes_the_new_name_of_its_session() -> None:
    renamed = replace(TITLED, title="Other")
    attention = fold(TITLED, STARTED, PermissionRequested(REQUEST), then=(renamed,))
    assert attention.changed["ask_1"].title == attention.open["ask_1"].title == "Other"


def test_a_copy_runs_ahead_alone() -> None:
    attention = fold(TITLED, STARTED)
    ahead = attention.copy()
    ahead.apply(PermissionRequested(REQUEST), AT)
    assert attention.open == attention.changed == {}


def test_a_time_that_cannot_be_read_is_no_time() -> None:
    attention = Attention(SESSION)
    attention.apply(STARTED, "rotten")
    attention.apply(ended("completed"), LATER)
    assert only(attention).run_seconds is None


def test_an_end_without_a_beginning_has_no_length() -> None:
    assert only(fold(ended("completed"))).run_seconds is None
