"""How the shell starts itself again, for hub and window."""

import sys


def own_command(*arguments: str) -> list[str]:
    """Give the command line that runs `lararium` with these arguments.

    `-P` keeps the working folder off Python's path: a project must not lend the shell its modules.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, *arguments]
    return [sys.executable, "-P", "-X", "utf8", "-m", "lararium_desktop", *arguments]
