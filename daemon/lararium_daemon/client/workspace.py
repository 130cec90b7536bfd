"""Which folder is meant, and whether a daemon could work in it: said before one is started."""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lararium_daemon.client.errors import ClientError
from lararium_daemon.system.paths import is_inside, resolve_paths

_MAX_REGISTRY_BYTES = 4 * 1024 * 1024


def find_workspace(start: Path, environment: Mapping[str, str]) -> Path:
    """Return the nearest registered project that holds `start`, else `start`; its real path.

    Raises:
        ClientError: as `check_folder`.
    """
    folder = check_folder(start)
    registry = resolve_paths(environment).registry
    around = [
        path
        for path in _registered(registry)
        if is_inside(str(folder), path, windows=os.name == "nt")
    ]
    return Path(max(around, key=len)) if around else folder


def check_folder(path: Path) -> Path:
    """Return the real path of a folder that can be listed.

    Raises:
        ClientError: `no_such_folder`, `not_a_folder` or `folder_unreadable`.
    """
    try:
        real = path.expanduser().resolve(strict=True)
        if not stat.S_ISDIR(real.stat().st_mode):
            raise ClientError(
                "not_a_folder",
                f"{path} is not a folder. Give the folder that holds it.",
                status=422,
            )
        with os.scandir(real) as entries:
            next(entries, None)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ClientError(
            "no_such_folder",
            f"There is no folder {path}. Check the spelling, or create it first.",
            status=422,
        ) from error
    except (OSError, RuntimeError, ValueError) as error:
        # RuntimeError: links in a circle, or no home for `~`; ValueError: a null character.
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ClientError(
            "folder_unreadable", f"{path} cannot be read: {why}.", status=422
        ) from error
    return real


def _registered(registry: Path) -> list[str]:
    """Return the paths in the shell's list; a list that cannot be read is as good as none here."""
    try:
        with registry.open("rb") as file:
            content: Any = json.loads(file.read(_MAX_REGISTRY_BYTES))
        entries = [entry["path"] for entry in content["workspaces"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
    return [path for path in entries if isinstance(path, str) and Path(path).is_absolute()]
