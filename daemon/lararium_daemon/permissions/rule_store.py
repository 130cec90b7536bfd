"""The person's rules for one workspace, `rules.json` in its state folder.

`{"allow": [rule], "ask": [rule], "deny": [rule]}`. The file is read again whenever it changed, so a
person may edit it. One that cannot be read allows nothing unasked, says so, and is never written
over by "always"; replacing all rules keeps it aside.
"""

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from lararium_daemon.permissions.rules import RuleList, RuleSet
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.system.atomic import write_private
from lararium_daemon.system.clock import now_rfc3339

_LISTS: tuple[RuleList, ...] = get_args(RuleList)
_MAX_BYTES = 1024 * 1024


@dataclass(slots=True, frozen=True)
class StoredRules:
    """The rules as written; also what `GET /permissions/rules` shows."""

    allow: list[str]
    ask: list[str]
    deny: list[str]


@dataclass(slots=True, frozen=True)
class _Loaded:
    stamp: tuple[int, int, int] | None
    stored: StoredRules
    rules: RuleSet


class RuleStore:
    """Reads and writes one `rules.json`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loaded: _Loaded | None = None

    def rules(self) -> RuleSet:
        """Give the rules as they are now; never fails. `.problems` is for the person."""
        return self._load().rules

    def stored(self) -> StoredRules:
        """Give the rules as written; empty lists when the file cannot be read."""
        return self._load().stored

    def replace(self, *, allow: list[str], ask: list[str], deny: list[str]) -> None:
        """Replace all rules; a file that cannot be read is kept beside as `.bad-<time>`.

        Raises:
            LarariumError: 422 `malformed_rule` naming each; nothing was changed.
        """
        checked = RuleSet.parse(allow=allow, ask=ask, deny=deny, scope="workspace", source="rules")
        if checked.problems:
            raise LarariumError("malformed_rule", "\n".join(checked.problems), 422)
        if self._load().rules.closed and self._path.exists():
            stamp = now_rfc3339().replace(":", "")
            self._path.rename(self._path.with_name(f"{self._path.name}.bad-{stamp}"))
        self._write(StoredRules(allow, ask, deny))

    def add_allow(self, rules: list[str]) -> None:
        """Store what a person allowed always; rules that are there already stay once.

        Raises:
            LarariumError: 409 `rules_unreadable`: the file must be mended first.
        """
        loaded = self._load()
        if loaded.rules.closed:
            raise LarariumError(
                "rules_unreadable",
                f"{loaded.rules.closed}. The rule was not stored; mend or remove {self._path}.",
                409,
            )
        stored = loaded.stored
        allow = list(dict.fromkeys([*stored.allow, *rules]))
        self._write(StoredRules(allow, stored.ask, stored.deny))

    def _write(self, stored: StoredRules) -> None:
        value = {"allow": stored.allow, "ask": stored.ask, "deny": stored.deny}
        text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
        write_private(self._path, text.encode("utf-8", "surrogatepass"))
        self._loaded = None

    def _load(self) -> _Loaded:
        stamp = self._stamp()
        if self._loaded is None or self._loaded.stamp != stamp:
            self._loaded = self._read(stamp)
        return self._loaded

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            info = self._path.stat()
        except FileNotFoundError:
            return None
        except OSError:
            return (-1, -1, -1)
        return (info.st_mtime_ns, info.st_size, info.st_ino)

    def _read(self, stamp: tuple[int, int, int] | None) -> _Loaded:
        nothing = StoredRules([], [], [])
        if stamp is None:
            return _Loaded(stamp, nothing, RuleSet())
        try:
            value = _read_json(self._path)
        except (OSError, ValueError, RecursionError) as error:
            problem = f"The rules in {self._path} cannot be read ({error})"
            return _Loaded(stamp, nothing, RuleSet.broken(problem))
        lists = {name: cast("list[Any]", value.get(name, [])) for name in _LISTS}
        rules = RuleSet.parse(**lists, scope="workspace", source=str(self._path))
        texts = {name: [str(rule) for rule in entries] for name, entries in lists.items()}
        return _Loaded(stamp, StoredRules(texts["allow"], texts["ask"], texts["deny"]), rules)


def _read_json(path: Path) -> dict[str, Any]:
    """Read the file's object.

    Raises:
        ValueError: it is no such file; the text says what is wrong.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("it is no regular file")
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(_MAX_BYTES + 1)
    finally:
        os.close(handle)
    if len(content) > _MAX_BYTES:
        raise ValueError("it is larger than 1 MiB")
    value = json.loads(content.decode("utf-8-sig"))
    if not isinstance(value, dict):
        raise ValueError("it holds no object")  # noqa: TRY004 - what was read is at fault
    found = cast("dict[str, Any]", value)
    for name in found:
        if name not in _LISTS:
            raise ValueError(f"{name!r} is none of allow, ask, deny")
    wrong = [name for name in _LISTS if not isinstance(found.get(name, []), list)]
    if wrong:
        raise ValueError(f"{wrong[0]} is no list")
    return found
