"""What the model reads of a command's output."""

from lararium_daemon.tools.spool import END_BYTES, Spool
from lararium_daemon.tools.terminal_text import clean, decode, describe_binary, is_binary
from lararium_daemon.tools.truncation import (
    MAX_RESULT_BYTES,
    cut_end,
    cut_middle,
    cut_start,
    join_ends,
)

_NOTE_BYTES = 512
"""Room for the lines that follow the output."""


def model_text(spool: Spool) -> str:
    """Give the output in at most 32 KiB, less the room for notes: head and tail."""
    limit = MAX_RESULT_BYTES - _NOTE_BYTES
    head = bytes(spool.head)
    if is_binary(head) or is_binary(spool.tail()):
        return describe_binary(head, spool.total)
    if spool.total <= 2 * END_BYTES:
        rest = spool.total - len(head)
        data = head + (spool.tail(2 * END_BYTES)[-rest:] if rest else b"")
        return cut_middle(clean(decode(data)), limit)
    half = limit // 2 - 100
    first = cut_end(clean(decode(head)).encode(), half)
    last = cut_start(clean(decode(spool.tail())).encode(), half)
    left_out = spool.total - len(first.encode()) - len(last.encode())
    return join_ends(first, last, left_out)
