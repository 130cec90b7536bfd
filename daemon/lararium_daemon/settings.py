"""The person's settings: defaults < `<config>/settings.json` < arguments.

The file holds only what differs from the defaults; comments and trailing commas are fine. What it
says wrong never stops the daemon and is never lost: a file that cannot be parsed is set aside as
`settings.json.bad-<time>`, a wrong value gives way to its default, an unknown key is kept; all of
it is told in `Settings.notices`. Where a model comes from when `provider` says nothing is told in
`providers/profiles.py`. Secrets do not belong here: there is no field for one.
"""

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.system.atomic import write_private

FILE_NAME = "settings.json"
MAX_FILE_BYTES = 1024 * 1024

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


class AgentSettings(_Section):
    """Limits of a run."""

    max_turns: int = Field(default=100, ge=1, le=10_000)


class Settings(_Section):
    """All settings. Immutable; a change makes a new one."""

    provider: ProviderSettings = ProviderSettings()
    permissions: PermissionSettings = PermissionSettings()
    auth: AuthSettings = AuthSettings()
    agent: AgentSettings = AgentSettings()
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    idle_stop_seconds: int = Field(default=600, ge=0)
    """An idle daemon stops after this long; 0 = never."""
    notices: tuple[str, ...] = Field(default=(), exclude=True)
    """What was found wrong, sentences for the person."""


def load_settings(folder: Path, arguments: Mapping[str, Any] | None = None) -> Settings:
    """Read the settings in the config folder `folder`; `arguments` (nested) win over the file.

    Raises:
        LarariumError: an argument is wrong (`invalid_settings`); the file never raises.
    """
    path = folder / FILE_NAME
    notices: list[str] = []
    damaged = False
    given: Json = {}
    try:
        given = _parse(_read(path))
    except FileNotFoundError:
        pass
    except OSError as error:
        damaged = True
        notices.append(
            f"{path} could not be read ({error.strerror or error}); the defaults hold. Make it a "
            "file you can read and restart."
        )
    except ValueError as error:
        damaged = True
        notices.append(_set_aside(path, error))
    notices += [f"{path}: {key} is no setting; it is ignored and kept." for key in _unknown(given)]
    wrong = _drop_wrong(given)
    notices += [f"{path}: {name} {why}; its default holds." for name, why in wrong.items()]
    damaged = damaged or any(name.split(".")[0] == "permissions" for name in wrong)
    if damaged:
        rules: Json = given.setdefault("permissions", {})
        rules.update(allow=[], damaged=True)
    merged = _merged(given, arguments or {})
    try:
        return Settings.model_validate({**merged, "notices": tuple(notices)})
    except ValidationError as error:
        raise _invalid(error) from None


def save_settings(folder: Path, changes: Mapping[str, Any]) -> Settings:
    """Change the file by `changes` (nested; None = back to the default) and read it again.

    Everything else in the file stays, unknown keys too. Comments cannot: a file that has some is
    kept beside the new one as `settings.json.commented-<time>`.

    Raises:
        LarariumError: `settings_unreadable`, nothing is written over a file that cannot be parsed;
            `invalid_settings`, a change is wrong.
    """
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
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
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


def _drop_wrong(given: Json) -> dict[str, str]:
    """Take every wrong value out; give its dotted name and what is wrong with it."""
    for model, holder in ((Settings, given), (PermissionSettings, given.get("permissions"))):
        for name in [n for n, f in model.model_fields.items() if f.exclude]:
            if isinstance(holder, dict):  # not the file's to say
                cast("Json", holder).pop(name, None)
    wrong: dict[str, str] = {}
    try:
        Settings.model_validate(given)
    except ValidationError as error:
        for problem in error.errors():
            place = [str(step) for step in problem["loc"]][:2]  # a list gives way as a whole
            wrong[".".join(place)] = problem["msg"][0].lower() + problem["msg"][1:]
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
