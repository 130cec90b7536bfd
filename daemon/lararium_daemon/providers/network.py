"""Which way a connection takes: straight, or through the proxy that the environment names.

This machine's own addresses are never asked of a proxy, whatever the environment says.
"""

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from lararium_daemon.providers.address import is_loopback_url


def proxy_for(url: str, environment: Mapping[str, str]) -> str | None:
    """Give the proxy's address for `url`, None for a straight connection.

    Lower-case variables win, as with curl; `HTTP_PROXY` in upper case counts too.
    """
    if is_loopback_url(url):
        return None
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if _is_exempt(parts.hostname or "", port, _variable(environment, "no_proxy")):
        return None
    proxy = _variable(environment, f"{parts.scheme}_proxy") or _variable(environment, "all_proxy")
    if not proxy:
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _variable(environment: Mapping[str, str], name: str) -> str:
    return (environment.get(name) or environment.get(name.upper()) or "").strip()


def _is_exempt(host: str, port: int, no_proxy: str) -> bool:
    """Read NO_PROXY: `*`, names with their sub-domains, addresses, CIDR blocks, `:port`."""
    return any(
        _matches(host, port, entry.strip().lower())
        for entry in no_proxy.split(",")
        if entry.strip()
    )


def _matches(host: str, port: int, entry: str) -> bool:
    if entry == "*" or _in_network(host, entry.strip("[]")):
        return True
    name, _, wanted = entry.rpartition(":")
    if wanted.isdigit() and (name.endswith("]") or ":" not in name):
        if int(wanted) != port:
            return False
        entry = name.strip("[]")
    name = entry.lstrip("*").lstrip(".")
    return host == name or host.endswith(f".{name}") or _in_network(host, name)


def _in_network(host: str, entry: str) -> bool:
    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        return False
