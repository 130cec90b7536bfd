"""How this program starts itself again."""

import sys


def own_command(*arguments: str) -> list[str]:
    """Return the command line that runs `lar` with these arguments.

    `-P` keeps the working folder off Python's path: a project must not be able to lend the daemon
    its modules. `-X utf8` goes before what a locale says of names of files.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, *arguments]
    return [sys.executable, "-P", "-X", "utf8", "-m", "lararium_daemon", *arguments]
