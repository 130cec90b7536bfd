"""What real servers were seen to send; each case is a stream that once broke a client."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.llm_wire import chunk, event

from lararium_daemon.providers.arguments import GLUED, OVER_LIMIT, TRUNCATED
from lararium_daemon.providers.chat_stream import ChatStream
from lararium_daemon.providers.provider import (
    CallRequested,
    Finished,
    ModelEvent,
    TextDelta,
    ThinkingDelta,
)
from lararium_daemon.providers.sse import SseDecoder
from lararium_daemon.providers.stream_json import BadChunkError, InStreamError

Json = dict[str, Any]
TOOLS = ("read", "read_file", "grep", "bash", "write")


def decode(*chunks: Json | bytes, tools: tuple[str, ...] = TOOLS) -> list[ModelEvent]:
    """Decode chunks that came one by one, to the end of the answer."""
    stream = ChatStream(tools)
    events: list[ModelEvent] = []
    for item in chunks:
        events += stream.feed([item if isinstance(item, bytes) else json.dumps(item).encode()])
    events += stream.feed([b"[DONE]"])
    return events + stream.finish()


def calls_of(events: list[ModelEvent]) -> list[tuple[str, dict[str, Any] | None]]:
    return [(e.name, e.arguments) for e in events if isinstance(e, CallRequested)]


def text_of(events: list[ModelEvent]) -> str:
    return "".join(e.text for e in events if isinstance(e, TextDelta))


def call(*, index: int | None = None, id: str | None = None, **function: Any) -> Json:
    """One item of `tool_calls`; what is not given is not sent."""
    item: Json = {"function": function}
    if index is not None:
        item["index"] = index
    if id is not None:
        item["id"] = id
    return item


def calls(*items: Json) -> Json:
    return chunk({"tool_calls": list(items)})


ENDED = chunk(finish="tool_calls")
READ_A = ("read", {"path": "a"})
READ_B = ("read", {"path": "b"})


def test_pieces_without_an_index_belong_to_the_open_call() -> None:
    events = decode(
        calls(call(index=0, id="c1", name="read", arguments='{"pa')),
        calls(call(arguments='th":"a"}')),
        ENDED,
    )
    assert events == [
        CallRequested("read", {"path": "a"}, '{"path":"a"}'),
        Finished("tool_calls"),
    ]


def test_a_first_piece_without_an_index_is_found_by_the_later_ones_that_have_one() -> None:
    events = decode(
        calls(call(id="c1", name="read", arguments='{"pa')),
        calls(call(index=0, arguments='th":"a"}')),
        ENDED,
    )
    assert calls_of(events) == [READ_A]


@pytest.mark.parametrize("header_first", [True, False])
def test_a_new_id_under_the_same_index_is_a_second_call(header_first: bool) -> None:
    first, second = '{"path":"a"}', '{"path":"b"}'
    if header_first:
        chunks = [
            calls(call(index=0, id="c1", name="read", arguments="")),
            calls(call(index=0, arguments=first)),
            calls(call(index=0, id="c2", name="read", arguments="")),
            calls(call(index=0, arguments=second)),
        ]
    else:
        chunks = [
            calls(call(index=0, id="c1", name="read", arguments=first)),
            calls(call(index=0, id="c2", name="read", arguments=second)),
        ]
    assert calls_of(decode(*chunks, ENDED)) == [READ_A, READ_B]


def test_two_calls_of_one_delta_are_two_though_nothing_tells_them_apart() -> None:
    same = (
        call(index=0, id="", name="read", arguments='{"path":"a"}'),
        call(index=0, id="", name="read", arguments='{"path":"b"}'),
    )
    bare = (
        call(name="read", arguments='{"path":"a"}'),
        call(name="read", arguments='{"path":"b"}'),
    )
    assert calls_of(decode(calls(*same), ENDED)) == [READ_A, READ_B]
    assert calls_of(decode(calls(*bare), ENDED)) == [READ_A, READ_B]


def test_whole_calls_one_a_chunk_need_neither_index_nor_id() -> None:
    events = decode(
        calls(call(name="read", arguments='{"path":"a"}')),
        calls(call(name="read", arguments='{"path":"b"}')),
        ENDED,
    )
    assert calls_of(events) == [READ_A, READ_B]


def test_two_calls_that_share_an_id_stay_two() -> None:
    events = decode(
        calls(
            call(index=0, id="x1", name="read", arguments='{"path":"a"}'),
            call(index=1, id="x1", name="read", arguments='{"path":"b"}'),
        ),
        ENDED,
    )
    assert calls_of(events) == [READ_A, READ_B]


@pytest.mark.parametrize("size", [1, 5, 12, 36])
def test_glued_objects_are_one_call_with_an_error_and_nothing_runs(size: int) -> None:
    glued = '{"path":"a"}{"path":"b"}{"path":"c"}'
    pieces = [glued[at : at + size] for at in range(0, len(glued), size)]
    events = decode(
        calls(call(index=0, id="c1", name="read", arguments="")),
        *(calls(call(index=0, id="c1", arguments=piece)) for piece in pieces),
        ENDED,
    )
    assert events[0] == CallRequested("read", None, glued, GLUED)
    assert len(events) == 2


@pytest.mark.parametrize("later_id", ["", None, "c1", "another-one-for-each-piece"])
def test_the_id_of_a_continuation_opens_no_call(later_id: str | None) -> None:
    first = calls(call(index=0, id="c1", name="bash", arguments='{"comm'))
    first["choices"][0]["delta"]["content"] = None
    second = calls(call(index=0, arguments='and":"pwd"}'))
    second["choices"][0]["delta"]["tool_calls"][0] |= {"id": later_id, "type": "function"}
    events = decode(first, second, ENDED)
    assert calls_of(events) == [("bash", {"command": "pwd"})]
    assert text_of(events) == ""


def test_pieces_find_their_call_by_index_after_another_was_opened() -> None:
    events = decode(
        calls(
            call(index=0, id="c1", name="read", arguments=""),
            call(index=1, id="c2", name="grep", arguments=""),
        ),
        calls(call(index=0, arguments='{"path":"a"}')),
        calls(call(index=1, arguments='{"pattern":"x"}')),
        ENDED,
    )
    assert calls_of(events) == [READ_A, ("grep", {"pattern": "x"})]


@pytest.mark.parametrize(
    "names",
    [
        ("read_file", "read_file", "read_file"),
        ("read_", "file", None),
        ("read", "_file", ""),
        ("read", "read_file", None),
        ("read_", "read_file", "read_file"),
        ("r", "ead", "_file"),
    ],
)
def test_a_name_resent_or_split_is_the_registered_tool(names: tuple[str | None, ...]) -> None:
    pieces = ('{"pa', 'th":"', 'a"}')
    events = decode(
        *(
            calls(call(index=0, id="c1", name=name, arguments=piece))
            for name, piece in zip(names, pieces, strict=True)
        ),
        ENDED,
    )
    assert calls_of(events) == [("read_file", {"path": "a"})]


def test_a_split_name_of_an_unknown_tool_is_joined() -> None:
    events = decode(
        calls(call(index=0, id="c1", name="no_such_", arguments="")),
        calls(call(index=0, name="tool", arguments="{}")),
        ENDED,
    )
    assert calls_of(events) == [("no_such_tool", {})]


WITHOUT_CHOICES: list[Json] = [
    {"choices": []},
    {"choices": None},
    {},
    {"choices": [None]},
    {"choices": [{}]},
    {"choices": [{"delta": None}]},
    {"choices": [{"index": 0, "delta": {}}]},
]


@pytest.mark.parametrize("last", WITHOUT_CHOICES)
def test_a_usage_chunk_without_choices_ends_the_answer_as_it_should(last: Json) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 1}
    events = decode(
        chunk({"role": "assistant", "content": "hi"}), chunk(finish="stop"), last | {"usage": usage}
    )
    assert events == [TextDelta("hi"), Finished("stop", 3, 1)]


def test_arguments_sent_as_an_object_are_the_arguments() -> None:
    stream = ChatStream(TOOLS)
    function = {"name": "write", "arguments": {"path": "a.txt", "content": "x"}}
    message = {"content": None, "tool_calls": [{"id": "c1", "function": function}]}
    body = {"choices": [{"message": message, "finish_reason": "tool_calls"}]}
    assert stream.feed_whole(json.dumps(body).encode()) == []
    assert stream.finish() == [
        CallRequested("write", {"path": "a.txt", "content": "x"}, '{"path":"a.txt","content":"x"}'),
        Finished("tool_calls"),
    ]


@pytest.mark.parametrize("reason", ["stop", None, "function_call", "end_turn", "tool_calls"])
def test_calls_count_whatever_the_finish_reason_says(reason: str | None) -> None:
    events = decode(
        calls(call(index=0, id="c1", name="read", arguments='{"path":"a"}')), chunk(finish=reason)
    )
    assert calls_of(events) == [READ_A]
    assert events[-1] == Finished(reason or "")


def test_the_older_shape_of_a_single_call_counts_too() -> None:
    events = decode(
        chunk({"function_call": {"name": "read", "arguments": '{"path":'}}),
        chunk({"function_call": {"arguments": '"a"}'}}),
        chunk(finish="function_call"),
    )
    assert calls_of(events) == [READ_A]


def test_a_finish_reason_of_tool_calls_without_any_gives_none() -> None:
    assert decode(chunk({"content": ""}), ENDED) == [Finished("tool_calls")]


CUT = '{"path":"a.md","content":"# Ti'


@pytest.mark.parametrize("reason", ["length", "max_tokens"])
def test_a_call_cut_by_the_output_limit_says_so(reason: str) -> None:
    events = decode(
        calls(call(index=0, id="c1", name="write", arguments=CUT)), chunk(finish=reason)
    )
    assert events == [CallRequested("write", None, CUT, OVER_LIMIT), Finished(reason)]


@pytest.mark.parametrize("reason", ["tool_calls", "stop", None])
def test_a_cut_call_with_another_finish_reason_is_called_truncated(reason: str | None) -> None:
    events = decode(
        calls(call(index=0, id="c1", name="write", arguments=CUT)), chunk(finish=reason)
    )
    assert events[0] == CallRequested("write", None, CUT, TRUNCATED)


def test_only_the_last_call_is_blamed_on_the_output_limit() -> None:
    events = decode(
        calls(call(index=0, id="c1", name="read", arguments='{"path":"a"}')),
        calls(call(index=1, id="c2", name="read", arguments='{"a": fast}')),
        calls(call(index=2, id="c3", name="write", arguments=CUT)),
        chunk(finish="length"),
    )
    errors = [e.arguments_error for e in events if isinstance(e, CallRequested)]
    assert errors[0] == ""
    assert "invalid JSON" in errors[1]
    assert "limit" not in errors[1]
    assert errors[2] == OVER_LIMIT


def test_malformed_arguments_are_an_error_that_does_not_speak_of_length() -> None:
    raw = '{"mode": fast", }'
    events = decode(calls(call(index=0, id="c1", name="read", arguments=raw)), ENDED)
    requested = events[0]
    assert isinstance(requested, CallRequested)
    assert (requested.arguments, requested.raw) == (None, raw)
    assert "invalid JSON" in requested.arguments_error
    assert "limit" not in requested.arguments_error


@given(st.text(st.characters(codec="utf-8"), min_size=1), st.integers(1, 7))
def test_any_text_in_any_read_size_arrives_as_it_was(text: str, size: int) -> None:
    arguments = json.dumps({"content": text}, ensure_ascii=False)
    body = b"".join([
        event(chunk({"content": text})),
        event(calls(call(index=0, id="c1", name="write", arguments=arguments))),
        event(ENDED),
        event("[DONE]"),
    ])
    frames, stream, events = SseDecoder(), ChatStream(TOOLS), list[ModelEvent]()
    for at in range(0, len(body), size):
        events += stream.feed(frames.feed(body[at : at + size]))
    events += stream.finish()
    assert text_of(events) == text
    assert calls_of(events) == [("write", {"content": text})]


def test_a_pair_of_surrogates_split_over_two_chunks_is_one_character() -> None:
    def escaped(text: str) -> bytes:
        return b'{"choices":[{"delta":{"content":"' + text.encode() + b'"}}]}'

    events = decode(escaped("a\\ud83c"), escaped("\\udf0db"), chunk(finish="stop"))
    assert text_of(events) == "a🌍b"
    alone = decode(escaped("a\\ud83c"), chunk(finish="stop"))
    assert text_of(alone) == "a\ufffd"
    other = decode(escaped("a\\ud83c"), chunk({"reasoning": "b"}), chunk(finish="stop"))
    assert other[:2] == [TextDelta("a"), TextDelta("\ufffd")]
    assert other[2] == ThinkingDelta("b")


def test_all_text_of_one_read_is_one_delta() -> None:
    stream = ChatStream()
    pieces = [json.dumps(chunk({"content": f"{n} "})).encode() for n in range(1000)]
    assert stream.feed(pieces) == [TextDelta("".join(f"{n} " for n in range(1000)))]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thinking_is_kept_apart_from_text_and_in_order(field: str) -> None:
    stream = ChatStream()
    deltas = [{field: "a"}, {field: "b"}, {"content": "c"}, {field: "d", "content": None}]
    assert stream.feed(json.dumps(chunk(delta)).encode() for delta in deltas) == [
        ThinkingDelta("ab"),
        TextDelta("c"),
        ThinkingDelta("d"),
    ]


def test_content_in_parts_is_read() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "hi"},
        "not a part",
    ]
    assert decode(chunk({"content": parts}), chunk(finish="stop"))[:2] == [
        ThinkingDelta("hm"),
        TextDelta("hi"),
    ]


def test_a_refusal_is_shown() -> None:
    assert text_of(decode(chunk({"refusal": "I cannot."}), chunk(finish="stop"))) == "I cannot."


def test_a_second_choice_is_not_mixed_in() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "no"}}]}
    assert text_of(decode(chunk({"content": "yes"}), other, chunk(finish="stop"))) == "yes"


def test_nan_and_pings_do_not_break_an_answer() -> None:
    odd = b'{"choices":[{"delta":{"content":"x"},"logprobs":NaN}]}'
    events = decode(odd, b'{"type":"ping"}', chunk(finish="stop"))
    assert events == [TextDelta("x"), Finished("stop")]


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -3, "completion_tokens": 1.5},
        {"prompt_tokens": "many", "completion_tokens": None},
        {"prompt_tokens": True},
        "none",
        {"prompt_tokens": 1e300},
    ],
)
def test_nonsense_usage_is_not_reported(usage: Any) -> None:
    events = decode(chunk({"content": "x"}), chunk(finish="stop", usage=usage))
    assert events[-1] == Finished("stop", None, None, None)


def test_cached_tokens_are_reported_in_both_dialects() -> None:
    nested = {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 7}}
    flat = {"prompt_tokens": 9, "prompt_cache_hit_tokens": 7}
    for usage in (nested, flat):
        assert decode(chunk(finish="stop", usage=usage))[-1] == Finished("stop", 9, None, 7)


@pytest.mark.parametrize("data", [b"{", b"[1]", b'"x"', b"<html>", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_object_is_a_bad_chunk_and_what_came_before_is_kept(data: bytes) -> None:
    stream = ChatStream()
    with pytest.raises(BadChunkError):
        stream.feed([json.dumps(chunk({"content": "kept"})).encode(), data])
    assert stream.drain() == [TextDelta("kept")]


def test_an_error_inside_the_stream_is_told() -> None:
    stream = ChatStream()
    with pytest.raises(InStreamError) as caught:
        stream.feed([b'{"error": {"message": "overloaded", "code": 502}}'])
    assert caught.value.error == {"message": "overloaded", "code": 502}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([
                    *["choices", "delta", "content", "tool_calls", "function", "name"],
                    *["arguments", "index", "id", "finish_reason", "message", "thinking"],
                ]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=25,
    )
)
def test_no_shape_of_a_chunk_breaks_the_decoder(value: Any) -> None:
    body = json.dumps({"choices": value}).encode()
    stream = ChatStream(TOOLS)
    stream.feed([body, b"[DONE]"])
    assert isinstance(stream.finish()[-1], Finished)
    choice = json.dumps({"choices": [{"delta": value}]}).encode()
    stream = ChatStream(TOOLS)
    stream.feed([choice, b"[DONE]"])
    assert isinstance(stream.finish()[-1], Finished)
