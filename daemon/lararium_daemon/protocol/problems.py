"""Errors that cross the API: one class, problem JSON on the wire (RFC 9457)."""

from pydantic import BaseModel, ConfigDict


class LarariumError(Exception):
    """An error with a stable `code`, an HTTP status and a sentence for the person.

    The sentence says what happened, what is safe and what to do next.
    """

    def __init__(self, code: str, detail: str, status: int = 400) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.status = status


class Problem(BaseModel):
    """`application/problem+json`."""

    model_config = ConfigDict(extra="allow")

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str
