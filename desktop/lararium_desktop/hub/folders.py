"""Whether a folder can be a workspace, said before anything is started for it."""

from pathlib import Path

from lararium_daemon.client.workspace import check_folder
from lararium_daemon.protocol.errors import LarariumError


def inspect_folder(folder: str) -> Path:
    """Give the real path of a folder that can be opened; `~` is the person's home.

    Raises:
        LarariumError: `path_not_absolute`, `path_not_text`, or what `check_folder` says.
    """
    if not folder.startswith("~") and not Path(folder).is_absolute():
        raise LarariumError(
            "path_not_absolute", f"{folder} is not a full path. Begin it with / or ~.", 422
        )
    real = check_folder(Path(folder))
    try:
        str(real).encode()
    except UnicodeEncodeError:
        raise LarariumError(
            "path_not_text",
            "The name of this folder is not valid UTF-8, which the list of projects cannot hold. "
            "Rename it, or work in it with `lar`.",
            422,
        ) from None
    return real


def problem_of(path: str) -> str:
    """Say in one sentence why a registered folder cannot be opened now; "" when it can."""
    try:
        inspect_folder(path)
    except LarariumError as error:
        if error.code == "no_such_folder":
            return f"{path} was moved or deleted, or the disk it lies on is not there."
        return error.detail
    return ""
