"""What text and JSON must be to travel: UTF-16 lengths, no lone surrogates, what orjson writes."""

from collections.abc import Iterable
from typing import Any, cast

_SMALLEST, _LARGEST = -(2**63), 2**64 - 1
"""The integers that orjson writes."""
MAX_DEPTH = 100
"""Objects and lists in each other that a call's arguments may have; orjson writes 254."""
MAX_INPUT_DEPTH = MAX_DEPTH + 20
"""What a client sends may hold such arguments, some levels down."""


def utf16_length(text: str) -> int:
    """Count UTF-16 units, which is what `.length` gives in a page."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_index(text: str, units: int) -> int:
    """Give the index into `text` that lies `units` UTF-16 units from its start."""
    if text.isascii():
        return units
    return len(text.encode("utf-16-le", "surrogatepass")[: units * 2].decode("utf-16-le", "ignore"))


def whole_text(text: str) -> str:
    """Give `text` with each lone surrogate replaced: JSON in UTF-8 cannot hold one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def whole_json(value: Any) -> Any:
    """Give a JSON value with every text in it whole, and every integer one that can be written.

    One that 64 bits do not hold becomes a float, as in a page.

    Raises:
        ValueError: an integer is larger than any float.
    """
    match value:
        case str():
            return whole_text(value)
        case list():
            return [whole_json(item) for item in cast("list[Any]", value)]
        case dict():
            items = cast("dict[str, Any]", value).items()
            return {whole_text(key): whole_json(item) for key, item in items}
        case int() if not _SMALLEST <= value <= _LARGEST:
            try:
                return float(value)
            except OverflowError as error:
                raise ValueError("a number is too large") from error
        case _:
            return value


def is_deeper_than(levels: int, value: Any) -> bool:
    """Whether more objects and lists lie in each other than so many."""
    inner: Iterable[Any] = ()
    if isinstance(value, dict):
        inner = cast("dict[str, Any]", value).values()
    elif isinstance(value, list):
        inner = cast("list[Any]", value)
    else:
        return False
    return levels == 0 or any(is_deeper_than(levels - 1, item) for item in inner)
