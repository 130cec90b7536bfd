import json
from pathlib import Path
from typing import Any

import pytest

from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.settings import Settings, load_settings, save_settings
from lararium_daemon.system.locks import try_lock

COMMENTED = """{
  // the server in the cellar
  "provider": {"base_url": "http://127.0.0.1:1//v1", /* not // this */ "model": "a,}"},
  "future": {"key": [1, 2,],},
}
"""


def write(folder: Path, content: str | bytes | dict[str, Any]) -> Path:
    path = folder / "settings.json"
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(folder: Path) -> Any:
    return json.loads((folder / "settings.json").read_text("utf-8"))


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "missing")
    assert settings == Settings()
    assert (settings.auth.loopback, settings.agent.max_turns) == ("token", 100)
    assert (settings.idle_stop_seconds, settings.log_level) == (600, "info")


def test_the_file_wins_over_defaults_and_arguments_over_the_file(tmp_path: Path) -> None:
    write(tmp_path, {"agent": {"max_turns": 5}, "provider": {"model": "a", "name": "n"}})
    settings = load_settings(tmp_path, {"provider": {"model": "b"}})
    assert (settings.agent.max_turns, settings.provider.model) == (5, "b")
    assert (settings.provider.name, settings.notices) == ("n", ())


def test_comments_and_trailing_commas_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, b"\xef\xbb\xbf" + COMMENTED.encode())
    before = path.read_bytes()
    settings = load_settings(tmp_path)
    assert settings.provider.base_url == "http://127.0.0.1:1//v1"
    assert settings.provider.model == "a,}"
    assert ["future" in notice for notice in settings.notices] == [True]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "broken", [b'{"a":', b"[1]", b"\xff\xfe{", b"", b'{"a" 1}', b"{" * 100_000, b" " * 2_000_000]
)
def test_a_file_that_cannot_be_parsed_is_set_aside_whole_and_said(
    tmp_path: Path, broken: bytes
) -> None:
    write(tmp_path, broken)
    settings = load_settings(tmp_path)
    (kept,) = tmp_path.iterdir()
    assert kept.name.startswith("settings.json.bad-")
    assert kept.read_bytes() == broken
    assert len(settings.notices) == 1
    assert str(kept) in settings.notices[0]
    assert settings.permissions.damaged


def test_a_file_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    (tmp_path / "settings.json").mkdir()
    settings = load_settings(tmp_path)
    assert "could not be read" in settings.notices[0]
    assert (tmp_path / "settings.json").is_dir()


def test_a_wrong_value_gives_way_to_its_default_and_the_rest_holds(tmp_path: Path) -> None:
    content = {
        "agent": {"max_turns": "many"},
        "auth": {"loopback": "open"},
        "log_level": 7,
        "provider": {"model": "a", "context_window": -1},
        "idle_stop_seconds": 5,
    }
    path = write(tmp_path, content)
    before = path.read_bytes()
    settings = load_settings(tmp_path)
    assert (settings.agent.max_turns, settings.auth.loopback) == (100, "token")
    assert (settings.provider.model, settings.provider.context_window) == ("a", None)
    assert settings.idle_stop_seconds == 5
    assert not settings.permissions.damaged
    assert len(settings.notices) == 4
    assert all(str(path) in notice for notice in settings.notices)
    assert path.read_bytes() == before


def test_a_section_of_the_wrong_kind_gives_way_as_a_whole(tmp_path: Path) -> None:
    write(tmp_path, {"provider": "openai", "agent": {"max_turns": 3}})
    settings = load_settings(tmp_path)
    assert settings.agent.max_turns == 3
    assert settings.notices[0].count("provider") == 1


def test_one_rule_may_stand_without_brackets(tmp_path: Path) -> None:
    write(tmp_path, {"permissions": {"deny": "Bash(rm *)", "allow": ["Read"]}})
    permissions = load_settings(tmp_path).permissions
    assert (permissions.deny, permissions.allow) == (("Bash(rm *)",), ("Read",))


@pytest.mark.parametrize("damage", [{"deny": [7]}, {"deny": {"a": 1}}, {"ask": None}])
def test_lost_rules_take_every_allowance_along(tmp_path: Path, damage: dict[str, Any]) -> None:
    write(tmp_path, {"permissions": {"allow": ["Bash(ls *)"], **damage}})
    permissions = load_settings(tmp_path).permissions
    assert permissions.damaged
    assert permissions.allow == ()


def test_what_a_file_may_not_say_is_ignored(tmp_path: Path) -> None:
    write(tmp_path, {"notices": ["all is well"], "permissions": {"damaged": True}})
    settings = load_settings(tmp_path)
    assert not settings.permissions.damaged
    assert len(settings.notices) == 2
    assert "all is well" not in str(settings.notices)


def test_a_wrong_argument_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LarariumError, match="max_turns") as caught:
        load_settings(tmp_path, {"agent": {"max_turns": 0}})
    assert caught.value.code == "invalid_settings"


def test_saving_keeps_differences_and_unknown_keys_only(tmp_path: Path) -> None:
    write(tmp_path, {"provider": {"model": "a", "later": 1}, "future": True, "log_level": "debug"})
    saved = save_settings(
        tmp_path,
        {"provider": {"model": None, "name": "Desk"}, "log_level": "info", "agent": {}},
    )
    assert saved.provider.name == "Desk"
    assert read(tmp_path) == {"provider": {"name": "Desk", "later": 1}, "future": True}
    assert (tmp_path / "settings.json").stat().st_mode & 0o777 == 0o600


def test_saving_makes_the_folder(tmp_path: Path) -> None:
    assert save_settings(tmp_path / "a" / "b", {"idle_stop_seconds": 0}).idle_stop_seconds == 0


def test_saving_over_comments_keeps_the_commented_file(tmp_path: Path) -> None:
    write(tmp_path, COMMENTED)
    save_settings(tmp_path, {"log_level": "debug"})
    (kept,) = tmp_path.glob("settings.json.commented-*")
    assert kept.read_text("utf-8") == COMMENTED
    assert read(tmp_path)["future"] == {"key": [1, 2]}
    assert load_settings(tmp_path).log_level == "debug"


@pytest.mark.parametrize("broken", [b'{"a":', b"\xff"])
def test_nothing_is_saved_over_a_broken_file(tmp_path: Path, broken: bytes) -> None:
    path = write(tmp_path, broken)
    with pytest.raises(LarariumError, match="nothing was saved"):
        save_settings(tmp_path, {"log_level": "debug"})
    assert path.read_bytes() == broken


def test_a_wrong_change_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, {"log_level": "debug"})
    before = path.read_bytes()
    with pytest.raises(LarariumError) as caught:
        save_settings(tmp_path, {"log_level": "loud"})
    assert caught.value.code == "invalid_settings"
    assert path.read_bytes() == before


def test_variables_are_put_in_and_never_saved(tmp_path: Path) -> None:
    path = write(tmp_path, {"profiles": {"P": {"base_url": "http://${H}/v1", "model": "m"}}})
    settings = load_settings(tmp_path, environment={"H": "127.0.0.1:9"})
    assert settings.profiles["P"].base_url == "http://127.0.0.1:9/v1"
    assert settings.notices == ()
    save_settings(tmp_path, {"log_level": "debug"})
    assert "${H}" in path.read_text(encoding="utf-8")


def test_a_missing_variable_is_named_with_file_and_line_and_its_value_falls_away(
    tmp_path: Path,
) -> None:
    path = tmp_path / "settings.json"
    path.write_text(
        '{"provider": {"model": "${ONE}", "name": "n"},\n'
        ' "log_level": "${TWO}",\n'
        ' "profiles": {"P": {"base_url": "https://x.example", "headers": {"X-Org": "${ONE}"}},\n'
        '              "Q": {"base_url": "https://y.example"}}}',
        encoding="utf-8",
    )
    settings = load_settings(tmp_path, environment={})
    assert (settings.provider.model, settings.provider.name) == ("", "n")
    assert settings.log_level == "info"
    assert "ONE" in settings.profiles["P"].problem
    assert settings.profiles["Q"].problem == ""
    assert not settings.permissions.damaged
    assert [notice.partition(" names")[0] for notice in settings.notices] == [
        f"{path}:1,3: provider.model",
        f"{path}:2: log_level",
        f"{path}:1,3: profiles.P.headers.X-Org",
    ]


def test_a_rule_that_names_a_missing_variable_takes_every_allowance_along(tmp_path: Path) -> None:
    rules = {"allow": ["Read(/tmp/**)"], "deny": ["Read(${SECRETS}/**)", "Read(/etc/**)"]}
    write(tmp_path, {"permissions": rules})
    permissions = load_settings(tmp_path, environment={}).permissions
    assert (permissions.allow, permissions.damaged) == ((), True)
    whole = load_settings(tmp_path, environment={"SECRETS": "/s"}).permissions
    assert whole.deny == ("Read(/s/**)", "Read(/etc/**)")


def test_a_wrong_profile_falls_away_and_is_named_with_its_fault(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"profiles": {"a.b": {"key": "sk-a-key-itself"}, "good": {"kind": "responses"}}},
    )
    settings = load_settings(tmp_path)
    assert list(settings.profiles) == ["good"]
    assert "profiles.a.b key: " in settings.notices[0]
    assert "sk-a-key" not in settings.notices[0]


def test_a_profile_is_saved_changed_and_removed_beside_the_others(tmp_path: Path) -> None:
    save_settings(tmp_path, {"profiles": {"A": {"base_url": "https://a.example"}}})
    save_settings(tmp_path, {"profiles": {"B": {"base_url": "https://b.example", "model": "m"}}})
    settings = save_settings(tmp_path, {"profiles": {"B": {"model": None, "context_window": 4096}}})
    assert list(settings.profiles) == ["A", "B"]
    assert (settings.profiles["B"].model, settings.profiles["B"].context_window) == ("", 4096)
    assert list(save_settings(tmp_path, {"profiles": {"A": None}}).profiles) == ["B"]


def test_two_savers_wait_for_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lararium_daemon.settings.SAVE_PATIENCE_SECONDS", 0.05)
    lock = try_lock(tmp_path / "settings.lock")
    assert lock is not None
    with lock, pytest.raises(LarariumError, match="saving") as caught:
        save_settings(tmp_path, {"log_level": "debug"})
    assert caught.value.code == "settings_busy"
    assert save_settings(tmp_path, {"log_level": "debug"}).log_level == "debug"
