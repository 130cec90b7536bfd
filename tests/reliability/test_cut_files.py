"""Configuration that was cut short, as a full disk or a lost battery leaves it.

Nothing crashes, and nothing is made up: what is read is what was written, or it is said that the
file cannot be read, and the file is kept. Where rules may have been lost, none allows anything.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.reliability.scale import dice, new_seed, report, scaled

from lararium_daemon.permissions.rule_store import RuleStore
from lararium_daemon.permissions.trust import TrustStore
from lararium_daemon.protocol.shell_settings import ShellSettingsPatchInput
from lararium_daemon.settings import Settings, load_settings, save_settings
from lararium_desktop.hub.registry import Registry
from lararium_desktop.hub.settings_store import SettingsStore
from lararium_desktop.hub.shown import Shown

FILES = scaled(60, 1_200)
"""Over all kinds; in full size 200 of each."""

SETTINGS = {
    "permissions": {"allow": ["Bash(git status)"], "deny": ["Bash(rm *)", "Read(//etc/**)"]},
    "agent": {"max_turns": 17},
    "profiles": {"Work": {"base_url": "https://models.example/v1", "model": "größer"}},
    "log_level": "debug",
}
RULES = {"allow": ["Bash(npm test)"], "ask": ["Edit(/src/**)"], "deny": ["Bash(curl *)"]}
SHELL = {"theme": "dark", "text_percent": 120, "notifications": {"finished": False}}
TRUST = {"state": "trusted", "decided_at": "2026-11-30T12:00:00Z"}
SHOWN: dict[str, Any] = {"shown": "0123456789abcdef", "sessions": {"0123456789abcdef": "ses_1"}}
WORKSPACES: dict[str, Any] = {
    "version": 1,
    "workspaces": [
        {"id": f"{number:016x}", "path": f"/code/p{number}", "name": f"Projekt {number}, Öl"}
        for number in range(4)
    ],
}

Outcome = tuple[str, bool]
"""What was read, as text; and whether the person was told that something is wrong."""


def read_settings(path: Path) -> Outcome:
    found = load_settings(path.parent)
    whole = Settings.model_validate(SETTINGS)
    if found.damaged:
        assert found.permissions.damaged
        assert found.permissions.allow == ()
    is_whole = found.model_copy(update={"notices": ()}) == whole
    is_default = found.agent == Settings().agent and not found.profiles
    assert is_whole or is_default
    save_settings(path.parent, {"log_level": "warning"})
    assert load_settings(path.parent).log_level == "warning"
    return ("whole" if is_whole else "default"), bool(found.notices)


def read_rules(path: Path) -> Outcome:
    store = RuleStore(path)
    rules, stored = store.rules(), store.stored()
    is_whole = (stored.allow, stored.ask, stored.deny) == tuple(RULES.values())
    assert is_whole or (rules.closed and (stored.allow, stored.deny) == ([], []))
    store.replace(allow=[], ask=[], deny=["Bash(wget *)"])
    assert store.stored().deny == ["Bash(wget *)"]
    return ("whole" if is_whole else "default"), bool(rules.problems)


def read_workspaces(path: Path) -> Outcome:
    registry = Registry(path)
    names = [entry.name for entry in registry.entries()]
    wanted = [each["name"] for each in WORKSPACES["workspaces"]]
    assert names in ([], wanted)
    folder = path.parent / "project"
    folder.mkdir()
    assert registry.add(str(folder)).name == "project"
    return ("whole" if names else "default"), bool(registry.notices)


def read_shell(path: Path) -> Outcome:
    store = SettingsStore(path)
    current = store.current
    is_whole = (current.theme, current.text_percent) == ("dark", 120)
    assert is_whole or (current.theme, current.text_percent) == ("system", 100)
    store.change(ShellSettingsPatchInput(theme="light"))
    assert SettingsStore(path).current.theme == "light"
    return ("whole" if is_whole else "default"), bool(store.notices)


def read_trust(path: Path) -> Outcome:
    decision = TrustStore(path).decision()
    assert decision.state in {"trusted", "undecided"}
    is_whole = decision.state == "trusted"
    assert TrustStore(path).decide(trusted=False).state == "untrusted"
    return ("whole" if is_whole else "default"), bool(decision.problem)


def read_shown(path: Path) -> Outcome:
    shown = Shown(path)
    assert shown.workspace in {None, SHOWN["shown"]}
    # What was in front is no loss: nothing is said of it.
    return ("default" if shown.workspace is None else "whole"), shown.workspace is None


@dataclass(frozen=True)
class Kind:
    name: str
    content: Any
    read: Callable[[Path], Outcome]
    is_kept: bool = True
    """Whether a file that cannot be read stays on disk, under its name or beside it."""


KINDS = [
    Kind("settings.json", SETTINGS, read_settings),
    Kind("rules.json", RULES, read_rules),
    Kind("workspaces.json", WORKSPACES, read_workspaces),
    Kind("shell.json", SHELL, read_shell),
    Kind("trust.json", TRUST, read_trust, is_kept=False),
    Kind("shown.json", SHOWN, read_shown),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda each: each.name)
def test_a_file_cut_short_is_read_whole_or_said_to_be_broken(tmp_path: Path, kind: Kind) -> None:
    seed = new_seed()
    chance = dice(seed)
    whole = json.dumps(kind.content, indent=2, ensure_ascii=False).encode()
    seen: Counter[str] = Counter()
    for number in range(FILES // len(KINDS)):
        length = chance.randrange(len(whole))
        # Some file systems give the file its length and fill what was lost with zeros.
        lost = b"\0" * (len(whole) - length) if chance.random() < 0.3 else b""
        cut = whole[:length] + lost
        path = tmp_path / str(number) / kind.name
        path.parent.mkdir(mode=0o700)
        path.write_bytes(cut)
        found, is_said = kind.read(path)
        where = f"file {number} of seed {seed}, cut at {length} of {len(whole)}"
        assert (found == "default") == is_said, where
        if is_said and kind.is_kept:
            assert cut in [each.read_bytes() for each in path.parent.glob("*.*")], where
        seen[found] += 1
    report(
        f"{kind.name}: {sum(seen.values())} files cut short, seed {seed}: 0 crashes, {dict(seen)}"
    )
