"""Which model answers: a profile, and how one is found without any configuration.

Order: the person's settings (`provider.*`), then the environment (`OPENAI_BASE_URL`,
`OPENAI_API_KEY`, `OPENAI_MODEL`), field by field. Arguments have been laid over the settings
before. The environment's key belongs to the environment's address: when settings name another
address while `OPENAI_BASE_URL` is set, the key stays here. An address on this machine needs no key.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit, urlunsplit

from lararium_daemon.settings import ProviderSettings, Settings

OPENAI_BASE_URL = "https://api.openai.com/v1"
NO_MODEL = (
    "No model is set up. Start the app with OPENAI_API_KEY set (and OPENAI_BASE_URL for a server "
    "that is not OpenAI's), or set provider.base_url in settings.json to a model server on this "
    "machine, for example http://127.0.0.1:11434/v1. Your message is kept."
)


class Secret:
    """A key that does not show itself in reprs, logs and tracebacks."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(•••)" if self._value else "Secret()"

    def __bool__(self) -> bool:
        return bool(self._value)

    def reveal(self) -> str:
        """Give the key itself."""
        return self._value

    def redact(self, text: str) -> str:
        """Give `text` with the key in it masked: servers echo it in their errors."""
        return text.replace(self._value, "•••") if self._value else text


@dataclass(slots=True, frozen=True)
class Profile:
    """A model server and how to speak with it."""

    name: str
    """What the person sees: the host, or the name in the settings."""
    base_url: str
    """Without a trailing slash, user or password."""
    api_key: Secret = field(default_factory=lambda: Secret(""))
    model: str = ""
    """"" = the server's first one."""
    context_window: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    source: str = ""
    """"settings" or "environment"."""
    problem: str = ""
    """Why it cannot be used, a sentence for the person; "" when it can."""
    notice: str = ""
    """What the person should know before using it."""

    @property
    def host(self) -> str:
        """Host and port, as in the address."""
        return urlsplit(self.base_url).netloc

    @property
    def is_local(self) -> bool:
        """The server is on this machine."""
        return is_loopback_url(self.base_url)


def choose_profile(settings: Settings, environment: Mapping[str, str]) -> Profile | None:
    """Choose the profile; None when neither settings nor environment name a server or a key."""
    wanted = settings.provider
    environment_url = environment.get("OPENAI_BASE_URL", "").strip()
    key = environment.get("OPENAI_API_KEY", "").strip()
    if wanted.base_url:
        address, source = wanted.base_url.strip(), "settings"
        if environment_url and not _same_server(address, environment_url):
            key = ""
    elif environment_url or key:
        address, source = environment_url or OPENAI_BASE_URL, "environment"
    else:
        return None
    model = wanted.model or environment.get("OPENAI_MODEL", "").strip()
    return _profile(address, key, model, wanted, source)


def is_loopback_url(url: str) -> bool:
    """Whether the address is this machine's own: `localhost` or a loopback number."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _profile(address: str, key: str, model: str, wanted: ProviderSettings, source: str) -> Profile:
    name_of_setting = "provider.base_url" if source == "settings" else "OPENAI_BASE_URL"
    problem = _address_problem(address, name_of_setting)
    base_url = address if problem else _tidy(urlsplit(address))
    if not problem and not (key.isascii() and key.isprintable()):
        problem = (
            "The key in OPENAI_API_KEY has characters that no key has (a line break, a quote mark "
            "of a text program). Set it again and restart. Your message is kept."
        )
        key = ""
    is_local = not problem and is_loopback_url(base_url)
    if not problem and not key and base_url == OPENAI_BASE_URL:
        problem = (
            "OpenAI needs a key. Set OPENAI_API_KEY and restart, or set provider.base_url to a "
            "server that needs none. Your message is kept."
        )
    notice = ""
    if not problem and not is_local and base_url.startswith("http:"):
        notice = (
            f"Prompts{' and the key' if key else ''} travel to {urlsplit(base_url).netloc} without "
            "encryption: its address begins with http://. Use https:// if the server has it."
        )
    return Profile(
        name=wanted.name or ("" if problem else urlsplit(base_url).netloc),
        base_url=base_url,
        api_key=Secret(key),
        model=model,
        context_window=wanted.context_window,
        source=source,
        problem=problem,
        notice=notice,
    )


def _address_problem(address: str, name: str) -> str:
    example = "It looks like https://host/v1 or http://127.0.0.1:8080/v1. Your message is kept."
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError:
        return f"The address in {name} cannot be read. {example}"
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return f"The address in {name} is no http or https address. {example}"
    if parts.username or parts.password:
        return (
            f"The address in {name} holds a user name or password; they would end up in logs. "
            "Put the key into OPENAI_API_KEY. Your message is kept."
        )
    if parts.query or parts.fragment:
        return f"The address in {name} must end with its path. {example}"
    return ""


def _tidy(parts: SplitResult) -> str:
    """Drop what people paste along: trailing slashes and the path of the call itself."""
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _same_server(one: str, other: str) -> bool:
    try:
        parts = [urlsplit(url) for url in (one, other)]
        origins = [(p.scheme, p.hostname, p.port) for p in parts]
    except ValueError:
        return False
    return origins[0] == origins[1]
