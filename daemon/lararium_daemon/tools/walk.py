"""Lists files without ripgrep: slower, the same rules (ignore files, no `.git`, no links)."""

import os
from collections.abc import Iterator
from pathlib import Path

import pathspec

_IGNORE_FILES = (".gitignore", ".ignore")
Spec = tuple[str, pathspec.GitIgnoreSpec]


def walk_files(
    base: Path, *, respect_ignores: bool = True, unreadable: list[str] | None = None
) -> Iterator[str]:
    """Give every regular file below `base`, relative with `/`, sorted by folder.

    `unreadable` collects the folders that could not be listed.
    """
    yield from _walk(base, "", [], respect_ignores, [] if unreadable is None else unreadable)


def _walk(
    base: Path, prefix: str, specs: list[Spec], respect: bool, unreadable: list[str]
) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(base / prefix), key=lambda entry: entry.name)
    except OSError:
        unreadable.append(prefix or ".")
        return
    if respect:
        # A pipe of that name would be waited for without end.
        names = {entry.name for entry in entries if entry.name in _IGNORE_FILES and entry.is_file()}
        specs = [*specs, *_read_specs(base, prefix, names)]
    folders: list[str] = []
    for entry in entries:
        relative = prefix + entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name == ".git" or _is_ignored(relative + "/" * is_folder, specs):
            continue
        if is_folder:
            folders.append(relative + "/")
        elif entry.is_file(follow_symlinks=False):
            yield relative
    for folder in folders:
        yield from _walk(base, folder, specs, respect, unreadable)


def _read_specs(base: Path, prefix: str, names: set[str]) -> list[Spec]:
    specs: list[Spec] = []
    for name in _IGNORE_FILES:
        if name not in names:
            continue
        try:
            text = (base / prefix / name).read_text("utf-8", "replace")
            specs.append((prefix, pathspec.GitIgnoreSpec.from_lines(text.splitlines())))
        except (OSError, ValueError):
            continue
    return specs


def _is_ignored(relative: str, specs: list[Spec]) -> bool:
    """Tell what the nearest ignore file with an opinion says."""
    for prefix, spec in reversed(specs):
        decided = spec.check_file(relative.removeprefix(prefix)).include
        if decided is not None:
            return decided
    return False
