"""The JSON of a stream's events, read as forgivingly as its meaning allows."""

import json
from typing import Any, cast

import orjson

Json = dict[str, Any]


class BadChunkError(ValueError):
    """An event of the stream that is no JSON object."""


class InStreamError(Exception):
    """The server reported an error inside the stream."""

    def __init__(self, error: Any) -> None:
        super().__init__("the model server reported an error inside its answer")
        self.error = error
        """What stood under `error`: mostly an object with `message` and `code`."""


def load_event(data: bytes) -> Json:
    """Read an event.

    Raises:
        BadChunkError: it is no JSON object.
    """
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        value = _load_leniently(data)
    if not isinstance(value, dict):
        raise BadChunkError("the model server sent an event that is no JSON object")
    return cast("Json", value)


def _load_leniently(data: bytes) -> Any:
    """Read what a strict parser refuses though its meaning is plain: NaN, lone surrogates."""
    text = data.decode(errors="replace")
    try:
        return json.loads(text, strict=False, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise BadChunkError("the model server sent an event that is no JSON") from error
