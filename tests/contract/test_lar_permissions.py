"""`lar permissions` from a terminal: a real command, a real daemon."""

import json
from pathlib import Path

from tests.fakes.terminal import lar

from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths


def test_explain_says_verdict_rule_scope_commands_and_reason(project: Path) -> None:
    state = resolve_paths(read_environment()).workspace(project)
    state.state_dir.mkdir(parents=True, mode=0o700)
    state.rules.write_text('{"allow": ["Bash(npm test)"], "deny": ["Bash(rm *)"]}', "utf-8")

    allowed = lar(project, "permissions", "explain", "npm test && ls", "--json")
    denied = lar(project, "permissions", "explain", "ls; rm -rf 'a b'")

    assert (allowed.returncode, allowed.stderr) == (0, "")
    assert json.loads(allowed.stdout) == {
        "verdict": "allow",
        "rule": "Bash(npm test)",
        "scope": "workspace",
        "commands": [["npm", "test"], ["ls"]],
        "reason": "The rule Bash(npm test) allows it.",
        "parts": [
            {
                "command": "npm test",
                "verdict": "allow",
                "rule": "Bash(npm test)",
                "reason": "The rule Bash(npm test) allows it.",
            },
            {
                "command": "ls",
                "verdict": "allow",
                "rule": None,
                "reason": "It only reads inside the project.",
            },
        ],
    }
    assert denied.stdout.splitlines() == [
        "deny: The rule Bash(rm *) denies it.",
        "Bash(rm *) (workspace)",
        "  ls",
        "  rm -rf 'a b'",
    ]


def test_a_verb_is_needed(project: Path) -> None:
    assert lar(project, "permissions").returncode == 2
