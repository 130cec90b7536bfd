"""Where things lie: the four folders of Lararium, a workspace's identity and its state.

A workspace is its real path, so a link, a trailing slash and `..` lead to the same one. Folders of
ours are private (0700) and refused when somebody else could have put them there.

What a guardian and a terminal load is made of named tuples: `dataclasses` would cost each of them
8 ms and 3 MB.
"""

import hashlib
import ntpath
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.ids import WorkspaceId

APP_NAME = "lararium"


class Paths(NamedTuple):
    """The folders of one user. None of them needs to exist."""

    config: Path
    data: Path
    state: Path
    cache: Path

    @property
    def registry(self) -> Path:
        """The shell's list of workspaces."""
        return self.config / "workspaces.json"

    @property
    def settings(self) -> Path:
        """The person's settings."""
        return self.config / "settings.json"

    @property
    def hub(self) -> Path:
        """The shell's own files, the socket of its fork server among them."""
        return self.state / "hub"

    def workspace(self, folder: Path) -> "WorkspacePaths":
        """Return the places of the workspace at `folder`."""
        return WorkspacePaths(self.state / workspace_id(folder))


class WorkspacePaths(NamedTuple):
    """The files of one workspace, all in its state folder."""

    state_dir: Path

    @property
    def workspace_id(self) -> WorkspaceId:
        """The workspace's id."""
        return WorkspaceId(self.state_dir.name)

    @property
    def owner_mark(self) -> str:
        """What everything carries that this workspace's daemon starts; of this state folder."""
        return hashlib.sha256(os.fsencode(self.state_dir.resolve())).hexdigest()[:16]

    @property
    def journal(self) -> Path:
        """The truth of all sessions."""
        return self.state_dir / "journal.db"

    @property
    def search(self) -> Path:
        """The search index; may be deleted."""
        return self.state_dir / "search.db"

    @property
    def owner_lock(self) -> Path:
        """Held by guardian and daemon; never deleted."""
        return self.state_dir / "owner.lock"

    @property
    def start_lock(self) -> Path:
        """Held by whoever is starting the daemon, so that concurrent callers share one start."""
        return self.state_dir / "start.lock"

    @property
    def daemon_json(self) -> Path:
        """Where the running daemon listens."""
        return self.state_dir / "daemon.json"

    @property
    def token(self) -> Path:
        """The running daemon's token."""
        return self.state_dir / "token"

    @property
    def heartbeat(self) -> Path:
        """Rewritten in place every two seconds."""
        return self.state_dir / "heartbeat"

    @property
    def workspace_json(self) -> Path:
        """Path, device and inode of the folder: hints for twins and moves."""
        return self.state_dir / "workspace.json"

    @property
    def rules(self) -> Path:
        """The person's permission rules for this workspace."""
        return self.state_dir / "rules.json"

    @property
    def trust(self) -> Path:
        """The person's decision on the folder."""
        return self.state_dir / "trust.json"

    @property
    def spool(self) -> Path:
        """The folder of tool calls' full output."""
        return self.state_dir / "spool"

    @property
    def attachments(self) -> Path:
        """The folder of the pictures of messages, one folder a session."""
        return self.state_dir / "attachments"

    @property
    def log(self) -> Path:
        """The daemon's log, JSON lines."""
        return self.state_dir / "daemon.log"

    @property
    def output(self) -> Path:
        """What the daemon's process printed: tracebacks of a start or a crash."""
        return self.state_dir / "daemon.out"


def resolve_paths(environment: Mapping[str, str]) -> Paths:
    """Return the folders: all below `LARARIUM_HOME` when it is set, else the platform's own."""
    home = environment.get("LARARIUM_HOME")
    if home:
        root = Path(home).expanduser().absolute()
        return Paths(root / "config", root / "data", root / "state", root / "cache")
    # Loaded here because a terminal with LARARIUM_HOME, and every guardian, can do without it.
    from platformdirs import PlatformDirs

    dirs = PlatformDirs(APP_NAME, appauthor=False)
    return Paths(
        dirs.user_config_path, dirs.user_data_path, dirs.user_state_path, dirs.user_cache_path
    )


def workspace_id(folder: Path) -> WorkspaceId:
    """Return the first 16 hex digits of SHA-256 of the folder's real path."""
    key = path_key(str(folder.resolve()), windows=sys.platform == "win32")
    return WorkspaceId(hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:16])


def path_key(path: str, *, windows: bool) -> str:
    r"""Return what two spellings of one absolute path have in common.

    On Windows (not run there) case, slash style, a final separator and the `\\?\` prefix do not
    matter; elsewhere every character does.
    """
    if not windows:
        return path
    plain = path.replace("/", "\\")
    if plain.upper().startswith("\\\\?\\UNC\\"):
        plain = "\\\\" + plain[8:]
    elif plain.startswith("\\\\?\\"):
        plain = plain[4:]
    drive, rest = ntpath.splitdrive(ntpath.normpath(plain))
    return (drive + (rest.rstrip("\\") or "\\")).lower()


def is_inside(path: str, folder: str, *, windows: bool) -> bool:
    """Tell whether an absolute, resolved path is `folder` or lies below it."""
    separator = "\\" if windows else "/"
    inner, outer = path_key(path, windows=windows), path_key(folder, windows=windows)
    return inner == outer or inner.startswith(outer.rstrip(separator) + separator)


def ensure_private_dir(path: Path) -> Path:
    """Make the folder, with missing parents, readable by this user alone, and return it.

    Raises:
        LarariumError: `unsafe_folder` when it is a link or no folder, belongs to somebody else or
            lets others write; `folder_unusable` when it cannot be made.
    """
    try:
        _make_private(path)
        info = path.lstat()
    except OSError as error:
        raise LarariumError(
            "folder_unusable",
            f"{path} cannot be made or read: {error.strerror}. Nothing was written. Mend that, or "
            "point LARARIUM_HOME at a folder that can be written: a temporary one does to try "
            "things, and what is in there is lost with it.",
            500,
        ) from error
    problem = _danger(info)
    if problem is not None:
        raise LarariumError(
            "unsafe_folder",
            f"{path} {problem}, so Lararium does not keep its files there. Nothing was written. "
            "Remove it, or point LARARIUM_HOME at a folder of your own.",
            500,
        )
    if sys.platform != "win32" and stat.S_IMODE(info.st_mode) & 0o077:
        path.chmod(0o700)
    return path


def _make_private(path: Path) -> None:
    if path.is_symlink() or path.exists():
        return
    _make_private(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)


def _danger(info: os.stat_result) -> str | None:
    if stat.S_ISLNK(info.st_mode):
        return "is a link"
    if not stat.S_ISDIR(info.st_mode):
        return "is not a folder"
    if sys.platform == "win32":
        return None
    if info.st_uid != os.geteuid():
        return "belongs to another user"
    if stat.S_IMODE(info.st_mode) & 0o022:
        return "can be changed by other users"
    return None
