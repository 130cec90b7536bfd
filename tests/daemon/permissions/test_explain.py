"""Explaining a verdict."""

from pathlib import Path

from lararium_daemon.permissions.explain import Part, explain
from lararium_daemon.permissions.rules import RuleSet


def part(command: str, rule: str) -> Part:
    return Part(command=command, verdict="allow", rule=rule, reason=f"The rule {rule} allows it.")


def test_it_names_rule_scope_and_commands(tmp_path: Path) -> None:
    rules = RuleSet.parse(allow=["Bash(git *)", "Bash(head *)"], scope="workspace")

    found = explain("git log | head -3", rules, tmp_path)

    assert found == {
        "verdict": "allow",
        "rule": "Bash(git *)",
        "scope": "workspace",
        "commands": [["git", "log"], ["head", "-3"]],
        "reason": "The rule Bash(git *) allows it.",
        "parts": [
            part("git log", "Bash(git *)"),
            part("head -3", "Bash(head *)"),
        ],
    }


def test_what_only_the_shell_would_know_is_shown_as_such(tmp_path: Path) -> None:
    found = explain("echo $X", RuleSet(), tmp_path)

    assert found == {
        "verdict": "ask",
        "rule": None,
        "scope": None,
        "commands": [["echo", "…"]],
        "reason": "It holds a variable, so no rule can allow it.",
        "parts": [],
    }


def test_of_several_commands_it_says_which_one_asks(tmp_path: Path) -> None:
    found = explain("pwd && npm publish 'a b'", RuleSet(), tmp_path)

    assert [(each["command"], each["verdict"]) for each in found["parts"]] == [
        ("pwd", "allow"),
        ("npm publish 'a b'", "ask"),
    ]
    assert found["parts"][1]["reason"] == "No rule allows npm publish 'a b'."


def test_it_judges_where_the_command_would_run(tmp_path: Path) -> None:
    project, other = tmp_path / "project", tmp_path / "other"
    project.mkdir()
    other.mkdir()

    assert explain("ls", RuleSet(), project)["verdict"] == "allow"
    assert explain("ls", RuleSet(), project, folder=str(other))["verdict"] == "ask"
