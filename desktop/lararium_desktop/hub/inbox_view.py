"""What the hub knows of one workspace's attention: folded from its daemon's messages, pure."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from lararium_daemon.protocol.attention import WAITING, AttentionItem
from lararium_daemon.protocol.confined import buttons
from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.protocol.inbox import InboxItem
from lararium_daemon.protocol.state import SessionSummary

REMEMBERED = 1_000
"""Closed items that are kept by id, to tell a late answer from a wrong one."""


@dataclass(slots=True)
class WorkspaceView:
    """The open items of a workspace and its sessions that work."""

    guid: str = ""
    """Of the daemon that told it."""
    after: int = 0
    """The place to go on from."""
    open: dict[str, AttentionItem] = field(default_factory=dict[str, AttentionItem])
    closed: OrderedDict[str, None] = field(default_factory=OrderedDict[str, None])
    active: list[SessionSummary] = field(default_factory=list[SessionSummary])

    def begin(self, guid: str) -> int:
        """Follow a daemon; give the place to go on from. Another daemon tells it all again."""
        if guid != self.guid:
            self.guid, self.after = guid, 0
            self.open.clear()
        return self.after

    def take(self, items: Sequence[AttentionItem], next_seq: int) -> list[AttentionItem]:
        """Fold items in; give those that were closed by it, as they were while open."""
        closed: list[AttentionItem] = []
        for item in items:
            if item.resolved_at is None:
                self.open[item.id] = item
            elif (known := self.open.get(item.id)) is not None:
                closed.append(known)
                self.close(item.id)
        self.after = next_seq
        return closed

    def close(self, item_id: str) -> None:
        """Take an item off the open ones."""
        if self.open.pop(item_id, None) is not None:
            self.closed[item_id] = None
            while len(self.closed) > REMEMBERED:
                self.closed.popitem(last=False)

    def lose_daemon(self) -> list[AttentionItem]:
        """The daemon is gone, and with it every run that waited; give what can't be answered."""
        gone = self.waiting()
        for item in gone:
            self.close(item.id)
        self.active = []
        return gone

    def waiting(self) -> list[AttentionItem]:
        """Give what stands still until the person answers, oldest first."""
        items = [each for each in self.open.values() if each.kind in WAITING]
        return sorted(items, key=lambda each: each.at)

    def ended(self) -> list[AttentionItem]:
        """Give the runs that ended and were not followed by another one."""
        return [each for each in self.open.values() if each.kind not in WAITING]

    def running(self) -> list[SessionSummary]:
        """Give the sessions in which a run goes on."""
        return [row for row in self.active if row.activity in {"running", "needs_you"}]

    def fact(self) -> str:
        """Give one line of what goes on: what is asked first, else what runs; "" for nothing."""
        rows = sorted(self.running(), key=lambda row: row.activity != "needs_you")
        return rows[0].fact if rows else ""


def global_id(workspace: WorkspaceId, item_id: str) -> str:
    """Give the id of an item that is unique over all workspaces."""
    return f"{workspace}.{item_id}"


def split_id(item_id: str) -> tuple[WorkspaceId, str]:
    """Give the workspace and the item's own id back."""
    workspace, _, own = item_id.partition(".")
    return WorkspaceId(workspace), own


def described(workspace: Workspace, item: AttentionItem) -> InboxItem:
    """Give an item as the hub's clients see it."""
    offered = buttons(allow_once=item.allow_once, is_remote=workspace.location == "remote")
    return InboxItem(
        id=global_id(workspace.id, item.id),
        workspace_id=workspace.id,
        workspace_name=workspace.name,
        kind=item.kind,
        waiting=item.kind in WAITING,
        session_id=item.session_id,
        title=item.title,
        detail=item.detail,
        at=item.at,
        run_seconds=item.run_seconds,
        tool=item.tool,
        program=item.program,
        code=item.code,
        buttons=list(offered) if item.kind == "needs_you" else [],
    )
