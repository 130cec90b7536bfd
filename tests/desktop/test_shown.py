"""The project shown last is remembered, and one whose page hung is held until it is opened."""

from pathlib import Path

import pytest

from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_desktop.hub.shown import Shown

ATLAS, ORRERY, ONE = WorkspaceId("atlas"), WorkspaceId("orrery"), SessionId("ses_1")


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    return Shown(tmp_path / "ui.json")


def test_the_next_hub_knows_the_project_shown_last(shown: Shown, tmp_path: Path):
    shown.ask(ATLAS, ONE)
    after = Shown(tmp_path / "ui.json")
    assert (after.workspace, after.session, after.count, after.held) == (ATLAS, None, 0, None)


def test_a_broken_note_means_none(tmp_path: Path):
    (tmp_path / "ui.json").write_text("[", encoding="utf-8")
    assert Shown(tmp_path / "ui.json").workspace is None


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
    assert (shown.count, shown.session) == (0, None)
    shown.ask(ATLAS)
    assert shown.count == 1


def test_without_a_project_nothing_is_held(shown: Shown):
    shown.hold()
    assert shown.held is None
