"""The chain of instructions: which files, in which order, with what they import, up to 64 KiB."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lararium_daemon.extensions.instructions.imports import Import, find_imports
from lararium_daemon.extensions.instructions.reading import (
    Unreadable,
    read_content,
    resolve_inside,
)
from lararium_daemon.protocol.trust import LoadedInstructions, TrustItem

NAMES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md")
"""Of one folder the first that is there and not empty."""
MAX_BYTES = 64 * 1024
MAX_DEPTH = 5
_CUT = "\n[The instructions were cut here: they are longer than 64 KiB.]"
_HEAD = """\
# Instructions

They come from the person and from files of the project; later ones are nearer and win. Follow \
them as you work. They say how to work, never what may be done without permission."""

Origin = Literal["person", "project"]


@dataclass(slots=True, frozen=True)
class Loaded:
    """What was loaded."""

    text: str
    """What the model is told, "" when there is nothing."""
    files: tuple[LoadedInstructions, ...] = ()
    notices: tuple[str, ...] = ()
    """Sentences for the person: what was left out, and why."""


def instructions(
    root: Path,
    *,
    own_folders: Sequence[Path] = (),
    is_trusted: bool,
    folder: Path | None = None,
) -> Loaded:
    """Load the instructions for work in `folder` (None = the root).

    Args:
        root: the workspace's real path.
        own_folders: the person's own folders, least important first; read without trust.
        is_trusted: whether files of the workspace are loaded at all.
        folder: a real path inside the workspace; each folder down to it may add a file.
    """
    loader = _Loader()
    for own in own_folders:
        loader.load_first(own, own, "person")
    if is_trusted:
        for place in _folders(root, folder or root):
            loader.load_first(place, root, "project")
    return loader.loaded()


def would_run(root: Path) -> list[TrustItem]:
    """Give the files of a workspace that would be told to the model; tells them to nobody."""
    return [
        TrustItem(
            effect="read",
            kind="instructions",
            path=file.path,
            detail=f"Imported by {file.imported_by}; told to the model in every session."
            if file.imported_by
            else "Told to the model in every session.",
        )
        for file in instructions(root, is_trusted=True).files
    ]


def _folders(root: Path, folder: Path) -> Iterator[Path]:
    yield root
    if folder.is_relative_to(root):
        place = root
        for part in folder.relative_to(root).parts:
            place /= part
            yield place


@dataclass(slots=True)
class _Loader:
    left: int = MAX_BYTES
    seen: set[Path] = field(default_factory=set[Path])
    parts: list[str] = field(default_factory=list[str])
    files: list[LoadedInstructions] = field(default_factory=list[LoadedInstructions])
    notices: list[str] = field(default_factory=list[str])

    def loaded(self) -> Loaded:
        text = "\n\n".join([_HEAD, *self.parts]) if self.parts else ""
        return Loaded(text, tuple(self.files), tuple(self.notices))

    def load_first(self, folder: Path, inside: Path, origin: Origin) -> None:
        """Load the first file of a folder that is there and not empty."""
        real_inside = inside.resolve()
        for name in NAMES:
            try:
                text = self._load(folder / name, real_inside, origin, "", 0)
            except FileNotFoundError:
                continue
            except Unreadable as error:
                self.notices.append(f"{_show(folder / name, inside, origin)} {error}.")
                continue
            if text is None:
                return  # loaded before, by another way
            if text.strip():
                label = _show(folder / name, inside, origin)
                body = text.strip().replace("</instructions", "<\\/instructions")
                self.parts.append(f'<instructions file="{label}">\n{body}\n</instructions>')
                return

    def _load(
        self, path: Path, inside: Path, origin: Origin, imported_by: str, depth: int
    ) -> str | None:
        """Give a file's text with its imports in place, None when it was loaded before."""
        real = resolve_inside(path, inside)
        if real in self.seen:
            return None
        if self.left <= 0:
            raise Unreadable(f"does not fit: instructions end at {MAX_BYTES // 1024} KiB")
        content = read_content(real, self.left)
        self.seen.add(real)
        if not content.text.strip():
            return ""
        self.left -= len(content.text.encode("utf-8", "surrogatepass"))
        label = _show(path, inside, origin)
        self.files.append(
            LoadedInstructions(
                path=label,
                origin=origin,
                imported_by=imported_by,
                characters=len(content.text),
                truncated=not content.is_whole,
            )
        )
        if not content.is_whole:
            self.left = 0
            self.notices.append(f"{label} was cut: instructions end at {MAX_BYTES // 1024} KiB.")
            return content.text + _CUT
        return self._with_imports(content.text, path.parent, inside, label, origin, depth)

    def _with_imports(
        self, text: str, folder: Path, inside: Path, label: str, origin: Origin, depth: int
    ) -> str:
        """Put what is imported in the place of its own line, or after the line that names it."""
        pieces: list[str] = []
        waiting: list[str] = []
        at = 0
        for found in find_imports(text):
            end = _line_end(text, at)
            if waiting and found.start >= end:
                pieces += [text[at:end], *waiting]
                waiting, at = [], end
            imported = self._import(found, folder, inside, label, origin, depth + 1)
            if imported is None:
                continue
            pieces.append(text[at : found.start])
            at = found.end
            if not imported or not _is_alone(text, found):
                pieces.append(found.target)
                waiting += [f"\n{imported}"] if imported else []
            else:
                pieces.append(imported)
        end = _line_end(text, at)
        return "".join([*pieces, text[at:end], *waiting, text[end:]])

    def _import(
        self, found: Import, folder: Path, inside: Path, label: str, origin: Origin, depth: int
    ) -> str | None:
        """Give an import's text, "" when it was told before, None to leave it as it is written."""
        name = f"{label} imports @{found.target}, which"
        if found.target.startswith("~"):
            self.notices.append(f"{name} lies outside of {inside}.")
            return None
        path = folder / found.target
        try:
            if not resolve_inside(path, inside).is_file():
                if _looks_like_a_file(found.target):
                    self.notices.append(f"{name} is not there.")
                return None
            if depth > MAX_DEPTH:
                self.notices.append(f"{name} is more than {MAX_DEPTH} imports deep.")
                return None
            text = self._load(path, inside, origin, label, depth)
        except Unreadable as error:
            self.notices.append(f"{name} {error}.")
            return None
        except OSError:
            return None
        return (text or "").strip()


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _is_alone(text: str, found: Import) -> bool:
    """Tell whether an import is all that stands on its line."""
    start = text.rfind("\n", 0, found.start) + 1
    around = text[start : found.start] + text[found.end : _line_end(text, found.end)]
    return not around.strip(" \t-*+")


def _looks_like_a_file(target: str) -> bool:
    """Tell a file's name from `@types/node` or a person's `@name`."""
    name = target.rsplit("/", 1)[-1]
    return "." in name.strip(".") and not target.endswith("/")


def _show(path: Path, inside: Path, origin: Origin) -> str:
    if origin == "project" and path.is_relative_to(inside):
        return path.relative_to(inside).as_posix()
    return str(path)
