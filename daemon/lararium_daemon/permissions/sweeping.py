"""Searches through whole folders that a rule's trailing `*` would let in, secrets and all.

`Bash(rg *)` is meant for the project's text; `rg --hidden KEY` would show `.env` without naming it,
and `rg --follow KEY` what a link in the project leads to.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from lararium_daemon.permissions.programs import program_name
from lararium_daemon.permissions.reach import Surroundings
from lararium_daemon.permissions.read_only.grammar import Argv, Unknown
from lararium_daemon.permissions.read_only.searchers import RIPGREP, grep_use
from lararium_daemon.permissions.read_only.secrets import TOO_LARGE, find_secret, find_way_out

_GREP = frozenset({"grep", "egrep", "fgrep", "rgrep"})
_RECURSIVE = re.compile(r"-\w*[rRd]|--(?:rec|der|dir)")
_FOLLOWS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(_GREP, re.compile(r"-[^-ABCDdefm]*R|--der")),
    "rg": re.compile(r"-[^-ABCEefgjMmrTtd]*L|--follow"),
    "find": re.compile(r"-(L|follow)\Z"),
    "fd": re.compile(r"-[^-deEtSxXc]*L|--follow"),
    "du": re.compile(r"-[^-dtBX]*[LDH]|--deref"),
    "tree": re.compile(r"-[^-LPIo]*l"),
    "diff": re.compile(r""),
}
"""By program: what makes it follow links in the folders that it goes through."""
_LS_FOLLOWS = re.compile(r"-[^-ITw]*L|--deref")
_LS_RECURSIVE = re.compile(r"-[^-ITw]*R|--rec")


def why_sweeps_secret(argv: Argv, named: int, around: Surroundings) -> str:
    """Say which secret a search would show unasked, "" when it shows none.

    A folder too large to look through is let pass: a rule allows the program.
    """
    if named == len(argv) or not _sweeps(argv):
        return ""
    for start in _starts(argv, around):
        found = find_secret(start)
        if found and found != TOO_LARGE:
            return f"it would show {found}, which usually holds secrets"
    return ""


def why_follows_out(argv: Argv, named: int, around: Surroundings) -> str:
    """Say which link a search would follow unasked out of where it begins, "" for none."""
    if named == len(argv) or not _follows(argv):
        return ""
    for start in _starts(argv, around):
        way = find_way_out(start)
        if way == TOO_LARGE:
            return f"it follows links, and {start} is {TOO_LARGE}"
        if way:
            return f"it follows links, and {start / way} leads elsewhere"
    return ""


def _starts(argv: Argv, around: Surroundings) -> Iterator[Path]:
    """Give the folders that a search goes through, as real paths."""
    for folder in around.folders:
        given = [folder / token for token in argv[1:] if (folder / token).is_dir()]
        if not given and program_name(argv) != "diff":
            given = [folder]
        for start in given:
            yield Path(os.path.realpath(start))


def _sweeps(argv: Argv) -> bool:
    """Tell whether it goes through hidden or ignored files, or may do so."""
    name = program_name(argv)
    if name == "rg":
        return isinstance(RIPGREP.use(argv), Unknown)
    if name == "diff":
        return True
    if name not in _GREP:
        return False
    use = grep_use(argv)
    if not isinstance(use, Unknown):
        return bool(use.swept) or name == "rgrep"
    return name == "rgrep" or any(_RECURSIVE.match(token) for token in argv[1:])


def _follows(argv: Argv) -> bool:
    name = program_name(argv)
    if name == "ls":
        tests = (_LS_FOLLOWS, _LS_RECURSIVE)
        return all(any(test.match(token) for token in argv[1:]) for test in tests)
    test = _FOLLOWS.get(name)
    return test is not None and any(test.match(token) for token in argv[1:])
