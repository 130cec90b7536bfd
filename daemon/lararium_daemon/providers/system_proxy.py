"""What a desktop's own settings say about proxies, as the variables that would say the same.

Pure: `proxy_reader.py` gets the texts. GNOME and its kin keep them in GSettings
(https://gitlab.gnome.org/GNOME/gsettings-desktop-schemas, `org.gnome.system.proxy`), KDE in
`kioslaverc`; macOS and Windows are asked by Python itself.
"""

import ast
import configparser
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

_SCHEMA = "org.gnome.system.proxy"
_KDE_GROUP = "Proxy Settings"
_KDE_KINDS = {"0": "none", "1": "manual", "2": "script", "3": "script", "4": "environment"}
_UNREAD_SCRIPT = "The desktop finds its proxy by a script (PAC), which is not read here"
_UNREAD_REVERSED = "The desktop uses its proxy for listed hosts alone, which is not read here"


@dataclass(slots=True, frozen=True)
class SystemProxy:
    """A desktop's setting; all empty = straight."""

    http: str = ""
    https: str = ""
    socks: str = ""
    ignored: tuple[str, ...] = ()
    """Hosts that are reached straight: names, addresses, CIDR blocks."""
    problem: str = ""
    """Why it cannot be followed, a sentence without its end; "" when it can."""

    def variables(self) -> dict[str, str]:
        """Give the variables that say the same."""
        said = {
            "http_proxy": self.http,
            "https_proxy": self.https,
            "all_proxy": self.socks,
        }
        proxies = {name: value for name, value in said.items() if value}
        return proxies | {"no_proxy": ",".join(self.ignored)} if proxies else {}


def of_gsettings(text: str) -> SystemProxy:
    """Read what `gsettings list-recursively org.gnome.system.proxy` prints."""
    found: dict[str, Any] = {}
    for line in text.splitlines():
        schema, _, rest = line.partition(" ")
        key, _, value = rest.partition(" ")
        if schema == _SCHEMA or schema.startswith(f"{_SCHEMA}."):
            found[f"{schema.removeprefix(_SCHEMA).lstrip('.')}.{key}"] = _variant(value)
    mode = found.get(".mode")
    if mode == "auto":
        return SystemProxy(problem=_UNREAD_SCRIPT)
    if mode != "manual":
        return SystemProxy()
    ignored = found.get(".ignore-hosts")
    hosts = cast("list[Any]", ignored) if isinstance(ignored, list) else []
    http = _gnome_address(found, "http", "http")
    return SystemProxy(
        http=http,
        https=_gnome_address(found, "https", "http"),
        socks=_gnome_address(found, "socks", "socks5"),
        ignored=tuple(host for host in hosts if isinstance(host, str)),
    )


def of_kioslaverc(text: str) -> SystemProxy:
    """Read KDE's `kioslaverc`."""
    parser = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    try:
        parser.read_string(text)
    except configparser.Error:
        return SystemProxy(problem="The desktop's proxy settings (kioslaverc) cannot be read")
    if not parser.has_section(_KDE_GROUP):
        return SystemProxy()
    # A key may carry a mark, as in `httpProxy[$e]`.
    group = {key.partition("[")[0]: value for key, value in parser.items(_KDE_GROUP)}
    kind = _KDE_KINDS.get(group.get("proxytype", "0"), "none")
    if kind == "script":
        return SystemProxy(problem=_UNREAD_SCRIPT)
    if kind != "manual":
        return SystemProxy()
    if group.get("reversedexception", "false").lower() == "true":
        return SystemProxy(problem=_UNREAD_REVERSED)
    listed = group.get("noproxyfor", "").replace(" ", ",").split(",")
    return SystemProxy(
        http=_kde_address(group.get("httpproxy", ""), "http"),
        https=_kde_address(group.get("httpsproxy", ""), "http"),
        socks=_kde_address(group.get("socksproxy", ""), "socks5"),
        ignored=tuple(host for host in listed if host),
    )


def of_python(proxies: Mapping[str, str], *, is_bypassed: bool, host: str) -> SystemProxy:
    """Read what `urllib.request.getproxies` gives; `is_bypassed`: not for this host."""
    return SystemProxy(
        http=proxies.get("http", ""),
        https=proxies.get("https", ""),
        socks=proxies.get("socks", ""),
        ignored=(host,) if is_bypassed else (),
    )


def _variant(text: str) -> Any:
    """Read a value in GVariant's text form, None when it is of a kind that is not needed."""
    text = text.strip().removeprefix("@as ")
    if text in {"true", "false"}:
        return text == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _gnome_address(found: Mapping[str, Any], kind: str, scheme: str) -> str:
    host, port = found.get(f"{kind}.host"), found.get(f"{kind}.port")
    if not isinstance(host, str) or not host or not isinstance(port, int) or not port:
        return ""
    login = ""
    if kind == "http" and found.get("http.use-authentication") is True:
        user, password = (str(found.get(f"http.authentication-{n}") or "") for n in _LOGIN)
        login = f"{quote(user, safe='')}:{quote(password, safe='')}@"
    bracketed = f"[{host}]" if ":" in host else host
    return f"{scheme}://{login}{bracketed}:{port}"


_LOGIN = ("user", "password")


def _kde_address(text: str, scheme: str) -> str:
    """Read `http://host 8080`, `http://host:8080` or `host:8080`."""
    address = ":".join(text.split())
    if not address:
        return ""
    rest = address.partition("://")[2] or address
    return f"{scheme}://{rest}" if scheme == "socks5" or "://" not in address else address
