"""Reasoning that a strict vendor wants back: what replies carry, and the 400 without it.

`Scenario.keeps` names the kind: `shown` (`reasoning_content` of answers with calls), `details`
(`reasoning_details`), `signature` (`extra_content` of an answer's first call), `opaque`
(`reasoning_opaque`), `sealed` (encrypted items of the Responses API); `refused` is a vendor that
wants none of it.
"""

from typing import Any

Json = dict[str, Any]

DETAILS: list[Json] = [
    {"type": "reasoning.text", "format": "f", "index": 0, "text": "the lamp", "signature": "s=="},
    {"type": "reasoning.encrypted", "format": "f", "index": 1, "data": "QUJD", "id": "rs_a"},
]
DETAIL_PIECES: list[Json] = [
    {"type": "reasoning.text", "format": "f", "index": 0, "text": "the "},
    {"type": "reasoning.text", "format": "f", "index": 0, "text": "lamp", "signature": "s=="},
    DETAILS[1],
]
SIGNATURE: Json = {"google": {"thought_signature": "c2lnbmVk"}}
NO_SIGNATURE: Json = {"google": {"thought_signature": "skip_thought_signature_validator"}}
OPAQUE = "b3BhcXVl"
SEALED: Json = {"id": "rs_1", "type": "reasoning", "encrypted_content": "c2VhbGVk", "summary": []}
FIELDS: Json = {"details": {"reasoning_details": DETAILS}, "opaque": {"reasoning_opaque": OPAQUE}}


def deltas(keeps: str) -> list[Json]:
    """Give what a streamed reply carries before its calls."""
    if keeps == "details":
        return [{"reasoning_details": [piece]} for piece in DETAIL_PIECES]
    return [{"reasoning_opaque": OPAQUE}] if keeps == "opaque" else []


def complaint(keeps: str, body: Json) -> str:
    """Say what a request lacks, in vendors' words; "" when it is as wanted."""
    if keeps == "sealed":
        return _sealed(body)
    messages: list[Json] = body.get("messages") or []
    for place, message in enumerate(messages):
        calls: list[Json] = message.get("tool_calls") or []
        if keeps == "refused" and "reasoning_content" in message:
            return "Unexpected field: reasoning_content is not permitted"
        if not calls:
            continue
        if keeps == "shown" and not message.get("reasoning_content"):
            where = f"in assistant tool call message at index {place}"
            return f"thinking is enabled but reasoning_content is missing {where}"
        if keeps == "signature" and calls[0].get("extra_content") not in (SIGNATURE, NO_SIGNATURE):
            return "Function call is missing a thought_signature in functionCall parts."
        for name, value in FIELDS.get(keeps, {}).items():
            if message.get(name) != value:
                return f"{name} must be passed back as it was"
    return ""


def _sealed(body: Json) -> str:
    if body.get("include") != ["reasoning.encrypted_content"] or body.get("store") is not False:
        return "include: reasoning.encrypted_content was not asked for"
    before: Json = {}
    items: list[Json] = body.get("input") or []
    for item in items:
        is_first = item.get("type") == "function_call" and before.get("type") != "function_call"
        if is_first and before != SEALED:
            return "a function_call was provided without its required reasoning"
        before = item
    return ""
