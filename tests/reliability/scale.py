"""How much the reliability tests do: little by default, all of it when asked.

`LARARIUM_RELIABILITY=full .venv/bin/pytest tests/reliability -s` gives the figures of
docs/RELIABILITY.md.
"""

import os
import random
import sys

FULL = os.environ.get("LARARIUM_RELIABILITY") == "full"
_SEED = os.environ.get("LARARIUM_SEED")
"""Read at once: the tests' own fixtures remove such variables."""


def scaled(small: int, full: int) -> int:
    """Give the size for this run."""
    return full if FULL else small


def new_seed() -> int:
    """Give a seed to say when a test fails; `LARARIUM_SEED` repeats one."""
    return int(_SEED or int.from_bytes(os.urandom(3)))


def dice(seed: int) -> random.Random:
    """Give numbers that a seed repeats."""
    return random.Random(seed)  # noqa: S311 - a test must be repeatable


def report(figures: str) -> None:
    """Say what was measured; pytest shows it with `-s`."""
    sys.stdout.write(f"\n{figures}\n")
