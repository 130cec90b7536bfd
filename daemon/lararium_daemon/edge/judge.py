"""The guard's decision, as a pure function of what a request's head says.

Order: 400 malformed → 421 Host → 403 Origin or fetch site → 413/415 body → (credential). It is
made before routing and denies by default: whatever is not a known open route or a plain page
path needs a credential, so an odd spelling of a path gains nothing.

Browsers of November 2026, as observed: a page on another loopback port is same-site, so cookies
and `Sec-Fetch-Site: same-site` prove nothing in its favour; its GET carries no Origin; Chromium's
WebSocket handshake carries an Origin but no Sec-Fetch header at all; an iframe's request has the
same bytes whoever frames it, so a page is data-free and `frame-ancestors` decides.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

JSON_BYTES = 4 * 1024 * 1024
UPLOAD_BYTES = 64 * 1024 * 1024
OPEN_BYTES = 4 * 1024

OPEN_ROUTES: frozenset[tuple[str, str]] = frozenset({
    ("GET", "/api/health"),
    ("POST", "/api/auth/prove"),
    ("POST", "/api/auth/exchange"),
})
_SEGMENT = r"[A-Za-z0-9_@~-][A-Za-z0-9._@~-]*"
_PAGE_PATH = re.compile(rf"/(?:(?!api(?:/|$)){_SEGMENT}(?:/{_SEGMENT})*)?", re.IGNORECASE)
_VISIBLE = re.compile(r"/[!-\[\]-~]*")
_ONCE = (
    "host",
    "origin",
    "authorization",
    "content-type",
    "content-length",
    "content-encoding",
    "transfer-encoding",
    "sec-fetch-site",
    "sec-fetch-mode",
    "sec-fetch-dest",
)


@dataclass(slots=True, frozen=True)
class GuardPolicy:
    """What differs between the servers that the guard stands in front of."""

    port: int
    """The bound port: it makes our only Host and our only Origin."""
    open_routes: frozenset[tuple[str, str]] = OPEN_ROUTES
    """Method and exact path of what needs no credential."""
    upload_path: re.Pattern[str] | None = None
    """Full match of the paths whose PUT takes octets instead of JSON."""

    @property
    def host(self) -> str:
        """The only Host we answer to."""
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self) -> str:
        """The only Origin we answer to."""
        return f"http://127.0.0.1:{self.port}"


@dataclass(slots=True, frozen=True)
class RequestFacts:
    """The head of a request."""

    kind: Literal["http", "websocket"]
    method: str
    path: str
    """As sent: not decoded, without the query."""
    headers: Mapping[str, tuple[str, ...]]
    """By lower-case name, values in order."""

    def one(self, name: str) -> str | None:
        """Give the header's value, None when absent."""
        values = self.headers.get(name)
        return values[0] if values else None

    @property
    def body_length(self) -> int | None:
        """Bytes of the body that the head announces; None when it does not say how many."""
        if "transfer-encoding" in self.headers:
            return None
        return int(self.one("content-length") or "0")

    @property
    def has_body(self) -> bool:
        """Whether a body follows."""
        return self.body_length != 0


@dataclass(slots=True, frozen=True)
class Refusal:
    """The request goes no further."""

    status: int
    code: str
    """Stable; also the reason in the log and the name in the count of refusals."""
    detail: str
    retry_after_seconds: int | None = None


@dataclass(slots=True, frozen=True)
class Allowed:
    """The head is sound; `access` says what the caller must still show."""

    access: Literal["open", "page", "private"]
    body: Literal["none", "json", "upload"]
    max_body_bytes: int


def judge(facts: RequestFacts, policy: GuardPolicy) -> Refusal | Allowed:
    """Decide on a request from its head alone; a credential is not looked at here."""
    access = _access(facts, policy)
    return (
        _refuse_malformed(facts)
        or _refuse_host(facts, policy)
        or _refuse_origin(facts, policy)
        or _refuse_fetch_site(facts, access)
        or _judge_body(facts, policy, access)
    )


def _access(facts: RequestFacts, policy: GuardPolicy) -> Literal["open", "page", "private"]:
    if facts.kind == "websocket":
        return "private"
    if (facts.method, facts.path) in policy.open_routes:
        return "open"
    if facts.method in {"GET", "HEAD"} and _PAGE_PATH.fullmatch(facts.path):
        return "page"
    return "private"


def _refuse_malformed(facts: RequestFacts) -> Refusal | None:
    if not _VISIBLE.fullmatch(facts.path):
        return _malformed("The path holds a byte that no address has.")
    for name in _ONCE:
        if len(facts.headers.get(name, ())) > 1:
            return _malformed(f"The header {name} is there more than once.")
    if facts.one("host") is None:
        return _malformed("The header host is missing.")
    length = facts.one("content-length")
    if length is None:
        return None
    if "transfer-encoding" in facts.headers:
        return _malformed("The body has two lengths.")
    if not (length.isascii() and length.isdigit() and len(length) <= 18):
        return _malformed("The length of the body is not a number.")
    return None


def _malformed(detail: str) -> Refusal:
    return Refusal(400, "malformed_request", detail)


def _refuse_host(facts: RequestFacts, policy: GuardPolicy) -> Refusal | None:
    if facts.one("host") == policy.host:
        return None
    return Refusal(421, "wrong_host", f"This server answers to http://{policy.host}/ alone.")


def _refuse_origin(facts: RequestFacts, policy: GuardPolicy) -> Refusal | None:
    origin = facts.one("origin")
    if origin is None or origin == policy.origin:
        return None
    return Refusal(403, "foreign_origin", "A page of another origin may not speak to this server.")


def _refuse_fetch_site(facts: RequestFacts, access: str) -> Refusal | None:
    site = facts.one("sec-fetch-site")
    if site is None or site == "same-origin":
        return None
    if access == "page":
        navigates = facts.one("sec-fetch-mode") == "navigate"
        if navigates and facts.one("sec-fetch-dest") in {"document", "iframe"}:
            return None
    elif site == "none":
        return None
    return Refusal(403, "foreign_site", "A page of another site may not load this.")


def _judge_body(
    facts: RequestFacts, policy: GuardPolicy, access: Literal["open", "page", "private"]
) -> Refusal | Allowed:
    if facts.kind == "websocket" or access == "page":
        if facts.has_body:
            return Refusal(413, "body_too_large", "No body is taken here.")
        return Allowed(access, "none", 0)
    if _is_upload(facts, policy):
        return _judge_typed(facts, Allowed(access, "upload", UPLOAD_BYTES))
    limit = OPEN_BYTES if access == "open" else JSON_BYTES
    return _judge_typed(facts, Allowed(access, "json", limit))


def _is_upload(facts: RequestFacts, policy: GuardPolicy) -> bool:
    pattern = policy.upload_path
    return facts.method == "PUT" and pattern is not None and bool(pattern.fullmatch(facts.path))


def _judge_typed(facts: RequestFacts, allowed: Allowed) -> Refusal | Allowed:
    length = facts.body_length
    if length is not None and length > allowed.max_body_bytes:
        detail = f"The body is larger than the {allowed.max_body_bytes} bytes taken here."
        return Refusal(413, "body_too_large", detail)
    # A form or a plain-text POST needs no preflight: it is refused even when it is empty.
    typed = "content-type" in facts.headers and facts.method not in {"GET", "HEAD", "OPTIONS"}
    if not facts.has_body and not typed:
        return Allowed(allowed.access, "none", 0)
    wanted = "application/octet-stream" if allowed.body == "upload" else "application/json"
    if not _has_type(facts, wanted) or "content-encoding" in facts.headers:
        detail = f"The body must be {wanted}, without a content encoding."
        return Refusal(415, "unsupported_body", detail)
    if allowed.body == "upload" and length is None:
        return Refusal(411, "length_required", "An upload says its length beforehand.")
    return allowed


def _has_type(facts: RequestFacts, wanted: str) -> bool:
    media_type, _, parameters = (facts.one("content-type") or "").partition(";")
    charset = parameters.strip().lower().replace('"', "")
    return media_type.strip().lower() == wanted and charset in {"", "charset=utf-8"}
