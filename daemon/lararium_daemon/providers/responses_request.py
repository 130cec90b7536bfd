"""A model request in the words of the Responses API: bytes of valid UTF-8 JSON, always.

Nothing is stored at the server: the whole session goes along each time, as with chat completions.

Source: https://platform.openai.com/docs/api-reference/responses
"""

from collections.abc import Iterator

import orjson

from lararium_daemon.protocol.text import whole_json
from lararium_daemon.providers.provider import ModelImage, ModelMessage, ModelRequest, ToolSpec
from lararium_daemon.providers.stream_json import Json

SEALED = "reasoning.encrypted_content"
"""Asks for reasoning that can be sent back to a server that keeps nothing."""


def encode_responses_request(
    request: ModelRequest, model: str, *, with_schema: bool = True, with_reasoning: bool = True
) -> bytes:
    """Give the body of the call.

    `with_schema`: bind the answer to its schema; `with_reasoning`: ask for the answer's reasoning,
    sealed, and send that of earlier answers back. A few servers refuse these.
    """
    body: Json = {"model": model}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    instructions = [m.text for m in request.messages if m.role == "system"]
    if instructions:
        body["instructions"] = "\n\n".join(instructions)
    sealed = with_reasoning and request.wants_reasoning
    body["input"] = [
        item for message in request.messages for item in _items(message, with_reasoning=sealed)
    ]
    schema = request.schema
    if schema is not None and with_schema:
        wanted = {"name": schema.name, "schema": dict(schema.schema), "strict": schema.is_strict}
        body["text"] = {"format": {"type": "json_schema", **wanted}}
    body["stream"] = True
    body["store"] = False
    if sealed:
        body["include"] = [SEALED]
    try:
        return orjson.dumps(body)
    except orjson.JSONEncodeError:
        # A lone surrogate, from a tool's output or an old journal.
        return orjson.dumps(whole_json(body))


def _items(message: ModelMessage, *, with_reasoning: bool) -> Iterator[Json]:
    if message.role == "tool":
        yield {
            "type": "function_call_output",
            "call_id": message.tool_call_id,
            "output": message.text,
        }
    elif message.role != "system":
        if with_reasoning and message.reasoning is not None:
            yield from message.reasoning.items
        if message.text or not message.tool_calls:
            kind = "output_text" if message.role == "assistant" else "input_text"
            content = [{"type": kind, "text": message.text}, *map(_image, message.images)]
            yield {"type": "message", "role": message.role, "content": content}
        for call in message.tool_calls:
            yield {
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": call.arguments_json,
            }


def _image(image: ModelImage) -> Json:
    return {"type": "input_image", "image_url": image.data_url, "detail": "auto"}


def _tool(tool: ToolSpec) -> Json:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": False,
    }
