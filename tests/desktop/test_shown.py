"""The project shown last is remembered, and one whose page hung is held until it is opened."""

from pathlib import Path

import pytest

from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_desktop.hub.shown import MOST_SESSIONS, Shown

ATLAS, ORRERY = WorkspaceId("atlas"), WorkspaceId("orrery")
ONE, TWO = SessionId("ses_1"), SessionId("ses_2")


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    return Shown(tmp_path / "ui.json")


def test_the_next_hub_knows_the_project_shown_last(shown: Shown, tmp_path: Path):
    shown.ask(ATLAS, ONE)
    after = Shown(tmp_path / "ui.json")
    assert (after.workspace, after.session, after.count, after.held) == (ATLAS, None, 0, None)
    assert after.last_session(ATLAS) == ONE


def test_each_project_keeps_the_session_that_was_in_front_and_a_new_one_is_none(shown: Shown):
    shown.note_session(ATLAS, ONE)
    shown.note_session(ORRERY, TWO)
    assert (shown.last_session(ATLAS), shown.last_session(ORRERY)) == (ONE, TWO)
    shown.note_session(ATLAS, None)
    assert shown.last_session(ATLAS) is None


def test_what_was_asked_for_is_over_when_the_person_goes_elsewhere(shown: Shown):
    shown.ask(ATLAS, ONE)
    shown.note_session(ATLAS, ONE)
    assert shown.session == ONE
    shown.note_session(ATLAS, TWO)
    assert shown.session is None
    shown.ask(ATLAS, ONE)
    shown.note(ORRERY)
    assert shown.session is None


def test_no_more_sessions_are_kept_than_a_person_has_projects(shown: Shown):
    for number in range(MOST_SESSIONS + 1):
        shown.note_session(WorkspaceId(f"w{number}"), ONE)
    assert shown.last_session(WorkspaceId("w0")) is None
    assert shown.last_session(WorkspaceId(f"w{MOST_SESSIONS}")) == ONE


@pytest.mark.parametrize("text", ["[", "[]", '{"shown": 1, "sessions": [2]}', "[" * 100_000])
def test_a_broken_note_means_none(tmp_path: Path, text: str):
    (tmp_path / "ui.json").write_text(text, encoding="utf-8")
    shown = Shown(tmp_path / "ui.json")
    assert (shown.workspace, shown.last_session(ATLAS)) == (None, None)


def test_what_was_shown_when_the_page_hung_is_held_until_it_is_opened(shown: Shown):
    shown.ask(ATLAS, ONE)
    shown.hold()
    assert (shown.workspace, shown.held) == (ATLAS, ATLAS)
    shown.note(ORRERY)
    shown.release(ORRERY)
    assert shown.held == ATLAS
    shown.release(ATLAS)
    assert shown.held is None


def test_the_page_after_a_hang_does_not_follow_what_was_asked_before(shown: Shown):
    shown.ask(ATLAS, ONE)
    shown.hold()
    assert (shown.count, shown.session, shown.last_session(ATLAS)) == (0, None, None)
    shown.ask(ATLAS)
    assert shown.count == 1


def test_without_a_project_nothing_is_held(shown: Shown):
    shown.hold()
    assert shown.held is None
