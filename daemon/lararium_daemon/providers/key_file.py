"""The file that holds keys where there is no keyring: private, whole, one writer at a time."""

import json
import os
import stat
from pathlib import Path
from typing import Any, cast

from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.system.atomic import write_private
from lararium_daemon.system.locks import try_lock
from lararium_daemon.system.paths import ensure_private_dir

FILE_NAME = "keys.json"
LOCK_NAME = "keys.lock"
_LOCK_PATIENCE_SECONDS = 3.0
_MAX_FILE_BYTES = 1024 * 1024


class KeyFile:
    """`keys.json` in a folder: accounts and their keys. Every method blocks."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME

    def read(self, account: str) -> str:
        """Give a key, "" when there is none.

        Raises:
            OSError: The file cannot be opened.
            ValueError: Others could have read or written it, or it holds something else.
        """
        key = self._load().get(account, "")
        return key if isinstance(key, str) else ""

    def change(self, account: str, key: str | None) -> bool:
        """Put a key in, or take it out (None); say whether anything changed.

        Raises:
            LarariumError: `keys_unwritable` (409); nothing was changed then.
        """
        try:
            ensure_private_dir(self.path.parent)
            lock = try_lock(self.path.with_name(LOCK_NAME), patience_seconds=_LOCK_PATIENCE_SECONDS)
            if lock is not None:
                with lock:
                    return self._change(account, key)
            reason = "another daemon is writing it"
        except (OSError, ValueError) as error:
            reason = reason_of(error)
        raise LarariumError(
            "keys_unwritable", f"{self.path} cannot be written ({reason}). Nothing was saved.", 409
        )

    def _change(self, account: str, key: str | None) -> bool:
        kept = self._load()
        if key is not None:
            kept[account] = key
        elif kept.pop(account, None) is None:
            return False
        write_private(self.path, json.dumps(kept, indent=2).encode() + b"\n")
        return True

    def _load(self) -> dict[str, Any]:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            descriptor = os.open(self.path, flags)
        except FileNotFoundError:
            return {}
        with os.fdopen(descriptor, "rb") as file:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                raise ValueError("it is no file")
            if os.name == "posix" and (facts.st_uid != os.getuid() or facts.st_mode & 0o077):
                raise ValueError("others than you may read it: make it yours, chmod 600")
            value = json.loads(file.read(_MAX_FILE_BYTES))
        if not isinstance(value, dict):
            raise ValueError("it holds no JSON object")  # noqa: TRY004 - a fault of the file
        return cast("dict[str, Any]", value)


def reason_of(error: Exception) -> str:
    """Give the reason of a failed read or write in a few words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
