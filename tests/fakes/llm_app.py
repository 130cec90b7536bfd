"""The scripted model server's ASGI application: which reply goes out, and what came in."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from dataclasses import asdict, dataclass
from typing import Any

import anyio
import anyio.lowlevel
import orjson
from tests.fakes.llm_reasoning import complaint as reasoning_complaint
from tests.fakes.llm_responses import PATH as RESPONSES
from tests.fakes.llm_responses import response_events, to_chat, whole_response
from tests.fakes.llm_rules import complaint
from tests.fakes.llm_scenario import Json, Reply, Scenario, parse_directive, plan, read_turn
from tests.fakes.llm_wire import EVENT_STREAM, Scripted, events, json_reply, whole

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

FAILURES: dict[str, tuple[int, str, str, str]] = {
    "400": (400, "invalid_request_error", "bad_request", "bad request"),
    "401": (401, "invalid_request_error", "invalid_api_key", "incorrect API key provided: {key}"),
    "403": (403, "invalid_request_error", "forbidden", "not allowed in your region"),
    "404": (404, "invalid_request_error", "model_not_found", "no such model"),
    "429": (429, "rate_limit_error", "rate_limit_exceeded", "rate limit reached"),
    "500": (500, "server_error", "server_error", "internal error"),
    "503": (503, "server_error", "overloaded", "overloaded"),
    "quota": (429, "insufficient_quota", "insufficient_quota", "you exceeded your current quota"),
    "context": (
        400,
        "invalid_request_error",
        "context_length_exceeded",
        "this model's maximum context length is 128000 tokens",
    ),
}
"""Scenario.error → status, type, code, message."""


@dataclass
class Request:
    """A completion request as it came in."""

    number: int
    body: Json
    headers: dict[str, str]
    scenario: Scenario
    begun: float
    """`time.perf_counter` at its arrival; all times of one server compare."""
    path: str
    asked: Json
    """The same as a chat completion request."""
    ended: float | None = None
    events: int = 0
    """Events that were written."""
    client_left: bool = False
    """The client closed the connection while the reply was held or hung."""


class CutConnectionError(Exception):
    """Makes the server drop the connection in the middle of a reply."""


class Release:
    """An event that any thread sets and any number of tasks wait for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_set = False
        self._waiters: list[tuple[asyncio.AbstractEventLoop, anyio.Event]] = []

    def set(self) -> None:
        """Let all waiters go, also those to come."""
        with self._lock:
            self._is_set = True
            for loop, waiter in self._waiters:
                loop.call_soon_threadsafe(waiter.set)
            self._waiters.clear()

    async def wait(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wait until it is set."""
        waiter = anyio.Event()
        with self._lock:
            if self._is_set:
                return
            self._waiters.append((loop, waiter))
        await waiter.wait()


class LlmApp:
    """The ASGI application."""

    def __init__(self, scenario: Scenario, models: tuple[str, ...], api_key: str) -> None:
        self.base = self.scenario = scenario
        self.models = models
        self.api_key = api_key
        self.requests: list[Request] = []
        self.model_requests = 0
        self.scripted: deque[Scripted] = deque()
        self._released = Release()
        self.arrived = threading.Condition()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        begun = time.perf_counter()
        raw = b""
        more = True
        while more:
            message = await receive()
            raw += message.get("body", b"")
            more = message.get("more_body", False)
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        path: str = scope["path"]
        if path.startswith("/control"):
            await self._control(path, scope["method"], raw, send)
        elif self.api_key and headers.get("authorization") != f"Bearer {self.api_key}":
            await self._fail(send, "401", Scenario(), headers)
        elif path == "/v1/models":
            self.model_requests += 1
            items = [{"id": m, "object": "model", "owned_by": "fake"} for m in self.models]
            await answer(send, json_reply({"object": "list", "data": items}))
        elif path in {"/v1/chat/completions", RESPONSES}:
            await self._complete(raw, headers, begun, path, receive, send)
        else:
            error = {"error": {"message": f"no such path {path}"}}
            await answer(send, json_reply(error, status=404))

    def release(self) -> None:
        """Let every held reply go on; callable from any thread."""
        self._released.set()

    def reset(self) -> None:
        """Be as new; what is still held goes on."""
        self._released.set()
        self._released = Release()
        self.scenario = self.base
        self.requests.clear()
        self.scripted.clear()
        self.model_requests = 0

    async def _control(self, path: str, method: str, raw: bytes, send: Send) -> None:
        if path == "/control/reset":
            self.reset()
        elif method == "POST":
            self.scenario = self.scenario.updated(orjson.loads(raw))
        facts = [
            {"number": r.number, "begun": r.begun, "ended": r.ended, "events": r.events}
            for r in self.requests
        ]
        await answer(send, json_reply({"scenario": asdict(self.scenario), "requests": facts}))

    async def _complete(
        self,
        raw: bytes,
        headers: dict[str, str],
        begun: float,
        path: str,
        receive: Receive,
        send: Send,
    ) -> None:
        try:
            body: Json = orjson.loads(raw)
            asked = to_chat(body) if path == RESPONSES else body
            wrong = complaint(asked)
            directive, rounds = read_turn(asked.get("messages") or [])
            scenario = self.scenario.updated(parse_directive(directive))
            wrong = wrong or reasoning_complaint(scenario.keeps, body)
        except ValueError as error:
            body, asked, wrong, rounds, scenario = {}, {}, str(error), 0, self.scenario
        request = Request(len(self.requests) + 1, body, headers, scenario, begun, path, asked)
        with self.arrived:
            self.requests.append(request)
            self.arrived.notify_all()
        if scenario.error and not scenario.fails(request.number):
            scenario = scenario.updated({"error": ""})
        try:
            if wrong:
                error = {"message": wrong, "type": "invalid_request_error", "code": None}
                await answer(send, json_reply({"error": error}, status=400))
            elif self.scripted:
                await self._play(self.scripted.popleft(), request, receive, send)
            else:
                await self._reply(scenario, request, len(raw), rounds, receive, send)
        finally:
            request.ended = time.perf_counter()

    async def _play(self, reply: Scripted, request: Request, receive: Receive, send: Send) -> None:
        await _start(send, reply.status, reply.headers)
        for piece in reply.pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            request.events += 1
            await anyio.sleep(reply.pace)
        if reply.hold:
            await self._hold(request, receive)
        if reply.cut:
            raise CutConnectionError
        await send({"type": "http.response.body", "body": b""})

    async def _reply(
        self,
        scenario: Scenario,
        request: Request,
        size: int,
        rounds: int,
        receive: Receive,
        send: Send,
    ) -> None:
        await anyio.sleep(scenario.ttft)
        if scenario.error in FAILURES:
            await self._fail(send, scenario.error, scenario, request.headers)
        elif scenario.error == "hang":
            await self._hold(request, receive)
        else:
            reply = plan(request.asked, size, scenario, rounds, request.number)
            if request.body.get("stream"):
                await self._stream(reply, scenario, request, receive, send)
            else:
                make = whole_response if request.path == RESPONSES else whole
                await answer(send, json_reply(make(reply, request.body, request.number)))

    async def _stream(
        self, reply: Reply, scenario: Scenario, request: Request, receive: Receive, send: Send
    ) -> None:
        await _start(send, 200, EVENT_STREAM)
        begun = time.perf_counter()
        held: list[bytes] = []
        for data in _events(reply, scenario, request):
            if scenario.error == "cut" and request.events >= scenario.cut_after:
                raise CutConnectionError
            if request.events == scenario.hold_after:
                await send({
                    "type": "http.response.body",
                    "body": b"".join(held),
                    "more_body": True,
                })
                held = []
                if not await self._hold(request, receive):
                    return
            request.events += 1
            if scenario.tps:
                due = begun + request.events * scenario.chunk / scenario.tps
                await anyio.sleep(max(0.0, due - time.perf_counter()))
            held.append(data)
            if len(held) >= scenario.batch:
                piece = b"".join(held)
                held = []
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                if not request.events % 256:
                    await anyio.lowlevel.checkpoint()  # let other connections live
        await send({"type": "http.response.body", "body": b"".join(held)})

    async def _hold(self, request: Request, receive: Receive) -> bool:
        """Wait until released or until the client leaves; say whether it is still there."""
        async with anyio.create_task_group() as group:

            async def watch() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                request.client_left = True
                with self.arrived:
                    self.arrived.notify_all()
                group.cancel_scope.cancel()

            group.start_soon(watch)
            await self._released.wait(asyncio.get_running_loop())
            group.cancel_scope.cancel()
        return not request.client_left

    async def _fail(
        self, send: Send, kind: str, scenario: Scenario, headers: dict[str, str]
    ) -> None:
        status, error_type, code, message = FAILURES[kind]
        key = headers.get("authorization", "").removeprefix("Bearer ")
        extra = {"retry-after": scenario.retry_after} if scenario.retry_after else {}
        error = {"message": message.format(key=key), "type": error_type, "code": code}
        await answer(send, json_reply({"error": error}, status=status, headers=extra))


def _events(reply: Reply, scenario: Scenario, request: Request) -> Iterator[bytes]:
    options: Json = request.asked.get("stream_options") or {}
    with_usage = bool(scenario.usage and options.get("include_usage"))
    if request.path == RESPONSES:
        return response_events(reply, request.body, request.number, with_usage=with_usage)
    return events(reply, with_usage=with_usage)


async def _start(send: Send, status: int, headers: dict[str, str]) -> None:
    pairs = [(k.encode(), v.encode()) for k, v in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})


async def answer(send: Send, reply: Scripted) -> None:
    """Send a reply in one piece."""
    await _start(send, reply.status, reply.headers)
    await send({"type": "http.response.body", "body": b"".join(reply.pieces)})
