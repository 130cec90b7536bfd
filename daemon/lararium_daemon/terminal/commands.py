"""What a command of `lar` registers itself with."""

import argparse
from typing import Protocol


class Commands(Protocol):
    """The part of argparse's subparsers that is used; their own class is private."""

    def add_parser(self, name: str, *, help: str) -> argparse.ArgumentParser:
        """Add a command and return its parser."""
        ...
