"""Small pictures: heads that are true, and little behind them."""

import struct
import zlib


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int) -> bytes:
    """Give a whole black PNG."""
    rows = zlib.compress((b"\0" + bytes(width)) * height)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = _chunk(b"IHDR", head) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def jpeg(width: int, height: int, metadata: int = 5000) -> bytes:
    """Give the head of a JPEG that keeps so many bytes of metadata before its size."""
    exif = b"\xff\xe1" + struct.pack(">H", metadata + 2) + bytes(metadata)
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + bytes(3)
    return b"\xff\xd8" + exif + b"\xff" + frame + b"\xff\xd9"


def webp(width: int, height: int, kind: bytes = b"VP8X") -> bytes:
    """Give the head of a WebP of one of its three kinds."""
    match kind:
        case b"VP8X":
            sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
            body = bytes(4) + sizes
        case b"VP8L":
            body = b"\x2f" + struct.pack("<I", width - 1 | height - 1 << 14)
        case _:
            body = b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height)
    data = b"WEBP" + kind + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(data)) + data


PNG = png(1, 1)
GIF = b"GIF89a" + struct.pack("<HH", 3, 2) + bytes(8) + b";"
