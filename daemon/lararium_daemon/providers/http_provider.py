"""A model behind HTTP as a provider: the call, its retries and its stream, whatever the wire."""

import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

import anyio
from anyio.abc import TaskGroup

from lararium_daemon.protocol.events import CallPhases
from lararium_daemon.providers import failures, server_failures
from lararium_daemon.providers.connection import Connection
from lararium_daemon.providers.exchange import Exchange
from lararium_daemon.providers.kept_reasoning import with_own_reasoning
from lararium_daemon.providers.provider import (
    Finished,
    ModelEvent,
    ModelRequest,
    ProviderError,
    Retrying,
)
from lararium_daemon.providers.retry import wait_before_retry
from lararium_daemon.providers.sse import MAX_RESPONSE_BYTES, SseDecoder, StreamTooLargeError
from lararium_daemon.providers.stream_json import BadChunkError, InStreamError
from lararium_daemon.providers.wire import Decoder, Wire

logger = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]


class HttpProvider:
    """A `Provider` over one connection, which `connect` gives.

    `tasks` holds the reading tasks; `default_model` names the model of a request that names none;
    `renew` says whether `connect` has another key for a connection whose key was refused.
    """

    def __init__(
        self,
        wire: Wire,
        connect: Callable[[], Awaitable[Connection]],
        tasks: TaskGroup,
        default_model: Callable[[], Awaitable[str]],
        sleep: Sleep = anyio.sleep,
        renew: Callable[[Connection], Awaitable[bool]] | None = None,
    ) -> None:
        self._wire = wire
        self._connect = connect
        self._tasks = tasks
        self._default_model = default_model
        self._sleep = sleep
        self._renew = renew

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Call the model; failures before the first event are retried, visibly."""
        model = request.model or await self._default_model()
        retries, is_renewed = 0, False
        while True:
            has_begun, connection = False, None
            try:
                connection = await self._connect()
                attempt = self._attempt(connection, request, model, retries)
                async with aclosing(attempt) as events:
                    async for event in events:
                        has_begun = True
                        yield event
                return  # noqa: TRY300 - the loop goes on after a failure alone
            except ProviderError as error:
                if has_begun:
                    raise
                if self._wire.adapts_to(error):
                    continue
                if not is_renewed and await self._has_other_key(connection, error):
                    is_renewed = True
                    continue
                wait = wait_before_retry(error, retries, random.random())  # noqa: S311 - spread
                if wait is None:
                    raise
                retrying = Retrying(wait, failures.retry_reason(error))
            retries += 1
            yield retrying
            await self._sleep(retrying.seconds)

    async def _has_other_key(self, connection: Connection | None, error: ProviderError) -> bool:
        """Whether the refused key was one that runs out and is renewed."""
        if connection is None or self._renew is None or error.status != 401:
            return False
        return await self._renew(connection)

    async def _attempt(
        self, connection: Connection, request: ModelRequest, model: str, retries: int
    ) -> AsyncGenerator[ModelEvent, None]:
        begun, first_word = time.perf_counter(), None
        profile = connection.profile
        made_by = f"{profile.name}/{model}"
        told = with_own_reasoning(request, made_by, profile.reasoning_back)
        body = self._wire.encode(told, model)
        headers = self._wire.headers(request)
        exchange = Exchange(connection, self._wire.path, body, model, headers)
        stream = self._wire.decoder({tool.name for tool in request.tools})
        self._tasks.start_soon(exchange.run)
        try:
            async with aclosing(self._decode(connection, exchange, stream, model)) as events:
                async for event in events:
                    first_word = first_word or time.perf_counter() - begun
                    yield event
        finally:
            await exchange.close()
        whole = time.perf_counter() - begun
        phases = CallPhases((exchange.answered_at or begun) - begun, first_word, whole, retries)
        for event in stream.finish():
            if isinstance(event, Finished):
                yield _told(event, profile.name, model, phases)
            else:
                yield event

    async def _decode(
        self, connection: Connection, exchange: Exchange, stream: Decoder, model: str
    ) -> AsyncGenerator[ModelEvent, None]:
        """Give the deltas; returns once the answer is complete."""
        profile = connection.profile
        reader = _Reader(exchange, stream)
        try:
            while not reader.is_over:
                for event in await reader.read(connection.timeouts.after_finish):
                    yield event
        except (InStreamError, BadChunkError, StreamTooLargeError) as error:
            for event in stream.drain():
                yield event
            if isinstance(error, InStreamError):
                raise server_failures.from_stream(profile, error.error, model) from None
            raise failures.bad_response(profile, f"sent what is no answer: {error}") from None
        if stream.is_finished:
            return
        if exchange.content_type == "text/html":
            raise failures.bad_response(profile, "answered with a web page (HTTP 200)")
        if exchange.content_type != "text/event-stream" and not stream.has_content:
            raise failures.bad_response(profile, "gave no answer that can be read (HTTP 200)")
        raise failures.cut(profile, "the answer ended without its end mark")


def _told(end: Finished, profile: str, model: str, phases: CallPhases) -> Finished:
    """Add to an answer's end what answered and how long it took; the log has it too."""
    logger.info(
        "%s/%s answered: head %.3f s, first word %.3f s, whole %.3f s, %s retries, %s tokens in, "
        "%s out",
        profile,
        model,
        phases.answered,
        phases.first_word or phases.whole,
        phases.whole,
        phases.retries,
        end.input_tokens,
        end.output_tokens,
    )
    made_by = f"{profile}/{model}"
    reasoning = replace(end.reasoning, made_by=made_by) if end.reasoning else None
    return replace(end, model=made_by, phases=phases, reasoning=reasoning)


class _Reader:
    """Takes what an exchange brings to the decoder, whether it is streamed or one JSON body."""

    def __init__(self, exchange: Exchange, stream: Decoder) -> None:
        self.is_over = False
        self._exchange = exchange
        self._stream = stream
        self._frames = SseDecoder()
        self._whole: list[bytes] = []
        self._whole_bytes = 0

    async def read(self, after_finish_seconds: float) -> list[ModelEvent]:
        """Give what the next bytes, or the end, say."""
        data = await self._take(after_finish_seconds)
        is_whole = self._exchange.content_type == "application/json"
        if data is None:
            self.is_over = True
            if is_whole:
                return self._stream.feed_whole(b"".join(self._whole))
            return self._stream.feed(self._frames.finish())
        if not is_whole:
            events = self._stream.feed(self._frames.feed(data))
            self.is_over = self._stream.done
            return events
        self._whole.append(data)
        self._whole_bytes += len(data)
        if self._whole_bytes > MAX_RESPONSE_BYTES:
            raise StreamTooLargeError("the answer is larger than 64 MiB")
        return []

    async def _take(self, after_finish_seconds: float) -> bytes | None:
        """Once the answer is complete neither a broken nor a forgotten connection matters."""
        if not self._stream.is_finished:
            return await self._exchange.take()
        with anyio.move_on_after(after_finish_seconds):
            try:
                return await self._exchange.take()
            except ProviderError:
                return None
        return None
