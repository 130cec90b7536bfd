"""Text as it must be to travel: UTF-16 lengths, as pages count them, and no lone surrogates."""

from typing import Any, cast


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
    """Give a JSON value with every text in it whole."""
    match value:
        case str():
            return whole_text(value)
        case list():
            return [whole_json(item) for item in cast("list[Any]", value)]
        case dict():
            items = cast("dict[str, Any]", value).items()
            return {whole_text(key): whole_json(item) for key, item in items}
        case _:
            return value
