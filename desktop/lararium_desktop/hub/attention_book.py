"""What every daemon has told of its attention, and whom the hub has told of it.

One view a workspace. What is new is told to one listener, once, also over restarts of the hub: the
place up to which each workspace was told lies in the inbox's file.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from anyio import CapacityLimiter, to_thread

from lararium_daemon.protocol.attention import WAITING, AttentionItem
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.protocol.state import SessionSummary
from lararium_desktop.hub.inbox_memory import InboxMemory
from lararium_desktop.hub.inbox_view import WorkspaceView, global_id


class Listener(Protocol):
    """Hears what is new; its calls must not block."""

    def opened(self, workspace: WorkspaceId, item: AttentionItem) -> None:
        """An item is there that nobody was told of."""
        ...

    def closed(self, workspace: WorkspaceId, item: AttentionItem) -> None:
        """An item was answered, withdrawn, dismissed or overtaken."""
        ...


class AttentionBook:
    """The views of all workspaces. Used from the event loop alone."""

    def __init__(self, memory: InboxMemory, changed: Callable[[], None] = lambda: None) -> None:
        """`changed` is called after each change; it must not block."""
        self._memory = memory
        self._changed = changed
        self._views: dict[WorkspaceId, WorkspaceView] = {}
        self._saving = CapacityLimiter(1)
        self.listener: Listener | None = None

    def view(self, workspace: WorkspaceId) -> WorkspaceView:
        """Give what is known of a workspace; to be read only."""
        return self._views.setdefault(workspace, WorkspaceView())

    def unread(self, workspace: WorkspaceId) -> list[AttentionItem]:
        """Give what ended and was not dismissed."""
        return [
            each
            for each in self.view(workspace).ended()
            if not self.is_dismissed(global_id(workspace, each.id))
        ]

    def is_dismissed(self, item_id: str) -> bool:
        """Say whether the person took an item off the list; `item_id` is the global one."""
        return item_id in self._memory.dismissed

    def begin(self, workspace: WorkspaceId, guid: str) -> int:
        """Follow a daemon; give the place to go on from."""
        return self.view(workspace).begin(guid)

    async def take_items(
        self, workspace: WorkspaceId, items: Sequence[AttentionItem], next_seq: int
    ) -> None:
        """Take what a daemon told, and tell the listener what is new."""
        view = self.view(workspace)
        is_first = view.after == 0
        told = self._memory.told.get(workspace)
        if told is not None and next_seq < told:
            told = None  # the journal is another one
        for item in view.take(items, next_seq):
            self._tell_closed(workspace, item)
        for item in items:
            # What ended before the hub first saw the project is no news.
            is_news = not is_first or item.kind in WAITING if told is None else item.seq > told
            if is_news and item.resolved_at is None and self.listener is not None:
                self.listener.opened(workspace, item)
        if items:
            self._changed()
        if self._memory.told.get(workspace) != next_seq:
            self._memory.told[workspace] = next_seq
            await self._save()

    def take_activity(self, workspace: WorkspaceId, sessions: Sequence[SessionSummary]) -> None:
        """Take which sessions of a workspace work."""
        self.view(workspace).active = list(sessions)
        self._changed()

    def lose_daemon(self, workspace: WorkspaceId) -> None:
        """Close what a daemon that is gone had asked: its runs have ended with it."""
        for item in self.view(workspace).lose_daemon():
            self._tell_closed(workspace, item)
        self._changed()

    def forget(self, workspace: WorkspaceId) -> None:
        """Drop a workspace that is no longer registered."""
        self.lose_daemon(workspace)
        self._views.pop(workspace, None)

    def close(self, workspace: WorkspaceId, item: AttentionItem) -> None:
        """Close an item that was answered here; the daemon will say so too."""
        view = self.view(workspace)
        if view.open.get(item.id) is item:
            view.close(item.id)
            self._tell_closed(workspace, item)
            self._changed()

    async def dismiss(self, item_id: str) -> None:
        """Take an item that ended off the list, for good; `item_id` is the global one."""
        self._memory.dismiss(item_id)
        self._changed()
        await self._save()

    def _tell_closed(self, workspace: WorkspaceId, item: AttentionItem) -> None:
        if self.listener is not None:
            self.listener.closed(workspace, item)

    async def _save(self) -> None:
        content = self._memory.content()
        await to_thread.run_sync(self._memory.save, content, limiter=self._saving)
