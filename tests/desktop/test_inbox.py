"""The inbox shows what waits and what ended over all projects, and carries each answer once."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from lararium_daemon.protocol.attention import AttentionItem, AttentionKind
from lararium_daemon.protocol.hub import Workspace, WorkspaceState
from lararium_daemon.protocol.ids import RequestId, SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import InboxAction, InboxAnswerInput, InboxItem
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.state import Activity, SessionSummary
from lararium_desktop.hub.attention_book import AttentionBook
from lararium_desktop.hub.inbox import Inbox
from lararium_desktop.hub.inbox_answers import Answerer, Ask
from lararium_desktop.hub.inbox_memory import InboxMemory

pytestmark = pytest.mark.anyio

ATLAS, ORRERY = WorkspaceId("a" * 16), WorkspaceId("b" * 16)
SESSION = SessionId("ses_1")


def item(
    item_id: str, seq: int, kind: AttentionKind = "needs_you", at: str = "12:00", **more: Any
) -> AttentionItem:
    request_id = RequestId(item_id) if kind in {"needs_you", "question"} else None
    plain = AttentionItem(item_id, seq, kind, SESSION, "Title", "Detail", at, request_id)
    return replace(plain, **more)


def closed(one: AttentionItem, seq: int) -> AttentionItem:
    return replace(one, seq=seq, resolved_at="13:00")


def workspace(workspace_id: WorkspaceId, name: str, state: WorkspaceState = "ready") -> Workspace:
    return Workspace(id=workspace_id, name=name, path=f"/code/{name}", state=state)


def row(activity: Activity, fact: str = "") -> SessionSummary:
    return SessionSummary(
        SESSION, "Title", "default", None, False, False, "", "", activity, fact, None, 1
    )


@dataclass
class Heard:
    """What the notifier would hear."""

    opened_ids: list[str] = field(default_factory=list[str])
    closed_ids: list[str] = field(default_factory=list[str])

    def opened(self, workspace: WorkspaceId, item: AttentionItem) -> None:
        self.opened_ids.append(item.id)

    def closed(self, workspace: WorkspaceId, item: AttentionItem) -> None:
        self.closed_ids.append(item.id)


@dataclass
class Rig:
    path: Path
    workspaces: list[Workspace]
    asked: list[tuple[WorkspaceId, str, str, Any]]
    says: Callable[[], dict[str, Any]]
    heard: Heard = field(default_factory=Heard)
    changes: list[None] = field(default_factory=list[None])
    book: AttentionBook = field(init=False)
    inbox: Inbox = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Start the hub, or start it again."""
        memory = InboxMemory.load(self.path)
        self.book = AttentionBook(memory, changed=lambda: self.changes.append(None))
        self.book.listener = self.heard = Heard()
        self.inbox = Inbox(self.book, Answerer(self._connect), lambda: self.workspaces)

    def _connect(self, workspace: WorkspaceId) -> Ask:
        def ask(method: str, path: str, body: Any) -> dict[str, Any]:
            self.asked.append((workspace, method, path, body))
            return self.says()

        return ask

    async def told(self, *items: AttentionItem, by: WorkspaceId = ATLAS, guid: str = "g") -> None:
        self.book.begin(by, guid)
        await self.book.take_items(by, items, max(each.seq for each in items))

    def shown(self) -> list[tuple[str, str, bool]]:
        return [(each.id, each.kind, each.waiting) for each in self.inbox.items()]

    async def answer(self, item_id: str, action: InboxAction, **more: Any) -> str:
        given = InboxAnswerInput(action=action, **more)
        return (await self.inbox.answer(f"{ATLAS}.{item_id}", given)).outcome


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    workspaces = [workspace(ATLAS, "atlas-api"), workspace(ORRERY, "orrery")]
    return Rig(tmp_path / "inbox.json", workspaces, [], says=dict)


def late(code: str, status: int = 409) -> Callable[[], dict[str, Any]]:
    def say() -> dict[str, Any]:
        raise LarariumError(code, "No.", status)

    return say


async def refused(rig: Rig, *args: Any, **more: Any) -> tuple[int, str]:
    with pytest.raises(LarariumError) as caught:
        await rig.answer(*args, **more)
    return caught.value.status, caught.value.code


async def test_what_waits_comes_oldest_first_then_what_ended_newest_first(rig: Rig) -> None:
    await rig.told(item("ask_2", 1, at="12:05"), item("run_1", 2, "finished", "12:01"))
    await rig.told(item("qst_1", 1, "question", "12:03"), item("run_2", 2, "failed"), by=ORRERY)
    assert rig.shown() == [
        (f"{ORRERY}.qst_1", "question", True),
        (f"{ATLAS}.ask_2", "needs_you", True),
        (f"{ATLAS}.run_1", "finished", False),
        (f"{ORRERY}.run_2", "failed", False),
    ]


async def test_only_a_request_that_may_be_allowed_unseen_offers_it(rig: Rig) -> None:
    await rig.told(item("edit", 1, allow_once=True), item("shell", 2), item("q", 3, "question"))
    offered = {each.id[17:]: each.buttons for each in rig.inbox.items()}
    assert offered == {"edit": ["allow_once", "deny"], "shell": ["review", "deny"], "q": []}


async def test_of_a_remote_project_nothing_is_allowed_unseen(rig: Rig) -> None:
    rig.workspaces[0] = rig.workspaces[0].model_copy(update={"location": "remote"})
    await rig.told(item("edit", 1, allow_once=True, shown_sha256="ab"))
    assert rig.inbox.items()[0].buttons == ["review"]
    assert await refused(rig, "edit", "allow_once") == (409, "review_first")


async def test_a_resolved_item_leaves_and_the_listener_is_told(rig: Rig) -> None:
    asked = item("ask_1", 1)
    await rig.told(asked)
    await rig.told(closed(asked, 2))
    assert rig.shown() == []
    assert (rig.heard.opened_ids, rig.heard.closed_ids) == (["ask_1"], ["ask_1"])


@pytest.mark.parametrize(
    ("action", "decision", "scope"),
    [
        ("allow_once", "allow", "once"),
        ("allow_session", "allow", "session"),
        ("allow_always", "allow", "always"),
        ("deny", "deny", "once"),
    ],
)
async def test_an_answer_goes_to_the_daemon_with_the_hash_of_what_was_shown(
    rig: Rig, action: InboxAction, decision: str, scope: str
) -> None:
    await rig.told(item("ask_1", 1, shown_sha256="ab"))
    outcome = await rig.answer("ask_1", action, shown_sha256="cd", reason="So.")
    assert outcome == "taken"
    path = "/api/permissions/requests/ask_1/decision"
    body = {"decision": decision, "scope": scope, "shown_sha256": "cd", "reason": "So."}
    assert rig.asked == [(ATLAS, "POST", path, body)]
    assert rig.shown() == []
    assert rig.heard.closed_ids == ["ask_1"]


async def test_a_confined_request_is_allowed_once_unseen_and_nothing_beyond(rig: Rig) -> None:
    await rig.told(item("edit", 1, allow_once=True, shown_sha256="ab"))
    assert await refused(rig, "edit", "allow_session") == (409, "review_first")
    assert await refused(rig, "edit", "allow_always") == (409, "review_first")
    assert rig.asked == []
    assert await rig.answer("edit", "allow_once") == "taken"
    assert rig.asked[0][3]["shown_sha256"] == "ab"


async def test_a_command_is_never_allowed_unseen_but_can_be_denied(rig: Rig) -> None:
    await rig.told(item("shell", 1, shown_sha256="ab"))
    assert await refused(rig, "shell", "allow_once") == (409, "review_first")
    assert await rig.answer("shell", "deny") == "taken"


async def test_a_question_takes_answers_and_no_decision(rig: Rig) -> None:
    await rig.told(item("qst_1", 1, "question"))
    assert await refused(rig, "qst_1", "allow_once", shown_sha256="x") == (409, "wrong_answer")
    given = [{"selected": ["A"], "text": ""}]
    assert await rig.answer("qst_1", "answer", answers=given) == "taken"
    assert rig.asked == [(ATLAS, "POST", "/api/questions/qst_1/answer", {"answers": given})]


@pytest.mark.parametrize("code", ["already_resolved", "unknown_request"])
async def test_an_answer_that_comes_too_late_closes_the_item(rig: Rig, code: str) -> None:
    await rig.told(item("ask_1", 1))
    rig.says = late(code)
    assert await rig.answer("ask_1", "deny") == "elsewhere"
    assert rig.shown() == []
    assert await rig.answer("ask_1", "deny") == "elsewhere"
    assert len(rig.asked) == 1


@pytest.mark.parametrize("code", ["shown_mismatch", "daemon_gone", "not_committed"])
async def test_an_answer_that_was_not_taken_leaves_the_item_open(rig: Rig, code: str) -> None:
    await rig.told(item("ask_1", 1))
    rig.says = late(code)
    assert await refused(rig, "ask_1", "deny") == (409, code)
    assert len(rig.shown()) == 1


async def test_what_is_not_there_cannot_be_answered(rig: Rig) -> None:
    assert await refused(rig, "ask_9", "deny") == (404, "unknown_item")
    with pytest.raises(LarariumError, match="not in the inbox"):
        await rig.inbox.look("nonsense")


async def test_a_dismissal_lasts_over_a_restart_and_asks_no_daemon(rig: Rig) -> None:
    done = item("run_1", 1, "finished")
    await rig.told(done, item("ask_1", 2))
    assert await rig.answer("run_1", "dismiss") == "dismissed"
    assert await refused(rig, "ask_1", "dismiss") == (409, "still_waits")
    rig.start()
    await rig.told(done, item("ask_1", 2))
    assert [each for each, *_ in rig.shown()] == [f"{ATLAS}.ask_1"]
    assert rig.asked == []


async def test_what_ended_in_a_session_is_off_the_list_once_it_was_looked_at(rig: Rig) -> None:
    other = replace(item("run_2", 2, "failed"), session_id=SessionId("ses_2"))
    await rig.told(item("run_1", 1, "finished"), other, item("ask_1", 3))
    await rig.inbox.see(ATLAS, SESSION)
    assert [each[17:] for each, *_ in rig.shown()] == ["ask_1", "run_2"]


async def test_after_a_restart_only_what_was_not_told_is_news(rig: Rig) -> None:
    first, second = item("ask_1", 1), item("run_1", 2, "finished")
    await rig.told(first, second)
    rig.start()
    await rig.told(first, second, item("run_2", 3, "finished"))
    assert rig.heard.opened_ids == ["run_2"]


async def test_of_a_project_seen_for_the_first_time_only_what_waits_is_news(rig: Rig) -> None:
    await rig.told(item("run_1", 1, "finished"), item("ask_1", 2))
    await rig.told(item("run_2", 3, "finished"))
    assert rig.heard.opened_ids == ["ask_1", "run_2"]


async def test_a_journal_that_began_anew_is_a_project_seen_for_the_first_time(rig: Rig) -> None:
    await rig.told(item("run_1", 50, "finished"))
    rig.start()
    await rig.told(item("run_2", 1, "finished"), item("ask_1", 2), guid="other")
    assert rig.heard.opened_ids == ["ask_1"]
    await rig.told(item("run_3", 3, "finished"), guid="other")
    assert rig.heard.opened_ids == ["ask_1", "run_3"]


async def test_a_daemon_that_came_back_tells_it_all_again_without_doubles(rig: Rig) -> None:
    await rig.told(item("ask_1", 1), item("run_1", 2, "finished"))
    assert rig.book.begin(ATLAS, "g") == 2
    assert rig.book.begin(ATLAS, "another") == 0
    assert rig.shown() == []
    await rig.told(closed(item("ask_1", 1), 3), item("run_1", 2, "finished"), guid="another")
    assert [each[17:] for each, *_ in rig.shown()] == ["run_1"]
    assert rig.heard.opened_ids == ["ask_1"]


async def test_what_a_daemon_asked_that_is_gone_waits_no_more(rig: Rig) -> None:
    await rig.told(item("ask_1", 1), item("run_1", 2, "finished"))
    rig.book.lose_daemon(ATLAS)
    assert [each[17:] for each, *_ in rig.shown()] == ["run_1"]
    assert rig.heard.closed_ids == ["ask_1"]


async def test_a_project_that_was_removed_is_forgotten(rig: Rig) -> None:
    await rig.told(item("ask_1", 1))
    rig.book.forget(ATLAS)
    assert rig.shown() == []


async def test_the_state_of_a_project_is_what_its_attention_says(rig: Rig) -> None:
    atlas = rig.workspaces[0]
    assert rig.inbox.dressed(atlas).state == "ready"
    rig.book.take_activity(ATLAS, [row("queued")])
    assert rig.inbox.state_of(ATLAS) is None
    rig.book.take_activity(ATLAS, [row("running", "Edit · a.py"), row("queued")])
    busy = rig.inbox.dressed(atlas)
    assert (busy.state, busy.running, busy.fact) == ("busy", 1, "Edit · a.py")
    await rig.told(item("ask_1", 1), item("run_1", 2, "failed"))
    rig.book.take_activity(ATLAS, [row("running", "Thinking"), row("needs_you", "git push")])
    asks = rig.inbox.dressed(atlas)
    assert (asks.state, asks.waiting, asks.unread, asks.fact) == ("needs_you", 1, 1, "git push")


@pytest.mark.parametrize("state", ["crashed", "asleep", "starting", "missing", "unresponsive"])
async def test_a_daemon_that_is_not_ready_keeps_its_own_state(
    rig: Rig, state: WorkspaceState
) -> None:
    await rig.told(item("ask_1", 1))
    assert rig.inbox.dressed(workspace(ATLAS, "atlas-api", state)).state == state


async def test_a_crash_is_in_the_inbox_once_until_it_is_dismissed_or_over(rig: Rig) -> None:
    heard: list[InboxItem] = []
    rig.inbox.on_crash = heard.append
    down = rig.workspaces[0].model_copy(update={"state": "crashed", "problem": "It stopped."})
    rig.workspaces[0] = down
    assert rig.inbox.note_states()
    assert not rig.inbox.note_states()
    [crash] = rig.inbox.items()
    assert (crash.kind, crash.detail, crash.session_id) == ("crashed", "It stopped.", None)
    assert heard == [crash]
    own_id = crash.id.partition(".")[2]
    assert await refused(rig, own_id, "deny") == (409, "wrong_answer")
    assert await rig.answer(own_id, "dismiss") == "dismissed"
    assert rig.shown() == []
    rig.workspaces[0] = workspace(ATLAS, "atlas-api")
    rig.inbox.note_states()
    rig.workspaces[0] = down
    assert rig.inbox.note_states()
    assert len(rig.shown()) == 1


async def test_the_list_of_what_ended_is_bounded(rig: Rig) -> None:
    ended = [item(f"run_{n}", n, "finished", f"{n:04}") for n in range(1, 151)]
    await rig.told(*ended, item("ask_1", 200))
    ids = [each[17:] for each, *_ in rig.shown()]
    assert (len(ids), ids[0], ids[1], ids[-1]) == (101, "ask_1", "run_150", "run_51")


async def test_the_whole_request_is_given_to_who_looks(rig: Rig) -> None:
    request: dict[str, Any] = {
        "id": "ask_1",
        "session_id": SESSION,
        "run_id": "run_1",
        "call_id": "call_1",
        "tool": "bash",
        "title": "Run this command?",
        "reason": "No rule.",
        "input": {"command": "id"},
        "shown": "/w\nid",
        "shown_sha256": "ab",
        "suggested_rules": [],
        "created_at": "12:00",
    }
    rig.says = lambda: {"items": [{"id": "ask_0"}, request]}
    await rig.told(item("ask_1", 1), item("run_1", 2, "finished"))
    detail = await rig.inbox.look(f"{ATLAS}.ask_1")
    assert detail.request is not None
    assert (detail.request.shown, detail.question) == ("/w\nid", None)
    assert (await rig.inbox.look(f"{ATLAS}.run_1")).request is None
    rig.says = lambda: {"items": [{"id": "ask_1", "strange": True}]}
    with pytest.raises(LarariumError) as caught:
        await rig.inbox.look(f"{ATLAS}.ask_1")
    assert caught.value.code == "bad_answer"


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"dismissed": 3, "told": []}', b"\xff"])
async def test_a_broken_memory_loses_no_item(rig: Rig, content: bytes) -> None:
    rig.path.write_bytes(content)
    rig.start()
    await rig.told(item("ask_1", 1), item("run_1", 2, "finished"))
    assert len(rig.shown()) == 2
    assert await rig.answer("run_1", "dismiss") == "dismissed"
    rig.start()
    await rig.told(item("run_1", 2, "finished"))
    assert rig.shown() == []


async def test_a_memory_that_cannot_be_written_stops_nothing(rig: Rig) -> None:
    rig.path.mkdir()
    await rig.told(item("run_1", 1, "finished"))
    assert await rig.answer("run_1", "dismiss") == "dismissed"
    assert rig.shown() == []
