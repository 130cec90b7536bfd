"""What the hub tells its tray: projects and inbox, without anything that the tray may not show."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.protocol.inbox import InboxItem
from lararium_desktop.system.tray_messages import TrayItem, TrayModel, TrayWorkspace

MAX_NAME_CHARS = 200
MAX_ITEMS = 200


def model_of(
    workspaces: Sequence[Workspace],
    items: Sequence[InboxItem],
    recent: Sequence[WorkspaceId] = (),
) -> TrayModel:
    """Give the tray's model. Commands, diffs and paths stay behind: none of it is for a menu."""
    names = _names(workspaces)
    return TrayModel(
        workspaces=tuple(
            TrayWorkspace(
                id=workspace.id,
                name=names[workspace.id],
                state=workspace.state,
                running=workspace.running,
                waiting=workspace.waiting,
                unread=workspace.unread,
                pinned=workspace.pinned,
            )
            for workspace in workspaces
        ),
        items=tuple(_item(item, names) for item in items[:MAX_ITEMS]),
        recent=tuple(recent),
    )


def _item(item: InboxItem, names: dict[WorkspaceId, str]) -> TrayItem:
    return TrayItem(
        id=item.id,
        workspace_id=item.workspace_id,
        workspace_name=names.get(item.workspace_id) or _writable(item.workspace_name),
        kind=item.kind,
        waiting=item.waiting,
        title=_writable(item.title),
        tool=_writable(item.tool),
        program=_writable(item.program),
        buttons=tuple(item.buttons),
    )


def _names(workspaces: Sequence[Workspace]) -> dict[WorkspaceId, str]:
    """Give each project's name, with its parent folder where two have the same."""
    counted = Counter(workspace.name for workspace in workspaces)
    names: dict[WorkspaceId, str] = {}
    for workspace in workspaces:
        name = workspace.name
        if counted[name] > 1:
            name = f"{name} ({PurePath(workspace.path).parent.name})"
        names[workspace.id] = _writable(name)
    return names


def _writable(text: str) -> str:
    """Give text that JSON can carry: a folder's name need not be Unicode."""
    return text[:MAX_NAME_CHARS].encode("utf-8", "backslashreplace").decode()
