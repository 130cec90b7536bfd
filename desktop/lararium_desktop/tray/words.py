"""The words of icon and menu. Pure.

Names of projects and sessions come from folders and models, so they are shown as text and as
nothing else: no line breaks, no invisible characters, none that turn the reading direction of what
follows, and no more of them than a menu holds.
"""

import unicodedata
from collections.abc import Sequence
from itertools import groupby

from lararium_desktop.system.tray_messages import TrayItem, TrayModel, TrayWorkspace
from lararium_desktop.tray.icons import Face

NAME_CHARS = 32
TITLE_CHARS = 48
_JOINER = "\N{ZERO WIDTH JOINER}"
_ISOLATE = ("\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}")
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_STATES = {
    "missing": "folder missing",
    "crashed": "crashed",
    "unresponsive": "does not answer",
    "starting": "starting",
    "asleep": "asleep",
    "stopped": "stopped",
}


def shown(text: str, max_chars: int) -> str:
    """Give the text as one line of at most so many characters, hidden ones as escapes.

    Text with a right-to-left letter is isolated, so that it does not reorder what stands beside
    it; the isolates are not counted.
    """
    line = "".join(_visible(text, place) for place in range(len(text)))
    cut = _cut(" ".join(line.split()), max_chars)
    if any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in cut):
        return f"{_ISOLATE[0]}{cut}{_ISOLATE[1]}"
    return cut


def state_words(workspace: TrayWorkspace) -> str:
    """Say how a project is: what waits and runs first, else its state."""
    waiting, running = workspace.waiting, workspace.running
    if waiting and running:
        return f"{counted(running, 'run')}, {need_you(waiting)}"
    if waiting:
        return need_you(waiting)
    if workspace.state in {"crashed", "missing", "unresponsive"}:
        return _STATES[workspace.state]
    if running:
        return "running" if running == 1 else counted(running, "run")
    if workspace.unread:
        return "finished"
    return _STATES.get(workspace.state, "running" if workspace.state == "busy" else "idle")


def item_words(item: TrayItem) -> str:
    """Say what is asked: the kind and at most the program's name, never its arguments."""
    if item.kind == "question":
        return "question"
    if item.program:
        return f"run {shown(item.program, NAME_CHARS)}"
    match item.tool:
        case "bash":
            return "run a command"
        case "write_file" | "edit_file":
            return "change a file"
        case "read_file" | "grep" | "glob":
            return "read a file"
        case "web_fetch" | "web_search":
            return "read a web page"
        case "":
            return "needs you"
        case tool:
            return f"use {shown(tool, NAME_CHARS)}"


def tooltip(model: TrayModel) -> str:
    """Say in one line what the icon says."""
    running = sum(workspace.running for workspace in model.workspaces)
    waiting = waiting_count(model)
    crashed = sum(workspace.state == "crashed" for workspace in model.workspaces)
    failed = sum(item.kind == "failed" for item in model.items)
    facts = [
        f"{running} running" if running else "",
        need_you(waiting) if waiting else "",
        f"{crashed} crashed" if crashed else "",
        f"{failed} failed" if failed else "",
    ]
    said = ", ".join(fact for fact in facts if fact)
    return f"Lararium: {said}" if said else "Lararium"


def face_of(model: TrayModel) -> Face:
    """Choose the icon: what awaits the person comes first, then what broke, then what runs."""
    waiting = waiting_count(model)
    if waiting:
        return Face("needs_you", waiting)
    if any(workspace.state == "crashed" for workspace in model.workspaces):
        return Face("error")
    if any(item.kind in {"failed", "crashed"} for item in model.items):
        return Face("error")
    if any(workspace.running for workspace in model.workspaces):
        return Face("running")
    return Face("idle")


def waiting_count(model: TrayModel) -> int:
    """Count what waits: by the items, or by the projects while the items are not known yet."""
    items = sum(item.waiting for item in model.items)
    return max(items, sum(workspace.waiting for workspace in model.workspaces))


def total_runs(workspaces: Sequence[TrayWorkspace]) -> int:
    """Count the runs that stopping every daemon would cut."""
    return sum(workspace.runs for workspace in workspaces)


def counted(count: int, noun: str) -> str:
    """Say a number of things: `1 run`, `2 runs`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def need_you(count: int) -> str:
    """Say how many wait for the person."""
    return f"{count} needs you" if count == 1 else f"{count} need you"


def _visible(text: str, place: int) -> str:
    char = text[place]
    if char.isspace():
        return " "
    if unicodedata.category(char) not in _HIDDEN:
        return char
    if char == _JOINER and 0 < place < len(text) - 1 and _is_pictured(text[place + 1]):
        return char  # it makes one picture of several, and hides nothing
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def _is_pictured(char: str) -> bool:
    return unicodedata.category(char) == "So"


def _cut(line: str, max_chars: int) -> str:
    """Cut at a whole character with all its marks, and say so by an ellipsis."""
    if len(line) <= max_chars:
        return line
    kept, last = "", ""
    for cluster in _clusters(line):
        if len(kept) + len(cluster) > max_chars - 1:
            break
        kept, last = kept + cluster, cluster
    return f"{kept.rstrip() if last == ' ' else kept}…"


def _clusters(line: str) -> list[str]:
    """Split into letters with their marks and pictures with their joiners, near enough."""
    starts: list[int] = []
    for place, char in enumerate(line):
        joined = place > 0 and (
            unicodedata.category(char) in {"Mn", "Me", "Mc", "Sk"}
            or char == _JOINER
            or line[place - 1] == _JOINER
        )
        starts.append(starts[-1] if joined else place)
    return [
        "".join(line[i] for i in group)
        for _, group in groupby(range(len(line)), starts.__getitem__)
    ]
