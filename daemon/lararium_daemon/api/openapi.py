"""The API's own description: OpenAPI 3.1 with the event union and the WebSocket's messages.

Those travel outside of any route's signature, so their schemas are added to the components. What
the server writes is described as it is written: with every field there.
"""

from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from lararium_daemon.edge.judge import OPEN_ROUTES
from lararium_daemon.edge.problem import PROBLEM_TYPE
from lararium_daemon.edge.scopes import Required, require
from lararium_daemon.protocol import stream
from lararium_daemon.protocol.api import API_MAJOR, API_MINOR
from lararium_daemon.protocol.events import EVENTS, VOLATILE
from lararium_daemon.protocol.problems import Problem

_REF = "#/components/schemas/{model}"
_READ: tuple[type[BaseModel], ...] = (
    stream.SubscribeSession,
    stream.SubscribeTopic,
    stream.Unsubscribe,
    stream.Ping,
)
_WRITTEN: tuple[type[BaseModel], ...] = (stream.ServerMessageSchema, Problem)
_INVALID = ("HTTPValidationError", "ValidationError")

PROBLEM_RESPONSES: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "A problem, RFC 9457.",
        "content": {PROBLEM_TYPE: {"schema": {"$ref": _REF.format(model="Problem")}}},
    }
}


class _Written(GenerateJsonSchema):
    """A schema in which everything a server writes is there, defaults included."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        """Say whether a reader may count on the field."""
        return self.mode == "serialization" or super().field_is_required(field, total)


def openapi_router(app: FastAPI) -> APIRouter:
    """Give the route that describes the app; made at the first request."""
    router = APIRouter(tags=["daemon"])
    made: dict[str, Any] = {}

    @router.get("/openapi.json", dependencies=[Depends(require("read"))], include_in_schema=False)
    def get_openapi_document() -> JSONResponse:
        if not made:
            made.update(document(app))
        return JSONResponse(made)

    _ = get_openapi_document  # reached through the router only
    return router


def document(app: FastAPI) -> dict[str, Any]:
    """Describe the app."""
    described = get_openapi(
        title=app.title,
        version=f"{API_MAJOR}.{API_MINOR}",
        openapi_version="3.1.0",
        routes=app.routes,
    )
    scopes = _scopes(app)
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            operation["responses"].pop("422", None)  # the default response says it
            operation["x-scope"] = scopes[method.upper(), path]
    schemas: dict[str, Any] = described["components"]["schemas"]
    for name in _INVALID:
        schemas.pop(name, None)
    schemas.update({name: each for name, each in _protocol().items() if name not in schemas})
    return described


def _scopes(app: FastAPI) -> dict[tuple[str, str], str]:
    """Give the scope that each route asks for, by method and path; "open" needs no credential."""
    found: dict[tuple[str, str], str] = {}
    for context in iter_route_contexts(app.routes):
        asked = [each.dependency for each in context.dependencies or ()]
        needed = next((each.scope for each in asked if isinstance(each, Required)), "any")
        for method in context.methods or ():
            route = (method, str(context.path))
            found[route] = "open" if route in OPEN_ROUTES else needed
    return found


def _protocol() -> dict[str, Any]:
    """Give the schemas of what no route's signature names."""
    inputs: list[tuple[Any, JsonSchemaMode, Any]] = [
        *((model, "validation", _core(model)) for model in _READ),
        *((model, "serialization", _core(model)) for model in (*_WRITTEN, *EVENTS.values())),
    ]
    references, definitions = _Written(ref_template=_REF).generate_definitions(inputs)
    schemas: dict[str, Any] = {str(name): each for name, each in definitions.items()}
    envelopes: list[dict[str, str]] = []
    for type_name, event in EVENTS.items():
        name = f"{event.__name__}Envelope"
        payload = references[event, "serialization"]
        schemas[name] = _envelope(type_name, payload, is_volatile=event in VOLATILE)
        envelopes.append({"$ref": _REF.format(model=name)})
    schemas["Envelope"] = {"oneOf": envelopes, "discriminator": {"propertyName": "type"}}
    return schemas


def _core(model: type[Any]) -> Any:
    return TypeAdapter[Any](model).core_schema


def _envelope(type_name: str, payload: Any, *, is_volatile: bool) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "session_id": {"type": "string"},
        "seq": {"type": "integer"},
        "epoch": {"type": "string"},
        "type": {"const": type_name},
        "at": {"type": "string", "format": "date-time"},
        "payload": payload,
    }
    if is_volatile:
        properties["volatile"] = {"const": True}
    return {"type": "object", "properties": properties, "required": list(properties)}
