"""Shortens what the model reads: head and tail stay, the middle goes, and it says so."""

MAX_RESULT_BYTES = 32 * 1024
_MARKER_BYTES = 120
"""Room for the longest marker."""


def cut_middle(text: str, limit: int = MAX_RESULT_BYTES, *, hint: str = "") -> str:
    """Give `text` in at most `limit` bytes of UTF-8; no character is split."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return text
    half = max((limit - _MARKER_BYTES - len(hint.encode())) // 2, 0)
    head, tail = cut_end(data, half), cut_start(data, half)
    return join_ends(head, tail, len(data) - len(head.encode()) - len(tail.encode()), hint=hint)


def join_ends(head: str, tail: str, left_out: int, *, hint: str = "") -> str:
    """Join a text's ends with a line that says how many bytes are missing between them."""
    marker = f"[… {left_out:,} bytes left out{hint} …]"
    before = "" if not head or head.endswith("\n") else "\n"
    after = "" if not tail or tail.startswith("\n") else "\n"
    return f"{head}{before}{marker}{after}{tail}"


def cut_end(data: bytes, limit: int) -> str:
    """Give at most the first `limit` bytes, up to a line's end when one is near."""
    part = data[:limit]
    if len(data) > limit and (newline := part.rfind(b"\n", limit // 2)) >= 0:
        part = part[: newline + 1]
    return part.decode("utf-8", "ignore")


def cut_start(data: bytes, limit: int) -> str:
    """Give at most the last `limit` bytes, from a line's start when one is near."""
    part = data[len(data) - limit :] if limit < len(data) else data
    if len(data) > limit and (newline := part.find(b"\n", 0, limit // 2)) >= 0:
        part = part[newline + 1 :]
    return part.decode("utf-8", "ignore")
