"""Loading: what the journal has becomes the session, without what cannot be read."""

from lararium_daemon.protocol.events import MessageAppended, SessionUpdated
from lararium_daemon.protocol.ids import MessageId, PartId, SessionId
from lararium_daemon.protocol.messages import Message, TextPart
from lararium_daemon.protocol.wire import encode_payload
from lararium_daemon.sessions.loading import load
from lararium_daemon.storage.journal import Entry

ID = SessionId("ses_1")
AT = "2026-11-30T12:00:00.000Z"


def said(seq: int) -> Entry:
    message = Message(
        MessageId(f"msg_{seq}"), "user", AT, None, f"c{seq}", [TextPart(PartId(f"prt_{seq}"), "Hi")]
    )
    return Entry(seq, AT, MessageAppended.type, encode_payload(MessageAppended(message)))


def test_a_session_is_what_its_events_say() -> None:
    created = SessionUpdated("Title", "plan", "large", pinned=True)
    fold, row = load(ID, [Entry(1, AT, created.type, encode_payload(created)), said(2)])
    state = fold.state
    assert (state.title, state.mode, state.model, state.pinned) == ("Title", "plan", "large", True)
    assert (state.seq, state.created_at) == (2, AT)
    assert row.summary().message_count == len(state.messages) == 1
    assert state.notices == []


def test_events_that_cannot_be_read_are_left_out_and_counted() -> None:
    entries = [
        said(1),
        Entry(2, AT, "session.updated", b'{"title": "cut'),
        Entry(3, AT, "event.of.the.future", b"{}"),
        Entry(4, AT, "run.ended", b'{"run_id": "r"}'),
        said(7),
    ]
    fold, row = load(ID, entries)
    assert [message.message_id for message in fold.state.messages] == ["msg_1", "msg_7"]
    assert fold.state.seq == 7
    (notice,) = fold.state.notices
    assert (notice.code, notice.text.partition(" ")[0]) == ("events_unreadable", "5")
    assert row.summary().message_count == 2
