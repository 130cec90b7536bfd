"""What a model server's refusal means, told by its status and its own words.

The words are quoted, shortened, with the key masked.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from lararium_daemon.providers.failures import failure, shorten
from lararium_daemon.providers.profiles import Profile
from lararium_daemon.providers.provider import ProviderError
from lararium_daemon.providers.retry import LONGEST_WAIT_SECONDS, parse_retry_after

_CONTEXT = re.compile(
    r"context.?(length|window|size)|maximum context|too many (input )?tokens|prompt is too long"
    r"|input (length|is too long)|reduce the length|token limit",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient.?(quota|credit|balance|funds)|billing|exceeded your current quota", re.IGNORECASE
)


@dataclass(slots=True, frozen=True)
class ServerWords:
    """What a server said of its error."""

    message: str = ""
    code: str = ""
    """Its `code` and `type`, for matching."""
    status: int | None = None
    """A status inside the body; some gateways answer 200 and put it there."""


def read_words(error: Any) -> ServerWords:
    """Read an error as servers write it: an object, a text, or an object around either."""
    if isinstance(error, bytes):
        text = error.decode(errors="replace")
        try:
            error = json.loads(text)
        except (ValueError, RecursionError):
            return ServerWords("" if text.lstrip().startswith("<") else shorten(text))
    if isinstance(error, list):
        error = next(iter(cast("list[Any]", error)), None)
    if not isinstance(error, dict):
        return ServerWords(shorten(str(error)) if error else "")
    fields = cast("dict[str, Any]", error)
    inner = fields.get("error")
    if isinstance(inner, dict | str):
        return read_words(inner)
    message = next((v for k in ("message", "detail", "msg") if (v := fields.get(k))), "")
    code = fields.get("code")
    return ServerWords(
        message=shorten(message if isinstance(message, str) else json.dumps(message)),
        code=" ".join(str(fields[k]) for k in ("code", "type", "status") if fields.get(k)),
        status=code if isinstance(code, int) and 400 <= code <= 599 else None,
    )


def from_status(
    profile: Profile, status: int, headers: Mapping[str, str], body: bytes, model: str
) -> ProviderError:
    """Name the failure of an answer with an error status (or a redirect)."""
    if 300 <= status < 400:
        target = headers.get("location", "elsewhere")
        return failure(
            profile,
            "provider_bad_response",
            f"The model server at {profile.host} points to another address (HTTP {status}, "
            f"{target}). It is not followed, since the key would go along. Set the base URL to the "
            "right address.",
            status=status,
        )
    retry_after = parse_retry_after(
        headers.get("retry-after-ms", ""), headers.get("retry-after", ""), datetime.now(UTC)
    )
    return _classified(_Refusal(profile, status, read_words(body), model, retry_after))


def from_stream(profile: Profile, error: Any, model: str) -> ProviderError:
    """Name the failure that a server reported inside an answer that began well."""
    words = read_words(error)
    status = words.status or 500
    if words.status is None:
        status = next((s for kind, s in _STATUS_OF_KIND.items() if kind in words.code), 500)
    return _classified(_Refusal(profile, status, words, model, None))


@dataclass(slots=True, frozen=True)
class _Refusal:
    profile: Profile
    status: int
    words: ServerWords
    model: str
    retry_after: float | None

    @property
    def server(self) -> str:
        return f"The model server at {self.profile.host}"

    @property
    def said(self) -> str:
        message = f": {self.words.message}" if self.words.message else ""
        return f"HTTP {self.status}{message}"


def _classified(refusal: _Refusal) -> ProviderError:
    code = _code(refusal.status, f"{refusal.words.code} {refusal.words.message}")
    return failure(
        refusal.profile,
        code,
        _SENTENCES[code](refusal),
        status=refusal.status,
        retry_after=refusal.retry_after,
    )


def _code(status: int, words: str) -> str:
    if status == 402 or (status == 429 and _QUOTA.search(words)):
        return "provider_quota"
    simple = _CODE_OF_STATUS.get(status)
    if simple:
        return simple
    if status >= 500:
        return "provider_overloaded"
    return "provider_context_overflow" if _CONTEXT.search(words) else "provider_bad_request"


_CODE_OF_STATUS = {
    401: "provider_auth",
    403: "provider_auth",
    407: "provider_auth",
    408: "provider_timeout",
    409: "provider_overloaded",
    413: "provider_context_overflow",
    425: "provider_overloaded",
    429: "provider_rate_limit",
}
_STATUS_OF_KIND = {
    "rate_limit": 429,
    "insufficient_quota": 402,
    "invalid_request": 400,
    "context_length": 400,
    "authentication": 401,
    "invalid_api_key": 401,
}
"""Words in an error's code or type → the status it would have had before the stream began."""


def _auth(refusal: _Refusal) -> str:
    server, said = refusal.server, refusal.said
    if refusal.status == 407:
        return (
            f"Proxy: it asks for a user name and password ({said}). Put them into the proxy "
            "variable and restart."
        )
    if not refusal.profile.api_key:
        return f"{server} wants a key ({said}). {refusal.profile.key_advice}"
    if refusal.status == 403:
        return (
            f"{server} refused the request ({said}): the key may not use this model, or not from "
            "here. Choose another model, or check what the key may do."
        )
    return f"{server} refused the key ({said}). {refusal.profile.key_advice}"


def _quota(refusal: _Refusal) -> str:
    return (
        f"{refusal.server} says that the account has no quota left ({refusal.said}). Add credit, "
        "or use another key or server, then send again."
    )


def _rate_limit(refusal: _Refusal) -> str:
    return (
        f"{refusal.server} limits the rate of requests ({refusal.said}). "
        f"{_waiting(refusal.retry_after)}"
    )


def _overloaded(refusal: _Refusal) -> str:
    return (
        f"{refusal.server} fails or is overloaded ({refusal.said}). {_waiting(refusal.retry_after)}"
    )


def _timeout(refusal: _Refusal) -> str:
    return f"{refusal.server} gave up waiting for the request ({refusal.said}). Send again."


def _context_overflow(refusal: _Refusal) -> str:
    return (
        f"{refusal.server} says that the session is longer than the model takes "
        f"({refusal.said}). Start a new session, or choose a model with a larger context window."
    )


def _bad_request(refusal: _Refusal) -> str:
    if refusal.status == 404:
        return (
            f"{refusal.server} knows no model {refusal.model!r}, or has nothing at this address "
            f"({refusal.said}). Choose another model, and check that the base URL ends as the "
            "server wants it, mostly in /v1."
        )
    return (
        f"{refusal.server} did not take the request ({refusal.said}). Choose another model, or "
        "start a new session."
    )


_SENTENCES: dict[str, Callable[[_Refusal], str]] = {
    "provider_auth": _auth,
    "provider_quota": _quota,
    "provider_rate_limit": _rate_limit,
    "provider_overloaded": _overloaded,
    "provider_timeout": _timeout,
    "provider_context_overflow": _context_overflow,
    "provider_bad_request": _bad_request,
}


def _waiting(retry_after: float | None) -> str:
    if retry_after is None or retry_after <= LONGEST_WAIT_SECONDS:
        return "Wait a moment and send again, or choose another model."
    minutes = round(retry_after / 60)
    asked = f"{minutes} minutes" if minutes < 120 else f"{round(minutes / 60)} hours"
    return f"It asks to wait {asked}. Send again after that, or choose another model."
