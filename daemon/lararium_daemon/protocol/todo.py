"""The agent's list of steps: part of a session's state, whole in each event."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

StepState = Literal["pending", "in_progress", "done", "cancelled"]
_MARKS: dict[StepState, str] = {"pending": " ", "in_progress": ">", "done": "x", "cancelled": "-"}


@dataclass(slots=True, frozen=True)
class TodoStep:
    """One step."""

    text: str
    state: StepState = "pending"


def as_lines(steps: Sequence[TodoStep]) -> str:
    """Give the list as a model reads it, a step a line; "" for an empty one."""
    return "\n".join(f"[{_MARKS[step.state]}] {step.text}" for step in steps)
