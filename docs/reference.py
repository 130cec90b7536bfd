"""Write the reference in `api.md` from the API's own description: routes, events, models.

`python docs/reference.py` writes it, with `--check` it only says whether it is stale (exit code 1).
What stands above the marker is written by hand and stays.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from lararium_daemon.api.application import create_api
from lararium_daemon.api.deps import Services
from lararium_daemon.api.openapi import document
from lararium_daemon.edge.credentials import Credentials
from lararium_daemon.protocol.events import EVENTS, VOLATILE

PAGE = Path(__file__).with_name("api.md")
MARKER = '<!-- From here on made by "python3 dev.py docs": do not edit. -->'
Json = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Write the page, or check it; return the exit code."""
    page = PAGE.read_text(encoding="utf-8")
    intro = page.partition(MARKER)[0].rstrip("\n")
    new = f"{intro}\n\n{MARKER}\n\n" + "\n".join(_reference())
    if arguments == ["--check"]:
        return int(new != page)
    PAGE.write_text(new, encoding="utf-8", newline="\n")
    return 0


def _reference() -> Iterator[str]:
    services = SimpleNamespace(guid="guid", port=lambda: 1, credentials=Credentials("token"))
    described = document(create_api(cast("Services", services)))
    schemas: Json = described["components"]["schemas"]
    yield from (
        "## Routes",
        "",
        "| method and path | scope | takes → gives | |",
        "|---|---|---|---|",
    )
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            yield _route(method.upper(), path, operation)
    yield from ("", "## Event types", "", "| type | payload | |", "|---|---|---|")
    for name, event in EVENTS.items():
        mark = ", volatile" if event in VOLATILE else ""
        fields = _fields(schemas.get(event.__name__, {}))
        yield f"| `{name}`{mark} | {fields} | {_sentence(event.__doc__)} |"
    named = {each.__name__ for each in EVENTS.values()}
    yield from ("", "## Models", "", "`?` marks what may be left out.", "")
    yield from ("| model | fields | |", "|---|---|---|")
    for name in sorted(set(schemas) - named):
        if not name.endswith("Envelope"):
            schema = schemas[name]
            yield f"| `{name}` | {_fields(schema)} | {_sentence(schema.get('description'))} |"
    yield ""


def _route(method: str, path: str, operation: Json) -> str:
    body = operation.get("requestBody", {}).get("content", {})
    taken = [_kind(each["schema"]) for each in body.values()]
    query = [each for each in operation.get("parameters", []) if each["in"] == "query"]
    taken += [f"`?{each['name']}`" for each in query]
    status, answer = next(
        (code, each) for code, each in operation["responses"].items() if code.startswith("2")
    )
    given = [_kind(each["schema"]) for each in answer.get("content", {}).values()]
    shown = " ".join([*taken, "→", *([] if status == "200" else [status]), *filter(None, given)])
    what = _sentence(operation.get("description"))
    return f"| {method} `{path}` | {operation['x-scope']} | {shown} | {what} |"


def _fields(schema: Json) -> str:
    if "properties" not in schema:
        return _kind(schema)
    required = schema.get("required", [])
    return " · ".join(
        f"`{name}{'' if name in required else '?'}` {_kind(each)}"
        for name, each in schema["properties"].items()
    )


def _kind(schema: Json) -> str:
    """Say in a few words what a schema takes."""
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return " or ".join(_kind(each) for each in schema[word])
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return " or ".join(
            f"`{str(value).lower() if value is True else value}`" for value in values
        )
    match schema.get("type"):
        case "array":
            return f"list of {_kind(schema.get('items', {}))}"
        case "object":
            inner = schema.get("additionalProperties")
            is_map = isinstance(inner, dict)
            return f"map of {_kind(cast('Json', inner))}" if is_map else "object"
        case "string":
            return {"date-time": "time", "password": "secret", "binary": "bytes"}.get(
                schema.get("format", ""), "text"
            )
        case None:
            return "" if schema == {} else "any"
        case other:
            return str(other)


def _sentence(text: str | None) -> str:
    """Give the first paragraph as one line that a table can hold."""
    first = (text or "").strip().partition("\n\n")[0]
    return " ".join(first.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
