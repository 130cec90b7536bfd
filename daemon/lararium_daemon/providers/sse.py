"""The framing of server-sent events: bytes in any cut, the data of whole events out.

Strict about sizes, forgiving about servers: LF, CRLF or CR, no space after the colon, comments as
keep-alives, events without data, a missing blank line at the end. It works on bytes, so a character
that is cut between two reads is never decoded in halves.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html, section 9.2.6.
"""

MAX_EVENT_BYTES = 1024 * 1024
MAX_RESPONSE_BYTES = 64 * 1024 * 1024

_BOM = b"\xef\xbb\xbf"
_CR = 0x0D
_LF = 0x0A


class StreamTooLargeError(ValueError):
    """The stream has an event, or is in all, larger than anything a model sends."""


class SseDecoder:
    """One response's framing."""

    def __init__(
        self,
        max_event_bytes: int = MAX_EVENT_BYTES,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        self._max_event_bytes = max_event_bytes
        self._bytes_left = max_response_bytes
        self._at_start = True
        self._after_cr = False
        self._partial: list[bytes] = []
        """The pieces of a line whose end has not come yet."""
        self._partial_bytes = 0
        self._data: list[bytes] = []
        """The data lines of the event so far."""
        self._data_bytes = 0

    def feed(self, piece: bytes) -> list[bytes]:
        """Take the next bytes; give the data of each event that they complete.

        Raises:
            StreamTooLargeError: a limit is passed.
        """
        self._bytes_left -= len(piece)
        if self._bytes_left < 0:
            raise StreamTooLargeError("the answer is larger than 64 MiB")
        if self._after_cr and piece:
            # The line ended with the CR; the LF of a CRLF cut in two is no line of its own.
            self._after_cr = False
            if piece[0] == _LF:
                piece = piece[1:]
        lines = piece.splitlines()
        if not lines:
            return []
        last = piece[-1]
        self._after_cr = last == _CR
        tail = b"" if last in {_CR, _LF} else lines.pop()
        events = self._take(lines)
        if tail:
            self._partial.append(tail)
            self._partial_bytes += len(tail)
            self._check(self._data_bytes + self._partial_bytes)
        return events

    def finish(self) -> list[bytes]:
        """Give what the end of the response completes: an event without its blank line."""
        events = self._take([b"", b""]) if self._partial else self._take([b""])
        self._data_bytes = 0
        return events

    def _take(self, lines: list[bytes]) -> list[bytes]:
        if self._partial and lines:
            lines[0] = b"".join([*self._partial, lines[0]])
            self._partial.clear()
            self._partial_bytes = 0
        events: list[bytes] = []
        for line in lines:
            if not line:
                if self._data:
                    events.append(self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
                    self._data.clear()
                    self._data_bytes = 0
                continue
            if self._at_start:
                self._at_start = False
                line = line.removeprefix(_BOM)
            if line.startswith(b"data:"):
                # One space after the colon belongs to the framing, any further one to the data.
                data = line[6:] if line[5:6] == b" " else line[5:]
                self._data.append(data)
                self._data_bytes += len(data) + 1
                self._check(self._data_bytes)
        return events

    def _check(self, event_bytes: int) -> None:
        if event_bytes > self._max_event_bytes:
            raise StreamTooLargeError("an event of the answer is larger than 1 MiB")
