"""The row of the list: what it shows of each event."""

from lararium_daemon.protocol.events import (
    Event,
    MessageAppended,
    MessageRemoved,
    PartAppended,
    PermissionRequested,
    PermissionResolved,
    QuestionAsked,
    QuestionResolved,
    RunEnded,
    RunStarted,
    SessionUpdated,
    ToolEnded,
    ToolStarted,
)
from lararium_daemon.protocol.ids import (
    CallId,
    MessageId,
    PartId,
    QuestionId,
    RequestId,
    RunId,
    SessionId,
)
from lararium_daemon.protocol.messages import Message, TextPart, ToolCallPart, ToolResult
from lararium_daemon.protocol.permissions import (
    PermissionRequest,
    Question,
    QuestionItem,
    QuestionOption,
)
from lararium_daemon.sessions.row import Row

SESSION = SessionId("ses_1")
RUN = RunId("run_1")
CALL = CallId("call_1")
ASKED = MessageId("msg_1")
AT = "2026-11-30T12:00:00.000Z"
LATER = "2026-11-30T13:00:00.000Z"


def row_of(*events: Event) -> Row:
    row = Row(SESSION)
    for event in events:
        row.apply(event, AT)
    return row


def asked(run_id: RunId | None = None) -> MessageAppended:
    return MessageAppended(Message(ASKED, "user", AT, run_id, None, [TextPart(PartId("p"), "Hi")]))


def call(title: str) -> PartAppended:
    part = ToolCallPart(PartId("prt_1"), CALL, "bash", {}, title=title)
    return PartAppended(MessageId("msg_2"), part)


def facts(row: Row) -> tuple[str, str]:
    summary = row.summary()
    return summary.activity, summary.fact


STARTED = (
    SessionUpdated("Title", "default", None),
    asked(),
    RunStarted(RUN, ASKED, "m", "default"),
)


def test_a_message_waits_until_its_run_starts_and_the_session_is_idle_after_it() -> None:
    row = row_of(*STARTED[:2])
    assert facts(row) == ("queued", "Waits for its turn")
    row.apply(STARTED[2], AT)
    assert facts(row) == ("running", "Thinking")
    row.apply(RunEnded(RUN, "completed", 0), LATER)
    summary = row.summary()
    assert facts(row) == ("idle", "")
    assert (summary.last_outcome, summary.updated_at) == ("completed", LATER)
    assert (summary.created_at, summary.message_count) == (AT, 1)


def test_a_running_call_is_the_fact_in_one_line() -> None:
    row = row_of(*STARTED, call("npm test\nnpm run build"), ToolStarted(RUN, CALL))
    assert facts(row) == ("running", "npm test")
    row.apply(ToolEnded(RUN, CALL, "completed", ToolResult("")), AT)
    assert facts(row) == ("running", "Thinking")


def test_what_is_asked_comes_before_what_runs() -> None:
    request = PermissionRequest(
        RequestId("ask_1"), SESSION, RUN, CALL, "bash", "Run this?", "", {}, "", "", [], AT
    )
    item = QuestionItem("Which one?", [QuestionOption("A"), QuestionOption("B")])
    question = Question(QuestionId("qst_1"), SESSION, RUN, CALL, [item], AT)
    row = row_of(*STARTED, call("git push"), PermissionRequested(request), QuestionAsked(question))
    assert facts(row) == ("needs_you", "git push")
    row.apply(PermissionResolved(request.id, "deny", "once", "person"), AT)
    assert facts(row) == ("needs_you", "Which one?")
    row.apply(QuestionResolved(question.id), AT)
    assert facts(row) == ("running", "Thinking")


def test_a_removed_message_no_longer_waits() -> None:
    row = row_of(*STARTED[:2], MessageRemoved(ASKED), MessageRemoved(ASKED))
    assert facts(row) == ("idle", "")
    assert row.summary().message_count == 0


def test_a_copy_runs_ahead_without_touching_the_row() -> None:
    row = row_of(*STARTED[:2])
    before = row.summary()
    ahead = row.copy()
    ahead.apply(STARTED[2], LATER)
    ahead.apply(call("ls"), LATER)
    ahead.apply(ToolStarted(RUN, CALL), LATER)
    assert row.summary() == before
    assert row.queued
