"""Print the protocol as an OpenAPI document, the source of the page's TypeScript types.

`python dump_openapi.py daemon|hub` writes JSON to stdout. The document has components only: what
travels in envelopes and over the WebSocket never appears in a route's signature, so the types are
taken from the protocol itself. `digest` is what the generated file carries to prove it is fresh.
"""

import hashlib
import inspect
import json
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Literal, cast

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema

from lararium_daemon.protocol import (
    api,
    archive,
    attention,
    grants,
    hub,
    inbox,
    messages,
    permissions,
    problems,
    profiles,
    rehearsal,
    shell_settings,
    state,
    stream,
    trust,
)
from lararium_daemon.protocol.events import EVENTS, VOLATILE, Usage

REF_TEMPLATE = "#/components/schemas/{model}"
HUB_SHARES = ("Health", "Ticket", "TicketInput", "ExchangeInput", "SessionKey", "Accepted")
"""Models of the daemon's API that the hub's pages speak too."""
Page = Literal["daemon", "hub"]
Typed = tuple[type, JsonSchemaMode]


class PresentDefaults(GenerateJsonSchema):
    """A schema in which everything a server writes is there, defaults included."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        """Say whether a reader may count on the field."""
        return self.mode == "serialization" or super().field_is_required(field, total)


def own_classes(module: ModuleType) -> Iterator[type]:
    """Give the public classes a module defines, in its order."""
    for name, member in vars(module).items():
        if inspect.isclass(member) and member.__module__ == module.__name__ and name[0] != "_":
            yield member


def mode_of(model: type) -> JsonSchemaMode:
    """Say whether a client may leave defaults out."""
    return "validation" if issubclass(model, api.Input) else "serialization"


def is_model(model: type) -> bool:
    """Say whether it travels: a base class or a helper does not."""
    if model in (api.Input, api.Output):
        return False
    return "__dataclass_fields__" in vars(model) or issubclass(model, BaseModel)


def models_of(page: Page) -> list[Typed]:
    """Give every model that the page's types need."""
    if page == "hub":
        shared = [getattr(api, name) for name in HUB_SHARES]
        found: list[type] = [*own_classes(hub), *own_classes(inbox), *own_classes(shell_settings)]
        found += [*shared, problems.Problem]
    else:
        modules = (messages, permissions, state, attention, stream, api, profiles, rehearsal, trust)
        found = [model for module in (*modules, grants) for model in own_classes(module)]
        found += [archive.SearchHit, archive.SearchList, archive.SessionExport]
        found += [Usage, problems.Problem, *EVENTS.values()]
    return [(model, mode_of(model)) for model in found if is_model(model)]


def envelope(type_name: str, payload: JsonSchemaValue) -> dict[str, Any]:
    """Give the schema of the envelope of one event type."""
    volatile = EVENTS[type_name] in VOLATILE
    properties: dict[str, Any] = {
        "session_id": {"type": "string"},
        "seq": {"type": "integer"},
        "epoch": {"type": "string"},
        "type": {"const": type_name},
        "at": {"type": "string"},
        "payload": payload,
    }
    if volatile:
        properties["volatile"] = {"const": True}
    return {"type": "object", "properties": properties, "required": list(properties)}


def tidied(node: object, *, names: bool = False) -> object:
    """Drop titles and defaults, which say nothing a type can use, and point at plain names.

    `names` says that the keys are names of properties, not words of JSON Schema.
    """
    if isinstance(node, dict):
        items = cast("dict[str, object]", node)
        return {
            key: plain_name(value)
            if key == "$ref" and isinstance(value, str)
            else tidied(value, names=not names and key == "properties")
            for key, value in items.items()
            if names or key not in {"title", "default"}
        }
    if isinstance(node, list):
        return [tidied(value) for value in cast("list[object]", node)]
    return node


def plain_name(name: str) -> str:
    """Give a name a TypeScript reader would choose: pydantic tells the two sides by suffix."""
    return name.removesuffix("-Output").replace("-Input", "Input")


def document(page: Page) -> dict[str, Any]:
    """Give the OpenAPI document of a page's protocol."""
    inputs: list[tuple[type, JsonSchemaMode, CoreSchema]] = [
        (model, mode, TypeAdapter[Any](model).core_schema) for model, mode in models_of(page)
    ]
    generator = PresentDefaults(by_alias=True, ref_template=REF_TEMPLATE)
    references, definitions = generator.generate_definitions(inputs)
    schemas: dict[str, Any] = {str(name): schema for name, schema in definitions.items()}
    for (model, _), reference in references.items():
        if "$ref" not in reference:
            schemas[model.__name__] = reference
    if page == "daemon":
        names: list[dict[str, str]] = []
        for type_name, event in EVENTS.items():
            name = f"{event.__name__}Envelope"
            schemas[name] = envelope(type_name, references[(event, "serialization")])
            names.append({"$ref": REF_TEMPLATE.format(model=name)})
        schemas["Envelope"] = {"oneOf": names}
    named = {plain_name(name): schema for name, schema in sorted(schemas.items())}
    return {
        "openapi": "3.1.0",
        "info": {"title": f"Lararium {page}", "version": f"{api.API_MAJOR}.{api.API_MINOR}"},
        "paths": {},
        "components": {"schemas": tidied(named, names=True)},
    }


def digest(spec: dict[str, Any]) -> str:
    """Give the fingerprint of a document."""
    return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()


def main() -> int:
    """Print the document of the page named on the command line."""
    if sys.argv[1:] not in (["daemon"], ["hub"]):
        sys.stderr.write("usage: dump_openapi.py daemon|hub\n")
        return 2
    page: Page = "hub" if sys.argv[1] == "hub" else "daemon"
    spec = document(page)
    json.dump({"digest": digest(spec), "spec": spec}, sys.stdout)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
