"""Reading a tool call's arguments. What is broken is told apart, never repaired.

Running a repaired call would write half a file or drop half a command; the model is told instead
and calls again.
"""

import json
import re
from dataclasses import dataclass
from math import isfinite
from typing import Any, cast

from lararium_daemon.protocol.text import MAX_DEPTH, is_deeper_than, whole_json

TRUNCATED = (
    "The arguments of this call are cut off in the middle, so nothing was run. "
    "Send the call again, in full."
)
OVER_LIMIT = (
    "The output limit cut the arguments of this call (they are truncated), so nothing was run. "
    "Call again with less in one call, for instance a large file in several parts."
)
GLUED = (
    "The arguments of this call hold several JSON objects one after another, so nothing was run. "
    "Make one call for each."
)
NO_OBJECT = "The arguments of this call are no JSON object, so nothing was run. Send an object."
MALFORMED = "The arguments of this call are invalid JSON ({where}), so nothing was run. Call again."

MAX_DIGITS = 20
_UNFINISHED_TOKEN = re.compile(r"[tfn-]|tr|tru|fa|fal|fals|nu|nul|\.|[eE][+-]?")
"""What may stand at the end of a text that was cut inside a literal or a number."""
_UNFINISHED_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{0,4}\Z")


@dataclass(slots=True, frozen=True)
class ParsedArguments:
    """The object, or why there is none."""

    value: dict[str, Any] | None
    error: str = ""


def parse_arguments(text: str, *, hit_output_limit: bool) -> ParsedArguments:
    """Read the text of a call's arguments; no text (or `null`) is an empty object.

    `hit_output_limit`: the answer ended at the output limit in this very call.
    """
    stripped = text.strip()
    if not stripped and hit_output_limit:
        return ParsedArguments(None, OVER_LIMIT)
    if stripped in {"", "null"}:
        return ParsedArguments({})
    try:
        value = _load(stripped)
        if isinstance(value, str):  # encoded twice
            value = _load(value)
    except json.JSONDecodeError as error:
        if hit_output_limit:
            return ParsedArguments(None, OVER_LIMIT)
        return ParsedArguments(None, _explain(error))
    except (RecursionError, ValueError) as error:
        return ParsedArguments(None, MALFORMED.format(where=error))
    if isinstance(value, dict):
        return ParsedArguments(cast("dict[str, Any]", value))
    return ParsedArguments(None, NO_OBJECT)


def arguments_text(value: Any) -> str:
    """Give arguments as the text of JSON that they should have been sent as; "" for none."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        # Not orjson: it takes neither half a character nor a number that is no number.
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return "nested too deeply"


def is_object(text: str) -> bool:
    """Whether the text is a JSON object with nothing missing and nothing after it."""
    try:
        return isinstance(_load(text), dict)
    except (ValueError, RecursionError):
        return False


def _load(text: str) -> Any:
    # Line breaks inside strings and lone surrogates are plain enough. NaN is not, and numbers that
    # do not fit into 64 bits would be stored as other numbers, or not at all.
    value = json.loads(
        text,
        strict=False,
        parse_constant=_refuse_constant,
        parse_int=_whole_number,
        parse_float=_number,
    )
    if is_deeper_than(MAX_DEPTH, value):
        raise ValueError("nested too deeply")
    return whole_json(value)


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def _whole_number(text: str) -> int:
    if len(text) > MAX_DIGITS or not -(2**63) <= (number := int(text)) < 2**63:
        raise ValueError(f"the number {text[:MAX_DIGITS]}… is too large")
    return number


def _number(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"the number {text[:MAX_DIGITS]} is too large")
    return number


def _explain(error: json.JSONDecodeError) -> str:
    rest = error.doc[error.pos :]
    if error.msg == "Extra data":
        return GLUED if rest.lstrip().startswith("{") else _malformed(error)
    if error.msg.startswith("Unterminated string"):
        return TRUNCATED
    if error.msg.startswith("Invalid \\u") and _UNFINISHED_ESCAPE.search(error.doc):
        return TRUNCATED
    if not rest.strip() or _UNFINISHED_TOKEN.fullmatch(rest.strip()):
        return TRUNCATED
    return _malformed(error)


def _malformed(error: json.JSONDecodeError) -> str:
    return MALFORMED.format(where=f"{error.msg} at character {error.pos}")
