"""Addresses of model servers: checked, tidied, compared."""

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit, urlunsplit

_EXAMPLE = "It looks like https://host/v1 or http://127.0.0.1:8080/v1. Your message is kept."
_CALL_PATHS = ("/chat/completions", "/responses", "/models")


def is_loopback_url(url: str) -> bool:
    """Whether the address is this machine's own: `localhost` or a loopback number."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def address_problem(address: str, named: str) -> str:
    """Say why an address cannot be used, "" when it can; `named` is where it stands."""
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError:
        return f"The address in {named} cannot be read. {_EXAMPLE}"
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return f"The address in {named} is no http or https address. {_EXAMPLE}"
    if parts.username or parts.password:
        return (
            f"The address in {named} holds a user name or password; they would end up in logs. "
            "Put the key where keys belong. Your message is kept."
        )
    if parts.query or parts.fragment:
        return f"The address in {named} must end with its path. {_EXAMPLE}"
    return ""


def tidy_address(address: str) -> str:
    """Drop what people paste along: trailing slashes and the path of the call itself."""
    parts: SplitResult = urlsplit(address)
    path = parts.path.rstrip("/")
    for call in _CALL_PATHS:
        path = path.removesuffix(call)
    return urlunsplit((parts.scheme, parts.netloc, path.rstrip("/"), "", ""))


def is_same_server(one: str, other: str) -> bool:
    """Whether two addresses lead to one origin; False when either cannot be read."""
    try:
        parts = [urlsplit(url) for url in (one, other)]
        origins = [
            (p.scheme, p.hostname, p.port or {"http": 80, "https": 443}.get(p.scheme))
            for p in parts
        ]
    except ValueError:
        return False
    return origins[0] == origins[1] and bool(origins[0][1])


def unencrypted_notice(base_url: str, *, has_key: bool) -> str:
    """Say that prompts would travel in the clear to another machine; "" when they do not."""
    if is_loopback_url(base_url) or not base_url.startswith("http:"):
        return ""
    return (
        f"Prompts{' and the key' if has_key else ''} travel to {urlsplit(base_url).netloc} without "
        "encryption: its address begins with http://. Use https:// if the server has it."
    )
