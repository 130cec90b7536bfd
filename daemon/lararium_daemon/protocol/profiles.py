"""Requests and answers about model servers: what was found, what is saved, what a check said.

A key travels in one direction only: in. What comes out names where a key lies and its last four
characters.
"""

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from lararium_daemon.protocol.api import Input, ModelInfo, Output

ProfileKind = Literal["chat", "responses", "copilot", "tour"]
"""`chat` = OpenAI-compatible chat completions, `responses` = the Responses API, `copilot` = GitHub
Copilot (made by a login, see `LoginInput`), `tour` = the scripted offline model."""
LoginState = Literal["waiting", "done", "expired", "denied", "failed", "cancelled"]
KeyPlace = Literal["none", "keyring", "file", "environment"]
"""Where a profile's key lies. `file` is `keys.json` in the config folder, 0600."""
FoundKind = Literal["ollama", "lm-studio", "llama.cpp", "vllm", "environment", "tour"]

PROFILE_NAME = r"^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,38}[A-Za-z0-9])?$"
"""No slash: a session names its model as `profile/model`."""
ProfileName = Annotated[str, Field(pattern=PROFILE_NAME)]
Fallback = Annotated[str, Field(max_length=40)]
HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,64}$")]
HeaderValue = Annotated[str, Field(max_length=2048, pattern=r"^[\x20-\x7e]*$")]
Headers = Annotated[dict[HeaderName, HeaderValue], Field(max_length=16)]
Key = Annotated[SecretStr, Field(max_length=4096)]
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]


class FoundModels(Output):
    """A way to a model that was found and is offered; nothing of it is used before a click.

    The one exception: a server whose listener is this user's own (`own_listener`) answers when
    nothing else is set up.
    """

    id: str
    """Stable, e.g. `ollama`, `environment:OPENAI_API_KEY`, `tour`."""
    kind: FoundKind
    label: str
    """For the person, e.g. "Ollama" or "OpenAI key in your environment"."""
    base_url: str
    """"" for the tour."""
    models: list[ModelInfo]
    model: str
    """The one to offer first; "" when none is known."""
    ready: bool
    problem: str
    """Why it is not ready and what to do, a sentence; "" when it is."""
    own_listener: bool
    """The server runs as this user (known on Linux alone)."""
    key_variable: str
    """The variable that holds the key; "" when none is needed."""
    key_hint: str
    """The key's last four characters, as `…k3Zq`; "" when there is none."""
    profile_kind: ProfileKind
    profile_name: str
    """The name to save it under (`POST /api/profiles`)."""
    saved_as: str | None
    """The saved profile with this address, None when there is none."""
    in_use: bool
    """It would answer the next prompt."""


class FoundList(Output):
    """Servers in their usual ports' order, then keys in the environment, then the tour, last."""

    items: list[FoundModels]
    next_cursor: str | None = None


class Price(Output):
    """Dollars per million tokens; None = unknown."""

    input: float | None = None
    output: float | None = None
    cached: float | None = None


class PriceInput(Input):
    """Dollars per million tokens; what is left out stays unknown."""

    input: float | None = Field(default=None, ge=0, le=1e6)
    output: float | None = Field(default=None, ge=0, le=1e6)
    cached: float | None = Field(default=None, ge=0, le=1e6)


class ProfileInfo(Output):
    """A profile: a model server and how to speak with it."""

    name: str
    kind: ProfileKind
    base_url: str
    model: str
    """"" = the server's first one."""
    context_window: int | None
    """As the profile says; None = as the catalog or the server says."""
    headers: list[str]
    """Names only: values may be secrets."""
    price: Price | None
    fallback: str
    """Name of the profile that answers when this one does not; "" = none."""
    key_place: KeyPlace
    key_variable: str
    """The variable's name when `key_place` is `environment`."""
    key_hint: str
    """The key's last four characters, as `…k3Zq`; "" when there is none or it cannot be read."""
    source: Literal["settings", "environment", "discovered", "tour"]
    """Only `settings` can be changed and deleted."""
    is_default: bool
    is_workspace_default: bool
    in_use: bool
    """It would answer the next prompt of a session that chose nothing."""
    problem: str
    """Why it cannot be used and what to do, a sentence; "" when it can."""


class ProfileList(Output):
    """Saved profiles in the order of saving, then what is used without being saved."""

    items: list[ProfileInfo]
    next_cursor: str | None = None
    default: str | None
    """Name of the default profile of every workspace."""
    workspace: str | None
    """Name of this workspace's own choice."""
    keyring: str
    """The system's key store in words, e.g. "Secret Service"; "" when there is none to use."""


class ProfileInput(Input):
    """Save a profile. With `key`, the key goes into the system's keyring.

    Where there is no keyring the answer is 409 `consent_needed`; sent again with `consent_file`,
    the key goes into a file that only this user can read.
    """

    name: ProfileName
    kind: ProfileKind = "chat"
    base_url: str = Field(default="", max_length=2048)
    model: str = Field(default="", max_length=200)
    key: Key | None = None
    key_variable: VariableName | None = None
    """Read the key from this variable at each start, do not copy it."""
    consent_file: bool = False
    context_window: int | None = Field(default=None, ge=1024)
    headers: Headers = Field(default_factory=dict)
    price: PriceInput | None = None
    fallback: Fallback = ""
    """The profile that answers when this one is overloaded or not reached; "" = none."""
    make_default: Literal["", "user", "workspace"] = ""
    """Let new sessions use it: in every workspace, or in this one."""


class ProfilePatchInput(Input):
    """Change what is given; `key` "" removes the key."""

    kind: ProfileKind | None = None
    base_url: str | None = Field(default=None, max_length=2048)
    model: str | None = Field(default=None, max_length=200)
    key: Key | None = None
    key_variable: VariableName | None = None
    consent_file: bool = False
    context_window: int | None = Field(default=None, ge=0)
    """0 = as the catalog or the server says."""
    headers: Headers | None = None
    price: PriceInput | None = None
    fallback: Fallback | None = None
    make_default: Literal["", "user", "workspace"] = ""


class ProfileRemoved(Output):
    """The profile is gone, and its key."""

    name: str
    key_removed: bool
    """False when there was none, or the keyring did not let it go."""


class ProfileCheckInput(Input):
    """Try an address and a key without saving anything.

    `name` takes address, key and kind from a saved profile; what is given beside it wins. A saved
    key, or one of the environment, is sent to its own address only.
    """

    name: ProfileName | None = None
    kind: ProfileKind | None = None
    base_url: str = Field(default="", max_length=2048)
    key: Key | None = None
    key_variable: VariableName | None = None
    model: str = Field(default="", max_length=200)
    """Ask it for one token too; "" = the list of models is enough."""
    headers: Headers = Field(default_factory=dict)


class ProfileChecked(Output):
    """What a check found."""

    ok: bool
    models: list[ModelInfo]
    model: str
    """The model that would answer; "" when the server named none."""
    milliseconds: int
    code: str
    """Stable code of the failure, e.g. `provider_auth`; "" when ok."""
    problem: str
    """What is wrong and what to do, a sentence; "" when ok."""
    status: int | None
    """The HTTP status that the server answered, when it failed with one."""
    warning: str
    """What to know before saving, e.g. that the address is not encrypted; "" when nothing."""


class DefaultModelInput(Input):
    """Choose what new sessions use; `profile` None takes the choice back."""

    scope: Literal["user", "workspace"]
    profile: ProfileName | None
    model: str | None = Field(default=None, max_length=200)
    """Also change the profile's model (user scope), or this workspace's model of it."""


class LoginInput(Input):
    """Log in to GitHub for Copilot; the profile is saved when the person has agreed there.

    Where there is no keyring the answer is 409 `consent_needed`, before anything is asked of
    GitHub; sent again with `consent_file`, the login goes into a file that only this user can read.
    A `copilot` profile of this name gets the new login.
    """

    name: ProfileName = "GitHub Copilot"
    github_url: str = Field(default="", max_length=2048)
    """"" = `https://github.com`; else a company's own, e.g. `https://company.ghe.com`."""
    consent_file: bool = False
    make_default: Literal["", "user", "workspace"] = ""


class LoginInfo(Output):
    """A login and how it stands."""

    id: str
    state: LoginState
    user_code: str
    """What the person types at `verification_uri`."""
    verification_uri: str
    expires_at: str
    profile: str
    """Name of the profile; it is there once the state is `done`."""
    problem: str
    """Why it ended without a login and what to do, a sentence; "" otherwise."""
