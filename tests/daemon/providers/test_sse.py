from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.providers.sse import SseDecoder, StreamTooLargeError

BODY = (
    b": PROCESSING\n\n:\n\nevent: ping\n\n"
    b'data:{"a":"\xe9\x82\xa3"}\n\n'
    b'id: 7\r\ndata: {"b":"\xf0\x9f\x8c\x8d"}\r\n\r\n'
    b"retry: 10\rdata: one\rdata: two\r\r"
    b"data\n\ndata: [DONE]\n\n"
)
EVENTS = [
    '{"a":"那"}'.encode(),
    '{"b":"🌍"}'.encode(),
    b"one\ntwo",
    b"[DONE]",
]


def decode(pieces: list[bytes]) -> list[bytes]:
    decoder = SseDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return events + decoder.finish()


def test_comments_pings_and_missing_spaces_are_no_obstacle() -> None:
    assert decode([BODY]) == EVENTS


def test_one_byte_at_a_time_gives_the_same_events() -> None:
    assert decode([bytes([byte]) for byte in BODY]) == EVENTS


@given(st.lists(st.integers(0, len(BODY)), max_size=12))
def test_any_cut_gives_the_same_events(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(BODY)]
    assert decode([BODY[a:b] for a, b in pairwise(places)]) == EVENTS


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), min_size=1), max_size=5
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.integers(1, 9),
)
def test_any_text_survives_any_line_end_and_any_read_size(
    texts: list[str], line_end: str, size: int
) -> None:
    body = "".join(f"data: {text}{line_end}{line_end}" for text in texts).encode()
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    assert decode(pieces) == [text.encode() for text in texts]


def test_an_event_without_its_blank_line_counts_at_the_end() -> None:
    assert decode([b"data: 1\n\ndata: [DO", b"NE]"]) == [b"1", b"[DONE]"]
    assert decode([b"data: 1\n\ndata: 2\n"]) == [b"1", b"2"]


def test_a_byte_order_mark_is_not_part_of_the_first_field() -> None:
    assert decode([b"\xef\xbb\xbfdata: 1\n\n"]) == [b"1"]


def test_only_one_space_after_the_colon_belongs_to_the_framing() -> None:
    assert decode([b"data:  1\n\n"]) == [b" 1"]


def test_a_line_without_end_is_refused_and_not_kept() -> None:
    decoder = SseDecoder(max_event_bytes=1000)
    decoder.feed(b"data: ")
    with pytest.raises(StreamTooLargeError, match="1 MiB"):
        for _ in range(100):
            decoder.feed(b"x" * 100)


def test_an_event_of_many_lines_is_refused() -> None:
    decoder = SseDecoder(max_event_bytes=1000)
    with pytest.raises(StreamTooLargeError, match="1 MiB"):
        decoder.feed(b"data:\n" * 2000)


def test_a_stream_without_end_is_refused() -> None:
    decoder = SseDecoder(max_response_bytes=1000)
    with pytest.raises(StreamTooLargeError, match="64 MiB"):
        for _ in range(100):
            decoder.feed(b": keep-alive\n\n")
