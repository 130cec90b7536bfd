"""`${NAME}` in a settings file: the environment's value in its place.

`${NAME:-words}` has a default and `$${` stands for a plain `${`. Pure: the environment comes in.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

_REFERENCE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


class Missing(NamedTuple):
    """A value that names a variable which is not set."""

    place: tuple[str | int, ...]
    """Keys and numbers that lead to the value."""
    variable: str


def expand(value: Any, environment: Mapping[str, str]) -> tuple[Any, list[Missing]]:
    """Give the JSON value with its variables put in, and those that are missing.

    Keys of objects stay as they are; a value with a missing variable too.
    """
    missing: list[Missing] = []
    return _expand(value, environment, (), missing), missing


def lines_of(text: str, variable: str) -> Iterator[int]:
    """Give the lines, from 1, in which the variable is named."""
    for number, line in enumerate(text.splitlines(), 1):
        if any(match[1] == variable for match in _REFERENCE.finditer(line)):
            yield number


def _expand(
    value: Any,
    environment: Mapping[str, str],
    place: tuple[str | int, ...],
    missing: list[Missing],
) -> Any:
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        return {k: _expand(v, environment, (*place, k), missing) for k, v in items.items()}
    if isinstance(value, list):
        listed = cast("list[Any]", value)
        return [_expand(v, environment, (*place, i), missing) for i, v in enumerate(listed)]
    if not isinstance(value, str) or "${" not in value:
        return value
    unknown = [
        match[1]
        for match in _REFERENCE.finditer(value)
        if match[1] and match[2] is None and match[1] not in environment
    ]
    if unknown:
        missing += [Missing(place, name) for name in unknown]
        return value
    return _REFERENCE.sub(lambda match: _value(match, environment), value)


def _value(match: re.Match[str], environment: Mapping[str, str]) -> str:
    name = match[1]
    if not name:
        return "${"
    # An empty variable is as good as none when there is a default, as in a shell.
    value = environment.get(name, "")
    return value or match[2] or ""
