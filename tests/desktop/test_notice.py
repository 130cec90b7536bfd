"""Which news becomes a notification, and what it says: a table of the rule."""

from dataclasses import replace
from typing import Any

import pytest

from lararium_daemon.protocol.attention import AttentionItem, AttentionKind
from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import InboxItem
from lararium_daemon.protocol.text import utf16_length
from lararium_desktop.hub.notice import NoticeRules, crash_toast, is_wanted, toast_of

ATLAS = Workspace(id=WorkspaceId("a" * 16), name="atlas-api", path="/code/atlas", state="ready")
RULES = NoticeRules()


def item(kind: AttentionKind, **more: Any) -> AttentionItem:
    plain = AttentionItem(
        "id", 1, kind, SessionId("ses_1"), "Limit by key", "DETAIL secret", "12:00"
    )
    return replace(plain, **more)


@pytest.mark.parametrize(
    ("kind", "seconds", "session_in_front", "window_in_front", "wanted"),
    [
        ("needs_you", None, False, False, True),
        ("needs_you", None, False, True, True),
        ("needs_you", None, True, True, False),
        ("question", None, False, True, True),
        ("question", None, True, True, False),
        ("failed", 1.0, False, True, True),
        ("failed", 1.0, True, True, False),
        ("finished", 30.1, False, False, True),
        ("finished", 30.0, False, False, False),
        ("finished", None, False, False, False),
        ("finished", 600.0, False, True, False),
        ("finished", 600.0, True, True, False),
    ],
)
def test_news_is_told_unless_the_person_sees_it(
    kind: AttentionKind,
    seconds: float | None,
    session_in_front: bool,
    window_in_front: bool,
    wanted: bool,
) -> None:
    found = is_wanted(
        item(kind, run_seconds=seconds),
        RULES,
        session_in_front=session_in_front,
        window_in_front=window_in_front,
    )
    assert found is wanted


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        (NoticeRules(needs_you=False), "needs_you"),
        (NoticeRules(needs_you=False), "question"),
        (NoticeRules(failed=False), "failed"),
        (NoticeRules(finished=False), "finished"),
        (NoticeRules(finished_after_seconds=1_000), "finished"),
    ],
)
def test_a_kind_that_is_switched_off_is_never_told(rules: NoticeRules, kind: AttentionKind) -> None:
    news = item(kind, run_seconds=600.0)
    assert not is_wanted(news, rules, session_in_front=False, window_in_front=False)


@pytest.mark.parametrize(
    ("news", "title", "body", "labels"),
    [
        (
            item("needs_you", tool="bash", program="git"),
            "atlas-api needs you",
            "“Limit by key” wants to run git. Look before you allow it.",
            ["Review…", "Deny"],
        ),
        (
            item("needs_you", tool="bash"),
            "atlas-api needs you",
            "“Limit by key” wants to run a command. Look before you allow it.",
            ["Review…", "Deny"],
        ),
        (
            item("needs_you", tool="edit_file", allow_once=True),
            "atlas-api needs you",
            "“Limit by key” wants to change a file.",
            ["Allow once", "Deny"],
        ),
        (
            item("needs_you", tool="mcp__secret__steal"),
            "atlas-api needs you",
            "“Limit by key” wants to use a tool. Look before you allow it.",
            ["Review…", "Deny"],
        ),
        (
            item("question", title=""),
            "atlas-api has a question",
            "A session waits for your answer.",
            ["Answer…", "Later"],
        ),
        (
            item("question", code="spend_cap"),
            "atlas-api has a question",
            "“Limit by key” has reached its spend cap and waits for your answer.",
            ["Answer…", "Later"],
        ),
        (
            item("failed", code="provider_auth"),
            "atlas-api: a run failed",
            "“Limit by key” stopped before it was done.",
            [],
        ),
        (
            item("failed", code="budget"),
            "atlas-api: a run failed",
            "“Limit by key” stopped at its limit.",
            [],
        ),
        (
            item("finished", run_seconds=840.4),
            "atlas-api finished",
            "“Limit by key” is done after 14 min.",
            [],
        ),
        (
            item("finished", run_seconds=45.4),
            "atlas-api finished",
            "“Limit by key” is done after 45 s.",
            [],
        ),
        (
            item("finished", run_seconds=7_500.0),
            "atlas-api finished",
            "“Limit by key” is done after 2 h 5 min.",
            [],
        ),
    ],
)
def test_a_notification_names_project_session_and_kind_and_no_more(
    news: AttentionItem, title: str, body: str, labels: list[str]
) -> None:
    toast = toast_of("k", news, ATLAS)
    assert (toast.title, toast.body) == (title, body)
    assert [each.label for each in toast.buttons] == labels
    assert "secret" not in repr(toast)


def test_on_a_remote_project_there_is_only_review() -> None:
    remote = ATLAS.model_copy(update={"location": "remote"})
    toast = toast_of("k", item("needs_you", tool="edit_file", allow_once=True), remote)
    assert [each.action for each in toast.buttons] == ["review"]


@pytest.mark.parametrize("name", ["t" * 500, "😀" * 500, "", "\x00\n", "--version", "<b>&"])
@pytest.mark.parametrize("kind", ["needs_you", "question", "failed", "finished"])
def test_any_text_fits_the_tightest_system(name: str, kind: AttentionKind) -> None:
    project = ATLAS.model_copy(update={"name": name})
    news = item(kind, title=name * 3, tool="bash", program="git, npm, a-very-long-name")
    toast = toast_of("k", news, project)
    assert 0 < utf16_length(toast.title) <= 63
    assert 0 < utf16_length(toast.body) <= 255
    assert "\x00" not in toast.title + toast.body


def test_a_crash_is_told_without_its_log() -> None:
    crash = InboxItem(
        id="x",
        workspace_id=ATLAS.id,
        workspace_name="atlas-api",
        kind="crashed",
        waiting=False,
        session_id=None,
        title="",
        detail="secret",
        at="12:00",
    )
    toast = crash_toast("k", crash)
    assert toast.title == "atlas-api stopped"
    assert "secret" not in repr(toast)
