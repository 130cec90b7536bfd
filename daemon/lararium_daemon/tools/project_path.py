"""From the path a model wrote to the file that is meant, and back to what a person reads."""

import os
import re
import stat
import unicodedata
from pathlib import Path

from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.registry import ToolFailure

_MAX_CHARS = 4096
_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.I)
"""Windows takes these for devices, with any extension and in any folder."""


def resolve_path(given: str, context: ToolContext) -> Path:
    """Give the real absolute path; links are resolved, `~` is the person's home.

    A name that is not there but looks the same as exactly one sibling (another space, another
    composition of an accent) is that sibling.

    Raises:
        ToolFailure: no path, or two siblings look like it.
    """
    if not given.strip() or "\0" in given or len(given) > _MAX_CHARS:
        raise ToolFailure("The path is empty or not a path. Nothing was done.", "bad path")
    try:
        given.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ToolFailure(
            "The path holds half a character. Nothing was done.", "bad path"
        ) from None
    path = _absolute(given, context)
    if not os.path.lexists(path):
        path = _find_lookalike(path, context.root)
    return Path(os.path.realpath(path))


def show_path(path: Path, root: Path) -> str:
    """Give a path as a person reads it: from the root with `/`, or absolute when outside."""
    if path == root:
        return "."
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def refuse_unpassable(text: str, what: str) -> None:
    """Refuse text that no program can be given: with a NUL or half a character.

    Raises:
        ToolFailure: it names the kind of text.
    """
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        text = "\0"
    if "\0" in text:
        raise ToolFailure(
            f"The {what} holds a NUL or half a character. Nothing was done.", f"bad {what}"
        )


def refuse_special(path: Path, mode: int) -> None:
    """Refuse what is no regular file: reading a pipe or a device may never end.

    Raises:
        ToolFailure: it says what it is.
    """
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise ToolFailure(
            f"{path} is a folder. List it with glob, e.g. its path and `*`.", "folder"
        )
    kinds = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    kind = kinds.get(stat.S_IFMT(mode), "a device")
    raise ToolFailure(f"{path} is {kind}, not a file. Nothing was read or written.", kind)


def refuse_reserved(path: Path) -> None:
    """Refuse to make a file that a checkout on Windows could not hold.

    Raises:
        ToolFailure: it names the reason.
    """
    if _RESERVED.fullmatch(path.name.rstrip(". ")):
        raise ToolFailure(
            f"{path.name} is a device name on Windows; such a file could not be checked out there. "
            "Choose another name.",
            "reserved name",
        )


def _absolute(given: str, context: ToolContext) -> Path:
    home = context.environment.get("HOME") or context.environment.get("USERPROFILE")
    if given == "~" or given.startswith(("~/", "~\\" if os.name == "nt" else "~/")):
        if not home:
            raise ToolFailure("There is no home folder to resolve `~` with.", "bad path")
        return Path(home, given[2:])
    return Path(context.root, given)


def _find_lookalike(path: Path, root: Path) -> Path:
    """Replace each missing component below the root by the one sibling that looks the same."""
    found = Path(path.anchor)
    for part in path.parts[1:]:
        here = found / part
        if part == ".." or os.path.lexists(here) or not found.is_dir():
            found = here
            continue
        siblings = _lookalikes(found, part)
        if len(siblings) > 1:
            names = " and ".join(repr(name) for name in sorted(siblings))
            raise ToolFailure(
                f"There is no {part!r} in {show_path(found, root)}; {names} look like it. "
                "Name one of them exactly.",
                "ambiguous",
            )
        found = found / (siblings[0] if siblings else part)
    return found


def _lookalikes(folder: Path, name: str) -> list[str]:
    wanted = _fold(name)
    try:
        return [entry for entry in os.listdir(folder) if _fold(entry) == wanted]  # noqa: PTH208
    except OSError:
        return []


def _fold(name: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", name))
