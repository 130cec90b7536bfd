"""What a notification may know of a request: whether it is confined, and which programs it runs."""

from pathlib import Path

import pytest

from lararium_daemon.permissions.confinement import ask_facts, program_names
from lararium_daemon.permissions.judgement import JudgedCall, Judgement
from lararium_daemon.permissions.places import Places
from lararium_daemon.protocol.confined import may_allow_once

ROOT = Path("/home/me/project")
PLACES = Places(Path("/home/me"), (Path("/home/me/.local/state/lararium"),))
ASKS = Judgement("ask", "No rule allows this edit.")


def edit(path: str) -> JudgedCall:
    return JudgedCall("edit_file", "Edit", "write", path=path)


def shell(command: str) -> JudgedCall:
    return JudgedCall("bash", "Bash", "exec", command=command)


def is_offered(call: JudgedCall, found: Judgement = ASKS) -> bool:
    return may_allow_once(ask_facts(call, found, ROOT, PLACES))


@pytest.mark.parametrize("name", ["a.py", "src/deep/b.ts", "README.md", "a name with spaces"])
def test_an_edit_inside_the_project_may_be_allowed_unseen(name: str) -> None:
    assert is_offered(edit(str(ROOT / name)))


@pytest.mark.parametrize(
    "path",
    [
        "/home/me/project/.git/hooks/pre-commit",
        "/home/me/project/.GIT/config",
        "/home/me/project/AGENTS.md",
        "/home/me/project/.github/workflows/ci.yml",
        "/home/me/project/.env",
        "/home/me/project/server.pem",
        "/home/me/other/a.py",
        "/home/me/.bashrc",
        "/etc/hosts",
        "/home/me/.local/state/lararium/rules.json",
        "/home/me/project/a\u202etxt.exe",
        "/home/me/project/a\u200b.py",
        "/home/me/project/a\nb",
        "",
    ],
)
def test_any_other_edit_must_be_looked_at(path: str) -> None:
    assert not is_offered(edit(path))


def test_an_edit_that_a_rule_asks_for_must_be_looked_at() -> None:
    ruled = Judgement("ask", "The rule Edit(src/**) says to ask.", "Edit(src/**)")
    assert not is_offered(edit(str(ROOT / "src" / "a.py")), ruled)


@pytest.mark.parametrize("command", ["ls", "git status", "pytest -q", "rm -rf /", "a $(b)", ""])
def test_a_command_must_be_looked_at(command: str) -> None:
    assert not is_offered(shell(command))


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("git push --force-with-lease origin main", "git"),
        ("git add a && git commit -m x && git push", "git"),
        ("npm test | tee log", "npm, tee"),
        ("a; b; c; d", "a, b, c, …"),
        ("/usr/bin/python3.11 -m x", "python3.11"),
        ("CI=1 npm test", "npm"),
        ("curl -H 'Authorization: Bearer hunter2' http://x", "curl"),
        ("AWS_SECRET=hunter2 aws s3 ls", ""),
        ("$PROGRAM run", ""),
        ("echo $(cat secret)", ""),
        ("'sk-live 1234' run", ""),
        ("\u202ehunter2", ""),
        (f"{'x' * 40} run", ""),
        ("if true; then ls; fi", ""),
        ("", ""),
    ],
)
def test_programs_are_named_without_their_arguments(command: str, names: str) -> None:
    assert program_names(shell(command)) == names


def test_only_commands_have_programs() -> None:
    assert program_names(edit(str(ROOT / "a.py"))) == ""
