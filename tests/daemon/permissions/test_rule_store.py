"""The file of a workspace's rules."""

import os
from pathlib import Path

import pytest

from lararium_daemon.permissions.rule_store import RuleStore, StoredRules
from lararium_daemon.protocol.problems import LarariumError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rules.json"


def test_no_file_means_no_rules(path: Path) -> None:
    store = RuleStore(path)

    assert (store.rules().problems, store.rules().closed) == ([], "")
    assert store.stored() == StoredRules([], [], [])


def test_stored_rules_come_back_and_are_private(path: Path) -> None:
    RuleStore(path).replace(allow=["Bash(ls *)"], ask=["Edit(/é 😀)"], deny=["Bash(rm)"])

    store = RuleStore(path)

    assert store.stored() == StoredRules(["Bash(ls *)"], ["Edit(/é 😀)"], ["Bash(rm)"])
    assert [rule.scope for rule in store.rules().allow] == ["workspace"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_always_adds_each_rule_once(path: Path) -> None:
    store = RuleStore(path)

    store.add_allow(["Bash(a)", "Bash(b)"])
    store.add_allow(["Bash(b)", "Bash(c)"])

    assert store.stored().allow == ["Bash(a)", "Bash(b)", "Bash(c)"]


def test_a_change_by_hand_is_seen(path: Path) -> None:
    store = RuleStore(path)
    store.replace(allow=["Bash(a)"], ask=[], deny=[])
    assert store.stored().allow == ["Bash(a)"]

    path.write_text('{"allow": ["Bash(bb)"]}', "utf-8")

    assert store.stored().allow == ["Bash(bb)"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"allow": "Bash"}',
        b'{"allows": []}',
        b"\xff",
        b"[" * 100_000,
        b"1" * 2**21,
    ],
)
def test_a_file_that_cannot_be_read_allows_nothing_and_is_kept(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    store = RuleStore(path)

    rules = store.rules()

    assert rules.closed
    assert str(path) in rules.problems[0]
    assert rules.allow == ()
    with pytest.raises(LarariumError, match="was not stored") as refused:
        store.add_allow(["Bash(a)"])
    assert (refused.value.code, refused.value.status) == ("rules_unreadable", 409)
    assert path.read_bytes() == content


def test_replacing_keeps_an_unreadable_file_aside(path: Path) -> None:
    path.write_bytes(b"{")
    store = RuleStore(path)

    store.replace(allow=["Bash(a)"], ask=[], deny=[])

    kept = [entry for entry in path.parent.iterdir() if ".bad-" in entry.name]
    assert [entry.read_bytes() for entry in kept] == [b"{"]
    assert store.rules().closed == ""


def test_a_malformed_entry_is_named_and_the_rest_holds(path: Path) -> None:
    path.write_text('{"allow": ["Bash(ls", "Bash(a)", 3]}', "utf-8")

    rules = RuleStore(path).rules()

    assert [rule.text for rule in rules.allow] == ["Bash(a)"]
    assert len(rules.problems) == 2
    assert rules.closed == ""


def test_malformed_rules_are_refused(path: Path) -> None:
    store = RuleStore(path)

    with pytest.raises(LarariumError, match="allow rule 1") as refused:
        store.replace(allow=["Bash("], ask=[], deny=[])

    assert (refused.value.code, refused.value.status) == ("malformed_rule", 422)
    assert not path.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_its_place_does_not_block(path: Path) -> None:
    os.mkfifo(path)

    assert RuleStore(path).rules().closed
