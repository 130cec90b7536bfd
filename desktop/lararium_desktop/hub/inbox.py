"""The inbox: what waits for the person and what ended, over all workspaces.

A view: the daemons' journals are the store. The hub adds what no daemon owns, crashes and
dismissals. An answer goes to the daemon, which takes the first one only.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from lararium_daemon.protocol.attention import WAITING, AttentionItem
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import InboxAnswered, InboxAnswerInput, InboxDetail, InboxItem
from lararium_daemon.protocol.state import SessionSummary
from lararium_daemon.system.clock import now_rfc3339
from lararium_desktop.hub.attention_book import AttentionBook
from lararium_desktop.hub.inbox_answers import Answerer, check_answer
from lararium_desktop.hub.inbox_view import described, global_id, split_id

MAX_ENDED = 100
"""Ended items that are shown; the older ones are in their sessions."""


class Inbox:
    """Everything that is for the person. Used from the event loop alone."""

    def __init__(
        self,
        book: AttentionBook,
        answerer: Answerer,
        workspaces: Callable[[], Sequence[Workspace]],
    ) -> None:
        """`workspaces` gives the registered ones now."""
        self._book = book
        self._answerer = answerer
        self._workspaces = workspaces
        self.on_crash: Callable[[InboxItem], None] = lambda _: None
        """Hears of each crash once; must not block."""
        self._crashes: dict[WorkspaceId, InboxItem] = {}

    def items(self) -> list[InboxItem]:
        """Give what waits, oldest first, then what ended, newest first."""
        waiting: list[InboxItem] = []
        ended: list[InboxItem] = []
        for workspace in self._workspaces():
            view = self._book.view(workspace.id)
            waiting += [described(workspace, each) for each in view.waiting()]
            ended += [described(workspace, each) for each in self._book.unread(workspace.id)]
            if crash := self._crash_of(workspace.id):
                ended.append(crash)
        waiting.sort(key=lambda item: item.at)
        ended.sort(key=lambda item: item.at, reverse=True)
        return waiting + ended[:MAX_ENDED]

    def state_of(self, workspace: WorkspaceId) -> Literal["needs_you", "busy"] | None:
        """Give the state that attention makes of a workspace whose daemon is up; None = neither."""
        view = self._book.view(workspace)
        if view.waiting():
            return "needs_you"
        return "busy" if view.running() else None

    def active(self, workspace: WorkspaceId) -> list[SessionSummary]:
        """Give the sessions of a workspace that run or wait for their turn."""
        return list(self._book.view(workspace).active)

    def dressed(self, workspace: Workspace) -> Workspace:
        """Give a workspace as the pool knows it with what attention adds: state, counts, fact."""
        view = self._book.view(workspace.id)
        more: dict[str, object] = {
            "waiting": len(view.waiting()),
            "unread": len(self._book.unread(workspace.id)),
            "running": len(view.running()),
            "fact": view.fact(),
        }
        if workspace.state == "ready" and (state := self.state_of(workspace.id)):
            more["state"] = state
        return workspace.model_copy(update=more)

    def note_states(self) -> bool:
        """Look at the workspaces' own states for crashes; give whether one is new."""
        is_new = False
        for workspace in self._workspaces():
            known = self._crashes.get(workspace.id)
            if workspace.state != "crashed":
                self._crashes.pop(workspace.id, None)
            elif known is None or known.detail != workspace.problem:
                self._crashes[workspace.id] = _crash(workspace)
                self.on_crash(self._crashes[workspace.id])
                is_new = True
        return is_new

    def is_open(self, workspace: WorkspaceId, item_id: str) -> bool:
        """Say whether an item, by its daemon's id, can still be answered or dismissed."""
        return item_id in self._book.view(workspace).open

    async def look(self, item_id: str) -> InboxDetail:
        """Give an item with what must be seen to answer it.

        Raises:
            LarariumError: 404 `unknown_item`, or why the daemon cannot be asked.
        """
        workspace, own_id = split_id(item_id)
        item = self._book.view(workspace).open.get(own_id)
        shown = next((each for each in self.items() if each.id == item_id), None)
        if shown is None:
            raise _unknown_item()
        if item is None or item.kind not in WAITING:
            return InboxDetail(item=shown)
        request, question = await self._answerer.look(workspace, item)
        return InboxDetail(item=shown, request=request, question=question)

    async def answer(self, item_id: str, given: InboxAnswerInput) -> InboxAnswered:
        """Take the person's answer; given once the daemon has committed it.

        Raises:
            LarariumError: 404 `unknown_item`, 409 `still_waits`, `review_first`, `wrong_answer`,
                `shown_mismatch`, or why the daemon cannot be reached.
        """
        workspace, own_id = split_id(item_id)
        view = self._book.view(workspace)
        item = view.open.get(own_id)
        if item is None:
            if own_id in view.closed:
                return InboxAnswered(id=item_id, outcome="elsewhere")
            return await self._answer_crash(workspace, item_id, given)
        if given.action == "dismiss":
            return await self._dismiss(workspace, item)
        check_answer(described(self._workspace(workspace), item), given)
        was_first = await self._answerer.answer(workspace, item, given)
        self._book.close(workspace, item)
        return InboxAnswered(id=item_id, outcome="taken" if was_first else "elsewhere")

    async def see(self, workspace: WorkspaceId, session: SessionId) -> None:
        """Take off the list what ended in a session that the person looks at now."""
        for item in self._book.unread(workspace):
            if item.session_id == session:
                await self._dismiss(workspace, item)

    async def _answer_crash(
        self, workspace: WorkspaceId, item_id: str, given: InboxAnswerInput
    ) -> InboxAnswered:
        crash = self._crash_of(workspace)
        if crash is None or crash.id != item_id:
            raise _unknown_item()
        if given.action != "dismiss":
            raise LarariumError("wrong_answer", "A crash can only be dismissed.", 409)
        await self._book.dismiss(item_id)
        return InboxAnswered(id=item_id, outcome="dismissed")

    async def _dismiss(self, workspace: WorkspaceId, item: AttentionItem) -> InboxAnswered:
        if item.kind in WAITING:
            detail = "This waits for an answer; it cannot be dismissed."
            raise LarariumError("still_waits", detail, 409)
        item_id = global_id(workspace, item.id)
        await self._book.dismiss(item_id)
        return InboxAnswered(id=item_id, outcome="dismissed")

    def _crash_of(self, workspace: WorkspaceId) -> InboxItem | None:
        crash = self._crashes.get(workspace)
        return None if crash is None or self._book.is_dismissed(crash.id) else crash

    def _workspace(self, workspace: WorkspaceId) -> Workspace:
        found = next((each for each in self._workspaces() if each.id == workspace), None)
        if found is None:
            raise _unknown_item()
        return found


def _crash(workspace: Workspace) -> InboxItem:
    at = now_rfc3339()
    return InboxItem(
        id=global_id(workspace.id, f"crash-{at}"),
        workspace_id=workspace.id,
        workspace_name=workspace.name,
        kind="crashed",
        waiting=False,
        session_id=None,
        title="",
        detail=workspace.problem,
        at=at,
    )


def _unknown_item() -> LarariumError:
    return LarariumError("unknown_item", "This is not in the inbox any more.", 404)
