"""The notifier tells once, replaces, takes back, and does what is pressed as long as it counts."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from lararium_daemon.protocol.attention import AttentionItem, AttentionKind
from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import RequestId, SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import ShownInput
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.text import utf16_length
from lararium_desktop.hub import notifier as notifier_module
from lararium_desktop.hub.attention_book import AttentionBook
from lararium_desktop.hub.front import COMING_SECONDS, UNNAMED_SECONDS, Front
from lararium_desktop.hub.inbox import Inbox
from lararium_desktop.hub.inbox_answers import Answerer
from lararium_desktop.hub.inbox_memory import InboxMemory
from lararium_desktop.hub.notifier import Notifier
from lararium_desktop.system.notifications.toast import OnAction, Toast

pytestmark = pytest.mark.anyio

ATLAS, ORRERY = WorkspaceId("a" * 16), WorkspaceId("b" * 16)
ONE, TWO = SessionId("ses_1"), SessionId("ses_2")
WAIT_SECONDS = 10


def item(
    item_id: str, kind: AttentionKind = "needs_you", session: SessionId = ONE, **more: Any
) -> AttentionItem:
    request_id = RequestId(item_id) if kind in {"needs_you", "question"} else None
    plain = AttentionItem(item_id, 0, kind, session, "Title", "Detail", "12:00", request_id)
    return replace(plain, tool="bash", program="git", run_seconds=60.0, **more)


@dataclass
class Screen:
    """A toaster that shows on a list. It raises nothing, as the port says, but may fail or hang."""

    name: str = "screen"
    works: bool = True
    hangs: bool = False
    shown: list[Toast] = field(default_factory=list[Toast])
    there: dict[str, tuple[Toast, OnAction]] = field(
        default_factory=dict[str, tuple[Toast, OnAction]]
    )
    closed: bool = False
    moved: anyio.Event = field(default_factory=anyio.Event)

    async def show(self, toast: Toast, on_action: OnAction) -> bool:
        if self.hangs:
            await anyio.sleep_forever()
        assert utf16_length(toast.title) <= 63
        assert utf16_length(toast.body) <= 255
        if self.works:
            self.shown.append(toast)
            self.there[toast.key] = (toast, on_action)
        self._move()
        return self.works

    async def withdraw(self, key: str) -> None:
        self.there.pop(key, None)
        self._move()

    async def close(self) -> None:
        self.closed = True

    def titles(self) -> list[str]:
        return [toast.title for toast, _ in self.there.values()]

    def _move(self) -> None:
        self.moved.set()
        self.moved = anyio.Event()


@dataclass
class Rig:
    path: Path
    screens: list[Screen] = field(default_factory=lambda: [Screen()])
    decided: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    opened: list[tuple[WorkspaceId, SessionId | None]] = field(
        default_factory=list[tuple[WorkspaceId, SessionId | None]]
    )
    fails: str = ""
    seq: int = 0
    now: float = 0.0

    def __post_init__(self) -> None:
        self.projects = [
            Workspace(id=ATLAS, name="atlas-api", path="/code/atlas", state="ready"),
            Workspace(id=ORRERY, name="orrery", path="/code/orrery", state="ready"),
        ]
        self.book = AttentionBook(InboxMemory.load(self.path))
        self.inbox = Inbox(self.book, Answerer(lambda _: self._ask), lambda: self.projects)
        self.front = Front(lambda: self.now)
        self.did = anyio.Event()
        self.notifier = Notifier(
            inbox=self.inbox,
            front=self.front,
            workspaces=lambda: self.projects,
            toasters=self.screens,
            open_session=self._open,
            changed=self._done,
        )
        self.book.listener = self.notifier
        self.inbox.on_crash = self.notifier.crashed

    @property
    def screen(self) -> Screen:
        return self.screens[0]

    def _ask(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        if self.fails:
            raise LarariumError(self.fails, "The project's daemon does not run.", 409)
        self.decided.append({"path": path, **(body or {})})
        return {}

    async def _open(self, workspace: WorkspaceId, session: SessionId | None) -> None:
        if self.fails:
            raise LarariumError(self.fails, "The window did not open.", 502)
        self.opened.append((workspace, session))
        self._done()

    def _done(self) -> None:
        self.did.set()
        self.did = anyio.Event()

    async def tell(self, *items: AttentionItem, by: WorkspaceId = ATLAS) -> None:
        numbered: list[AttentionItem] = []
        for each in items:
            self.seq += 1
            numbered.append(replace(each, seq=self.seq))
        await self.book.take_items(by, numbered, self.seq)

    async def close(self, one: AttentionItem, by: WorkspaceId = ATLAS) -> None:
        await self.tell(replace(one, resolved_at="13:00"), by=by)

    async def until(self, found: Callable[[], object]) -> None:
        with anyio.fail_after(WAIT_SECONDS):
            while not found():
                await anyio.wait_all_tasks_blocked()
                await anyio.sleep(0.005)  # threads answer the inbox

    async def settle(self) -> None:
        """Let everything that could happen happen."""
        await anyio.wait_all_tasks_blocked()

    def shows(self, session: SessionId | None = ONE, *, visible: bool = True) -> None:
        self.front.say(ShownInput(workspace_id=ATLAS, session_id=session, visible=visible))
        self.notifier.look()

    def press(self, action: str, title: str) -> None:
        [on_action] = [act for toast, act in self.screen.there.values() if toast.title == title]
        on_action(action)


@asynccontextmanager
async def running(path: Path, *screens: Screen) -> AsyncGenerator[Rig]:
    rig = Rig(path / "inbox.json", list(screens) or [Screen()])
    await rig.tell(item("seen", "finished"))
    await rig.tell(item("seen", "finished"), by=ORRERY)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(rig.notifier.run)
        yield rig
        tasks.cancel_scope.cancel()


async def test_each_session_has_one_notification_that_is_replaced(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(item("ask_1"), item("qst_2", "question", TWO))
        await rig.tell(item("ask_3"), by=ORRERY)
        await rig.until(lambda: len(rig.screen.there) == 3)
        assert sorted(rig.screen.titles()) == [
            "atlas-api has a question",
            "atlas-api needs you",
            "orrery needs you",
        ]
        await rig.close(item("ask_1"))
        await rig.tell(item("run_1", "failed"))
        await rig.until(lambda: "atlas-api: a run failed" in rig.screen.titles())
        assert len(rig.screen.there) == 3
        assert len({toast.key for toast in rig.screen.shown}) == 3


async def test_what_is_answered_elsewhere_is_taken_back(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(item("ask_1"))
        await rig.until(lambda: rig.screen.there)
        await rig.close(item("ask_1"))
        await rig.until(lambda: not rig.screen.there)


async def test_nothing_is_told_of_the_session_in_front(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        rig.shows(ONE)
        await rig.tell(item("ask_1"), item("run_1", "failed"), item("qst_2", "question", TWO))
        await rig.until(lambda: rig.screen.there)
        await rig.settle()
        assert [toast.title for toast in rig.screen.shown] == ["atlas-api has a question"]


async def test_what_waits_is_told_once_its_session_leaves_the_front(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        rig.shows(ONE)
        await rig.tell(item("ask_1"))
        await rig.settle()
        assert rig.screen.shown == []
        rig.shows(visible=False)
        await rig.until(lambda: rig.screen.titles() == ["atlas-api needs you"])


async def test_what_was_answered_in_front_is_never_told(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        rig.shows(ONE)
        await rig.tell(item("ask_1"))
        await rig.close(item("ask_1"))
        rig.shows(visible=False)
        await rig.settle()
        assert rig.screen.shown == []


async def test_a_page_that_died_no_longer_hides_what_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifier_module, "LOOK_AGAIN_SECONDS", 0.01)
    async with running(tmp_path) as rig:
        await rig.settle()
        rig.shows(ONE)
        await rig.tell(item("ask_1"))
        await rig.settle()
        assert rig.screen.shown == []
        rig.now += 60
        await rig.until(lambda: rig.screen.there)


async def test_the_session_that_is_brought_to_the_front_is_not_told_before_the_page_speaks(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as rig:
        await rig.settle()
        rig.shows(TWO)
        rig.front.bring(ATLAS, ONE, last=None)
        await rig.tell(item("ask_1"), item("run_1", "failed"), by=ATLAS)
        rig.shows(TWO)
        await rig.settle()
        rig.shows(ONE)
        await rig.settle()
        assert rig.screen.shown == []


@pytest.mark.parametrize("kind", ["needs_you", "failed", "finished"])
async def test_what_did_not_come_to_the_front_is_told_after_all(
    tmp_path: Path, kind: AttentionKind
) -> None:
    async with running(tmp_path) as rig:
        await rig.settle()
        rig.front.bring(ATLAS, ONE, last=None)
        await rig.tell(item("one_1", kind))
        await rig.settle()
        assert rig.screen.shown == []
        rig.now += COMING_SECONDS
        await rig.until(lambda: rig.screen.there)


async def test_what_is_not_coming_to_the_front_is_told_at_once(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        await rig.settle()
        rig.front.bring(ATLAS, ONE, last=None)
        await rig.tell(item("ask_1", session=TWO))
        await rig.tell(item("ask_2"), by=ORRERY)
        await rig.until(lambda: len(rig.screen.there) == 2)


async def test_news_of_a_session_that_just_began_waits_for_the_pages_word_and_no_longer(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as rig:
        await rig.settle()
        rig.shows(None)
        await rig.tell(item("ask_1"))
        await rig.settle()
        assert rig.screen.shown == []
        rig.shows(ONE)
        await rig.tell(item("ask_2", session=TWO))
        await rig.until(lambda: len(rig.screen.there) == 1)
        rig.shows(None)
        await rig.tell(item("ask_3", session=SessionId("ses_3")))
        await rig.tell(replace(item("ask_3", session=SessionId("ses_3")), title="Renamed"))
        await rig.settle()
        assert len(rig.screen.shown) == 1
        rig.now += UNNAMED_SECONDS
        await rig.until(lambda: len(rig.screen.there) == 3)


async def test_what_comes_to_the_front_is_taken_back_and_not_told_again(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(item("ask_1"))
        await rig.until(lambda: rig.screen.there)
        rig.shows(ONE)
        await rig.until(lambda: not rig.screen.there)
        rig.shows(visible=False)
        await rig.settle()
        assert len(rig.screen.shown) == 1


async def test_a_renamed_session_is_not_told_again(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(item("ask_1"))
        await rig.until(lambda: rig.screen.there)
        await rig.tell(replace(item("ask_1"), title="Other"))
        await rig.settle()
        assert len(rig.screen.shown) == 1


async def test_only_long_runs_are_news_when_they_finish_out_of_sight(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(replace(item("run_1", "finished"), run_seconds=3.0))
        await rig.tell(item("run_2", "finished"), by=ORRERY)
        await rig.until(lambda: rig.screen.there)
        await rig.settle()
        assert [toast.title for toast in rig.screen.shown] == ["orrery finished"]


@pytest.mark.parametrize(("action", "decision"), [("allow_once", "allow"), ("deny", "deny")])
async def test_a_button_answers(tmp_path: Path, action: str, decision: str) -> None:
    async with running(tmp_path) as rig:
        edit = replace(item("ask_1"), tool="edit_file", allow_once=True, shown_sha256="ab")
        await rig.tell(edit)
        await rig.until(lambda: rig.screen.there)
        rig.press(action, "atlas-api needs you")
        await rig.until(lambda: rig.decided)
        assert (rig.decided[0]["decision"], rig.decided[0]["shown_sha256"]) == (decision, "ab")
        await rig.until(lambda: not rig.screen.there)
        assert rig.opened == []


@pytest.mark.parametrize("action", ["click", "review"])
async def test_a_click_opens_that_very_session(tmp_path: Path, action: str) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(item("qst_1", "question", TWO))
        await rig.until(lambda: rig.screen.there)
        rig.press(action, "atlas-api has a question")
        await rig.until(lambda: rig.opened)
        assert rig.opened == [(ATLAS, TWO)]
        assert rig.decided == []


@pytest.mark.parametrize("action", ["allow_once", "deny", "review", "later"])
async def test_a_stale_button_does_nothing(tmp_path: Path, action: str) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(item("ask_1"))
        await rig.until(lambda: rig.screen.there)
        [(_, stale)] = rig.screen.there.values()
        await rig.close(item("ask_1"))
        stale(action)
        await rig.settle()
        assert (rig.opened, rig.decided) == ([], [])


async def test_a_stale_click_still_opens_the_session(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(item("run_1", "failed"))
        await rig.until(lambda: rig.screen.there)
        [(_, stale)] = rig.screen.there.values()
        await rig.close(item("run_1", "failed"))
        stale("click")
        await rig.until(lambda: rig.opened)


async def test_later_and_a_press_of_no_button_answer_nothing(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(item("qst_1", "question"))
        await rig.until(lambda: rig.screen.there)
        rig.press("later", "atlas-api has a question")
        rig.press("allow_always", "atlas-api has a question")
        await rig.settle()
        assert (rig.opened, rig.decided) == ([], [])


async def test_a_command_cannot_be_allowed_from_a_notification_whatever_is_pressed(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(item("ask_1"))
        await rig.until(lambda: rig.screen.there)
        rig.press("allow_once", "atlas-api needs you")
        await rig.until(lambda: rig.notifier.last)
        assert rig.decided == []


async def test_an_answer_that_fails_is_said_in_the_page(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(item("ask_1"))
        await rig.until(lambda: rig.screen.there)
        rig.fails = "daemon_gone"
        rig.press("deny", "atlas-api needs you")
        await rig.until(lambda: rig.notifier.last)
        said = rig.notifier.last
        assert said is not None
        assert (said.title, said.session_id) == ("Your answer was not taken", ONE)


async def test_a_window_that_does_not_open_is_said_in_the_page(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(item("ask_1"))
        await rig.until(lambda: rig.screen.there)
        rig.fails = "window_failed"
        rig.press("click", "atlas-api needs you")
        await rig.until(lambda: rig.notifier.last)
        said = rig.notifier.last
        assert said is not None
        assert (said.title, said.body) == (
            "The session could not be shown",
            "The window did not open.",
        )


async def test_the_next_way_shows_what_the_best_one_cannot(tmp_path: Path) -> None:
    broken, simple = Screen("native", works=False), Screen("simple")
    async with running(tmp_path, broken, simple) as rig:
        await rig.tell(item("ask_1"))
        await rig.until(lambda: simple.there)
        broken.works = True
        await rig.close(item("ask_1"))
        await rig.tell(item("run_1", "failed"))
        await rig.until(lambda: broken.there)
        assert simple.there == {}
        assert rig.notifier.last is None


async def test_the_page_says_what_no_way_can_show(tmp_path: Path) -> None:
    async with running(tmp_path, Screen(works=False), Screen(works=False)) as rig:
        await rig.tell(item("ask_1"))
        await rig.until(lambda: rig.notifier.last)
        await rig.tell(item("run_1", "failed", TWO))
        await rig.until(lambda: rig.notifier.last and rig.notifier.last.count == 2)
        said = rig.notifier.last
        assert said is not None
        assert (said.title, said.workspace_id, said.session_id) == (
            "atlas-api: a run failed",
            ATLAS,
            TWO,
        )


async def test_a_way_that_hangs_delays_neither_answers_nor_the_next_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifier_module, "SHOW_SECONDS", 0.05)
    hanging, simple = Screen("native"), Screen("simple")
    async with running(tmp_path, hanging, simple) as rig:
        await rig.tell(item("ask_1"))
        await rig.until(lambda: hanging.there)
        hanging.hangs = True
        await rig.tell(item("ask_2", session=TWO))
        rig.press("deny", "atlas-api needs you")
        await rig.until(lambda: rig.decided)
        await rig.until(lambda: simple.there)


async def test_a_crash_is_told_unless_the_app_is_in_front(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        down = rig.projects[0].model_copy(update={"state": "crashed", "problem": "It stopped."})
        rig.projects[0] = down
        rig.inbox.note_states()
        await rig.until(lambda: rig.screen.titles() == ["atlas-api stopped"])
        rig.press("click", "atlas-api stopped")
        await rig.until(lambda: rig.opened == [(ATLAS, None)])
        rig.shows(None)
        rig.projects[1] = rig.projects[1].model_copy(update={"state": "crashed", "problem": "X"})
        rig.inbox.note_states()
        await rig.settle()
        assert len(rig.screen.shown) == 1


async def test_many_at_once_are_all_shown(tmp_path: Path) -> None:
    async with running(tmp_path) as rig:
        await rig.tell(*(item(f"ask_{n}", session=SessionId(f"s{n}")) for n in range(50)))
        await rig.until(lambda: len(rig.screen.there) == 50)


async def test_the_end_takes_everything_back(tmp_path: Path) -> None:
    screen = Screen()
    async with running(tmp_path, screen) as rig:
        await rig.tell(item("ask_1"))
        await rig.until(lambda: screen.there)
    assert screen.closed
