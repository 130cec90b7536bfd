"""Whether a command only reads inside the project, so that it needs no rule.

The program, each option and each value are known to be harmless, every file it names lies in the
project and is no secret, and what it goes through holds none. Anything else is for the rules.
"""

import os
from collections.abc import Callable
from pathlib import Path

from lararium_daemon.permissions.places import why_secret
from lararium_daemon.permissions.reach import Surroundings, why_place_asks
from lararium_daemon.permissions.read_only.git import git_use
from lararium_daemon.permissions.read_only.grammar import Argv, Unknown, Use
from lararium_daemon.permissions.read_only.programs import PROGRAMS
from lararium_daemon.permissions.read_only.repository import has_repository, why_repository_asks
from lararium_daemon.permissions.read_only.searchers import (
    RIPGREP,
    diff_use,
    find_use,
    grep_use,
)
from lararium_daemon.permissions.read_only.secrets import TOO_LARGE, find_secret, find_way_out
from lararium_daemon.permissions.read_only.special import (
    command_use,
    echo_use,
    is_version_query,
    lsof_use,
    ps_use,
    sed_use,
    test_use,
    xxd_use,
)

_READERS: dict[str, Callable[[Argv], Use | Unknown]] = {
    **{name: grammar.use for name, grammar in PROGRAMS.items()},
    "command": command_use,
    "diff": diff_use,
    "echo": echo_use,
    "egrep": grep_use,
    "fgrep": grep_use,
    "find": find_use,
    "git": git_use,
    "grep": grep_use,
    "lsof": lsof_use,
    "ps": ps_use,
    "rg": RIPGREP.use,
    "sed": sed_use,
    "test": test_use,
    "xxd": xxd_use,
}


def why_not_read_only(argv: Argv, around: Surroundings) -> str | None:
    """Say what speaks against running a command without a rule: "" = nothing.

    None: it is no program of which that could be said.
    """
    if is_version_query(argv):
        return ""
    reader = _READERS.get(argv[0])
    if reader is None:
        return None
    use = reader(argv)
    if isinstance(use, Unknown):
        return use.reason
    return _why_files(use, around) or _why_swept(use, around) or _why_git(argv, use, around)


def why_any_repository_asks(around: Surroundings) -> str:
    """Say why git needs the person in one of the folders, "" when it does not."""
    for folder in around.folders:
        asks = why_repository_asks(folder, around.root, is_trusted=around.is_trusted)
        if asks:
            return asks
    return ""


def _why_files(use: Use, around: Surroundings) -> str:
    for piece in use.names:
        if reason := why_place_asks(piece, around, reads=False):
            return reason
    for piece in use.contents:
        if reason := why_place_asks(piece, around, reads=True):
            return reason
    return ""


def _why_swept(use: Use, around: Surroundings) -> str:
    for piece in use.swept:
        for folder in around.folders:
            start = around.resolve(folder, piece)
            found = find_secret(start) if start.is_dir() else ""
            if found == TOO_LARGE:
                return f"{piece} is {TOO_LARGE}"
            if found:
                return f"it would show {os.path.normpath(Path(piece) / found)}, a secret"
            if use.follows and (way := find_way_out(start)):
                return f"it would follow {os.path.normpath(Path(piece) / way)} elsewhere"
            if reason := why_secret(start, around.root):
                return reason
    return ""


def _why_git(argv: Argv, use: Use, around: Surroundings) -> str:
    if not use.is_git:
        return ""
    if reason := why_any_repository_asks(around):
        return reason
    if "diff" in argv and not all(has_repository(folder) for folder in around.folders):
        return "there is no repository, so it would compare whole folders"
    return ""
