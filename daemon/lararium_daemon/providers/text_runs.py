"""Text and thinking of one answer, gathered into few deltas.

All text of one kind that came in one network read leaves as one delta. A surrogate pair that a
server split over two events is put together again.
"""

from lararium_daemon.protocol.text import whole_text
from lararium_daemon.providers.provider import ModelEvent, TextDelta, ThinkingDelta

Kind = type[TextDelta | ThinkingDelta]


class TextRuns:
    """The text that has come and has not left yet."""

    def __init__(self) -> None:
        self._kind: Kind = TextDelta
        self._pieces: list[str] = []
        """Text of `_kind` that has not left yet."""
        self._ready: list[ModelEvent] = []
        self._surrogate = ""
        """The first half of a pair that a server split over two events."""

    def add(self, kind: Kind, text: str) -> None:
        """Take the next piece."""
        if kind is not self._kind:
            self._close(is_last=True)
            self._kind = kind
        self._pieces.append(text)

    def take(self, *, is_last: bool = False) -> list[ModelEvent]:
        """Give what came; unless `is_last`, half a pair waits for the rest."""
        if self._pieces or is_last:
            self._close(is_last=is_last)
        ready = self._ready
        self._ready = []
        return ready

    def _close(self, *, is_last: bool) -> None:
        text = self._surrogate + "".join(self._pieces)
        self._pieces.clear()
        self._surrogate = ""
        if not text:
            return
        if "\ud800" <= text[-1] <= "\udbff" and not is_last:
            self._surrogate = text[-1]
            text = text[:-1]
        if text:
            self._ready.append(self._kind(whole_text(text)))
