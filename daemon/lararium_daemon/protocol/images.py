"""Which files are pictures that models take: told by their first bytes.

A name or a declared type says nothing that can be trusted; these bytes do.
"""

import struct
from collections.abc import Callable
from typing import NamedTuple

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.messages import ImageType

IMAGE_BYTES = 20 * 1024 * 1024
"""The most that a picture may have; models take no larger ones."""
HEAD_BYTES = 256 * 1024
"""So many bytes tell a size; a JPEG keeps it behind its metadata."""
LEAST_BYTES = 16
"""So many tell the kind."""
_START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD8)})

Size = tuple[int, int] | None


class ImageHeader(NamedTuple):
    """What a picture's head says."""

    media_type: ImageType
    width: int | None
    """Pixels; None when the head does not say."""
    height: int | None


def read_header(head: bytes) -> ImageHeader | None:
    """Read the first bytes of a file; None when it is no picture that models take."""
    kind = _kind(head)
    if kind is None:
        return None
    media_type, size_of = kind
    try:
        size = size_of(head)
    except (struct.error, IndexError):  # cut off, or not what it claims to be
        size = None
    width, height = size if size and min(size) > 0 else (None, None)
    return ImageHeader(media_type, width, height)


def image_too_large() -> LarariumError:
    """Say that a picture is too large."""
    size = IMAGE_BYTES // (1024 * 1024)
    detail = f"A picture may have at most {size} MB. Nothing was kept; send a smaller one."
    return LarariumError("image_too_large", detail, 413)


def unsupported() -> LarariumError:
    """Say what is taken."""
    detail = (
        "This is no picture that models take: PNG, JPEG, GIF and WebP are taken, told by what is "
        "in the file and not by its name. Nothing was kept."
    )
    return LarariumError("unsupported_attachment", detail, 415)


def _kind(head: bytes) -> tuple[ImageType, Callable[[bytes], Size]] | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png", _png
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg", _jpeg
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif", _gif
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp", _webp
    return None


def _png(head: bytes) -> Size:
    return struct.unpack_from(">II", head, 16) if head[12:16] == b"IHDR" else None


def _gif(head: bytes) -> Size:
    return struct.unpack_from("<HH", head, 6)


def _jpeg(head: bytes) -> Size:
    place = 2
    while head[place] == 0xFF:
        marker = head[place + 1]
        if marker == 0xFF:  # padding
            place += 1
        elif marker in _WITHOUT_LENGTH:
            place += 2
        elif marker in _START_OF_FRAME:
            height, width = struct.unpack_from(">HH", head, place + 5)
            return width, height
        else:
            place += 2 + max(2, int.from_bytes(head[place + 2 : place + 4]))
    return None


def _webp(head: bytes) -> Size:
    match head[12:16]:
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", head, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = struct.unpack_from("<I", head, 21)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            width, high_width, height, high_height = struct.unpack_from("<HBHB", head, 24)
            return (width | high_width << 16) + 1, (height | high_height << 16) + 1
        case _:
            return None
