"""The feed: order kept, deltas joined, bounds held."""

from typing import Any

import orjson
import pytest

from lararium_daemon.protocol.attention import AttentionItem, AttentionPage
from lararium_daemon.protocol.events import PartDelta, ToolProgress, VolatileEvent
from lararium_daemon.protocol.ids import CallId, MessageId, PartId, SessionId
from lararium_daemon.sessions.feed import Feed

ONE = SessionId("ses_1")
TWO = SessionId("ses_2")
PART = PartId("prt_1")


def feed_of(**limits: int) -> Feed:
    feed = Feed("epoch", **limits)
    feed.sessions |= {ONE, TWO}
    return feed


def delta(offset: int, text: str, part_id: PartId = PART) -> PartDelta:
    return PartDelta(MessageId("msg_1"), part_id, "text", offset, text)


def put(feed: Feed, event: VolatileEvent, session_id: SessionId = ONE) -> None:
    feed.put_volatile(session_id, 3, "at", event)


def taken(feed: Feed) -> list[Any]:
    return [orjson.loads(each.data) for each in feed.take()]


def test_deltas_of_one_part_that_wait_become_one() -> None:
    feed = feed_of()
    put(feed, delta(0, "a😀"))
    put(feed, delta(0, "x", PartId("prt_2")))
    put(feed, delta(0, "other session"), TWO)
    put(feed, delta(3, "b"))
    put(feed, delta(4, "c"))
    first, second, third = taken(feed)
    assert first == {
        "session_id": ONE,
        "seq": 3,
        "epoch": "epoch",
        "type": "part.delta",
        "at": "at",
        "payload": {
            "message_id": "msg_1",
            "part_id": "prt_1",
            "kind": "text",
            "offset": 0,
            "text": "a😀bc",
        },
        "volatile": True,
    }
    assert (second["payload"]["text"], third["payload"]["text"]) == ("x", "other session")
    assert feed.take() == []


def test_deltas_do_not_join_across_a_hole_a_durable_event_or_a_heartbeat() -> None:
    feed = feed_of()
    put(feed, delta(0, "a"))
    put(feed, delta(5, "b"))
    feed.put(ONE, b'{"durable":1}')
    put(feed, delta(6, "c"))
    feed.put_message(b'{"type":"heartbeat"}')
    put(feed, delta(7, "d"))
    texts = [each.get("payload", each).get("text", each) for each in taken(feed)]
    assert texts == ["a", "b", {"durable": 1}, "c", {"type": "heartbeat"}, "d"]


def test_only_the_newest_progress_of_a_call_is_sent() -> None:
    feed = feed_of()
    put(feed, ToolProgress(CallId("call_1"), PART, 0, "one", 3))
    put(feed, ToolProgress(CallId("call_1"), PART, 0, "one\ntwo", 7))
    assert [each["payload"]["tail"] for each in taken(feed)] == ["one\ntwo"]


@pytest.mark.parametrize("limits", [{"max_items": 3}, {"max_bytes": 60}])
def test_a_feed_that_is_full_is_emptied_and_every_session_resynced(limits: dict[str, int]) -> None:
    feed = feed_of(**limits)
    for number in range(4):
        feed.put(ONE, b'{"event":"%d","text":"0123456789"}' % number)
    assert not feed.sessions
    assert sorted(each["session_id"] for each in taken(feed)) == [ONE, TWO]


def test_joined_deltas_count_against_the_bytes() -> None:
    feed = feed_of(max_bytes=100)
    for number in range(11):
        put(feed, delta(number * 10, "0123456789"))
    assert [each.kind for each in feed.take()] == ["resync", "resync"]


def test_an_answer_that_was_asked_for_may_be_of_any_size() -> None:
    feed = feed_of(max_bytes=10)
    feed.put_message(b'{"type":"snapshot","state":"large"}', counted=False)
    assert [each.kind for each in feed.take()] == ["message"]


def waits(item_id: str, seq: int, *, resolved: bool = False) -> AttentionItem:
    at = "at" if resolved else None
    return AttentionItem(item_id, seq, "question", ONE, "title", "detail", "at", resolved_at=at)


def test_attention_survives_what_a_slow_client_loses_and_only_the_newest_form_is_sent() -> None:
    feed = feed_of(max_items=2)
    feed.put_attention(AttentionPage(items=[waits("a", 1), waits("b", 2)], next_seq=2))
    for _ in range(5):
        feed.put(ONE, b"{}")
    feed.put_attention(AttentionPage(items=[waits("a", 3, resolved=True)], next_seq=3))
    told = [each for each in taken(feed) if each["type"] == "attention"]
    assert [(each["id"], each["seq"]) for each in told[0]["items"]] == [("b", 2), ("a", 3)]
    assert (len(told), told[0]["next_seq"]) == (1, 3)
    assert taken(feed) == []


def test_of_activity_only_the_newest_word_is_sent() -> None:
    feed = feed_of()
    feed.put_activity([])
    feed.put_activity([])
    assert taken(feed) == [{"type": "activity", "sessions": []}]
