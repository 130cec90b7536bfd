"""UTF-8 for names of files, arguments and the standard streams, whatever the locale says.

With a locale or code page of another encoding Python would take them all by that: a file called
`日本.txt` could not be opened, and an answer with an emoji not be printed.
"""

import io
import os
import sys


def speak_utf8() -> None:
    """Let this process take and give UTF-8; where that must be said first, start it again so."""
    is_frozen = getattr(sys, "frozen", False)
    if os.name == "posix" and sys.getfilesystemencoding() != "utf-8" and not is_frozen:
        # The arguments go out as the bytes that they came in as.
        command = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
        os.execv(sys.executable, command)  # noqa: S606 - this very program
    for stream, errors in (
        (sys.stdin, "replace"),
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        if isinstance(stream, io.TextIOWrapper):  # there may be none at all
            stream.reconfigure(encoding="utf-8", errors=errors)
