"""`dev.py` does each step when it is due, and says what it needs."""

from pathlib import Path

import dev
import pytest


@pytest.fixture(autouse=True)
def stamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the stamps of this tree out of it."""
    monkeypatch.setattr(dev, "STAMPS", tmp_path / "stamps")
    return tmp_path / "stamps"


class Work:
    """A step whose result is a file; counts how often it ran."""

    def __init__(self, result: Path) -> None:
        self.result = result
        self.runs = 0

    def __call__(self) -> None:
        self.runs += 1
        self.result.write_text("done", encoding="utf-8")


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "result")


def test_a_step_runs_once_for_the_same_inputs(work: Work) -> None:
    dev.once("a step", "inputs", work.result, work)
    dev.once("a step", "inputs", work.result, work)
    assert work.runs == 1


def test_a_step_runs_again_when_its_inputs_changed(work: Work) -> None:
    dev.once("a step", "inputs", work.result, work)
    dev.once("a step", "other inputs", work.result, work)
    assert work.runs == 2


def test_a_step_runs_again_when_its_result_is_gone(work: Work) -> None:
    dev.once("a step", "inputs", work.result, work)
    work.result.unlink()
    dev.once("a step", "inputs", work.result, work)
    assert work.runs == 2


def test_a_step_that_failed_is_not_taken_for_done(work: Work) -> None:
    def fail() -> None:
        work()
        raise dev.SetupError("no network")

    with pytest.raises(dev.SetupError):
        dev.once("a step", "inputs", work.result, fail)
    dev.once("a step", "inputs", work.result, work)
    assert work.runs == 2


def test_a_digest_follows_the_content_of_a_file_and_its_name(tmp_path: Path) -> None:
    source = tmp_path / "source.ts"
    source.write_text("one", encoding="utf-8")
    before = dev.digest("source.ts", source)
    assert dev.digest("source.ts", source) == before
    assert dev.digest("renamed.ts", source) != before
    source.write_text("two", encoding="utf-8")
    assert dev.digest("source.ts", source) != before


@pytest.mark.parametrize(
    ("has_sudo", "shown"), [(True, "sudo apt-get install -y x"), (False, "&& apt-get")]
)
def test_missing_packages_are_a_command_to_run_when_nobody_agrees(
    has_sudo: bool, shown: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Standard input is no terminal here, so that nobody can be asked."""
    if has_sudo:
        (tmp_path / "sudo").write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / "sudo").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(dev.SetupError, match=shown):
        dev.sudo(["apt-get", "install", "-y", "x"], yes=False)


def test_a_command_that_fails_is_shown_with_what_to_do() -> None:
    with pytest.raises(dev.SetupError, match=r"false …` ended with exit code 1\. Mend it"):
        dev.run(["false"], advice="Mend it.")


def test_the_interpreter_that_is_gone_has_no_version() -> None:
    assert dev.python_version("/nowhere/python3") == ()


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("v18.19.0", False),
        ("v20.18.1", False),
        ("v20.19.0", True),
        ("v21.7.0", False),
        ("v22.12.0", True),
        ("v24.1.0", True),
        ("nonsense", False),
    ],
)
def test_only_a_node_that_can_build_the_pages_is_used(
    version: str, expected: bool, tmp_path: Path
) -> None:
    node, npm = tmp_path / "node", tmp_path / "npm"
    for program in (node, npm):
        program.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        program.chmod(0o755)
    assert dev.can_build(node) is expected


def test_a_node_without_npm_is_not_used(tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho v22.12.0\n", encoding="utf-8")
    node.chmod(0o755)
    assert not dev.can_build(node)
