"""Token counts as servers report them: whole, missing, in several dialects, or nonsense."""

from dataclasses import dataclass
from typing import Any, cast


@dataclass(slots=True, frozen=True)
class Usage:
    """Counts of one answer; None = not reported."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


def read_usage(reported: Any, before: Usage) -> Usage:
    """Read a `usage` object; what it lacks stays as it was `before` (servers repeat themselves)."""
    if not isinstance(reported, dict):
        return before
    usage = cast("dict[str, Any]", reported)
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    cached: Any = usage.get("prompt_cache_hit_tokens")
    if isinstance(details, dict):
        cached = cast("dict[str, Any]", details).get("cached_tokens", cached)
    return Usage(
        input_tokens=_count(
            usage.get("prompt_tokens", usage.get("input_tokens")), before.input_tokens
        ),
        output_tokens=_count(
            usage.get("completion_tokens", usage.get("output_tokens")), before.output_tokens
        ),
        cached_tokens=_count(cached, before.cached_tokens),
    )


def _count(value: Any, before: int | None) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return before
    return int(value) if 0 <= value < 1e12 and value == int(value) else before
