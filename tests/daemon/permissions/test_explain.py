"""Explaining a verdict."""

from pathlib import Path

from lararium_daemon.permissions.explain import explain
from lararium_daemon.permissions.rules import RuleSet


def test_it_names_rule_scope_and_commands(tmp_path: Path) -> None:
    rules = RuleSet.parse(allow=["Bash(git *)", "Bash(head *)"], scope="workspace")

    found = explain("git log | head -3", rules, tmp_path)

    assert found == {
        "verdict": "allow",
        "rule": "Bash(git *)",
        "scope": "workspace",
        "commands": [["git", "log"], ["head", "-3"]],
        "reason": "The rule Bash(git *) allows it.",
    }


def test_what_only_the_shell_would_know_is_shown_as_such(tmp_path: Path) -> None:
    found = explain("echo $X", RuleSet(), tmp_path)

    assert found == {
        "verdict": "ask",
        "rule": None,
        "scope": None,
        "commands": [["echo", "…"]],
        "reason": "It holds a variable, so no rule can allow it.",
    }
