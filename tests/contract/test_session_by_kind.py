"""The same session, worked on by a real daemon, whichever way its model is asked."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.fakes.llm_server import FakeLlm
from tests.fakes.real_daemon import RealDaemon, real_daemon

Json = dict[str, Any]
PROMPT = "read it twice [[fake rounds=2 tool=read path=a.txt tokens=3 reasoning=2]]"


def run(daemon: RealDaemon, prompt: str) -> list[Json]:
    """Send a prompt in a new session and give the events of its run."""
    bearer = {"Authorization": f"Bearer {daemon.token}"}
    with httpx.Client(
        base_url=f"{daemon.base_url}/api", headers=bearer, timeout=30, trust_env=False
    ) as client:
        session = client.post("/sessions", json={}).json()["id"]
        body = {"client_message_id": "1", "text": prompt}
        taken = client.post(f"/sessions/{session}/messages", json=body).json()
        address = f"/sessions/{session}/events?after_seq=0&until={taken['run_id']}"
        with client.stream("GET", address) as answer:
            return [json.loads(line) for line in answer.iter_lines() if line]


@pytest.mark.parametrize("kind", ["chat", "responses"])
def test_a_session_with_tools_is_completed(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("lares\n", encoding="utf-8")
    with FakeLlm() as llm:
        profile = {
            "kind": kind,
            "base_url": llm.base_url,
            "model": "fake-model",
            "price": {"input": 1.0, "output": 2.0},
        }
        with real_daemon(root, profiles={"P": profile}) as daemon:
            events = run(daemon, PROMPT)
    payloads = [event["payload"] for event in events]
    assert (payloads[-1]["outcome"], payloads[-1]["text"]) == ("completed", "the lamp beside ")
    ended = [p for e, p in zip(events, payloads, strict=True) if e["type"] == "tool.ended"]
    assert [(p["state"], "lares" in p["result"]["text"]) for p in ended] == [
        ("completed", True)
    ] * 2
    assert {request.path for request in llm.requests} == {
        {"chat": "/v1/chat/completions", "responses": "/v1/responses"}[kind]
    }
    usage = [p for e, p in zip(events, payloads, strict=True) if e["type"] == "usage.updated"]
    assert len(usage) == 3
    assert all(p["cost_usd"] > 0 for p in usage)
