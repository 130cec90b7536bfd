"""A session's gate: what it says of a call beyond the policy's verdict."""

from pathlib import Path

import pytest

from lararium_daemon.permissions.broker import Broker
from lararium_daemon.permissions.grants import SessionGrants
from lararium_daemon.permissions.questions import QuestionDesk
from lararium_daemon.permissions.rule_store import RuleStore
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.protocol.permissions import Mode
from lararium_daemon.sessions.gate import Desks, SessionGate
from lararium_daemon.tools.discovery import discover
from lararium_daemon.tools.registry import TOOLS, Preview


def gate(root: Path, mode: Mode, grants: SessionGrants, *allow: str) -> SessionGate:
    rules = RuleSet.parse(allow=allow, scope="user", source="test")
    desks = Desks(Broker(), QuestionDesk(), RuleStore(root / "rules.json"))
    return SessionGate(desks, lambda: rules, lambda: mode, grants, root, lambda: False)


@pytest.mark.parametrize(
    ("mode", "rule", "granted", "is_explicit"),
    [
        ("default", "", "", False),
        ("accept-edits", "", "", False),
        ("yolo", "", "", True),
        ("default", "Bash(ls *)", "", True),
        ("default", "", ".\nls -l", True),
    ],
)
def test_what_the_person_allowed_in_so_many_words_is_told_apart_from_the_mode(
    tmp_path: Path, mode: Mode, rule: str, granted: str, is_explicit: bool
) -> None:
    discover()
    grants = SessionGrants()
    if granted:
        grants.add("Bash", shown=granted)
    preview = Preview("ls -l", shown=".\nls -l", command="ls -l")

    ruling = gate(tmp_path, mode, grants, *([rule] if rule else [])).judge(TOOLS["bash"], preview)

    assert (ruling.verdict, ruling.is_explicit) == ("allow", is_explicit)
