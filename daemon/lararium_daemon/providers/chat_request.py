"""A model request in the words of chat completions: bytes of valid UTF-8 JSON, always.

A stable order of fields and messages keeps the server's prompt cache warm.
"""

from typing import Any

import orjson

from lararium_daemon.protocol.text import whole_json
from lararium_daemon.providers.answer_schema import AnswerSchema
from lararium_daemon.providers.provider import ModelMessage, ModelRequest, ToolSpec

Json = dict[str, Any]


def encode_request(
    request: ModelRequest, model: str, *, with_usage: bool = True, with_schema: bool = True
) -> bytes:
    """Give the body of the call.

    `with_usage`: ask for token counts; `with_schema`: bind the answer to its schema. A few servers
    refuse these options.
    """
    body: Json = {"model": model}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    body["messages"] = [_message(message) for message in request.messages]
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


def _message(message: ModelMessage) -> Json:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
    if not message.tool_calls:
        return {"role": message.role, "content": message.text}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments_json},
        }
        for call in message.tool_calls
    ]
    return {"role": message.role, "content": message.text or None, "tool_calls": calls}


def _schema(schema: AnswerSchema) -> Json:
    return {"name": schema.name, "schema": dict(schema.schema), "strict": schema.is_strict}


def _tool(tool: ToolSpec) -> Json:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}
