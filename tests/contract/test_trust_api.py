"""Trust, instructions and rehearsal: over HTTP, and what they mean to a real daemon's run."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.api_daemon import api_daemon
from tests.fakes.llm_server import FakeLlm

from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.start import start_daemon
from lararium_daemon.system.environment import read_environment


def test_trust_is_shown_with_what_it_lets_in_and_decided_with_the_scope(tmp_path: Path) -> None:
    with api_daemon(tmp_path) as daemon:
        with daemon.client() as http:
            before = http.get("/trust").json()
            after = http.post("/trust", json={"trusted": True}).json()
            assert http.post("/trust", json={"trusted": "maybe"}).status_code == 422
        with daemon.client("read", "prompt", "approve") as weak:
            refused = weak.post("/trust", json={"trusted": True}).json()

    item = {"effect": "run", "kind": "git", "path": ".git/config", "detail": "It runs evil."}
    assert before == {
        "state": "undecided",
        "decided_at": None,
        "items": [item],
        "problem": "",
    }
    assert (after["state"], after["items"]) == ("trusted", [item])
    assert refused["code"] == "missing_scope"


@pytest.fixture
def client(project: Path, llm: FakeLlm) -> DaemonClient:
    environment = {**read_environment(), **llm.environment}
    return start_daemon(project, environment).client()


def run(client: DaemonClient, prompt: str, *, headless: bool = True) -> None:
    """Run a prompt to its end; whatever it asks is denied."""
    session_id = client.request("POST", "/api/sessions", {})["id"]
    message = {"client_message_id": "one", "text": prompt, "headless": headless}
    accepted = client.request("POST", f"/api/sessions/{session_id}/messages", message)
    until = f"after_seq=0&until={accepted['run_id']}"
    last = ""
    for line in client.stream_lines(f"/api/sessions/{session_id}/events?{until}", idle_seconds=30):
        event = json.loads(line)
        last = event["type"]
        if last == "permission.requested":
            request = event["payload"]["request"]
            answer = {"decision": "deny", "scope": "once", "shown_sha256": request["shown_sha256"]}
            client.request("POST", f"/api/permissions/requests/{request['id']}/decision", answer)
    assert last == "run.ended"


def system_prompt(llm: FakeLlm) -> str:
    return str(llm.requests[-1].body["messages"][0]["content"])


def test_instructions_are_told_once_the_folder_is_trusted(
    project: Path, client: DaemonClient, llm: FakeLlm
) -> None:
    (project / "AGENTS.md").write_text("Answer in Latin.\n@more.md\n@gone.md", "utf-8")
    (project / "more.md").write_text("Sign with Lar.", "utf-8")

    run(client, "hello")
    assert "Latin" not in system_prompt(llm)
    assert client.request("GET", "/api/instructions")["files"] == []
    items: list[dict[str, Any]] = client.request("GET", "/api/trust")["items"]
    assert [(item["effect"], item["path"]) for item in items] == [
        ("read", "AGENTS.md"),
        ("read", "more.md"),
    ]

    assert client.request("POST", "/api/trust", {"trusted": True})["state"] == "trusted"
    run(client, "hello again")

    assert "Answer in Latin.\nSign with Lar.\n@gone.md" in system_prompt(llm)
    seen = client.request("GET", "/api/instructions")
    assert [file["path"] for file in seen["files"]] == ["AGENTS.md", "more.md"]
    assert seen["notices"] == ["AGENTS.md imports @gone.md, which is not there."]
    assert seen["text"] in system_prompt(llm)

    client.request("POST", "/api/trust", {"trusted": False})
    run(client, "and again")
    assert "Latin" not in system_prompt(llm)


def test_nothing_of_a_hostile_folder_starts_before_it_is_trusted(
    project: Path, client: DaemonClient, llm: FakeLlm
) -> None:
    canary = project / "ran"
    evil = project / "evil"
    evil.write_text(f"#!/bin/sh\ntouch '{canary}'\n", "utf-8")
    evil.chmod(0o755)
    subprocess.run(["git", "init", "-q", str(project)], check=True, env=_plain_environment())
    with (project / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write(f"[core]\n\tfsmonitor = {evil}\n")

    run(client, "look [[fake rounds=1 tool=shell command='git status']]")
    assert not canary.exists()

    client.request("POST", "/api/trust", {"trusted": True})
    run(client, "look again [[fake rounds=1 tool=shell command='git status']]")
    assert canary.exists()


def test_a_rule_is_rehearsed_against_what_was_asked(client: DaemonClient) -> None:
    for command in ("touch a", "touch a b", "touch a"):
        run(client, f"go [[fake rounds=1 tool=shell command='{command}']]", headless=False)

    found = client.request("POST", "/api/permissions/rehearse", {"rule": "Bash(touch a)"})

    assert found["examined"] == 3
    assert [(ask["shown"].split("\n")[1], ask["times"]) for ask in found["covered"]] == [
        ("touch a", 2)
    ]
    assert [near["ask"]["shown"].split("\n")[1] for near in found["near"]] == ["touch a b"]


def _plain_environment() -> dict[str, str]:
    return {"PATH": read_environment()["PATH"], "HOME": "/nonexistent"}


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the scripts are for a POSIX shell")
