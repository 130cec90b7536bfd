"""What a request is where its text is not shown: in a notification or a tray menu.

Facts for the pure rule of `protocol/confined.py`, and the names of the programs a command starts.
"""

import re
from pathlib import Path, PurePosixPath

from lararium_daemon.permissions.judgement import JudgedCall, Judgement
from lararium_daemon.permissions.places import (
    Places,
    current_places,
    is_own,
    is_within,
    why_protected,
    why_secret,
)
from lararium_daemon.permissions.shell import analyse
from lararium_daemon.protocol.confined import AskFacts

MAX_PROGRAMS = 3
_PROGRAM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,31}")


def ask_facts(
    call: JudgedCall, found: Judgement, root: Path, places: Places | None = None
) -> AskFacts:
    """Give the facts of a call that is asked about; `root` is the workspace's real path.

    What a rule of the person's asks for counts as protected: they want to see it.
    """
    if call.permission != "Edit" or not call.path:
        parsed = call.permission == "Bash" and analyse(call.command).plain
        return AskFacts(
            call.permission, is_parsed=parsed, is_risky=False, is_inside=False, is_protected=False
        )
    places = places or current_places()
    path = Path(call.path)
    asks_always = why_protected(path, root, places) or why_secret(path, root)
    return AskFacts(
        "Edit",
        is_parsed=True,
        is_risky=not call.path.isprintable(),
        is_inside=is_within(path, root) and not is_own(path, places),
        is_protected=bool(asks_always) or found.rule is not None,
    )


def program_names(call: JudgedCall) -> str:
    """Give the programs that a command starts, at most three; "" when that is not certain.

    Names alone, and only such as are plainly names: a command may hold a secret in any place.
    """
    analysis = analyse(call.command) if call.permission == "Bash" else None
    if analysis is None or not analysis.plain:
        return ""
    names = dict.fromkeys(PurePosixPath(argv[0]).name for argv in analysis.commands if argv)
    if not all(_PROGRAM.fullmatch(name) for name in names):
        return ""
    shown = list(names)[:MAX_PROGRAMS]
    return ", ".join(shown) + (", …" if len(names) > MAX_PROGRAMS else "")
