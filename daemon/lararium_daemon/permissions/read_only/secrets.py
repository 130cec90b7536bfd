"""Whether a search through a whole folder would show a file that usually holds secrets."""

import os
from pathlib import Path

from lararium_daemon.system.secret_files import is_secret_name

MAX_ENTRIES = 5_000
TOO_LARGE = "too large to look through for secrets"


def find_secret(folder: Path, *, is_deep: bool = True) -> str:
    """Give the first file below `folder` that usually holds secrets, "" when there is none.

    A folder with more than 5,000 entries gives `TOO_LARGE`. Links are not followed.
    """
    waiting = [folder]
    left = MAX_ENTRIES
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        return TOO_LARGE
                    if is_secret_name(entry.name):
                        return os.path.relpath(entry.path, folder)
                    if is_deep and entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
        except OSError:
            continue  # no folder, or one that the search cannot read either
    return ""
