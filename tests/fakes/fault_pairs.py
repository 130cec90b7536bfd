"""Which faults exist at which point of the two seams, journal and tools.

A pair is (point, kind). A point of the journal is a transaction by what is in it, one of the tools
an act by its effect and a moment.
"""

from collections.abc import Iterable

KILLS = ("kill", "kill-committed")
"""Before the transaction is committed, and after that but before anybody is told."""
FAILURES = ("raise", "enospc", "eio")
JOURNAL_POINTS = (
    *("prompt", "turn", "text", "ask", "grant", "intent", "next", "result"),
    *("compact", "compacted", "end", "import"),
)
ACTS = (
    *(("exec", "before"), ("exec", "during"), ("exec", "after")),
    *(("write", "before"), ("write", "during"), ("write", "after")),
    *(("read", "before"), ("read", "after")),
)
"""Nothing outside lies in the middle of a read."""

Pair = tuple[str, str]


def journal_pairs(points: Iterable[str], kinds: Iterable[str]) -> list[Pair]:
    """Give each point with each kind."""
    kinds = list(kinds)
    return [(point, kind) for point in points for kind in kinds]


def all_pairs() -> set[Pair]:
    """Give every pair that exists."""
    acts = (f"{effect}.{moment}" for effect, moment in ACTS)
    return {
        *journal_pairs(JOURNAL_POINTS, [*KILLS, *FAILURES, "hang"]),
        *journal_pairs(acts, ["kill", *FAILURES, "hang"]),
    }
