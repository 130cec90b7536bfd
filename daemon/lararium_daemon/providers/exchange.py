"""One model call on the wire, read by a task of its own as fast as bytes come.

The decoder then gets everything that is there at once, and a burst of a thousand chunks costs the
rest of the daemon one delta. The task owns the response and its time-outs; it ends with the
exchange (`close`) or with its group.
"""

import time
import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import anyio

from lararium_daemon.providers import failures, transport_failures
from lararium_daemon.providers.connection import CLOSE_SECONDS, Connection
from lararium_daemon.providers.provider import ProviderError

if TYPE_CHECKING:
    import httpx2

MAX_UNREAD_BYTES = 4 * 1024 * 1024
"""Read ahead of the decoder at most by this much."""
MAX_UNPACKED_BYTES = 1024 * 1024
"""Of one read; an answer that was not asked to be packed and unpacks to more is hostile."""
_DEADLINE_STEP_SECONDS = 1.0
"""The idle deadline is moved at most this often; moving it for each chunk would cost more than
decoding it."""


class Exchange:
    """A call that is being answered. Start `run` in a task group, then `take` until None."""

    def __init__(
        self,
        connection: Connection,
        path: str,
        body: bytes,
        model: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.content_type = ""
        """Known once `take` has given something."""
        self.answered_at: float | None = None
        """`time.perf_counter` when the answer's head came; None before."""
        self._connection = connection
        self._path = path
        self._body = body
        self._model = model
        self._headers = headers
        self._scope = anyio.CancelScope()
        self._pieces: list[bytes] = []
        self._unread = 0
        self._ended = False
        self._failure: BaseException | None = None
        self._arrived = anyio.Event()
        self._taken = anyio.Event()
        self._over = anyio.Event()

    async def run(self) -> None:
        """Send the call and read the answer."""
        try:
            with self._scope:
                await self._read()
        except Exception as error:  # noqa: BLE001 - raised again in `take`, to whom it concerns
            self._failure = error
        finally:
            self._ended = True
            self._arrived.set()
            self._over.set()

    async def take(self) -> bytes | None:
        """Wait for bytes and give all that are there; None at the end of the answer.

        Raises:
            ProviderError: no answer, or it broke; after all bytes that came were taken.
        """
        while not self._pieces:
            if self._failure is not None:
                raise self._failure
            if self._ended:
                return None
            self._arrived = anyio.Event()
            await self._arrived.wait()
        data = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        self._pieces.clear()
        self._unread = 0
        self._taken.set()
        return data

    async def close(self) -> None:
        """End the exchange, wherever it is."""
        self._scope.cancel()
        with anyio.move_on_after(CLOSE_SECONDS + 1, shield=True):
            await self._over.wait()

    async def _read(self) -> None:
        profile = self._connection.profile
        connection = self._connection
        async with connection.post(self._path, self._body, self._model, self._headers) as response:
            self.answered_at = time.perf_counter()
            self.content_type = response.headers.get("content-type", "").partition(";")[0].lower()
            try:
                await self._read_body(response)
            except ProviderError:
                raise
            except transport_failures.transport_errors() as error:
                raise failures.cut(profile, transport_failures.error_words(error)) from error

    async def _read_body(self, response: "httpx2.Response") -> None:
        waits = self._connection.timeouts
        unpack = self._unpacker(response.headers.get("content-encoding", ""))
        moved = anyio.current_time()
        end = moved + waits.total
        with anyio.CancelScope(deadline=moved + waits.idle) as scope:
            async for piece in response.aiter_raw():
                now = anyio.current_time()
                if now - moved >= _DEADLINE_STEP_SECONDS:
                    moved = now
                    scope.deadline = min(now + waits.idle, end)
                self._put(unpack(piece))
                if self._unread > MAX_UNREAD_BYTES:
                    scope.deadline = end
                    self._taken = anyio.Event()
                    await self._taken.wait()
                    scope.deadline = min(anyio.current_time() + waits.idle, end)
        if scope.cancelled_caught:
            took_too_long = anyio.current_time() >= end
            minutes = round(waits.total / 60)
            raise failures.timed_out(
                self._connection.profile,
                f"did not end its answer in {minutes} minutes"
                if took_too_long
                else f"sent nothing for {round(waits.idle)} seconds in the middle of its answer",
            )

    def _put(self, piece: bytes) -> None:
        if piece:
            self._pieces.append(piece)
            self._unread += len(piece)
            self._arrived.set()

    def _unpacker(self, encoding: str) -> Callable[[bytes], bytes]:
        """Packed answers were not asked for; those that cost nothing to read are read."""
        encoding = encoding.strip().lower()
        if encoding in {"", "identity"}:
            return lambda piece: piece
        profile = self._connection.profile
        if encoding not in {"gzip", "deflate"}:
            raise failures.bad_response(profile, f"packed its answer unasked ({encoding})")
        packed = zlib.decompressobj(zlib.MAX_WBITS | 32)

        def unpack(piece: bytes) -> bytes:
            try:
                data = packed.decompress(piece, MAX_UNPACKED_BYTES)
            except zlib.error as error:
                raise failures.bad_response(
                    profile, f"sent an answer that cannot be unpacked ({error})"
                ) from None
            if packed.unconsumed_tail:
                raise failures.bad_response(profile, "sent an answer that unpacks without end")
            return data

        return unpack
