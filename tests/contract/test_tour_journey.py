"""The tour from its first word to its end, in a real daemon without key, network or model."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.fakes.real_daemon import real_daemon

from lararium_daemon.system.sample_project import copy_sample_project

Json = dict[str, Any]


@dataclass
class Journey:
    http: httpx.Client
    folder: Path

    def begin(self, text: str, **more: Any) -> str:
        session: Json = self.http.post("/sessions", json={}).json()
        self.say(session["id"], text, **more)
        return session["id"]

    def say(self, session: str, text: str, **more: Any) -> None:
        body = {"client_message_id": text, "text": text, **more}
        assert self.http.post(f"/sessions/{session}/messages", json=body).status_code == 202

    def events(self, session: str) -> Iterator[Json]:
        address = f"/sessions/{session}/events?after_seq=0"
        with self.http.stream("GET", address) as answer:
            for line in answer.iter_lines():
                yield json.loads(line)

    def play(self, session: str, decision: str, answer: Json) -> list[Json]:
        """Decide and answer whatever comes, until the run ends."""
        seen: list[Json] = []
        for event in self.events(session):
            seen.append(event)
            payload = event["payload"]
            if event["type"] == "permission.requested":
                self._decide(payload["request"], decision)
            elif event["type"] == "question.asked":
                path = f"/questions/{payload['question']['id']}/answer"
                assert self.http.post(path, json={"answers": [answer]}).status_code == 200
            elif event["type"] == "run.ended":
                break
        return seen

    def _decide(self, request: Json, decision: str) -> None:
        body = {"decision": decision, "scope": "once", "shown_sha256": request["shown_sha256"]}
        path = f"/permissions/requests/{request['id']}/decision"
        assert self.http.post(path, json=body).status_code == 200


@pytest.fixture
def journey(tmp_path: Path) -> Iterator[Journey]:
    folder = copy_sample_project(tmp_path / "tour")
    with real_daemon(folder) as daemon:
        bearer = {"Authorization": f"Bearer {daemon.token}"}
        with httpx.Client(
            base_url=f"{daemon.base_url}/api", headers=bearer, timeout=30, trust_env=False
        ) as client:
            yield Journey(client, folder)


def tools_of(events: list[Json]) -> list[tuple[str, str]]:
    """Give each call's tool and how it ended."""
    tools = {
        part["call_id"]: part["tool"]
        for event in events
        if event["type"] == "part.appended"
        and (part := event["payload"]["part"])["type"] == "tool_call"
    }
    ended = [event["payload"] for event in events if event["type"] == "tool.ended"]
    return [(tools[each["call_id"]], each["state"]) for each in ended]


def test_everything_allowed_it_mends_the_lamp_and_completes(journey: Journey) -> None:
    status = journey.http.get("/status").json()["model"]
    assert (status["usable"], status["scripted"], status["source"]) == (True, True, "tour")
    session = journey.begin("Show me around")
    events = journey.play(session, "allow", {"selected": ["In README.md"], "text": ""})
    assert tools_of(events) == [
        ("read_file", "completed"),
        ("edit_file", "completed"),
        ("bash", "completed"),
        ("ask_user", "completed"),
        ("edit_file", "completed"),
        ("task_complete", "completed"),
    ]
    assert events[-1]["payload"]["outcome"] == "completed"
    assert "`lamp.py`, `README.md`" in events[-1]["payload"]["text"]
    assert "* wicks" in (journey.folder / "lamp.py").read_text(encoding="utf-8")
    assert "mended" in (journey.folder / "README.md").read_text(encoding="utf-8")
    assert len([event for event in events if event["type"] == "part.delta"]) > 20


def test_everything_denied_it_changes_nothing_and_completes(journey: Journey) -> None:
    before = {path.name: path.read_bytes() for path in journey.folder.iterdir()}
    session = journey.begin("Show me around")
    events = journey.play(session, "deny", {"selected": [], "text": "in a letter"})
    assert tools_of(events) == [
        ("read_file", "completed"),
        ("edit_file", "denied"),
        ("bash", "denied"),
        ("ask_user", "completed"),
        ("task_complete", "completed"),
    ]
    assert events[-1]["payload"]["outcome"] == "completed"
    assert "No file was changed" in events[-1]["payload"]["text"]
    assert {path.name: path.read_bytes() for path in journey.folder.iterdir()} == before


def test_with_nobody_there_it_ends_too(journey: Journey) -> None:
    session = journey.begin("Show me around", headless=True)
    events = journey.play(session, "allow", {"selected": [], "text": ""})
    assert events[-1]["payload"]["outcome"] == "completed"
    assert events[-1]["payload"]["refused"] == 2
