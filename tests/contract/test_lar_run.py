"""`lar run` from a terminal: a real command, a real daemon, a scripted model."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.llm_server import FakeLlm
from tests.fakes.terminal import lar

from lararium_daemon.client.find import find_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths

SECONDS = 60


@dataclass
class Ran:
    """A command that ended."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def end(self) -> dict[str, Any]:
        last = self.events[-1]
        assert last["type"] == "run.ended"
        return last["payload"]


def run(folder: Path, *arguments: str, stdin: str = "", **environment: str) -> Ran:
    done = lar(folder, *arguments, stdin=stdin, **environment)
    return Ran(done.returncode, done.stdout, done.stderr)


def test_a_write_in_accept_edits_is_done_and_ends_with_exit_0(project: Path, llm: FakeLlm) -> None:
    prompt = "make it [[fake rounds=1 tool=write path=hello.txt]]"
    ran = run(project, "run", "--json", "--mode", "accept-edits", prompt, **llm.environment)

    assert (ran.code, ran.err) == (0, "")
    assert (project / "hello.txt").read_text(encoding="utf-8") == "hello\n"
    assert (ran.end["outcome"], ran.end["refused"]) == ("completed", 0)


def test_an_ask_that_nobody_can_answer_is_denied_and_ends_with_exit_3(
    project: Path, llm: FakeLlm
) -> None:
    prompt = "who [[fake rounds=1 tool=shell command='touch ran']]"
    ran = run(project, "run", "--json", prompt, **llm.environment)

    assert ran.code == 3
    assert (ran.end["outcome"], ran.end["refused"]) == ("completed", 1)
    assert not (project / "ran").exists()
    assert not any(event["type"] == "tool.started" for event in ran.events)


def test_a_budget_that_ends_in_the_middle_of_a_change_grants_one_call_and_says_so(
    project: Path, llm: FakeLlm
) -> None:
    args = '{"path": "half-{i}.txt", "content": "new"}'
    prompt = f"both [[fake rounds=9 tool=write args='{args}']]"
    options = ("--json", "--mode", "accept-edits", "--max-turns", "3")
    ran = run(project, "run", *options, prompt, **llm.environment)

    assert (ran.code, ran.end["outcome"]) == (1, "budget")
    assert "limit of 3 turns" in ran.end["detail"]
    notices = [e["payload"]["code"] for e in ran.events if e["type"] == "notice"]
    assert notices.count("grace_call") == 1
    assert len(llm.requests) == 4
    assert "last call" in str(llm.requests[-1].body["messages"][-1]["content"])
    written = sorted(path.name for path in project.glob("half-*.txt"))
    assert written == [f"half-{number}.txt" for number in range(4)]
    assert {(project / name).read_text("utf-8") for name in written} == {"new"}
    ends = [e["payload"]["state"] for e in ran.events if e["type"] == "tool.ended"]
    assert ends == ["completed"] * 4


def test_a_rule_given_for_the_run_allows_the_command(project: Path, llm: FakeLlm) -> None:
    prompt = "who [[fake rounds=1 tool=shell command='touch ran' text=fine]]"
    ran = run(project, "run", "--allow", "Bash(touch ran)", prompt, **llm.environment)

    assert (ran.code, ran.out) == (0, "fine\n")
    assert (project / "ran").exists()


def test_the_prompt_may_come_from_stdin_and_go_on_in_a_session(project: Path, llm: FakeLlm) -> None:
    first = run(project, "run", "--json", "-", stdin="hello", **llm.environment)
    session = first.events[0]["session_id"]
    second = run(project, "run", "--json", "--session", session, "again", **llm.environment)

    assert (first.code, second.code) == (0, 0)
    told = [message["role"] for message in llm.requests[-1].body["messages"]]
    assert told == ["system", "user", "assistant", "user"]


def test_without_a_model_the_run_says_how_to_get_one(project: Path) -> None:
    ran = run(project, "run", "hello")

    assert ran.code == 1
    assert "No model is set up" in ran.err
    assert "OPENAI_API_KEY" in ran.err


def test_a_wrong_key_names_the_layer_the_status_and_the_next_step(
    project: Path, llm: FakeLlm
) -> None:
    llm.set(error="401")
    ran = run(project, "run", "--json", "hello", **llm.environment)

    assert (ran.code, ran.end["outcome"], ran.end["code"]) == (1, "error", "provider_auth")
    assert "401" in ran.end["detail"]
    assert "kept" in ran.end["detail"]


@pytest.mark.parametrize("place", ["missing", "file.txt"])
def test_a_path_that_cannot_be_a_project_is_said_before_a_daemon_starts(
    project: Path, place: str
) -> None:
    (project / "file.txt").write_text("x", encoding="utf-8")
    ran = run(project, "run", "--workspace", str(project / place), "hello")

    assert ran.code == 1
    assert place in ran.err
    assert find_daemon(resolve_paths(read_environment()).workspace(project / place)) is None


def test_an_empty_prompt_is_a_usage_error_and_sends_nothing(project: Path, llm: FakeLlm) -> None:
    ran = run(project, "run", "-", stdin=" \n", **llm.environment)

    assert ran.code == 2
    assert llm.requests == []


def test_no_secret_is_in_any_file_that_was_left(
    project: Path, llm: FakeLlm, lararium_home: Path
) -> None:
    key = "sk-canary-0123456789abcdef"
    prompt = "show [[fake rounds=1 tool=shell command=env]]"
    environment = {**llm.environment, "OPENAI_API_KEY": key}
    ran = run(project, "run", "--json", "--mode", "yolo", prompt, **environment)

    assert ran.code == 0
    assert key not in ran.out
    for path in lararium_home.rglob("*"):
        if path.is_file():
            assert key.encode() not in path.read_bytes(), path
