"""What a strict vendor refuses in a completion request; the scripted server answers 400 to it."""

import json
import re
from typing import Any

Json = dict[str, Any]
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def complaint(body: Json) -> str:
    """Say what is wrong with a request, "" when nothing is."""
    messages: list[Json] = body.get("messages") or []
    if not messages:
        return "messages: at least one is needed"
    tools: list[Json] = body.get("tools") or []
    for tool in tools:
        if not TOOL_NAME.fullmatch(tool["function"]["name"]):
            return f"tools: bad name {tool['function']['name']!r}"
    return _pairing(messages) or _arguments(messages)


def _pairing(messages: list[Json]) -> str:
    """Every call is answered once, right after the message that made it."""
    waiting: set[str] = set()
    for message in messages:
        calls: list[Json] = message.get("tool_calls") or []
        if message.get("role") == "tool":
            call_id = message.get("tool_call_id")
            if call_id not in waiting:
                return f"messages: a tool result for {call_id!r}, which no call waits for"
            waiting.discard(call_id)
            continue
        if waiting:
            return f"messages: tool call {sorted(waiting)[0]!r} has no result"
        ids: list[str] = [call["id"] for call in calls]
        if len(set(ids)) != len(ids):
            return f"messages: two calls of one message share an id: {ids}"
        waiting = set(ids)
    return f"messages: tool call {sorted(waiting)[0]!r} has no result" if waiting else ""


def _arguments(messages: list[Json]) -> str:
    for message in messages:
        calls: list[Json] = message.get("tool_calls") or []
        for call in calls:
            text = call["function"]["arguments"]
            try:
                value = json.loads(text)
            except (TypeError, ValueError):
                return f"messages: arguments are no JSON text: {text!r}"
            if not isinstance(value, dict):
                return f"messages: arguments are no JSON object: {text!r}"
    return ""
