"""Reading one file of instructions: regular, inside its folder, no secret, never too long."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from lararium_daemon.permissions.places import is_within, why_secret


class Unreadable(Exception):
    """Why a file is not loaded; its text ends a sentence that begins with the file's name."""


@dataclass(slots=True, frozen=True)
class Content:
    """What was read."""

    text: str
    is_whole: bool


def resolve_inside(path: Path, folder: Path) -> Path:
    """Follow the links of `path`; `folder` is a real path.

    Raises:
        Unreadable: it leads out of the folder, or usually holds secrets.
    """
    real = Path(os.path.realpath(path))
    if not is_within(real, folder):
        raise Unreadable(f"leads to {real}, outside of {folder}")
    if why_secret(real, folder) or why_secret(path, folder):
        raise Unreadable("usually holds secrets")
    return real


def read_content(path: Path, limit: int) -> Content:
    """Read up to `limit` bytes of a file, cut before a broken character.

    Raises:
        FileNotFoundError: there is none.
        Unreadable: it is no regular text file.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unreadable(f"cannot be read ({error.strerror})") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Unreadable("is no regular file")
    with os.fdopen(handle, "rb") as file:
        data = file.read(limit + 1)
    if b"\0" in data:
        raise Unreadable("is no text")
    text = data[:limit].decode("utf-8-sig", "replace").replace("\r\n", "\n")
    is_whole = len(data) <= limit
    return Content(text if is_whole else text.rstrip("\ufffd"), is_whole)
