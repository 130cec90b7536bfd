"""Errors that cross the API: one class, problem JSON on the wire (RFC 9457)."""

from pydantic import BaseModel, ConfigDict

from lararium_daemon.protocol.errors import LarariumError as LarariumError


class Problem(BaseModel):
    """`application/problem+json`."""

    model_config = ConfigDict(extra="allow")

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str
