"""When a page that says nothing counts as hung: a pure machine, fed with ticks and answers.

On WebKitGTK all frames share one process and one main thread, so a workspace's page in an endless
loop freezes the hub's page too, and the engine itself reports nothing. The window asks the page
for a sign of life at every tick; a page that owes one for too long is to be ended.
"""

from typing import Literal

Step = Literal["ask", "wait", "restart"]

TICK_SECONDS = 1.0
PATIENCE_SECONDS = 7.0
"""Since the last sign of life; with what a restart takes, the window is back within ten."""
FIRST_PATIENCE_SECONDS = 30.0
"""Before the first sign of life: the start of a web process on a busy machine takes long."""
LONGEST_TICK_SECONDS = 2 * TICK_SECONDS
"""A longer pause between ticks was the window's own (stopped, swapped out), and not the page's."""


class Watchdog:
    """The signs of life of one page."""

    def __init__(self) -> None:
        self.question = 0
        """Number of the question that is open, or was last."""
        self._ticked_at: float | None = None
        self._owed_seconds: float | None = None
        self._has_lived = False

    def tick(self, now: float) -> Step:
        """Take the time, in seconds that only grow; say what to do.

        `restart` is said once; the page that follows is a new one with the patience of a new one.
        """
        passed = 0.0 if self._ticked_at is None else now - self._ticked_at
        passed = min(passed, LONGEST_TICK_SECONDS)
        self._ticked_at = now
        if self._owed_seconds is None:
            self.question += 1
            # It may have hung as soon as it had answered the last one.
            self._owed_seconds = passed
            return "ask"
        self._owed_seconds += passed
        if self._owed_seconds < self._patience():
            return "wait"
        self._owed_seconds = None
        self._has_lived = False
        return "restart"

    def answer(self, question: int) -> None:
        """Take an answer; one to an older question, or of an older page, says nothing."""
        if question == self.question and self._owed_seconds is not None:
            self._owed_seconds = None
            self._has_lived = True

    def begin(self) -> None:
        """A new page begins, which is a sign of life; what the old one owes, it never gives."""
        self._owed_seconds = None
        self._has_lived = True

    def _patience(self) -> float:
        return PATIENCE_SECONDS if self._has_lived else FIRST_PATIENCE_SECONDS
