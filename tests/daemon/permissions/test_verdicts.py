"""The table of commands and what the policy must say of them."""

from pathlib import Path

import pytest

from lararium_daemon.permissions.explain import explain
from lararium_daemon.permissions.places import Places
from lararium_daemon.permissions.rules import RuleSet

TABLE = Path(__file__).with_name("verdicts.tsv")
ALLOWED = [
    *("ls", "cat", "git status", "git diff", "git log", "npm test", "find", "echo", "rg", "grep"),
    *("sort", "head", "sed", "awk", "xargs", "env", "pytest", "tee", "timeout", "make test"),
]
ALSO_EVERY_DAY = [
    *("npm run lint", "npm run build", "uv run pytest", "cargo test", "cargo check", "go test"),
    *("make lint", "ruff", "mypy", "tsc", "eslint", "docker ps", "tail", "wc", "node"),
    "npm --version",
]
DENIED = ["rm -rf", "sudo", "curl", "git push"]


def rows() -> list[tuple[str, str]]:
    lines = TABLE.read_text("utf-8").splitlines()
    pairs = [line.split("\t", 1) for line in lines if line and not line.startswith("#")]
    return [(verdict, text.encode().decode("unicode_escape")) for verdict, text in pairs]


def rules(names: list[str]) -> RuleSet:
    allow = [f"Bash({name}{tail})" for name in names for tail in ("", " *")]
    return RuleSet.parse(allow=allow, deny=[f"Bash({name} *)" for name in DENIED])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    return tmp_path.resolve()


@pytest.fixture
def places(tmp_path: Path) -> Places:
    home = tmp_path.parent.resolve() / "home-of-the-table"
    return Places(home, (home / "state",))


@pytest.mark.parametrize(("verdict", "command"), [row for row in rows() if row[0] == "allow"])
def test_an_everyday_command_does_not_ask(
    verdict: str, command: str, root: Path, places: Places
) -> None:
    found = explain(command, rules(ALLOWED + ALSO_EVERY_DAY), root, places)

    assert found["verdict"] == verdict, found


@pytest.mark.parametrize(("verdict", "command"), [row for row in rows() if row[0] != "allow"])
def test_an_attack_is_never_allowed(verdict: str, command: str, root: Path, places: Places) -> None:
    found = explain(command, rules(ALLOWED), root, places)

    assert found["verdict"] in {verdict, "deny"}, found
    assert found["reason"]
