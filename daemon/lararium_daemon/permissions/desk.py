"""Things that wait for the person: who waits, who answers, and what must be committed between.

An answer travels in three steps, so that "taken" is never said of something a crash could undo:
`settle` takes the first answer and wakes the waiter; the waiter commits what follows from it and
calls `committed`; only then does `settle` return. A second answer, or one for an item that was
withdrawn, is refused. Nothing here is durable: the journal is, and after a restart every id of
before is unknown.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import anyio

from lararium_daemon.protocol.problems import LarariumError

COMMIT_SECONDS = 5.0
REMEMBERED = 1_000
"""How many closed ids are kept to tell a late answer from a wrong one."""

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(slots=True)
class _Waiting(Generic[Item, Answer]):
    item: Item
    answered: anyio.Event = field(default_factory=anyio.Event)
    closed: anyio.Event = field(default_factory=anyio.Event)
    answer: Answer | None = None
    is_withdrawn: bool = False


class Desk(Generic[Item, Answer]):
    """Open items by id; all calls come from the event loop's thread."""

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._open: dict[str, _Waiting[Item, Answer]] = {}
        self._closed: OrderedDict[str, None] = OrderedDict()

    def put(self, item_id: str, item: Item) -> None:
        """Open an item; the caller has committed it.

        Raises:
            ValueError: the id is in use.
        """
        if item_id in self._open or item_id in self._closed:
            raise ValueError(f"{item_id} was opened before")
        self._open[item_id] = _Waiting[Item, Answer](item)

    def items(self) -> list[Item]:
        """Give what still waits for an answer, oldest first."""
        return [entry.item for entry in self._open.values() if not entry.answered.is_set()]

    def find(self, item_id: str) -> Item:
        """Give an item that still waits.

        Raises:
            LarariumError: 404 `unknown_<noun>`, 409 `already_resolved`.
        """
        entry = self._open.get(item_id)
        if entry is None and item_id not in self._closed:
            raise LarariumError(
                f"unknown_{self._noun}",
                f"There is no such {self._noun}; it may be of before a restart. Reload to see "
                "what waits now.",
                404,
            )
        if entry is None or entry.answered.is_set():
            raise LarariumError(
                "already_resolved", f"This {self._noun} was answered or withdrawn already.", 409
            )
        return entry.item

    async def wait(self, item_id: str) -> Answer:
        """Wait, without limit, for the first answer; the caller then commits and says so.

        Raises:
            LarariumError: 404 for an id that was never opened or is closed.
        """
        entry = self._open.get(item_id)
        if entry is None:
            self.find(item_id)
            raise AssertionError
        await entry.answered.wait()
        if entry.answer is None:
            raise AssertionError
        return entry.answer

    async def settle(self, item_id: str, answer: Answer) -> None:
        """Answer an item and wait until the waiter has committed it.

        Raises:
            LarariumError: 404 `unknown_<noun>`; 409 `already_resolved`, also when the item was
                withdrawn before the answer was committed; 503 `not_committed` after 5 s.
        """
        self.find(item_id)
        entry = self._open[item_id]
        entry.answer = answer
        entry.answered.set()
        with anyio.move_on_after(COMMIT_SECONDS) as limit:
            await entry.closed.wait()
        if limit.cancelled_caught:
            raise LarariumError(
                "not_committed",
                "The answer was taken but could not be stored within 5 seconds. Reload to see "
                "whether it counts.",
                503,
            )
        if entry.is_withdrawn:
            raise LarariumError(
                "already_resolved", f"The {self._noun} was withdrawn before the answer.", 409
            )

    def committed(self, item_id: str) -> None:
        """Say that the answer is durable; harmless for an id that is closed."""
        self._close(item_id)

    def withdraw(self, item_id: str, answer: Answer) -> bool:
        """Close an item that nobody is to answer any more; a waiter gets `answer`.

        An answer that was given but not committed is lost with it. Give whether it was open.
        """
        entry = self._open.get(item_id)
        if entry is None:
            return False
        entry.is_withdrawn = True
        entry.answer = answer
        entry.answered.set()
        self._close(item_id)
        return True

    def _close(self, item_id: str) -> None:
        entry = self._open.pop(item_id, None)
        if entry is None:
            return
        entry.closed.set()
        self._closed[item_id] = None
        while len(self._closed) > REMEMBERED:
            self._closed.popitem(last=False)
