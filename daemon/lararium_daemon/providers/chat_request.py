"""A model request in the words of chat completions: bytes of valid UTF-8 JSON, always.

A stable order of fields and messages keeps the server's prompt cache warm.
"""

from collections.abc import Collection
from itertools import chain, repeat
from typing import Any, Literal

import orjson

from lararium_daemon.protocol.reasoning import Reasoning
from lararium_daemon.protocol.text import whole_json
from lararium_daemon.providers.answer_schema import AnswerSchema
from lararium_daemon.providers.provider import ModelMessage, ModelRequest, ToolSpec

Json = dict[str, Any]
Gap = Literal["reasoning_content", "thought_signature"]
NO_SIGNATURE: Json = {
    "extra_content": {"google": {"thought_signature": "skip_thought_signature_validator"}}
}
"""What Gemini takes in place of the signature of a call that it did not make; of the first call
alone. Source: https://ai.google.dev/gemini-api/docs/thought-signatures"""


def encode_request(
    request: ModelRequest,
    model: str,
    *,
    with_usage: bool = True,
    with_schema: bool = True,
    with_reasoning: bool = True,
    gaps: Collection[Gap] = (),
) -> bytes:
    """Give the body of the call.

    `with_usage`: ask for token counts; `with_schema`: bind the answer to its schema;
    `with_reasoning`: send back what is kept of earlier answers' reasoning. A few servers refuse
    these. `gaps`: what a server misses of answers that another model gave.
    """
    body: Json = {"model": model}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    kept = with_reasoning
    body["messages"] = [_message(message, gaps, kept=kept) for message in request.messages]
    if request.schema is not None and with_schema:
        body["response_format"] = {"type": "json_schema", "json_schema": _schema(request.schema)}
    body["stream"] = True
    if with_usage:
        body["stream_options"] = {"include_usage": True}
    try:
        return orjson.dumps(body)
    except orjson.JSONEncodeError:
        # A lone surrogate, from a tool's output or an old journal.
        return orjson.dumps(whole_json(body))


def _message(message: ModelMessage, gaps: Collection[Gap], *, kept: bool) -> Json:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
    if message.images:
        return {"role": message.role, "content": _with_images(message)}
    reasoning = (message.reasoning if kept else None) or Reasoning()
    more = dict(reasoning.fields)
    if reasoning.shown_in:
        more[reasoning.shown_in] = message.thinking
    if not message.tool_calls:
        return {"role": message.role, "content": message.text, **more}
    if "reasoning_content" in gaps and not more:
        more["reasoning_content"] = " "  # one server takes an empty text for a missing one
    extras = reasoning.calls
    if "thought_signature" in gaps and not extras:
        extras = [NO_SIGNATURE]
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments_json},
            **extra,
        }
        for call, extra in zip(message.tool_calls, chain(extras, repeat({})), strict=False)
    ]
    return {"role": message.role, "content": message.text or None, "tool_calls": calls, **more}


def _with_images(message: ModelMessage) -> list[Json]:
    images = [{"type": "image_url", "image_url": {"url": each.data_url}} for each in message.images]
    return [{"type": "text", "text": message.text}, *images]


def _schema(schema: AnswerSchema) -> Json:
    return {"name": schema.name, "schema": dict(schema.schema), "strict": schema.is_strict}


def _tool(tool: ToolSpec) -> Json:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}
