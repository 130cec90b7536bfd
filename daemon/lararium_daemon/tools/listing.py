"""The files below a folder, by ripgrep or by walking, and which of them a pattern means."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.glob_pattern import compile_glob, has_magic
from lararium_daemon.tools.registry import ToolFailure
from lararium_daemon.tools.ripgrep import SEARCH_SECONDS, find_ripgrep, run_ripgrep
from lararium_daemon.tools.walk import walk_files

_SIMPLE_NAME = re.compile(r"[\w.*?-]+", re.ASCII)
"""A name whose pattern means the same here and in ripgrep."""


@dataclass(slots=True, frozen=True)
class Target:
    """A pattern, split where its wildcards begin."""

    folder: Path
    """Absolute; what exists as it is written is taken literally, brackets and all."""
    pattern: str
    """The rest, "" when the whole pattern is one existing path."""


def split_target(base: Path, pattern: str) -> Target:
    """Split a pattern that is relative to `base`, or absolute."""
    folder = Path(pattern[:1]) if pattern.startswith("/") else base
    segments = [segment for segment in pattern.split("/") if segment not in {"", "."}]
    while segments:
        here = folder / segments[0]
        # In `app/[id]/**` the folder `[id]` goes before the character class, if there is one.
        if segments[0] != ".." and not os.path.lexists(here) and has_magic(segments[0]):
            break
        if segments[0] == "**" or (len(segments) == 1 and not os.path.lexists(here)):
            break
        folder = here
        segments.pop(0)
    rest = "/".join(segments)
    # Without any `/` a pattern means every folder; what is left of one with `/` does not.
    return Target(folder, f"./{rest}" if rest and "/" in pattern else rest)


async def list_files(
    folder: Path, pattern: str, context: ToolContext, *, respect_ignores: bool
) -> list[str]:
    """Give the matching files below `folder`, relative to it and sorted.

    Raises:
        ToolFailure: listing took longer than a minute.
    """
    program = find_ripgrep(context.environment, folder)
    if program is None:
        listing = await to_thread.run_sync(_walk, folder, respect_ignores)
    else:
        pieces: list[bytes] = []

        def consume(output: Iterator[bytes]) -> None:
            pieces.extend(output)

        options = ["--files", "--null"] + ([] if respect_ignores else ["--no-ignore"])
        options += _name_filter(pattern)
        try:
            await run_ripgrep(program, options, folder, context.environment, consume)
        except TimeoutError:
            raise ToolFailure(
                f"Listing the files took more than {SEARCH_SECONDS} s; give a narrower pattern.",
                "too slow",
            ) from None
        listing = b"".join(pieces)
    if program is not None and _is_name_only(pattern):
        found = [path for path in listing.split(b"\0") if path]
    else:
        found = compile_glob(pattern).select(listing)
    return sorted(os.fsdecode(path) for path in found)


def _name_filter(pattern: str) -> list[str]:
    """Give options that let ripgrep leave out other names, without `--glob`'s side effect.

    `--glob` would show ignored files that match; a file type does not.
    """
    name = pattern.rsplit("/", 1)[-1]
    if name == "**" or not _SIMPLE_NAME.fullmatch(name):
        return []
    return [f"--type-add=wanted:{name}", "--type=wanted"]


def _is_name_only(pattern: str) -> bool:
    """Tell whether the name decides alone, so that `_name_filter` did all the work."""
    name = pattern.removeprefix("./").removeprefix("**/")
    is_anywhere = name != pattern.removeprefix("./") or "/" not in pattern
    return is_anywhere and "/" not in name and bool(_name_filter(name))


def _walk(folder: Path, respect_ignores: bool) -> bytes:
    files = walk_files(folder, respect_ignores=respect_ignores)
    return b"".join(os.fsencode(path) + b"\0" for path in files)
