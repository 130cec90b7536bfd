"""Tells the person outside the app: one notification a session, replaced and taken back.

What is to be shown is a state (the newest notice of each session), and one task brings the system
to it, so a slow or missing notification service delays nothing but itself. What the person presses
is worked on by another task; a button whose item was closed meanwhile does nothing.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

import anyio

from lararium_daemon.protocol.attention import WAITING, AttentionItem
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import InboxAction, InboxAnswerInput, InboxItem, ShellToast
from lararium_desktop.hub.front import Front
from lararium_desktop.hub.inbox import Inbox
from lararium_desktop.hub.inbox_view import global_id
from lararium_desktop.hub.notice import NoticeRules, crash_toast, is_wanted, toast_of
from lararium_desktop.system.notifications.toast import CLICK, Toast, Toaster

logger = logging.getLogger(__name__)

LOOK_AGAIN_SECONDS = 5.0
"""How soon it is noticed that a page that said no more has left the front."""
LOOK_SOON_SECONDS = 0.1
"""How soon it is noticed that what was to come to the front has not come."""
SHOW_SECONDS = 8.0
"""More than any toaster allows itself."""
OPEN_SECONDS = 60.0
MAX_PRESSES = 32

OpenSession = Callable[[WorkspaceId, SessionId | None], Awaitable[object]]
"""Shows a session in the window, which is opened when needed; may raise LarariumError."""

_NOT_TAKEN = "Your answer was not taken"
_NOT_OPENED = "The session could not be shown"
_ANSWERS: dict[str, InboxAction] = {"allow_once": "allow_once", "deny": "deny"}


@dataclass(slots=True, frozen=True)
class _Notice:
    """A notification that is or shall be there."""

    toast: Toast
    workspace: WorkspaceId
    session: SessionId | None
    item_id: str


@dataclass(slots=True, frozen=True)
class _Held:
    """News that is not told now, and may be later."""

    workspace: WorkspaceId
    item: AttentionItem
    since: float
    """By the clock of the front."""


@dataclass(slots=True, frozen=True)
class _Press:
    notice: _Notice
    action: str


@dataclass
class Notifier:
    """The listener of the attention book; used from the event loop alone."""

    inbox: Inbox
    front: Front
    workspaces: Callable[[], Sequence[Workspace]]
    toasters: Sequence[Toaster]
    """The ways to show a notification, the best first; after the last the page says it."""
    open_session: OpenSession
    changed: Callable[[], None] = lambda: None
    """Called when the page has to say something."""
    rules: NoticeRules = field(default_factory=NoticeRules)
    last: ShellToast | None = None
    """What the page has to say itself."""
    _wanted: dict[str, _Notice | None] = field(default_factory=dict[str, "_Notice | None"])
    """What each key shall show next; None = nothing."""
    _there: dict[str, tuple[_Notice, Toaster]] = field(
        default_factory=dict[str, "tuple[_Notice, Toaster]"]
    )
    _held: dict[str, _Held] = field(default_factory=dict[str, "_Held"])
    """What waits and is not told because the person looks at it, or may do so in a moment."""
    _presses: list[_Press] = field(default_factory=list[_Press])
    _moved: anyio.Event = field(default_factory=anyio.Event)
    _pressed: anyio.Event = field(default_factory=anyio.Event)

    def opened(self, workspace: WorkspaceId, item: AttentionItem) -> None:
        """Take an item that nobody was told of."""
        held = self._held.get(_key(workspace, item.session_id))
        if held is None or held.item.id != item.id:
            self._judge(_Held(workspace, item, self.front.clock()))
        else:
            self._judge(replace(held, item=item))

    def closed(self, workspace: WorkspaceId, item: AttentionItem) -> None:
        """Take back what told of an item that is closed."""
        key = _key(workspace, item.session_id)
        if key in self._held and self._held[key].item.id == item.id:
            del self._held[key]
        if self._is_told(key, item.id):
            self._want(key, None)

    def crashed(self, crash: InboxItem) -> None:
        """Tell of a daemon that stopped; one that is in front shows it by itself."""
        if self.rules.failed and not self.front.has_window():
            key = _key(crash.workspace_id, None)
            notice = _Notice(crash_toast(key, crash), crash.workspace_id, None, crash.id)
            self._want(key, notice)

    def look(self) -> None:
        """Compare with what is in front now: take back what is seen, tell what no longer is."""
        told = {**{key: there for key, (there, _) in self._there.items()}, **self._wanted}
        for key, notice in told.items():
            if notice is None or notice.session is None:
                continue
            if self.front.has_session(notice.workspace, notice.session):
                self._want(key, None)
        for held in list(self._held.values()):
            self._judge(held)

    async def run(self) -> None:
        """Show, replace and take back, until cancelled; then take all back."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._keep_shown)
                tasks.start_soon(self._keep_answering)
        finally:
            with anyio.CancelScope(shield=True), anyio.move_on_after(SHOW_SECONDS):
                for toaster in self.toasters:
                    await toaster.close()

    async def _keep_shown(self) -> None:
        while True:
            moved = self._moved
            while self._wanted:
                key = next(iter(self._wanted))
                await self._bring(key, self._wanted.pop(key))
            with anyio.move_on_after(self._pause()):
                await moved.wait()
            self.look()

    def _pause(self) -> float | None:
        """Give the seconds after which what is held is looked at again; None = nothing is held."""
        if any(self._is_wanted(held) and self._is_unsure(held) for held in self._held.values()):
            return LOOK_SOON_SECONDS
        return LOOK_AGAIN_SECONDS if self._held else None

    async def _bring(self, key: str, notice: _Notice | None) -> None:
        """Make the system show this for the key."""
        there = self._there.pop(key, None)
        if notice is None:
            if there is not None:
                await self._withdraw(there[1], key)
            return
        for toaster in self.toasters:
            if there is not None and there[1] is not toaster:
                await self._withdraw(there[1], key)
                there = None
            if await self._show(toaster, notice):
                self._there[key] = (notice, toaster)
                return
        self._say(notice.toast.title, notice.toast.body, notice)

    async def _show(self, toaster: Toaster, notice: _Notice) -> bool:
        def on_action(action: str) -> None:
            if len(self._presses) < MAX_PRESSES:
                self._presses.append(_Press(notice, action))
                self._pressed.set()

        with anyio.move_on_after(SHOW_SECONDS):
            return await toaster.show(notice.toast, on_action)
        logger.warning("%s took too long to show a notification", toaster.name)
        return False

    async def _withdraw(self, toaster: Toaster, key: str) -> None:
        with anyio.move_on_after(SHOW_SECONDS):
            await toaster.withdraw(key)

    async def _keep_answering(self) -> None:
        while True:
            await self._pressed.wait()
            self._pressed = anyio.Event()
            while self._presses:
                press = self._presses.pop(0)
                try:
                    await self._act(press)
                except LarariumError as error:
                    logger.warning("What was pressed could not be done: %s", error.detail)
                    answers = press.action in _ANSWERS
                    title = _NOT_TAKEN if answers else _NOT_OPENED
                    self._say(title, error.detail, press.notice)

    async def _act(self, press: _Press) -> None:
        notice = press.notice
        action = _ANSWERS.get(press.action)
        if press.action != CLICK and not self.inbox.is_open(notice.workspace, notice.item_id):
            logger.info("A button of a notification was pressed after its time")
        elif action is not None:
            item_id = global_id(notice.workspace, notice.item_id)
            await self.inbox.answer(item_id, InboxAnswerInput(action=action))
        elif press.action in {CLICK, "review"}:
            with anyio.move_on_after(OPEN_SECONDS):
                await self.open_session(notice.workspace, notice.session)

    def _judge(self, news: _Held) -> None:
        """Tell it, or hold it, or let it go because the person sees it."""
        workspace, item = news.workspace, news.item
        key = _key(workspace, item.session_id)
        project = self._project(workspace)
        if project is None or self._is_told(key, item.id):
            return
        is_wanted_now = self._is_wanted(news)
        if is_wanted_now and not self._is_unsure(news):
            self._held.pop(key, None)
            toast = toast_of(key, item, project)
            self._want(key, _Notice(toast, workspace, item.session_id, item.id))
        elif is_wanted_now or item.kind in WAITING:
            self._hold(key, news)
        else:
            self._held.pop(key, None)

    def _hold(self, key: str, news: _Held) -> None:
        if self._held.get(key) != news:
            self._held[key] = news
            self._wake()  # the pause there is now may have no end

    def _is_wanted(self, news: _Held) -> bool:
        workspace, session = news.workspace, news.item.session_id
        return is_wanted(
            news.item,
            self.rules,
            session_in_front=self.front.has_session(workspace, session),
            window_in_front=self.front.has_window(),
        )

    def _is_unsure(self, news: _Held) -> bool:
        """Say whether it would not be wanted if what is to come to the front were there."""
        workspace, session = news.workspace, news.item.session_id
        return not is_wanted(
            news.item,
            self.rules,
            session_in_front=self.front.awaits_session(workspace, session, news.since),
            window_in_front=self.front.awaits_window(),
        )

    def _is_told(self, key: str, item_id: str) -> bool:
        if key in self._wanted:
            wanted = self._wanted[key]
            return wanted is not None and wanted.item_id == item_id
        there = self._there.get(key)
        return there is not None and there[0].item_id == item_id

    def _want(self, key: str, notice: _Notice | None) -> None:
        self._wanted[key] = notice
        self._wake()

    def _wake(self) -> None:
        self._moved.set()
        self._moved = anyio.Event()

    def _say(self, title: str, body: str, notice: _Notice) -> None:
        self.last = ShellToast(
            count=1 if self.last is None else self.last.count + 1,
            title=title,
            body=body,
            workspace_id=notice.workspace,
            session_id=notice.session,
        )
        self.changed()

    def _project(self, workspace: WorkspaceId) -> Workspace | None:
        return next((each for each in self.workspaces() if each.id == workspace), None)


def _key(workspace: WorkspaceId, session: SessionId | None) -> str:
    return f"{workspace}/{session or 'daemon'}"
