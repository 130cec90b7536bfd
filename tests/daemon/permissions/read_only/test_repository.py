"""What a repository brings along that git would run."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.daemon.permissions.conftest import Bench

from lararium_daemon.permissions.read_only.repository import (
    why_repository_asks,
    would_run,
)

USUAL = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
; a comment
[remote "origin"]
\turl = https://example.org/a.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
[user]
\tname = "A # B"
"""


def repository(folder: Path, config: str = USUAL) -> Path:
    git = folder / ".git"
    (git / "objects").mkdir(parents=True)
    (git / "hooks").mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (git / "config").write_text(config, "utf-8")
    return git


def asks(folder: Path, *, is_trusted: bool = False) -> str:
    return why_repository_asks(folder, folder, is_trusted=is_trusted)


def test_a_usual_repository_is_read(tmp_path: Path) -> None:
    repository(tmp_path)

    assert asks(tmp_path) == ""


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ("[core]\nfsmonitor = ./evil\n", "core.fsmonitor"),
        ("[core] fsmonitor = ./evil\n", "core.fsmonitor"),
        ("[CORE]\n\tFSMonitor=./evil\n", "core.fsmonitor"),
        ("[core]\nhooksPath = x\n", "core.hookspath"),
        ("[core]\nfilemode = true\\\n\nfsmonitor = x\n", "core.filemode"),
        ('[filter "x"]\nclean = evil\n', "filter.clean"),
        ('[diff "x"]\ntextconv = evil\n', "diff.textconv"),
        ("[include]\npath = ../x\n", "include.path"),
        ('[includeIf "gitdir:x"]\npath = ../x\n', "includeif.path"),
        ('[remote "o"]\npromisor = true\n', "remote.promisor"),
        ('[remote "o"]\nuploadpack = evil\n', "remote.uploadpack"),
        ("[extensions]\nworktreeConfig = true\n", "extensions.worktreeconfig"),
        ("[log]\nshowSignature = true\n", "log.showsignature"),
        ("[alias]\nstatus = !evil\n", "alias.status"),
        ("fsmonitor = x\n", "?.fsmonitor"),
        ("\ufeff[core]\nbare = false\n", "?."),
        ("[core\n]\nbare = false\n", "?.[core"),
    ],
)
def test_a_setting_that_could_run_something_asks(tmp_path: Path, config: str, key: str) -> None:
    repository(tmp_path, USUAL.split("[", maxsplit=1)[0] + config)

    assert key in asks(tmp_path)
    assert asks(tmp_path, is_trusted=True) == ""


def test_the_hook_that_reading_runs_asks(tmp_path: Path) -> None:
    git = repository(tmp_path)
    (git / "hooks" / "pre-commit").touch()
    assert asks(tmp_path) == ""

    (git / "hooks" / "post-index-change").touch()

    assert "post-index-change" in asks(tmp_path)


def test_submodules_ask(tmp_path: Path) -> None:
    git = repository(tmp_path)
    (git / "index").write_bytes(b"DIRC" + bytes(28) + b"\0\0\xe0\0" + bytes(20))

    assert "submodules" in asks(tmp_path)


def test_a_link_or_a_file_in_place_of_the_folder_asks(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (one / ".git").write_text("gitdir: ../x\n", "utf-8")
    (two / ".git").symlink_to(tmp_path / "x")

    assert asks(one)
    assert asks(two)


def test_a_bare_repository_inside_the_project_asks_though_the_folder_is_trusted(
    tmp_path: Path,
) -> None:
    repository(tmp_path)
    inner = tmp_path / "sub"
    (inner / "objects").mkdir(parents=True)
    (inner / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")

    for trusted in (False, True):
        assert why_repository_asks(inner, tmp_path, is_trusted=trusted)


def test_a_damaged_or_huge_repository_asks(tmp_path: Path) -> None:
    git = repository(tmp_path, "[core]\n" + "bare = false\n" * 10_000)
    assert "too long" in asks(tmp_path)

    (git / "config").unlink()
    (git / "config").mkdir()
    assert "cannot be read" in asks(tmp_path)


@pytest.mark.timeout(10)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", ["config", "index"])
def test_a_pipe_in_place_of_a_file_asks_and_is_not_waited_for(tmp_path: Path, name: str) -> None:
    git = repository(tmp_path)
    (git / name).unlink(missing_ok=True)
    os.mkfifo(git / name)

    assert "no regular file" in asks(tmp_path)
    assert would_run(tmp_path) == []


def test_no_repository_at_all_is_only_an_error_of_git(bench: Bench) -> None:
    if any((folder / ".git").exists() for folder in bench.root.parents):
        pytest.skip("the temporary folder lies in a repository")

    assert bench.shell("git status").verdict == "allow"
    assert bench.shell("git diff a b").verdict == "ask"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_what_git_itself_makes_is_read(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    made, cloned = tmp_path / "made", tmp_path / "cloned"

    def git(*words: str) -> None:
        subprocess.run(["git", *words], check=True, env=environment, capture_output=True)

    git("init", "-b", "main", str(made))
    (made / "a").touch()
    git("-C", str(made), "add", "a")
    git("-C", str(made), "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "x")
    git("clone", str(made), str(cloned))

    assert asks(made) == ""
    assert asks(cloned) == ""


def test_what_trust_would_let_git_obey_is_listed_as_written(tmp_path: Path) -> None:
    git = repository(tmp_path, USUAL + "[core]\n\tfsmonitor = ./evil --now\n")
    (git / "hooks" / "pre-commit").touch()
    (git / "hooks" / "pre-push.sample").touch()

    items = would_run(tmp_path)

    assert [(item.effect, item.kind, item.path) for item in items] == [
        ("run", "git", ".git/config"),
        ("run", "git", ".git/hooks/pre-commit"),
    ]
    assert "[core] fsmonitor = ./evil --now" in items[0].detail
    assert would_run(tmp_path / "nothing") == []
