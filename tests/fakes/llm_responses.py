"""The Responses API's words, put around the same scenarios: requests read, replies written."""

import itertools
from collections.abc import Iterator
from typing import Any

from tests.fakes.llm_reasoning import SEALED
from tests.fakes.llm_scenario import Json, Reply, text_of
from tests.fakes.llm_wire import event

PATH = "/v1/responses"


def to_chat(body: Json) -> Json:
    """Give the chat completion request that asks for the same."""
    given: Any = body.get("input") or []
    items: list[Json] = [{"role": "user", "content": given}] if isinstance(given, str) else given
    messages: list[Json] = []
    if body.get("instructions"):
        messages.append({"role": "system", "content": body["instructions"]})
    for item in items:
        _add(messages, item)
    offered: list[Json] = body.get("tools") or []
    tools: list[Json] = [
        {"type": "function", "function": {k: tool.get(k) for k in ("name", "parameters")}}
        for tool in offered
    ]
    return {
        "model": body.get("model"),
        "messages": messages,
        "tools": tools,
        "stream": body.get("stream"),
        "stream_options": {"include_usage": True},
    }


def _add(messages: list[Json], item: Json) -> None:
    kind = item.get("type", "message")
    if kind == "reasoning":
        return
    if kind == "function_call":
        function = {"name": item["name"], "arguments": item["arguments"]}
        call = {"id": item["call_id"], "type": "function", "function": function}
        last = messages[-1] if messages else {}
        if last.get("role") == "assistant":
            last.setdefault("tool_calls", []).append(call)
        else:
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
    elif kind == "function_call_output":
        result = {"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]}
        messages.append(result)
    else:
        messages.append({"role": item["role"], "content": text_of(item.get("content"))})


def whole_response(reply: Reply, body: Json, number: int) -> Json:
    """Give a reply that is not streamed."""
    output = [_reasoning(reply), _message(reply), *map(_call, reply.calls)]
    is_cut = reply.finish == "length"
    return {
        "id": f"resp_{number}",
        "object": "response",
        "model": body.get("model"),
        "status": "incomplete" if is_cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
        "error": None,
        "output": [item for item in output if item is not None],
        "usage": {
            "input_tokens": reply.prompt_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": reply.completion_tokens,
        },
    }


def response_events(reply: Reply, body: Json, number: int, *, with_usage: bool) -> Iterator[bytes]:
    """Give a streamed reply, event by event."""
    counter = itertools.count()

    def said(kind: str, **fields: Any) -> bytes:
        return event({"type": kind, "sequence_number": next(counter), **fields})

    final = whole_response(reply, body, number)
    if not with_usage:
        final["usage"] = None
    yield said("response.created", response={**final, "status": "in_progress", "output": []})
    for place, item in enumerate(final["output"]):
        begun: Json = {**item, "content": [], "summary": [], "arguments": ""}
        yield said("response.output_item.added", output_index=place, item=begun)
        for kind, text in _deltas(reply, item):
            yield said(kind, output_index=place, item_id=item["id"], delta=text)
        yield said("response.output_item.done", output_index=place, item=item)
    kind = "response.incomplete" if final["status"] == "incomplete" else "response.completed"
    yield said(kind, response=final)


def _deltas(reply: Reply, item: Json) -> Iterator[tuple[str, str]]:
    if item["type"] == "reasoning":
        yield from (("response.reasoning_summary_text.delta", piece) for piece in reply.reasoning)
    elif item["type"] == "message":
        yield from (("response.output_text.delta", piece) for piece in reply.text)
    else:
        text = item["arguments"]
        for at in range(0, len(text), 24):
            yield "response.function_call_arguments.delta", text[at : at + 24]


def _reasoning(reply: Reply) -> Json | None:
    if reply.keeps == "sealed":
        return SEALED
    if not reply.reasoning:
        return None
    summary = [{"type": "summary_text", "text": "".join(reply.reasoning)}]
    return {"id": "rs_1", "type": "reasoning", "summary": summary}


def _message(reply: Reply) -> Json | None:
    if not reply.text:
        return None
    content: list[Json] = [{"type": "output_text", "text": "".join(reply.text)}]
    return {"id": "msg_1", "type": "message", "role": "assistant", "content": content}


def _call(call: Any) -> Json:
    return {
        "id": f"fc_{call.id}",
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
    }
