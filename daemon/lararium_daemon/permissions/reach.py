"""Which files a command's arguments reach, and whether that needs the person.

An argument counts as a path when it could be one: also behind `=`, behind a colon (`HEAD:.env`) and
glued to a short option. Links are resolved from every folder the command may run in.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lararium_daemon.permissions.places import (
    Places,
    is_own,
    is_within,
    why_protected,
    why_secret,
)
from lararium_daemon.permissions.programs import (
    EXPRESSION_FIRST,
    READERS,
    WITHOUT_FILES,
    program_name,
)
from lararium_daemon.permissions.rules import Rule, RuleSet
from lararium_daemon.permissions.wrapped import Argv, unwrap

_URL = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_ALWAYS_FINE = frozenset({
    "/dev/null",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/zero",
    "/dev/full",
})
_EXPRESSION_OPTIONS = ("--regexp", "--expression", "--files", "--from-file")
MAX_ARGUMENTS = 300
_MAX_PATH = 4096
_MAX_CLUSTER = 10
"""How many letters of short options may stand before a path that is glued to them."""
_MAGIC = re.compile(r"^\([a-z,]*\)")
"""What git's pathspecs put before a path, after a colon."""


@dataclass(slots=True, frozen=True)
class Surroundings:
    """Where a command runs."""

    root: Path
    places: Places
    folders: tuple[Path, ...]
    """Every folder it may be in when it starts; the first is the call's own."""
    is_trusted: bool = False
    """The person trusts what the project configures."""
    resolved: dict[tuple[Path, str], Path] = field(
        default_factory=dict[tuple[Path, str], Path], compare=False
    )
    """Links followed so far; for one judgement only."""

    def resolve(self, folder: Path, piece: str) -> Path:
        """Give the real path of `piece` as seen from `folder`."""
        key = (folder, piece)
        if key not in self.resolved:
            path = os.path.normpath(folder / piece)
            if not path.startswith(("/proc/", "/dev/")):  # these mean another file to the command
                path = os.path.realpath(folder / piece)
            self.resolved[key] = Path(path)
        return self.resolved[key]


def find_own(commands: Sequence[Argv], around: Surroundings) -> Path | None:
    """Find an argument that lies in our own folders."""
    for argv in commands:
        for path in _paths(argv, 1, around):
            if is_own(path, around.places):
                return path
    return None


def find_denied(commands: Sequence[Argv], rules: RuleSet, around: Surroundings) -> Rule | None:
    """Find a deny rule on files that an argument meets; reading a file `Edit` denies is fine."""
    file_rules = [rule for rule in rules.deny if rule.path is not None]
    for argv in commands if file_rules else ():
        is_reader = program_name(argv) in READERS
        for path in _paths(argv, 1, around):
            for rule in file_rules:
                if rule.tool == "Edit" and is_reader:
                    continue
                if rule.path and rule.path.forbids(path, around.root, around.places.home):
                    return rule
    return None


def why_protected_write(argv: Argv, around: Surroundings) -> str:
    """Say why a command that may write to its arguments needs the person, "" when it does not."""
    if program_name(argv) in READERS:
        return ""
    for path in _paths(argv, 1, around):
        if reason := why_protected(path, around.root, around.places):
            return f"{_show(path, around)}: {reason}"
    return ""


def why_target_asks(target: str, around: Surroundings) -> str:
    """Say why writing to a redirection's target needs the person in every mode."""
    for path in _resolve(target, around):
        if reason := why_protected(path, around.root, around.places):
            return f"{_show(path, around)}: {reason}"
    return ""


def why_out_of_reach(argv: Argv, named: int, around: Surroundings) -> str:
    """Say why the words after the first `named` ones need the person, "" when they do not."""
    for token in argv[max(named, 1) :]:
        if token.startswith("~"):
            return f"{token} may lie outside the project"
    for path in _paths(argv, max(named, 1), around):
        if str(path) in _ALWAYS_FINE:
            continue
        if not is_within(path, around.root):
            return f"{path} lies outside the project"
        if reason := why_secret(path, around.root):
            return reason
    return ""


def why_place_asks(piece: str, around: Surroundings, *, reads: bool) -> str:
    """Say why a file that a command names needs the person, "" when it does not.

    `reads`: its content is shown, not only its name.
    """
    for path in _resolve(piece, around):
        if str(path) in _ALWAYS_FINE:
            continue
        if not is_within(path, around.root):
            return f"{path} lies outside the project"
        if not reads:
            continue
        named = around.folders[0] / piece
        if reason := why_secret(path, around.root) or why_secret(named, around.root):
            return reason
    return ""


def _paths(argv: Argv, start: int, around: Surroundings) -> Iterator[Path]:
    inner = unwrap(argv)
    if inner is not None:
        yield from _paths(inner, max(1, start - (len(argv) - len(inner))), around)
        return
    name = program_name(argv)
    if name in WITHOUT_FILES:
        return
    skip_expression = name in EXPRESSION_FIRST and not _has_expression_option(argv)
    for index, token in enumerate(argv[1:MAX_ARGUMENTS], 1):
        if skip_expression and not token.startswith("-"):
            skip_expression = False
            continue
        if index < start or _is_address(token, around):
            continue
        for piece in _pieces(token):
            yield from _resolve(piece, around)


def _is_address(token: str, around: Surroundings) -> bool:
    """Tell whether it is a URL; where a folder is called `http:`, it is a path as well."""
    scheme = _URL.match(token)
    if scheme is None:
        return False
    name = scheme[0].removesuffix("//")
    return not any(os.path.lexists(folder / name) for folder in around.folders)


def _has_expression_option(argv: Argv) -> bool:
    """Tell whether the expression may come as an option, abbreviated or in a cluster too."""
    return any(
        any(option.startswith(token.partition("=")[0]) for option in _EXPRESSION_OPTIONS)
        if token.startswith("--") and len(token) > 2
        else re.match(r"-\w*[ef]", token)
        for token in argv[1:]
    )


def _pieces(token: str) -> set[str]:
    """Give every part of an argument that could be a path."""
    if len(token) > _MAX_PATH or "\0" in token or "\n" in token:
        return set()
    if token.startswith("--"):
        pieces = {token.partition("=")[2]}
    elif token.startswith("-") and len(token) > 2:
        pieces = {token[start:].lstrip("=") for start in range(2, min(len(token), _MAX_CLUSTER))}
    else:
        pieces = {token}
    parts = {_MAGIC.sub("", part) for piece in pieces for part in re.split(r"[=:]", piece)}
    # `curl -d @file`, `pytest @file`: the file is read
    named = {piece.lstrip("@") for piece in pieces | parts}
    return (pieces | parts | named) - {""}


def _resolve(piece: str, around: Surroundings) -> Iterator[Path]:
    if "\0" in piece or len(piece) > _MAX_PATH:
        return
    if piece == "~" or piece.startswith("~/"):
        yield around.resolve(around.places.home, f".{piece[1:]}")
        return
    for folder in around.folders:
        yield around.resolve(folder, piece)
        if piece.startswith("/"):
            return


def _show(path: Path, around: Surroundings) -> str:
    return path.relative_to(around.root).as_posix() if is_within(path, around.root) else str(path)
