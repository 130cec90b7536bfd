"""The words of the chat-completions wire: chunks, events, whole replies, scripted bytes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
from tests.fakes.llm_reasoning import SIGNATURE, deltas
from tests.fakes.llm_scenario import Json, Reply

EVENT_STREAM = {"content-type": "text/event-stream; charset=utf-8"}
JSON_BODY = {"content-type": "application/json"}


@dataclass
class Scripted:
    """One exact reply: `pieces` are written to the socket one by one."""

    pieces: list[bytes]
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: dict(EVENT_STREAM))
    cut: bool = False
    """Drop the connection after the last piece instead of ending the body."""
    hold: bool = False
    """Wait for `FakeLlm.release`, or for the client to leave, after the last piece."""
    pace: float = 0.0
    """Seconds after each piece."""


def event(data: Any) -> bytes:
    """Give one server-sent event: a text as it is, anything else as JSON."""
    text = data.encode() if isinstance(data, str) else orjson.dumps(data)
    return b"data: " + text + b"\n\n"


def chunk(delta: Json | None = None, finish: str | None = None, **rest: Any) -> Json:
    """Give a completion chunk with one choice."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice], **rest}


HELLO = (chunk({"content": "hel"}), chunk({"content": "lo"}), chunk(finish="stop"))
"""The chunks of one short answer."""


def stream_of(*chunks: Json | bytes) -> Scripted:
    """Script a stream of chunks (or exact bytes) that ends with `[DONE]`."""
    return Scripted([c if isinstance(c, bytes) else event(c) for c in chunks] + [event("[DONE]")])


def json_reply(value: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Scripted:
    """Script a whole JSON body."""
    return Scripted([orjson.dumps(value)], status=status, headers={**JSON_BODY, **(headers or {})})


def whole(reply: Reply, body: Json, number: int) -> Json:
    """Give a reply that is not streamed."""
    message: Json = {"role": "assistant", "content": "".join(reply.text) or None}
    if reply.calls:
        message["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
            for c in reply.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": reply.finish}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "model": body.get("model"),
        "choices": [choice],
        "usage": _usage(reply),
    }


def _usage(reply: Reply) -> Json:
    total = reply.prompt_tokens + reply.completion_tokens
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "total_tokens": total,
    }


def events(reply: Reply, *, with_usage: bool) -> Iterator[bytes]:
    """Give a streamed reply, event by event."""
    yield event(chunk({"role": "assistant", "content": ""}))
    for piece in reply.reasoning:
        yield event(chunk({"reasoning_content": piece}))
    for delta in deltas(reply.keeps):
        yield event(chunk(delta))
    for piece in reply.text:
        yield event(chunk({"content": piece}))
    for index, call in enumerate(reply.calls):
        head = {"name": call.name, "arguments": ""}
        begun: Json = {"index": index, "id": call.id, "type": "function", "function": head}
        if reply.keeps == "signature" and index == 0:
            begun["extra_content"] = SIGNATURE
        yield event(chunk({"tool_calls": [begun]}))
        for at in range(0, len(call.arguments), 24):
            body = {"index": index, "function": {"arguments": call.arguments[at : at + 24]}}
            yield event(chunk({"tool_calls": [body]}))
    yield event(chunk(finish=reply.finish))
    if with_usage:
        yield event({"choices": [], "usage": _usage(reply)})
    yield event("[DONE]")
