"""The same session, worked on by a real daemon, whichever way its model is asked."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.fakes.copilot_server import LOGIN, FakeCopilot
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


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("lares\n", encoding="utf-8")
    return root


def profile_of(llm: FakeLlm, kind: str) -> Json:
    return {
        "kind": kind,
        "base_url": llm.github_url if isinstance(llm, FakeCopilot) else llm.base_url,
        "model": "fake-model",
        "price": {"input": 1.0, "output": 2.0},
    }


@pytest.mark.parametrize("kind", ["chat", "responses", "copilot"])
def test_a_session_with_tools_is_completed(
    root: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_LOGIN", LOGIN)
    with FakeCopilot() if kind == "copilot" else FakeLlm() as llm:
        profile = profile_of(llm, kind)
        if kind == "copilot":
            profile["key"] = "env:COPILOT_LOGIN"
        with real_daemon(root, profiles={"P": profile}) as daemon:
            events = run(daemon, PROMPT)
    payloads = [event["payload"] for event in events]
    assert (payloads[-1]["outcome"], payloads[-1]["text"]) == ("completed", "the lamp beside ")
    ended = [p for e, p in zip(events, payloads, strict=True) if e["type"] == "tool.ended"]
    assert [(p["state"], "lares" in p["result"]["text"]) for p in ended] == [
        ("completed", True)
    ] * 2
    assert {request.path for request in llm.requests} == {
        "/v1/responses" if kind == "responses" else "/v1/chat/completions"
    }
    usage = [p for e, p in zip(events, payloads, strict=True) if e["type"] == "usage.updated"]
    assert len(usage) == 3
    assert all(p["cost_usd"] > 0 for p in usage)
    assert {p["usage"]["model"] for p in usage} == {"P/fake-model"}
    assert all(p["usage"]["phases"]["whole"] > 0 for p in usage)


@pytest.mark.parametrize(
    ("kind", "keeps"),
    [("chat", ["shown", "details", "signature", "opaque"]), ("responses", ["sealed"])],
)
def test_a_server_that_wants_its_reasoning_back_gets_it_in_every_turn(
    root: Path, kind: str, keeps: list[str]
) -> None:
    with FakeLlm() as llm, real_daemon(root, profiles={"P": profile_of(llm, kind)}) as daemon:
        for each in keeps:
            events = run(daemon, PROMPT.replace("rounds=2", f"rounds=2 keeps={each}"))
            assert events[-1]["payload"]["outcome"] == "completed", each
    assert len(llm.requests) == 3 * len(keeps)


def test_a_fallback_is_told_and_its_price_counts(root: Path) -> None:
    with FakeLlm(error="quota") as llm, FakeLlm() as spare:
        first = {**profile_of(llm, "chat"), "fallback": "Spare"}
        second = {**profile_of(spare, "responses"), "price": {"input": 1e6, "output": 1e6}}
        with real_daemon(root, profiles={"P": first, "Spare": second}) as daemon:
            events = run(daemon, PROMPT)
    assert events[-1]["payload"]["outcome"] == "completed"
    notices = [e["payload"] for e in events if e["type"] == "notice"]
    assert [(n["level"], n["code"]) for n in notices] == [("warning", "provider_fallback")]
    assert "Spare answers for the rest of this run" in notices[0]["text"]
    usage = [e["payload"] for e in events if e["type"] == "usage.updated"]
    assert {p["usage"]["model"] for p in usage} == {"Spare/fake-model"}
    assert all(p["cost_usd"] > 1 for p in usage)
    assert len(llm.requests) == 1
