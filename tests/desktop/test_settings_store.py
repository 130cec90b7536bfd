"""The app's settings are kept whatever happens to their file."""

import json
import stat
from pathlib import Path

import pytest

from lararium_daemon.protocol.shell_settings import ShellSettings, ShellSettingsPatchInput
from lararium_desktop.hub.notice import NoticeRules
from lararium_desktop.hub.settings_store import SettingsStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "shell.json"


def patch(**fields: object) -> ShellSettingsPatchInput:
    return ShellSettingsPatchInput.model_validate(fields)


def test_a_change_survives_a_restart_and_only_differences_are_written(path: Path) -> None:
    store = SettingsStore(path)
    assert store.current == ShellSettings()
    store.change(patch(theme="dark", notifications={"finished": False}))
    kept = SettingsStore(path).current
    assert (kept.theme, kept.notifications.finished) == ("dark", False)
    assert (kept.text_percent, kept.notifications.failed) == (100, True)
    assert json.loads(path.read_bytes()) == {"theme": "dark", "notifications": {"finished": False}}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_told_follows_the_settings(path: Path) -> None:
    store = SettingsStore(path)
    assert store.notice_rules == NoticeRules()
    store.change(patch(notifications={"failed": False, "finished_after_seconds": 60}))
    assert store.notice_rules == NoticeRules(failed=False, finished_after_seconds=60)


def test_fields_of_a_newer_version_are_kept(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"theme": "light", "sound": "gong", "notifications": {"later": 1}}')
    SettingsStore(path).change(patch(notifications={"failed": False}))
    assert json.loads(path.read_bytes()) == {
        "theme": "light",
        "sound": "gong",
        "notifications": {"later": 1, "failed": False},
    }


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"theme": "beige"}', '{"text_percent": 900}', "\x00", "[" * 100_000]
)
def test_a_file_without_sense_is_set_aside_and_said(path: Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text)
    store = SettingsStore(path, now=lambda: "2026-11-30T10:58:07Z")
    assert store.current == ShellSettings()
    assert "shell.json.bad-2026-11-30T105807Z" in store.notices[0]
    assert (path.parent / "shell.json.bad-2026-11-30T105807Z").read_text() == text
    store.change(patch(theme="dark"))
    assert SettingsStore(path).notices == []


@pytest.mark.parametrize(
    "fields", [{"text_percent": 84}, {"text_percent": 151}, {"theme": "x"}, {"y": 1}]
)
def test_a_change_out_of_bounds_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        patch(**fields)
