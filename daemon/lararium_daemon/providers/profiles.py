"""Which model answers: a profile, and how one is found without any configuration.

This module knows the unnamed profile: the person's settings (`provider.*`), then the environment
(`OPENAI_BASE_URL`, `OPENAI_API_KEY`, `OPENAI_MODEL`), field by field. The environment's key belongs
to the environment's address: when settings name another address while `OPENAI_BASE_URL` is set,
the key stays here. An address on this machine needs no key. Saved profiles: `saved_profiles.py`;
the choice among all: `choice.py`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urlsplit

from lararium_daemon.protocol.profiles import ProfileKind
from lararium_daemon.providers.address import (
    address_problem,
    is_loopback_url,
    is_same_server,
    tidy_address,
    unencrypted_notice,
)
from lararium_daemon.settings import (
    PriceSettings,
    ProviderSettings,
    ReasoningBack,
    Settings,
    TimeoutSettings,
)

OPENAI_BASE_URL = "https://api.openai.com/v1"
GITHUB_URL = "https://github.com"
NO_MODEL = (
    "No model is set up. Choose one in the app: it shows the model servers on this machine and the "
    "keys that it found. Or start it with OPENAI_API_KEY set (and OPENAI_BASE_URL for a server "
    "that is not OpenAI's). Your message is kept."
)
Source = Literal["settings", "environment", "discovered", "tour"]
MASK = "•••"


class Secret:
    """A key that does not show itself in reprs, logs and tracebacks."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return f"Secret({MASK})" if self._value else "Secret()"

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def reveal(self) -> str:
        """Give the key itself."""
        return self._value

    def redact(self, text: str) -> str:
        """Give `text` with the key in it masked: servers echo it in their errors."""
        return text.replace(self._value, MASK) if self._value else text

    @property
    def hint(self) -> str:
        """The last four characters; less of a short key, nothing of none."""
        shown = min(4, len(self._value) // 3)
        return f"…{self._value[-shown:]}" if shown else ""


@dataclass(slots=True, frozen=True)
class Profile:
    """A model server and how to speak with it."""

    name: str
    """What the person sees: its name, or the host."""
    base_url: str
    """Without a trailing slash, user or password."""
    api_key: Secret = field(default_factory=lambda: Secret(""))
    """Empty while `key_reference` has not been followed."""
    model: str = ""
    """"" = the server's first one."""
    context_window: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    source: Source | Literal[""] = ""
    problem: str = ""
    """Why it cannot be used, a sentence for the person; "" when it can."""
    notice: str = ""
    """What the person should know before using it."""
    kind: ProfileKind = "chat"
    is_saved: bool = False
    """It has a name of its own in the settings."""
    key_reference: str = ""
    """Where the key lies: `keyring:…`, `file:…`, `env:VARIABLE`, or ""."""
    price: PriceSettings | None = None
    timeouts: TimeoutSettings = field(default_factory=TimeoutSettings)
    fallback: str = ""
    """Name of the profile that answers when this one does not; "" = none."""
    reasoning_back: ReasoningBack = "auto"
    proxy: str = field(default="system", repr=False)
    """The setting of that name; may hold a password."""

    @property
    def host(self) -> str:
        """Host and port, as in the address."""
        return urlsplit(self.base_url).netloc

    @property
    def is_local(self) -> bool:
        """The server is on this machine."""
        return is_loopback_url(self.base_url)

    @property
    def key_advice(self) -> str:
        """What to do about a key that is missing or refused, a sentence."""
        if self.kind == "copilot":
            return f"Log in to {self.name} again in the settings, or with `lar login copilot`."
        if self.is_saved and not self.key_reference.startswith("env:"):
            what = "Replace the key of" if self.api_key else "Add a key to"
            return f"{what} the profile {self.name} in the settings, then send again."
        variable = self.key_reference.removeprefix("env:") or "OPENAI_API_KEY"
        if self.api_key:
            return f"Check {variable}, restart, and send again."
        return f"Set {variable} and restart."

    def redact(self, text: str) -> str:
        """Give `text` with the key and the headers' values masked."""
        return redacted(self.api_key.redact(text), self.headers.values())


def redacted(text: str, secrets: Iterable[str]) -> str:
    """Give `text` without these values; short ones are words and stay."""
    for secret in secrets:
        if len(secret) >= 8:
            text = text.replace(secret, MASK)
    return text


def choose_profile(settings: Settings, environment: Mapping[str, str]) -> Profile | None:
    """Give the unnamed profile; None when neither settings nor environment name one."""
    wanted = settings.provider
    environment_url = environment.get("OPENAI_BASE_URL", "").strip()
    key = environment.get("OPENAI_API_KEY", "").strip()
    source: Source
    if wanted.base_url:
        address, source = wanted.base_url.strip(), "settings"
        if environment_url and not is_same_server(address, environment_url):
            key = ""
    elif environment_url or key:
        address, source = environment_url or OPENAI_BASE_URL, "environment"
    else:
        return None
    model = wanted.model or environment.get("OPENAI_MODEL", "").strip()
    return replace(_profile(address, key, model, wanted, source), proxy=settings.proxy)


def key_problem(key: str, named: str) -> str:
    """Say why no header can carry a key, "" when one can; `named` is where it stands."""
    if key.isascii() and key.isprintable():
        return ""
    return (
        f"The key in {named} has characters that no key has (a line break, a quote mark of a text "
        "program). Set it again. Your message is kept."
    )


def _profile(
    address: str, key: str, model: str, wanted: ProviderSettings, source: Source
) -> Profile:
    name_of_setting = "provider.base_url" if source == "settings" else "OPENAI_BASE_URL"
    problem = address_problem(address, name_of_setting)
    base_url = address if problem else tidy_address(address)
    if not problem:
        problem = key_problem(key, "OPENAI_API_KEY")
        key = "" if problem else key
    if not problem and not key and base_url == OPENAI_BASE_URL:
        problem = (
            "OpenAI needs a key. Set OPENAI_API_KEY and restart, or set provider.base_url to a "
            "server that needs none. Your message is kept."
        )
    return Profile(
        name=wanted.name or ("" if problem else urlsplit(base_url).netloc),
        base_url=base_url,
        api_key=Secret(key),
        model=model,
        context_window=wanted.context_window,
        source=source,
        problem=problem,
        notice="" if problem else unencrypted_notice(base_url, has_key=bool(key)),
        key_reference="env:OPENAI_API_KEY" if key else "",
    )
