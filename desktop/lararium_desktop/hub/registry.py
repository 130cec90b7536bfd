"""The registry of workspaces: which projects stand in the rail, in the person's own order.

One JSON file, `<config>/workspaces.json`: `{"version": 1, "workspaces": [{"id", "path", "name"}]}`.
Each change happens under a file lock, on what the file holds at that moment, and replaces it
atomically after keeping the last good one as `.bak`. Fields and entries of others are kept.

A damaged file is renamed to `.bad-<time>` and said; the backup serves, else an empty list. A file
of a newer version is read as far as it goes and never written.
"""

import json
import logging
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.system.atomic import write_private
from lararium_daemon.system.clock import now_rfc3339
from lararium_daemon.system.paths import ensure_private_dir, is_inside, workspace_id
from lararium_desktop.hub.folders import inspect_folder

logger = logging.getLogger(__name__)

VERSION = 1
LOCK_SECONDS = 5.0


class Entry(BaseModel):
    """One registered project; fields that a newer version wrote are kept."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: WorkspaceId
    path: str
    """The real path: links resolved."""
    name: str = Field(min_length=1, max_length=255)
    added_at: str = ""
    pinned: bool = False
    """It stands before those that are not."""
    sample: bool = False
    """The tour's sample project: its folder was made by us."""


class _File(BaseModel):
    model_config = ConfigDict(extra="allow")

    version: int
    workspaces: list[Any]


@dataclass(frozen=True)
class _Content:
    entries: tuple[Entry, ...] = ()
    foreign: tuple[Any, ...] = ()
    """Entries that could not be read: written back as they are, at the end."""
    version: int = VERSION
    extra: tuple[tuple[str, Any], ...] = ()


class Registry:
    """The list of workspaces on disk. Its calls block: use them from a worker thread."""

    def __init__(self, path: Path, now: Callable[[], str] = now_rfc3339) -> None:
        self.path = path
        self.notices: list[str] = []
        """What was found broken since the hub began, as sentences for the person."""
        self._now = now

    def entries(self) -> list[Entry]:
        """Read every entry, the pinned ones first, each kind in the person's order."""
        with self._locked():
            return _ordered(self._read().entries)

    def get(self, workspace: WorkspaceId) -> Entry:
        """Give one entry.

        Raises:
            LarariumError: `unknown_workspace`.
        """
        for entry in self.entries():
            if entry.id == workspace:
                return entry
        raise _unknown(workspace)

    def add(self, folder: str, *, nested: bool = False, sample: bool = False) -> Entry:
        """Register a folder; one that is there already, also under another link, is given back.

        `sample`: the folder is a copy of the tour's sample project.

        Raises:
            LarariumError: what `inspect_folder` raises, `inside_workspace`, `registry_newer`,
                `registry_busy`.
        """
        path = inspect_folder(folder)
        identity = workspace_id(path)
        with self._locked():
            content = self._read()
            for entry in content.entries:
                if entry.id == identity:
                    return entry
            if not nested:
                _refuse_inside(path, content.entries)
            entry = Entry(
                id=identity,
                path=str(path),
                name=path.name or str(path),
                added_at=self._now(),
                sample=sample,
            )
            self._write(content, (*content.entries, entry))
        return entry

    def rename(self, workspace: WorkspaceId, name: str) -> Entry:
        """Give an entry another name.

        Raises:
            LarariumError: `unknown_workspace`, `registry_newer`, `registry_busy`.
        """
        return self._update(workspace, {"name": name})

    def pin(self, workspace: WorkspaceId, *, pinned: bool) -> Entry:
        """Let an entry stand before those that are not pinned, or no longer. Raises as `rename`."""
        return self._update(workspace, {"pinned": pinned})

    def move(self, workspace: WorkspaceId, place: int) -> Entry:
        """Put an entry at a place, from 0, of the order in which `entries` gives them.

        A pinned entry stays before those that are not, whatever the place. Raises as `rename`.
        """
        with self._locked():
            content = self._read()
            rest = _ordered(content.entries)
            moved = next((entry for entry in rest if entry.id == workspace), None)
            if moved is None:
                raise _unknown(workspace)
            rest.remove(moved)
            rest.insert(min(place, len(rest)), moved)
            self._write(content, tuple(_ordered(rest)))
        return moved

    def _update(self, workspace: WorkspaceId, fields: dict[str, Any]) -> Entry:
        with self._locked():
            content = self._read()
            changed = [
                entry.model_copy(update=fields) if entry.id == workspace else entry
                for entry in content.entries
            ]
            found = next((entry for entry in changed if entry.id == workspace), None)
            if found is None:
                raise _unknown(workspace)
            self._write(content, tuple(changed))
        return found

    def remove(self, workspace: WorkspaceId) -> None:
        """Take an entry off the list; the folder and its sessions stay where they are.

        Raises:
            LarariumError: `unknown_workspace`, `registry_newer`, `registry_busy`.
        """
        with self._locked():
            content = self._read()
            rest = tuple(entry for entry in content.entries if entry.id != workspace)
            if len(rest) == len(content.entries):
                raise _unknown(workspace)
            self._write(content, rest)

    @contextmanager
    def _locked(self) -> Generator[None]:
        ensure_private_dir(self.path.parent)
        lock = FileLock(self._beside(".lock"), timeout=LOCK_SECONDS, mode=0o600)
        try:
            lock.acquire()
        except Timeout:
            raise LarariumError(
                "registry_busy",
                "Another Lararium process is changing the list of projects. Nothing was changed; "
                "try again.",
                503,
            ) from None
        try:
            yield
        finally:
            lock.release()

    def _read(self) -> _Content:
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return _Content()
        try:
            return self._parse(raw)
        except (ValueError, RecursionError):
            return self._read_backup()

    def _parse(self, raw: bytes) -> _Content:
        file = _File.model_validate(json.loads(raw))
        entries: dict[WorkspaceId, Entry] = {}
        foreign: list[Any] = []
        for item in file.workspaces:
            try:
                entry = Entry.model_validate(item)
            except ValidationError:
                foreign.append(item)
                continue
            entries.setdefault(entry.id, entry)
        if foreign:
            self._note(
                f"{len(foreign)} entries of {self.path} could not be read. They are left in the "
                "file and not shown."
            )
        if file.version > VERSION:
            self._note(
                f"{self.path} was written by a newer version of Lararium. It is shown as far as it "
                "can be read, and is not changed; install the newer version to change it."
            )
        extra = tuple((file.model_extra or {}).items())
        return _Content(tuple(entries.values()), tuple(foreign), file.version, extra)

    def _read_backup(self) -> _Content:
        kept = self._beside(f".bad-{self._now().replace(':', '')}")
        self.path.replace(kept)
        said = f"The list of projects in {self.path} was damaged. It is kept as {kept.name}; "
        try:
            content = self._parse(self._beside(".bak").read_bytes())
        except (OSError, ValueError):
            self._note(
                said + "the list is empty now. No project and no session was lost: open "
                "their folders again."
            )
            return _Content()
        self._note(said + "the list before the last change is shown instead.")
        self._replace(content, content.entries)
        return content

    def _write(self, content: _Content, entries: tuple[Entry, ...]) -> None:
        if content.version > VERSION:
            raise LarariumError(
                "registry_newer",
                "The list of projects was written by a newer version of Lararium, so this one "
                "does not change it. Nothing was lost; use the newer version.",
                409,
            )
        if self.path.exists():
            write_private(self._beside(".bak"), self.path.read_bytes())
        self._replace(content, entries)

    def _replace(self, content: _Content, entries: tuple[Entry, ...]) -> None:
        body: dict[str, Any] = {
            "version": VERSION,
            "workspaces": [*(entry.model_dump() for entry in entries), *content.foreign],
            **dict(content.extra),
        }
        text = json.dumps(body, ensure_ascii=True, indent=2) + "\n"
        write_private(self.path, text.encode())

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)

    def _note(self, sentence: str) -> None:
        if sentence not in self.notices:
            logger.warning("%s", sentence)
            self.notices.append(sentence)


def _ordered(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: not entry.pinned)


def _unknown(workspace: WorkspaceId) -> LarariumError:
    return LarariumError(
        "unknown_workspace", f"No project with the id {workspace} is in the list.", 404
    )


def _refuse_inside(path: Path, entries: tuple[Entry, ...]) -> None:
    for entry in entries:
        if is_inside(str(path), entry.path, windows=sys.platform == "win32"):
            raise LarariumError(
                "inside_workspace",
                f"{path} lies inside the project {entry.name} ({entry.path}), which works on it "
                "already. Open that project, or add this folder as one of its own.",
                409,
            )
