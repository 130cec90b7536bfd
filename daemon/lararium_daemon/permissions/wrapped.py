"""Commands inside commands: what `timeout`, `xargs`, `find -exec`, `bash -c` and their like run.

For rules that forbid, everything that might be a command is one: each suffix of a wrapper's
arguments, and each argument of a wrapper that reads like a command line. For rules that allow, only
three wrappers with a grammar of their own are opened (`unwrap`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lararium_daemon.permissions.programs import WRAPPERS, program_name
from lararium_daemon.permissions.shell import analyse

Argv = tuple[str, ...]

_FIND_RUNNERS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_MAX_WORDS = 3_000
_PARSE_WORDS = 30
"""What reading an argument as a command line costs, in words."""
_MAX_DEPTH = 3
_DURATION = re.compile(r"\d+(\.\d+)?[smhd]?")
_NICENESS = re.compile(r"-?\d+")


def possible_commands(commands: Sequence[Argv]) -> tuple[list[Argv], bool]:
    """Give the commands and all that could be a command inside them, and whether that is all.

    A line made to hold endlessly many is cut short: the caller must not trust what it does not see.
    """
    found: list[Argv] = []
    budget = _Budget(_MAX_WORDS)
    for argv in commands:
        for inner in _walk(argv, 0, budget):
            if not budget.spend(len(inner) + 1):
                return found, False
            found.append(inner)
    return found, budget.left >= 0


@dataclass(slots=True)
class _Budget:
    left: int

    def spend(self, words: int) -> bool:
        """Take from what is left; tell whether it was enough."""
        self.left -= words
        return self.left >= 0


def unwrap(argv: Argv) -> Argv | None:
    """Give the command that a well-understood wrapper runs, None for anything else."""
    match argv:
        case ("timeout", duration, *inner) if inner and _DURATION.fullmatch(duration):
            return tuple(inner)
        case ("nice", "-n", value, *inner) if inner and _NICENESS.fullmatch(value):
            return tuple(inner)
        case ("nohup" | "nice", *inner) if inner and not inner[0].startswith("-"):
            return tuple(inner)
        case _:
            return None


def _walk(argv: Argv, depth: int, budget: _Budget) -> Iterator[Argv]:
    yield argv
    if depth >= _MAX_DEPTH:
        return
    name = program_name(argv)
    if name in WRAPPERS:
        starts = list(range(1, len(argv)))
    elif name == "find":
        starts = [i for i in range(1, len(argv)) if argv[i - 1] in _FIND_RUNNERS]
    else:
        return
    for start in starts:
        suffix = argv[start:]
        yield suffix
        if program_name(suffix) == "find":
            yield from _walk(suffix, depth + 1, budget)
    for token in argv[1:]:
        if re.search(r"[\s;&|]", token) and budget.spend(_PARSE_WORDS):
            for command in analyse(token).commands:
                yield from _walk(command, depth + 1, budget)
