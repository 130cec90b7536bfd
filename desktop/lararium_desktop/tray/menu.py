"""The menu of the tray, made of a model. Pure: the same model always gives the same menu.

At the top what waits for the person, then the projects with what each is doing, then what can be
done. An entry offers *Allow once* only where the item says that it may be allowed unseen. *Quit*
lists what still runs before it ends anything.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lararium_daemon.protocol.ids import WorkspaceId
from lararium_desktop.system.tray_messages import TrayAction, TrayItem, TrayModel, TrayWorkspace
from lararium_desktop.tray.words import (
    NAME_CHARS,
    TITLE_CHARS,
    counted,
    item_words,
    shown,
    state_words,
    total_runs,
    waiting_count,
)

MOST_ITEMS = 8
MOST_WORKSPACES = 8
MOST_LISTED = 20
"""Of a submenu: a menu longer than the screen cannot be used."""


@dataclass(frozen=True)
class Entry:
    """A line that does something, opens a submenu, or only says something."""

    text: str
    fact: str = ""
    """What stands at the far end of the line."""
    action: TrayAction | None = None
    entries: "tuple[Line, ...]" = ()
    is_default: bool = False
    """What a click on the icon itself does, where the system has that."""

    @property
    def is_enabled(self) -> bool:
        """Whether it can be chosen."""
        return self.action is not None or bool(self.entries)


@dataclass(frozen=True)
class Separator:
    """A thin line between groups."""


Line = Entry | Separator


def menu_of(model: TrayModel) -> tuple[Line, ...]:
    """Give the menu's lines from top to bottom."""
    groups = (
        _waiting(model),
        _workspaces(model),
        _doing(model),
        [_quit(model.workspaces)],
    )
    lines: list[Line] = []
    for group in groups:
        if lines and group:
            lines.append(Separator())
        lines.extend(group)
    return tuple(lines)


def _waiting(model: TrayModel) -> list[Line]:
    items = [item for item in model.items if item.waiting]
    if not items:
        return []
    rest = waiting_count(model) - len(items[:MOST_ITEMS])
    more: list[Line] = [Entry(f"{rest} more…", action=TrayAction("show"))] if rest else []
    return [Entry("Needs you"), *(_item(item) for item in items[:MOST_ITEMS]), *more]


def _item(item: TrayItem) -> Entry:
    text = f"{shown(item.workspace_name, NAME_CHARS)}: {item_words(item)}"
    return Entry(text, entries=tuple(_item_lines(item)))


def _item_lines(item: TrayItem) -> Iterator[Line]:
    if item.title:
        yield Entry(shown(item.title, TITLE_CHARS))
        yield Separator()
    if item.kind == "question":
        yield Entry("Answer…", action=TrayAction("open_item", item.id))
        return
    if "allow_once" in item.buttons:
        yield Entry("Allow once", action=TrayAction("allow_once", item.id))
    else:
        yield Entry("Review…", action=TrayAction("open_item", item.id))
    if "deny" in item.buttons:
        yield Entry("Deny", action=TrayAction("deny", item.id))
    if "allow_once" in item.buttons:
        yield Separator()
        yield Entry("Open session", action=TrayAction("open_item", item.id))


def _workspaces(model: TrayModel) -> list[Line]:
    """Give the projects, in the person's own order; the least pressing ones in a submenu."""
    everything = model.workspaces
    if len(everything) <= MOST_WORKSPACES:
        return [_workspace(workspace) for workspace in everything]
    recent = {workspace: rank for rank, workspace in enumerate(model.recent)}
    chosen = set(sorted(everything, key=lambda one: _pressing(one, recent))[:MOST_WORKSPACES])
    top: list[Line] = [_workspace(one) for one in everything if one in chosen]
    return [*top, Entry("All projects", entries=_listed(everything))]


def _pressing(
    workspace: TrayWorkspace, recent: dict[WorkspaceId, int]
) -> tuple[bool, bool, bool, bool, bool, int]:
    """Sort what awaits the person first; what is left goes by when it was shown last."""
    return (
        not workspace.waiting,
        workspace.state != "crashed",
        not workspace.pinned,
        not workspace.running,
        not workspace.unread,
        recent.get(workspace.id, len(recent)),
    )


def _workspace(workspace: TrayWorkspace) -> Entry:
    return Entry(
        shown(workspace.name, NAME_CHARS),
        fact=state_words(workspace),
        action=TrayAction("open_workspace", workspace.id),
    )


def _listed(workspaces: Sequence[TrayWorkspace]) -> tuple[Line, ...]:
    lines: list[Line] = [_workspace(workspace) for workspace in workspaces[:MOST_LISTED]]
    rest = len(workspaces) - MOST_LISTED
    if rest > 0:
        lines.append(Entry(f"{rest} more…", action=TrayAction("show")))
    return tuple(lines)


def _doing(model: TrayModel) -> list[Line]:
    opening = Entry("Open Lararium", action=TrayAction("show"), is_default=True)
    places = [workspace for workspace in model.workspaces if workspace.state != "missing"]
    if not places:
        return [opening]
    lines: list[Line] = [
        Entry(shown(place.name, NAME_CHARS), action=TrayAction("new_session", place.id))
        for place in places[:MOST_LISTED]
    ]
    return [Entry("New session in", entries=tuple(lines)), opening]


def _quit(workspaces: Sequence[TrayWorkspace]) -> Entry:
    runs = total_runs(workspaces)
    if not runs:
        return Entry("Quit Lararium", action=TrayAction("quit"))
    busy = [workspace for workspace in workspaces if workspace.runs]
    listed: list[Line] = [
        Entry(shown(workspace.name, NAME_CHARS), fact=state_words(workspace))
        for workspace in busy[:MOST_LISTED]
    ]
    choices: list[Line] = [
        Separator(),
        Entry("Quit, leave daemons running", action=TrayAction("quit")),
        Entry(f"Quit and stop {counted(runs, 'run')}", action=TrayAction("quit_and_stop")),
    ]
    return Entry("Quit…", entries=(*listed, *choices))
