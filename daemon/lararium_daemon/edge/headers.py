"""The security headers of every response, and the page's Content Security Policy.

There are no CORS headers, ever: nothing of ours is meant to be read by another origin.
"""

from dataclasses import dataclass

API_CSP = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

BASE_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"origin-agent-cluster", b"?1"),
    (
        b"permissions-policy",
        b"camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), "
        b"hid=(), midi=(), payment=()",
    ),
)
"""Sent with everything."""

DEFAULT_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", API_CSP.encode("ascii")),
    (b"cache-control", b"no-store"),
)
"""Sent when the response does not carry its own."""


@dataclass(slots=True, frozen=True)
class PageSources:
    """What a page's policy depends on."""

    port: int
    """Our own; WebKit does not let 'self' cover its WebSocket."""
    frame_ancestors: str
    """The origin that may frame the page; "" for none."""
    frames_loopback: bool
    """The hub's page frames daemons, whose ports it learns after its own policy is fixed."""


def page_csp(sources: PageSources, nonce: str) -> str:
    """Give the Content Security Policy of a page whose styles may carry this nonce."""
    framers = sources.frame_ancestors or "'none'"
    directives = [
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' 'nonce-{nonce}'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        f"connect-src 'self' ws://127.0.0.1:{sources.port}",
        "worker-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        f"frame-ancestors {framers}",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
    if sources.frames_loopback:
        directives.append("frame-src http://127.0.0.1:*")
    return "; ".join(directives)


def with_security_headers(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Give a response's headers with ours added; its own policy and caching are kept."""
    present = {name.lower() for name, _ in headers}
    ours = [pair for pair in DEFAULT_HEADERS if pair[0] not in present]
    return [*headers, *BASE_HEADERS, *ours]
