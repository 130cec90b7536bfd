"""The fold: the same events give the same state, in pieces, twice or from the middle."""

import copy

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.protocol.events import (
    Envelope,
    Event,
    MessageAppended,
    MessageRemoved,
    Notice,
    PartAppended,
    PartDelta,
    PermissionRequested,
    PermissionResolved,
    RunEnded,
    RunStarted,
    SessionUpdated,
    TodoUpdated,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    Usage,
    UsageUpdated,
)
from lararium_daemon.protocol.ids import CallId, MessageId, PartId, RequestId, RunId, SessionId
from lararium_daemon.protocol.messages import Message, TextPart, ToolCallPart, ToolResult
from lararium_daemon.protocol.permissions import PermissionRequest
from lararium_daemon.protocol.reasoning import Reasoning
from lararium_daemon.protocol.text import utf16_length
from lararium_daemon.protocol.todo import TodoStep
from lararium_daemon.protocol.wire import decode_envelope, decode_payload, encode_envelope
from lararium_daemon.sessions.fold import Fold, count, fresh

SESSION = SessionId("ses_1")
RUN = RunId("run_1")
ASKED = MessageId("msg_asked")
ANSWER = MessageId("msg_answer")
TEXT = PartId("prt_text")
CALL = CallId("call_1")
AT = "2026-11-30T12:00:00.000Z"


def fold_of(*events: Event) -> Fold:
    fold = fresh(SESSION)
    for event in events:
        volatile = isinstance(event, PartDelta | ToolProgress)
        seq = fold.state.seq + (0 if volatile else 1)
        assert fold.apply(Envelope(SESSION, seq, "epoch", AT, event))
    assert fold.counts() == count(fold.state)
    return fold


def said(text: str, run_id: RunId | None = RUN) -> MessageAppended:
    part = TextPart(PartId("prt_asked"), text)
    return MessageAppended(Message(ASKED, "user", AT, run_id, "client_1", [part]))


def started() -> list[Event]:
    return [
        SessionUpdated("Title", "default", None),
        said("Do it"),
        RunStarted(RUN, ASKED, "model", "default"),
        TurnStarted(RUN, 1, ANSWER),
        MessageAppended(Message(ANSWER, "assistant", AT, RUN)),
    ]


def delta(offset: int, text: str) -> PartDelta:
    return PartDelta(ANSWER, TEXT, "text", offset, text)


def piece(offset: int, text: str) -> PartAppended:
    return PartAppended(ANSWER, TextPart(TEXT, text), offset)


def text_of(fold: Fold) -> str:
    part = fold.state.messages[-1].parts[0]
    assert isinstance(part, TextPart)
    return part.text


def test_a_run_leaves_its_messages_and_its_end() -> None:
    fold = fold_of(
        *started(),
        delta(0, "Hel"),
        delta(3, "lo"),
        piece(0, "Hello"),
        UsageUpdated(RUN, Usage(10, 2), 1000),
        TurnEnded(RUN, 1, ANSWER, "stop"),
        RunEnded(RUN, "completed", 0, text="Hello"),
    )
    assert text_of(fold) == "Hello"
    assert fold.state.run is not None
    assert fold.state.run.outcome == "completed"
    assert [run.run_id for run in fold.state.runs] == [RUN]
    assert not fold.is_running
    assert fold.open_turn is None
    assert fold.state.usage == Usage(10, 2)


def test_a_delta_that_comes_twice_is_dropped_and_one_beyond_a_hole_is_refused() -> None:
    fold = fold_of(*started(), delta(0, "Hello"))
    assert fold.apply_volatile(delta(0, "Hel"))
    assert fold.apply_volatile(delta(3, "lo, you"))
    assert text_of(fold) == "Hello, you"
    assert not fold.apply_volatile(delta(20, "late"))
    assert not fold.apply_volatile(PartDelta(ANSWER, PartId("prt_new"), "text", 5, "late"))
    assert text_of(fold) == "Hello, you"


def test_a_durable_piece_cuts_the_text_at_its_offset() -> None:
    fold = fold_of(*started(), delta(0, "Hello wrong"), piece(6, "world"))
    assert text_of(fold) == "Hello world"
    assert fold.transcript.undurable() == []


def test_text_beyond_the_last_durable_piece_is_known() -> None:
    fold = fold_of(*started(), piece(0, "a😀"), delta(3, "b😀c"))
    assert fold.transcript.undurable() == [delta(3, "b😀c")]


def test_a_queued_message_moves_to_the_end_when_its_run_starts() -> None:
    queued = MessageId("msg_queued")
    follow_up = Message(queued, "user", AT, None, "client_2", [TextPart(PartId("prt_2"), "Next")])
    fold = fold_of(*started(), MessageAppended(follow_up), RunEnded(RUN, "completed", 0))
    assert list(fold.transcript.queued) == [queued]
    other = MessageId("msg_other")
    fold.apply_durable(MessageAppended(Message(other, "assistant", AT, RUN)), 99, AT)
    fold.apply_durable(RunStarted(RunId("run_2"), queued, "model", "default"), 100, AT)
    assert [m.message_id for m in fold.state.messages] == [ASKED, ANSWER, other, queued]
    assert fold.state.messages[-1].run_id == "run_2"
    assert not fold.transcript.queued


def test_a_removed_message_leaves_nothing_but_its_client_id() -> None:
    fold = fold_of(said("Later", run_id=None), MessageRemoved(ASKED), MessageRemoved(ASKED))
    assert fold.state.messages == []
    assert fold.clients["client_1"] == (ASKED, 1)


def test_a_message_that_a_run_took_cannot_be_removed() -> None:
    fold = fold_of(*started(), MessageRemoved(ASKED))
    assert len(fold.state.messages) == 2


def test_a_call_goes_from_pending_through_running_to_its_result() -> None:
    call = ToolCallPart(PartId("prt_call"), CALL, "bash", {"command": "ls"}, title="ls")
    fold = fold_of(*started(), PartAppended(ANSWER, call), ToolStarted(RUN, CALL))
    fold.apply_volatile(ToolProgress(CALL, PartId("prt_call"), 0, "a\nb", 4))
    part = fold.transcript.calls[CALL]
    assert (part.state, part.started_at, fold.state.progress) == ("running", AT, {CALL: "a\nb"})
    fold.apply_durable(ToolEnded(RUN, CALL, "completed", ToolResult("a\nb")), 99, AT)
    assert (part.state, part.result, fold.state.progress) == ("completed", ToolResult("a\nb"), {})
    fold.apply_volatile(ToolProgress(CALL, PartId("prt_call"), 0, "late", 4))
    assert fold.state.progress == {}
    assert call.state == "pending"


def test_a_request_is_open_until_it_is_resolved_and_one_denied_for_want_of_a_person_counts() -> (
    None
):
    request = PermissionRequest(
        id=RequestId("ask_1"),
        session_id=SESSION,
        run_id=RUN,
        call_id=CALL,
        tool="bash",
        title="Run this command?",
        reason="No rule allows it.",
        input={"command": "id"},
        shown="/w\nid",
        shown_sha256="00",
        suggested_rules=[],
        created_at=AT,
    )
    fold = fold_of(*started(), PermissionRequested(request))
    assert fold.state.requests == [request]
    fold.apply_durable(PermissionResolved(request.id, "deny", "once", "headless"), 99, AT)
    assert fold.state.requests == []
    assert fold.state.run is not None
    assert fold.state.run.refused == 1


def test_a_notice_stands_after_the_last_message_that_is_not_queued() -> None:
    notice = Notice("warning", "retry", "The server did not answer; trying again.")
    fold = fold_of(*started(), notice)
    assert fold.state.notices[0].after_message_id == ANSWER


def test_the_fold_shares_nothing_with_the_events() -> None:
    message = Message(ANSWER, "assistant", AT, RUN, parts=[TextPart(TEXT, "Hel")])
    event = MessageAppended(message)
    fold = fold_of(said("Hi"), event)
    fold.apply_volatile(delta(3, "lo"))
    assert text_of(fold) == "Hello"
    assert message.parts == [TextPart(TEXT, "Hel")]


texts = st.lists(st.text(alphabet="ab😀é\n", max_size=6), min_size=1, max_size=30)


@given(texts, st.data())
def test_pieces_deltas_and_restarts_give_the_same_text(
    pieces: list[str], data: st.DataObject
) -> None:
    """Whatever is durable or not, a full fold, a journal's fold and a resumed one agree."""
    live = fold_of(*started())
    journal = list(started())
    units = durable = 0
    whole = ""
    for text in pieces:
        if text:
            assert live.apply_volatile(delta(units, text))
        whole += text
        units += utf16_length(text)
        if data.draw(st.booleans()):
            rest = whole.encode("utf-16-le")[durable * 2 :].decode("utf-16-le")
            journal.append(piece(durable, rest))
            live.apply_durable(journal[-1], live.state.seq + 1, AT)
            durable = units
    resumed = Fold(copy.deepcopy(live.state))
    assert live.counts() == count(live.state) == resumed.counts()
    rest = whole.encode("utf-16-le")[durable * 2 :].decode("utf-16-le")
    last = piece(durable, rest)
    for fold in (live, resumed):
        fold.apply_durable(last, live.state.seq + 1, AT)
    again = fold_of(*journal, last)
    assert text_of(live) == text_of(resumed) == text_of(again) == whole
    assert orjson.dumps(again.state.messages) == orjson.dumps(live.state.messages)


@pytest.mark.parametrize("event", started(), ids=lambda event: type(event).__name__)
def test_an_envelope_reads_back_as_it_was_written(event: Event) -> None:
    envelope = Envelope(SESSION, 7, "epoch", AT, event)
    assert decode_envelope(encode_envelope(envelope)) == envelope


def test_reasoning_that_goes_back_is_kept_with_its_answer() -> None:
    kept = Reasoning("P/m", items=[{"type": "reasoning", "encrypted_content": "c2VhbGVk"}])
    fold = fold_of(*started(), TurnEnded(RUN, 1, ANSWER, "stop", reasoning=kept))

    assert fold.state.messages[-1].reasoning == kept


def test_the_end_of_a_turn_that_was_written_without_reasoning_reads_as_none() -> None:
    old = b'{"run_id": "run_1", "turn": 1, "message_id": "m", "finish_reason": "", "cut": true}'

    assert decode_payload("turn.ended", old) == TurnEnded(RUN, 1, MessageId("m"), "", cut=True)


def test_the_list_of_steps_is_the_last_one_whole() -> None:
    first = TodoUpdated(RUN, CALL, [TodoStep("Read"), TodoStep("Write", "in_progress")])
    last = TodoUpdated(RUN, CALL, [TodoStep("Read", "done")])

    fold = fold_of(*started(), first, last)

    assert fold.state.todo == [TodoStep("Read", "done")]
    assert fold_of(*started(), first, TodoUpdated(RUN, CALL, [])).state.todo == []
