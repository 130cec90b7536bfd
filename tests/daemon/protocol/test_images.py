"""A picture's kind and size are told by its first bytes, whatever else they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.pictures import GIF, PNG, jpeg, png, webp

from lararium_daemon.protocol.images import read_header

HEADS = [PNG[:12], b"\xff\xd8\xff", GIF[:6], webp(9, 9)[:16], webp(9, 9, b"VP8L")[:16]]


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        (png(40, 30), ("image/png", 40, 30)),
        (GIF, ("image/gif", 3, 2)),
        (jpeg(300, 200, metadata=60_000), ("image/jpeg", 300, 200)),
        (webp(16_384, 9, b"VP8L"), ("image/webp", 16_384, 9)),
        (webp(70_000, 9, b"VP8X"), ("image/webp", 70_000, 9)),
        (webp(640, 480, b"VP8 "), ("image/webp", 640, 480)),
    ],
    ids=["png", "gif", "jpeg", "lossless webp", "extended webp", "lossy webp"],
)
def test_kind_and_size_are_read(head: bytes, wanted: tuple[str, int, int]) -> None:
    assert read_header(head) == wanted


@pytest.mark.parametrize("head", [b"", b"<svg>", b"BM", b"RIFF\0\0\0\0WAVE", b"II*\0", b"%PDF"])
def test_other_files_are_none(head: bytes) -> None:
    assert read_header(head) is None


@pytest.mark.parametrize("head", HEADS)
def test_a_head_that_is_cut_off_has_a_kind_and_no_size(head: bytes) -> None:
    found = read_header(head)
    assert found is not None
    assert (found.width, found.height) == (None, None)


@given(st.sampled_from(HEADS), st.binary(max_size=400))
def test_whatever_follows_breaks_nothing(head: bytes, rest: bytes) -> None:
    found = read_header(head + rest)
    assert found is not None
    assert (found.width is None) == (found.height is None)
