"""What a rule would have meant for what was asked before."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from lararium_daemon.permissions.judgement import JudgedCall
from lararium_daemon.permissions.places import Places
from lararium_daemon.permissions.rehearsal import PastAsk, Rehearsing
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.problems import LarariumError

ROOT = Path("/no/such/project")
PLACES = Places(Path("/no/such/home"), (Path("/no/such/home/own"),))


def command(text: str, at: str = "2026-01-01T00:00:00Z") -> PastAsk:
    call = JudgedCall("bash", "Bash", "exec", text, str(ROOT))
    return PastAsk(call, f"{ROOT}\n{text}", at, SessionId("ses_1"))


def edit(name: str) -> PastAsk:
    call = JudgedCall("edit_file", "Edit", "write", path=str(ROOT / name))
    return PastAsk(call, f"{name}\ndiff", "2026-01-01T00:00:00Z", SessionId("ses_1"))


def rehearsing(allow: Sequence[str] = (), deny: Sequence[str] = ()) -> Rehearsing:
    return Rehearsing(RuleSet.parse(allow=allow, deny=deny), ROOT, places=PLACES)


ASKS = [
    command("npm test", "2026-01-03T00:00:00Z"),
    command("npm test --watch"),
    command("npm publish"),
    command("npm test && python x"),
    command("npm test", "2026-01-01T00:00:00Z"),
    command("pytest"),
    command("ls"),
    edit("src/a.py"),
]


def test_it_says_which_asks_would_not_have_been_and_which_nearly() -> None:
    found = rehearsing().rehearse("Bash(npm test)", ASKS)

    assert found.examined == len(ASKS)
    assert [(ask.shown, ask.at, ask.times) for ask in found.covered] == [
        (f"{ROOT}\nnpm test", "2026-01-03T00:00:00Z", 2)
    ]
    assert [near.ask.shown.partition("\n")[2] for near in found.near] == [
        "npm test --watch",
        "npm publish",
        "npm test && python x",
    ]
    assert found.near[2].reason == "No rule allows python x."


def test_a_wider_rule_covers_more_and_shows_where_it_ends() -> None:
    found = rehearsing().rehearse("Bash(npm test *)", ASKS)

    assert len(found.covered) == 2
    assert [(each.command, each.verdict) for each in found.examples] == [
        ("npm test --more", "allow"),
        ("npm test; id", "ask"),
        ("npm test > out.txt", "ask"),
        ("X=1 npm test", "ask"),
    ]


def test_what_is_allowed_or_denied_by_now_is_not_counted() -> None:
    rules = rehearsing(allow=["Bash(npm test)"], deny=["Bash(npm publish)"])

    found = rules.rehearse("Bash(npm *)", ASKS)

    assert [ask.shown.partition("\n")[2] for ask in found.covered] == ["npm test --watch"]
    assert [near.ask.shown.partition("\n")[2] for near in found.near] == ["npm test && python x"]


def test_rules_on_files_are_rehearsed_too() -> None:
    found = rehearsing().rehearse("Edit(/src/**)", [edit("src/a.py"), edit("b.py"), *ASKS[:2]])

    assert [ask.shown for ask in found.covered] == ["src/a.py\ndiff"]
    assert [near.ask.shown for near in found.near] == ["b.py\ndiff"]
    assert found.examples == []


def test_a_rule_that_covers_nothing_says_so() -> None:
    found = rehearsing().rehearse("Bash(make)", ASKS)

    assert (found.covered, found.near, found.examples) == ([], [], [])


def test_a_rule_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(LarariumError) as refused:
        rehearsing().rehearse("Bash(npm test", ASKS)

    assert (refused.value.code, refused.value.status) == ("malformed_rule", 422)
