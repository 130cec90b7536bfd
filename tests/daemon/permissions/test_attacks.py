"""A table of further attacks, by class: none is allowed, whatever everyday rules there are."""

from pathlib import Path

import pytest
from tests.daemon.permissions.test_verdicts import ALLOWED, ALSO_EVERY_DAY, rules

from lararium_daemon.permissions.explain import explain
from lararium_daemon.permissions.grants import SessionGrants
from lararium_daemon.permissions.judgement import JudgedCall
from lararium_daemon.permissions.places import Places
from lararium_daemon.permissions.policy import judge

TABLE = Path(__file__).with_name("attacks.tsv")


def rows() -> list[tuple[str, str]]:
    lines = TABLE.read_text("utf-8").splitlines()
    pairs = [line.split("\t", 1) for line in lines if line and not line.startswith("#")]
    return [(kind, text.encode().decode("unicode_escape")) for kind, text in pairs]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    home = tmp_path_factory.mktemp("home").resolve()
    (home / "notes").touch()
    return Places(home, (home / "state",))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, places: Places) -> Path:
    root = tmp_path_factory.mktemp("project").resolve()
    for folder in (".git/objects", "bare/objects", "sub", "sub2"):
        (root / folder).mkdir(parents=True)
    for name in ("bare/HEAD", ".env", "sub/.env", "server.pem", "a"):
        (root / name).touch()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (root / ".git" / "config").write_text("[core]\n\tfsmonitor = ./evil\n", "utf-8")
    (root / "link").symlink_to(places.home)
    (root / "alias").symlink_to(root / ".env")
    return root


def test_there_are_more_than_a_hundred_of_many_classes() -> None:
    assert len({command for _, command in rows()}) == len(rows()) >= 300
    assert len({kind for kind, _ in rows()}) >= 20


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project without secrets, links and settings that run anything."""
    root = tmp_path_factory.mktemp("plain").resolve()
    for folder in (".git/objects", "sub", "sub2"):
        (root / folder).mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (root / ".git" / "config").write_text("[core]\n\tbare = false\n", "utf-8")
    (root / "a").touch()
    return root


@pytest.mark.parametrize(("kind", "command"), rows())
def test_an_attack_is_never_allowed(kind: str, command: str, project: Path, places: Places) -> None:
    found = explain(command, rules(ALLOWED + ALSO_EVERY_DAY), project, places)

    assert found["verdict"] in {"ask", "deny"}, (kind, found)
    if kind == "deny in disguise" and found["verdict"] == "ask":
        assert found["rule"] or "\\" in command, found


OF_THE_PROJECT = {"repository", "secret", "outside", "link that is followed", "change of folder"}
"""What these do is harmful for what lies in the project."""


@pytest.mark.parametrize(
    ("kind", "command"), [row for row in rows() if row[0] not in OF_THE_PROJECT]
)
def test_an_attack_is_seen_in_its_own_words(
    kind: str, command: str, plain: Path, places: Places
) -> None:
    rules_of_every_day = rules(ALLOWED + ALSO_EVERY_DAY)

    found = explain(command, rules_of_every_day, plain, places, is_trusted=True)

    assert found["verdict"] in {"ask", "deny"}, (kind, found)


def test_accepting_edits_accepts_no_attack(project: Path, places: Places) -> None:
    for kind, command in rows():
        found = judge(
            JudgedCall("bash", "Bash", "exec", command),
            rules=rules(ALLOWED + ALSO_EVERY_DAY),
            grants=SessionGrants(),
            mode="accept-edits",
            root=project,
            shown=command,
            places=places,
        )
        assert found.verdict in {"ask", "deny"}, (kind, command)
