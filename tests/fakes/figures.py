"""Figures of a reliability test, for docs/RELIABILITY.md: shown by `pytest -s`."""

import sys


def say_figure(text: str) -> None:
    sys.stdout.write(f"\n  figure: {text}\n")
