"""Patterns of paths: the part of a `Read` or `Edit` rule in brackets, in gitignore syntax.

`//etc/**` is absolute, `~/notes` in the home folder, `/src/**` from the workspace's root, and
`*.lock` any such file of the workspace. A folder means all that lies in it. Matching ignores case
when the rule forbids and heeds it when the rule allows.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pathspec

Anchor = Literal["absolute", "home", "root", "anywhere"]
_UNCLEAR_SET = re.compile(r"(?<!\\)\[[^\]]*(?:\[|--|&&|~~|\|\|)")
_SPECIAL = re.compile(r"([\\*?\[\]!#])")


@dataclass(slots=True, frozen=True)
class PathPattern:
    """A parsed pattern; matches real absolute paths."""

    anchor: Anchor
    exact: pathspec.PathSpec[pathspec.Pattern]
    folded: pathspec.PathSpec[pathspec.Pattern]
    literal: str
    """The folders it begins with before any wildcard, relative to its anchor."""

    def allows(self, path: Path, root: Path, home: Path) -> bool:
        """Tell whether an allow rule of this pattern means `path`."""
        relative = _relative(path, self._base(root, home))
        return relative is not None and self.exact.match_file(relative)

    def forbids(self, path: Path, root: Path, home: Path) -> bool:
        """Tell whether a deny or ask rule of this pattern means `path`: any case, any folder."""
        base = Path(path.anchor) if self.anchor == "anywhere" else self._base(root, home)
        relative = _relative(path, base)
        return relative is not None and self.folded.match_file(relative.lower())

    def reaches_below(self, folder: Path, root: Path, home: Path) -> bool:
        """Tell whether something below `folder` could be meant."""
        if self.anchor == "anywhere":
            return True
        start = self._base(root, home) / self.literal
        return start.is_relative_to(folder) or folder.is_relative_to(start)

    def _base(self, root: Path, home: Path) -> Path:
        match self.anchor:
            case "absolute":
                return Path(root.anchor)
            case "home":
                return home
            case "root" | "anywhere":
                return root


def parse_path_pattern(spec: str) -> PathPattern:
    """Read a pattern.

    Raises:
        ValueError: it means nothing; the text says why.
    """
    anchor, body = _split_anchor(spec)
    if not body.strip("/ ") or body.startswith("!"):
        raise ValueError("names no path")
    if _UNCLEAR_SET.search(body):
        raise ValueError("holds a set of characters that is read in different ways")
    line = body if anchor == "anywhere" else f"/{body.lstrip('/')}"
    literal: list[str] = []
    for part in body.strip("/").split("/"):
        if re.search(r"[*?\[\\]", part):
            break
        literal.append(part)
    return PathPattern(anchor, _spec(line), _spec(line.lower()), "/".join(literal))


def escape_path(relative: str) -> str:
    """Give the pattern, from the root, that means exactly this path."""
    escaped = _SPECIAL.sub(r"\\\1", relative)
    return "/" + (escaped[:-1] + "\\ " if escaped.endswith(" ") else escaped)


def _split_anchor(spec: str) -> tuple[Anchor, str]:
    if spec.startswith("//"):
        return "absolute", spec[2:]
    if spec.startswith("~/"):
        return "home", spec[2:]
    if spec.startswith("/"):
        return "root", spec[1:]
    return "anywhere", spec.removeprefix("./")


def _spec(line: str) -> pathspec.PathSpec[pathspec.Pattern]:
    return pathspec.PathSpec[pathspec.Pattern].from_lines("gitignore", [line])


def _relative(path: Path, base: Path) -> str | None:
    try:
        return path.relative_to(base).as_posix()
    except ValueError:
        return None
