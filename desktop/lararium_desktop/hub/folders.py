"""Whether a folder can be a workspace, said before anything is started for it."""

import os
from pathlib import Path

from lararium_daemon.protocol.problems import LarariumError


def inspect_folder(folder: str) -> Path:
    """Give the real path of a folder that can be opened; `~` is the person's home.

    Raises:
        LarariumError: `path_not_absolute`, `path_missing`, `path_not_text`, `not_a_folder` or
            `path_unreadable`, each with what to do.
    """
    if "\x00" in folder:
        raise LarariumError("path_missing", "A path cannot hold a null character.", 422)
    path = Path(folder).expanduser()
    if not path.is_absolute():
        raise LarariumError(
            "path_not_absolute", f"{folder} is not a full path. Begin it with / or ~.", 422
        )
    try:
        real = path.resolve(strict=True)
    except FileNotFoundError:
        raise LarariumError(
            "path_missing", f"{path} does not exist. Check the spelling, or create it first.", 422
        ) from None
    except PermissionError:
        raise _unreadable(path) from None
    except (OSError, RuntimeError):
        raise LarariumError(
            "path_missing", f"{path} cannot be followed to a folder.", 422
        ) from None
    if not _is_text(str(real)):
        raise LarariumError(
            "path_not_text",
            "The name of this folder is not valid UTF-8, which the list of projects cannot hold. "
            "Rename it, or work in it with `lar`.",
            422,
        )
    if not real.is_dir():
        raise LarariumError(
            "not_a_folder", f"{real} is a file. Open the folder that holds it.", 422
        )
    if not os.access(real, os.R_OK | os.X_OK):
        raise _unreadable(real)
    return real


def problem_of(path: str) -> str:
    """Say in one sentence why a registered folder cannot be opened now; "" when it can."""
    try:
        inspect_folder(path)
    except LarariumError as error:
        return error.detail
    return ""


def _unreadable(path: Path) -> LarariumError:
    return LarariumError(
        "path_unreadable", f"You may not read {path}. Change its permissions, then open it.", 422
    )


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
