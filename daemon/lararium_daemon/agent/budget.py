"""What a run may spend, and what it has spent.

Turns, tokens and wall time end a run; when one of them runs out while the run is changing files,
exactly one more call is granted (the *grace call*), so that no change stays half done.
"""

from dataclasses import dataclass

import anyio

from lararium_daemon.protocol.events import Usage


@dataclass(slots=True, frozen=True)
class Limits:
    """A run's limits; None = no limit of this kind."""

    turns: int
    tokens: int | None = None
    """Input and output tokens of all model calls together, where the provider reports them."""
    seconds: float | None = None
    """Wall time, waiting for the person included."""


class Budget:
    """Counts one run's spending against its limits; the clock starts when it is made.

    A subagent's budget is its parent's: what it spends the parent has spent, and when the parent's
    is used up, so is its own.
    """

    def __init__(self, limits: Limits, parent: "Budget | None" = None) -> None:
        self._limits = limits
        self._parent = parent
        self._turns = 0
        self._tokens = 0
        self._begun = anyio.current_time()
        self._grace = 1

    @property
    def turns(self) -> int:
        """Model calls that were begun."""
        return self._turns

    def begin_turn(self) -> int:
        """Count a model call; give its number, from 1."""
        self._turns += 1
        if self._parent is not None:
            self._parent.begin_turn()
        return self._turns

    def go_on_after(self, turns: int) -> None:
        """Count the model calls that the run had made before a restart."""
        self._turns = turns

    def add(self, usage: Usage | None) -> None:
        """Count the tokens of a model call; a call that reported none costs none."""
        if usage is not None:
            self._tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)
        if self._parent is not None:
            self._parent.add(usage)

    def exhausted(self) -> str:
        """Give which limit is used up, in words; "" when none is."""
        if self._parent is not None:
            return self._parent.exhausted()
        limits = self._limits
        if self._turns >= limits.turns:
            return f"{limits.turns} turns"
        if limits.tokens is not None and self._tokens >= limits.tokens:
            return f"{limits.tokens:,} tokens"
        if limits.seconds is not None and anyio.current_time() - self._begun >= limits.seconds:
            return f"{limits.seconds:g} seconds"
        return ""

    def take_grace(self) -> bool:
        """Take the one grace call; False when it was taken before."""
        if self._parent is not None:
            return self._parent.take_grace()
        self._grace -= 1
        return self._grace >= 0
