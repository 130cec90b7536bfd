"""Searches through whole folders that a rule's trailing `*` would let in, secrets and all.

`Bash(rg *)` is meant for the project's text; `rg --hidden KEY` would show `.env` without naming it.
"""

import os
import re
from pathlib import Path

from lararium_daemon.permissions.programs import program_name
from lararium_daemon.permissions.reach import Surroundings
from lararium_daemon.permissions.read_only.grammar import Argv, Unknown
from lararium_daemon.permissions.read_only.searchers import RIPGREP, grep_use
from lararium_daemon.permissions.read_only.secrets import TOO_LARGE, find_secret

_GREP = frozenset({"grep", "egrep", "fgrep", "rgrep"})
_RECURSIVE = re.compile(r"-\w*[rRd]|--(?:rec|der|dir)")


def why_sweeps_secret(argv: Argv, named: int, around: Surroundings) -> str:
    """Say which secret a search would show unasked, "" when it shows none.

    A folder too large to look through is let pass: a rule allows the program.
    """
    if named == len(argv) or not _sweeps(argv):
        return ""
    for folder in around.folders:
        given = [folder / token for token in argv[1:] if (folder / token).is_dir()]
        for start in given or [folder]:
            found = find_secret(Path(os.path.realpath(start)))
            if found and found != TOO_LARGE:
                return f"it would show {found}, which usually holds secrets"
    return ""


def _sweeps(argv: Argv) -> bool:
    """Tell whether it goes through hidden or ignored files, or may do so."""
    name = program_name(argv)
    if name == "rg":
        return isinstance(RIPGREP.use(argv), Unknown)
    if name not in _GREP:
        return False
    use = grep_use(argv)
    if not isinstance(use, Unknown):
        return bool(use.swept) or name == "rgrep"
    return name == "rgrep" or any(_RECURSIVE.match(token) for token in argv[1:])
