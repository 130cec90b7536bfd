"""The person's settings: defaults < `<config>/settings.json` < arguments.

The file holds only what differs from the defaults; comments and trailing commas are fine. What it
says wrong never stops the daemon and is never lost: a file that cannot be parsed is set aside as
`settings.json.bad-<time>`, a wrong value gives way to its default, an unknown key is kept; all of
it is told in `Settings.notices`. `${NAME}` stands for a variable of the environment. Where a model
comes from when nothing is said here is told in `providers/choice.py`. Secrets do not belong here:
a profile's `key` only says where its key lies.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.system.atomic import write_private
from lararium_daemon.system.locks import try_lock
from lararium_daemon.system.variables import Missing, expand, lines_of

FILE_NAME = "settings.json"
LOCK_NAME = "settings.lock"
MAX_FILE_BYTES = 1024 * 1024
SAVE_PATIENCE_SECONDS = 5.0
"""How long a save waits for another daemon's."""

Json = dict[str, Any]
_STRING = r'"(?:\\.|[^"\\])*"'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ProviderSettings(_Section):
    """The model server; what is empty comes from the environment."""

    base_url: str = ""
    """Address of an OpenAI-compatible server, e.g. `http://127.0.0.1:11434/v1`."""
    model: str = ""
    """Name of the model; "" = `OPENAI_MODEL`, else the server's first one."""
    name: str = Field(default="", max_length=80)
    """What the page calls the server; "" = its host."""
    context_window: int | None = Field(default=None, ge=1024)
    """Tokens; None = as the server or the catalog says."""


class PriceSettings(_Section):
    """Dollars per million tokens; None = unknown."""

    input: float | None = Field(default=None, ge=0, le=1e6)
    output: float | None = Field(default=None, ge=0, le=1e6)
    cached: float | None = Field(default=None, ge=0, le=1e6)


class TimeoutSettings(_Section):
    """Seconds that a call may take; None = the usual ones."""

    connect: float | None = Field(default=None, gt=0, le=600)
    first_byte: float | None = Field(default=None, gt=0, le=7200)
    idle: float | None = Field(default=None, gt=0, le=7200)
    total: float | None = Field(default=None, gt=0, le=86_400)


ReasoningBack = Literal["auto", "always", "never"]


class ProfileSettings(_Section):
    """A saved model server; its name is its key in `profiles`."""

    kind: Literal["chat", "responses", "copilot", "tour"] = "chat"
    base_url: str = ""
    """Of a `copilot` profile: the GitHub, "" = `https://github.com`."""
    model: str = ""
    """"" = the server's first one."""
    key: str = Field(default="", pattern=r"^$|^(keyring|file|env):[^\s]{1,200}$")
    """Where the key lies, never the key: `keyring:ACCOUNT`, `file:ACCOUNT`, `env:VARIABLE`."""
    context_window: int | None = Field(default=None, ge=1024)
    headers: dict[str, str] = Field(default_factory=dict, max_length=16)
    timeouts: TimeoutSettings = TimeoutSettings()
    price: PriceSettings | None = None
    fallback: str = Field(default="", max_length=80)
    """Name of the profile that answers when this one is overloaded or not reached; "" = none."""
    reasoning_back: ReasoningBack = "auto"
    """What of an answer's reasoning goes back to the model that made it; `auto`: what is sealed or
    signed always, what was shown with the calls it led to."""
    problem: str = Field(default="", exclude=True)
    """A variable that it names is not set; it cannot be used then."""


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


Rules = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class PermissionSettings(_Section):
    """Rules for every workspace of this person; a single rule may stand without brackets."""

    allow: Rules = ()
    ask: Rules = ()
    deny: Rules = ()
    damaged: bool = Field(default=False, exclude=True)
    """Some rules could not be read. `allow` is empty then; whoever decides must not let any other
    rule or mode allow a call unasked, since a lost rule may have denied it."""


class AuthSettings(_Section):
    """Who may speak to the daemon."""

    loopback: Literal["token", "trust-same-user"] = "token"


class SpendSettings(_Section):
    """US dollars after which a run pauses and asks; None = it never does."""

    run: float | None = Field(default=None, gt=0, le=1e6)
    session: float | None = Field(default=None, gt=0, le=1e6)
    day: float | None = Field(default=None, gt=0, le=1e6)
    """Of all sessions of a workspace since midnight."""


class PromptSettings(_Section):
    """What the agent is told before all else."""

    replace: str = Field(default="", max_length=100_000)
    """In place of the built-in words; `{root}` and `{system}` stand for folder and system."""
    append: str = Field(default="", max_length=100_000)
    """After them."""


class AgentSettings(_Section):
    """Limits of a run, and its system prompt."""

    max_turns: int = Field(default=100, ge=1, le=10_000)
    spend: SpendSettings = SpendSettings()
    prompt: PromptSettings = PromptSettings()


class Settings(_Section):
    """All settings. Immutable; a change makes a new one."""

    provider: ProviderSettings = ProviderSettings()
    profiles: dict[str, ProfileSettings] = Field(default_factory=dict)
    """Saved model servers by name, in the order of saving."""
    default_profile: str = ""
    """Name of the profile that new sessions use; "" = the first saved one."""
    discovery: bool = True
    """Use a model server that this user runs on this machine when nothing else is set up."""
    proxy: str = Field(
        default="system", max_length=2_000, repr=False, pattern=r"^(system|off|https?://[^\s/]+/?)$"
    )
    """`system`: the environment's, else the desktop's; `off`: none; or a proxy's address."""
    permissions: PermissionSettings = PermissionSettings()
    auth: AuthSettings = AuthSettings()
    agent: AgentSettings = AgentSettings()
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    idle_stop_seconds: int = Field(default=600, ge=0)
    """An idle daemon stops after this long; 0 = never."""
    notices: tuple[str, ...] = Field(default=(), exclude=True)
    """What was found wrong, sentences for the person."""
    damaged: bool = Field(default=False, exclude=True)
    """The file as a whole could not be read."""


def load_settings(
    folder: Path,
    arguments: Mapping[str, Any] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    set_aside: bool = True,
) -> Settings:
    """Read the settings in the config folder `folder`; `arguments` (nested) win over the file.

    `environment` fills in `${NAME}`; None leaves such texts as they are. `set_aside` moves a file
    that cannot be parsed out of the way.

    Raises:
        LarariumError: an argument is wrong (`invalid_settings`); the file never raises.
    """
    path = folder / FILE_NAME
    given, damaged, notices = _open(path, set_aside=set_aside)
    notices += [f"{path}: {key} is no setting; it is ignored and kept." for key in _unknown(given)]
    unset: list[Missing] = []
    if environment is not None:
        given, unset = expand(given, environment)
    notices += [_said_unset(path, each) for each in unset]
    lost = _drop_unset(given, unset)
    wrong = _drop_wrong(given)
    notices += [f"{path}: {name} {why}; its default holds." for name, why in wrong.items()]
    lost |= {name.split(".")[0] for name in wrong}
    if damaged or "permissions" in lost:
        rules: Json = given.setdefault("permissions", {})
        rules.update(allow=[], damaged=True)
    _mark_unset(given, unset)
    merged = _merged(given, arguments or {})
    try:
        return Settings.model_validate({
            **merged,
            "notices": tuple(notices),
            "damaged": damaged,
        })
    except ValidationError as error:
        raise _invalid(error) from None


def _open(path: Path, *, set_aside: bool) -> tuple[Json, bool, list[str]]:
    """Read the file; say whether rules may be lost with it, and what was found wrong."""
    try:
        return _parse(_read(path)), False, []
    except FileNotFoundError:
        return {}, False, []
    except OSError as error:
        notice = (
            f"{path} could not be read ({error.strerror or error}); the defaults hold. Make it a "
            "file you can read and restart."
        )
        return {}, True, [notice]
    except ValueError as error:
        if not set_aside:
            return (
                {},
                True,
                [f"{path} cannot be read ({error}). Mend it; until then it is ignored."],
            )
        return {}, True, [_set_aside(path, error)]


def save_settings(folder: Path, changes: Mapping[str, Any]) -> Settings:
    """Change the file by `changes` (nested; None = back to the default) and read it again.

    Everything else in the file stays, unknown keys too. Comments cannot: a file that has some is
    kept beside the new one as `settings.json.commented-<time>`.

    Raises:
        LarariumError: `settings_unreadable`, nothing is written over a file that cannot be parsed;
            `invalid_settings`, a change is wrong; `settings_busy`, somebody else saves for long.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = try_lock(folder / LOCK_NAME, patience_seconds=SAVE_PATIENCE_SECONDS)
    if lock is None:
        raise LarariumError(
            "settings_busy", "Another daemon is saving settings. Nothing was saved; try again.", 409
        )
    with lock:
        return _save(folder, changes)


def _save(folder: Path, changes: Mapping[str, Any]) -> Settings:
    path = folder / FILE_NAME
    text = ""
    try:
        text = _read(path)
        given = _parse(text)
    except FileNotFoundError:
        given = {}
    except (OSError, ValueError) as error:
        raise LarariumError(
            "settings_unreadable",
            f"{path} cannot be read ({error}), so nothing was saved. Mend or move the file first.",
            409,
        ) from None
    try:
        Settings.model_validate(_merged({}, changes))
    except ValidationError as error:
        raise _invalid(error) from None
    if text and not _is_plain(text):
        write_private(path.with_name(f"{FILE_NAME}.commented-{_stamp()}"), text.encode())
    kept = _differences(_merged(given, changes), Settings().model_dump(mode="json"))
    write_private(path, json.dumps(kept, indent=2, ensure_ascii=False).encode() + b"\n")
    return load_settings(folder)


def _read(path: Path) -> str:
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError("larger than 1 MiB")
    return data.decode("utf-8-sig")


def _parse(text: str) -> Json:
    if not _is_plain(text):
        text = _COMMENT.sub(lambda m: m[0] if m[0].startswith('"') else " ", text)
        text = _TRAILING_COMMA.sub(lambda m: m[0] if m[0].startswith('"') else "", text)
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("no JSON object")  # noqa: TRY004 - a fault of the file, not of a type
    return cast("Json", value)


def _is_plain(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _set_aside(path: Path, error: ValueError) -> str:
    bad = path.with_name(f"{FILE_NAME}.bad-{_stamp()}")
    try:
        path.rename(bad)
    except OSError:
        bad = path
    return (
        f"The settings could not be read ({error}); the defaults hold. The file is kept as {bad}."
    )


def _stamp() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")


def _unknown(given: Json, model: type[BaseModel] = Settings, prefix: str = "") -> Iterator[str]:
    """Give the dotted names that no field has."""
    for key, value in given.items():
        field = model.model_fields.get(key)
        if field is None or field.exclude:
            yield prefix + key
        elif isinstance(value, dict) and isinstance(field.annotation, type):
            yield from _unknown(cast("Json", value), field.annotation, f"{prefix}{key}.")


def _said_unset(path: Path, unset: Missing) -> str:
    """Say which variable is missing, in which lines."""
    lines: list[int] = []
    with suppress(OSError, ValueError):  # read a moment ago; the name alone says enough
        lines = list(lines_of(_read(path), unset.variable))
    where = ",".join(map(str, lines))
    name = ".".join(map(str, unset.place))
    return (
        f"{path}:{where}: {name} names the variable {unset.variable}, which is not set. Set it and "
        "restart, or write the value; until then it does not hold."
    )


def _drop_unset(given: Json, unset: list[Missing]) -> set[str]:
    """Take out every value that names a missing variable; give the sections they stood in."""
    for each in unset:
        holder: Any = given
        for step in each.place[:-1]:
            # An earlier one may have taken the holder, or an item of the list, away.
            holder = cast("Json", holder).get(str(step)) if isinstance(holder, dict) else None
        if isinstance(holder, dict):
            cast("Json", holder).pop(str(each.place[-1]), None)
    for each in unset:
        if len(each.place) > 2 and each.place[0] == "permissions":
            cast("Json", given["permissions"]).pop(str(each.place[1]), None)
    return {str(each.place[0]) for each in unset}


def _mark_unset(given: Json, unset: list[Missing]) -> None:
    """A profile without what it names is not used: it would call another server, or without key."""
    profiles = given.get("profiles")
    for each in unset:
        if each.place[0] == "profiles" and isinstance(profiles, dict) and len(each.place) > 2:
            profile = cast("Json", profiles).get(str(each.place[1]))
            if isinstance(profile, dict):
                cast("Json", profile)["problem"] = (
                    f"It names the variable {each.variable}, which is not set. Set it and restart, "
                    "or write the value in settings.json. Your message is kept."
                )


def _drop_wrong(given: Json) -> dict[str, str]:
    """Take every wrong value out; give its dotted name and what is wrong with it."""
    profiles = given.get("profiles")
    holders: list[tuple[type[BaseModel], Any]] = [
        (Settings, given),
        (PermissionSettings, given.get("permissions")),
    ]
    if isinstance(profiles, dict):
        holders += [(ProfileSettings, each) for each in cast("Json", profiles).values()]
    for model, holder in holders:
        for name in [n for n, f in model.model_fields.items() if f.exclude]:
            if isinstance(holder, dict):  # not the file's to say
                cast("Json", holder).pop(name, None)
    wrong: dict[str, str] = {}
    try:
        Settings.model_validate(given)
    except ValidationError as error:
        for problem in error.errors():
            place = [str(step) for step in problem["loc"]]
            inner = "".join(f"{step}: " for step in place[2:])
            # A list, and a profile, gives way as a whole.
            wrong[".".join(place[:2])] = inner + problem["msg"][0].lower() + problem["msg"][1:]
    for name in wrong:
        section, _, key = name.partition(".")
        if key:
            given[section].pop(key, None)
        else:
            given.pop(section, None)
    return wrong


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> Json:
    """Lay `over` on `base`; None takes a key away."""
    result = deepcopy(dict(base))
    for key, value in over.items():
        if isinstance(value, Mapping):
            below = result.get(key)
            start = cast("Json", below) if isinstance(below, dict) else {}
            result[key] = _merged(start, cast("Mapping[str, Any]", value))
        elif value is None:
            result.pop(key, None)
        else:
            result[key] = value
    return result


def _differences(given: Json, defaults: Json) -> Json:
    """Leave out what equals its default, and sections that are empty then."""
    kept: Json = {}
    for key, value in given.items():
        default = defaults.get(key)
        if isinstance(value, dict) and isinstance(default, dict):
            below = _differences(cast("Json", value), cast("Json", default))
            if below:
                kept[key] = below
        elif key not in defaults or value != default:
            kept[key] = value
    return kept


def _invalid(error: ValidationError) -> LarariumError:
    lines = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
    return LarariumError("invalid_settings", "Wrong settings: " + "; ".join(lines), 422)
