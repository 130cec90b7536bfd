"""What a provider wants back of how it came to an answer, so that it can go on from there."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, frozen=True)
class Reasoning:
    """Kept as it came and shown to nobody; means something to its maker alone."""

    made_by: str = ""
    """`profile/model`; any other is never sent it."""
    shown_in: str = ""
    """Chat completions: the field in which the shown reasoning came (`reasoning_content`, …), whose
    text is the answer's thinking parts; "" = in none."""
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    """Chat completions: further fields of the answer, e.g. `reasoning_details`."""
    calls: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Chat completions: further fields of each call, in order; empty = none has any."""
    items: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Responses: its reasoning items, in order."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was given that could go back."""
        return not (self.shown_in or self.fields or self.calls or self.items)
