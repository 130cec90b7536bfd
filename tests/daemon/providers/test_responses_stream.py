"""The Responses decoder against the shapes that servers send."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.providers.provider import (
    CallRequested,
    Finished,
    ModelEvent,
    TextDelta,
    ThinkingDelta,
)
from lararium_daemon.providers.responses_stream import ResponsesStream
from lararium_daemon.providers.stream_json import BadChunkError, InStreamError

USAGE = {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 3}}
Json = dict[str, Any]


def said(kind: str, **fields: Any) -> Json:
    return {"type": f"response.{kind}", **fields}


def completed(**fields: Any) -> Json:
    return said("completed", response={"status": "completed", "usage": USAGE, **fields})


def call_item(name: str = "bash", arguments: str = '{"command":"ls"}', **more: Any) -> Json:
    return {"type": "function_call", "call_id": "c", "name": name, "arguments": arguments, **more}


def decoded(*events: Json | bytes) -> list[ModelEvent]:
    stream = ResponsesStream()
    data = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in events]
    out = stream.feed(data)
    assert stream.is_finished
    return out + stream.finish()


def calls_of(events: list[ModelEvent]) -> list[tuple[str, Json | None]]:
    return [(e.name, e.arguments) for e in events if isinstance(e, CallRequested)]


def test_text_thinking_and_usage() -> None:
    assert decoded(
        said("created", response={"status": "in_progress"}),
        said("reasoning_summary_text.delta", delta="hm"),
        said("reasoning_text.delta", delta="m"),
        said("output_text.delta", delta="he"),
        said("output_text.delta", delta="llo"),
        said("output_text.done", text="hello"),
        completed(),
    ) == [ThinkingDelta("hmm"), TextDelta("hello"), Finished("stop", 9, 4, 3)]


def test_calls_come_from_deltas_from_whole_arguments_or_from_their_item() -> None:
    pieces = [
        said("output_item.added", output_index=1, item=call_item(arguments="")),
        said("function_call_arguments.delta", output_index=1, delta='{"comm'),
        said("function_call_arguments.delta", output_index=1, delta='and":"ls"}'),
    ]
    whole = said("function_call_arguments.done", output_index=1, arguments='{"command":"ls"}')
    item = said("output_item.done", output_index=1, item=call_item())
    for events in (pieces, [*pieces, whole], [*pieces, whole, item], [item], [pieces[0], whole]):
        assert calls_of(decoded(*events, completed())) == [("bash", {"command": "ls"})]
    end = decoded(*pieces, completed())[-1]
    assert end == Finished("tool_calls", 9, 4, 3)


def test_arguments_sent_as_an_object_are_the_arguments() -> None:
    as_object: Any = {"command": "ls"}
    item = call_item(arguments=as_object)
    begun = call_item(arguments=cast("Any", {}))
    piece = said("function_call_arguments.delta", output_index=0, delta='{"command":"ls"}')
    whole = said("function_call_arguments.done", output_index=0, arguments=as_object)
    added = said("output_item.added", output_index=0, item=begun)
    done = said("output_item.done", output_index=0, item=item)
    for events in ([done], [added, piece], [added, whole], [added, piece, done]):
        assert calls_of(decoded(*events, completed())) == [("bash", {"command": "ls"})]
    assert calls_of(decoded(completed(output=[item]))) == [("bash", {"command": "ls"})]


def test_two_calls_at_one_place_stay_two() -> None:
    first = call_item("a", "", call_id="c1")
    second = call_item("b", "", call_id="c2")
    ones = said("function_call_arguments.delta", output_index=0, delta='{"n":1}')
    twos = said("function_call_arguments.delta", output_index=0, delta='{"n":2}')
    wholes = [
        said("output_item.done", output_index=0, item=first | {"arguments": '{"n":1}'}),
        said("output_item.done", output_index=0, item=second | {"arguments": '{"n":2}'}),
    ]
    in_pieces = [
        said("output_item.added", output_index=0, item=first),
        ones,
        said("output_item.added", output_index=0, item=second),
        twos,
    ]
    for events in (wholes, in_pieces, [*in_pieces, *wholes]):
        assert calls_of(decoded(*events, completed())) == [("a", {"n": 1}), ("b", {"n": 2})]


def test_calls_side_by_side_do_not_mix_and_keep_their_order() -> None:
    events = decoded(
        said("output_item.added", output_index=0, item=call_item("a", "")),
        said("output_item.added", output_index=1, item=call_item("b", "")),
        said("function_call_arguments.delta", output_index=1, delta='{"n":'),
        said("function_call_arguments.delta", output_index=0, delta='{"n":1}'),
        said("function_call_arguments.delta", output_index=1, delta="2}"),
        completed(),
    )
    assert calls_of(events) == [("a", {"n": 1}), ("b", {"n": 2})]


def test_servers_that_only_name_items_are_understood() -> None:
    events = decoded(
        said("output_item.added", item=call_item("a", "", id="fc_1")),
        said("function_call_arguments.delta", item_id="fc_1", delta="{}"),
        said("output_item.done", item=call_item("a", "{}", id="fc_1")),
        completed(),
    )
    assert calls_of(events) == [("a", {})]


def test_what_no_event_said_is_taken_from_the_final_response() -> None:
    message = {"type": "message", "content": [{"type": "output_text", "text": "hello"}]}
    final = completed(output=[message, call_item()])
    events = decoded(said("function_call_arguments.delta", item_id="x", delta="{"), final)
    assert calls_of(events) == [("bash", {"command": "ls"})]
    assert TextDelta("hello") in events
    both = decoded(said("output_text.delta", delta="hello"), final)
    assert [e for e in both if isinstance(e, TextDelta)] == [TextDelta("hello")]


def test_an_answer_at_the_output_limit_never_runs_its_cut_call() -> None:
    events = decoded(
        said("output_item.added", output_index=0, item=call_item("a", '{"n":1}')),
        said("output_item.added", output_index=1, item=call_item("b", '{"n":')),
        said(
            "incomplete",
            response={
                "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"},
            },
        ),
    )
    assert calls_of(events) == [("a", {"n": 1}), ("b", None)]
    assert events[-1] == Finished("max_output_tokens")


def test_a_refusal_is_text_and_a_filter_is_named() -> None:
    filtered = said(
        "incomplete",
        response={"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
    )
    events = decoded(said("refusal.delta", delta="No."), filtered)
    assert events == [TextDelta("No."), Finished("content_filter")]


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "code": "rate_limit_exceeded", "message": "slow down"},
        {"type": "error", "error": {"code": "rate_limit_exceeded", "message": "slow down"}},
        said("failed", response={"error": {"code": "server_error", "message": "slow down"}}),
        {"error": {"message": "slow down"}},
    ],
)
def test_an_error_inside_the_stream_is_raised_after_what_came(event: Json) -> None:
    stream = ResponsesStream()
    first = json.dumps(said("output_text.delta", delta="so far")).encode()
    with pytest.raises(InStreamError) as caught:
        stream.feed([first, json.dumps(event).encode()])
    assert caught.value.error["message"] == "slow down"
    assert stream.drain() == [TextDelta("so far")]


def test_an_answer_that_is_not_streamed_is_read() -> None:
    stream = ResponsesStream()
    message = {"type": "message", "content": [{"type": "output_text", "text": "hello"}]}
    body = {"status": "completed", "output": [message, call_item()], "usage": USAGE, "error": None}
    events = stream.feed_whole(json.dumps(body).encode()) + stream.finish()
    assert events[0] == TextDelta("hello")
    assert calls_of(events) == [("bash", {"command": "ls"})]
    with pytest.raises(InStreamError):
        ResponsesStream().feed_whole(b'{"error": {"message": "no"}}')
    empty = ResponsesStream()
    assert empty.feed_whole(b"{}") == []
    assert not empty.is_finished


def test_a_surrogate_pair_split_over_two_events_is_one_character() -> None:
    events = decoded(
        b'{"type": "response.output_text.delta", "delta": "a\\ud83c"}',
        b'{"type": "response.output_text.delta", "delta": "\\udf0d"}',
        completed(),
    )
    assert events[0] == TextDelta("a🌍")


@pytest.mark.parametrize("data", [b"[]", b"7", b"{", b"\xff", b'"x"'])
def test_what_is_no_object_is_no_event(data: bytes) -> None:
    with pytest.raises(BadChunkError):
        ResponsesStream().feed([data])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
KINDS = (
    "output_text.delta",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.added",
    "output_item.done",
    "completed",
    "incomplete",
    "made.up",
)
FIELDS = ("delta", "item", "output_index", "item_id", "arguments", "response", "name")


@pytest.mark.parametrize("output", [None, 7, "x", {"a": 1}, [None, 7, [], {"type": "message"}]])
def test_a_final_response_with_odd_output_is_an_end_all_the_same(output: Any) -> None:
    assert decoded(completed(output=output)) == [Finished("stop", 9, 4, 3)]


@given(
    st.lists(
        st.tuples(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(FIELDS), json_values)),
        max_size=6,
    )
)
def test_no_event_of_any_shape_breaks_the_decoder(events: list[tuple[str, Json]]) -> None:
    stream = ResponsesStream()
    for kind, fields in events:
        stream.feed([json.dumps(said(kind, **fields)).encode()])
    stream.finish()
