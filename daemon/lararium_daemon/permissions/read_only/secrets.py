"""Whether a search through a whole folder would show a file that usually holds secrets, or leave.

Both look at names and links alone, and at 5,000 entries of a tree at most.
"""

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


def find_way_out(folder: Path) -> str:
    """Give the first link below `folder` that leads out of it or to a secret, "" for none.

    What follows links would show what lies there. `folder` is a real path; a folder with more than
    5,000 entries gives `TOO_LARGE`.
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
                    if entry.is_symlink() and _leads_away(Path(entry.path), folder):
                        return os.path.relpath(entry.path, folder)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
        except OSError:
            continue  # as above
    return ""


def _leads_away(link: Path, folder: Path) -> bool:
    target = Path(os.path.realpath(link))
    return not target.is_relative_to(folder) or is_secret_name(target.name)
