"""Subagents over HTTP: a session of their own, asks in the same place, one end for both."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from tests.fakes.llm_server import FakeLlm
from tests.fakes.real_daemon import real_daemon

Json = dict[str, Any]
Found = TypeVar("Found")
WAIT_SECONDS = 20.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace") / "project"


@pytest.fixture
def http(folder: Path, llm: FakeLlm) -> Iterator[httpx.Client]:
    profile = {"base_url": llm.base_url, "model": "fake-model"}
    with (
        real_daemon(folder, profiles={"P": profile}, agent={"max_turns": 4}) as daemon,
        httpx.Client(
            base_url=f"{daemon.base_url}/api",
            headers={"Authorization": f"Bearer {daemon.token}"},
            timeout=30,
            trust_env=False,
        ) as client,
    ):
        yield client


def task(directive: str, *, read_only: bool = False) -> str:
    """Arguments whose prompt holds a directive of its own."""
    given = {"description": "Look around", "prompt": directive, "read_only": read_only}
    return json.dumps(given).replace("[[", r"\u005b\u005b").replace("]]", r"\u005d\u005d")


def start(http: httpx.Client, prompt: str) -> str:
    session: str = http.post("/sessions", json={"title": "Parent"}).json()["id"]
    body = {"client_message_id": "1", "text": prompt}
    assert http.post(f"/sessions/{session}/messages", json=body).status_code == 202
    return session


def wait(look: Callable[[], Found]) -> Found:
    end = time.monotonic() + WAIT_SECONDS
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def asks(http: httpx.Client) -> list[Json]:
    found: list[Json] = http.get("/permissions/requests").json()["items"]
    return found


def row(http: httpx.Client, session: str) -> Json:
    found: Json = http.get(f"/sessions/{session}").json()
    return found


def ended(http: httpx.Client, session: str) -> Json:
    return wait(lambda: found if (found := row(http, session))["activity"] == "idle" else {})


def calls(http: httpx.Client, session: str) -> list[Json]:
    messages: list[Json] = http.get(f"/sessions/{session}/messages").json()["items"]
    return [p for m in messages for p in m["parts"] if p["type"] == "tool_call"]


def test_a_subagent_asks_for_itself_and_its_last_words_are_the_result(
    http: httpx.Client, folder: Path
) -> None:
    args = task("[[fake rounds=1 tool=write path=made.txt text=Made.]]")
    parent = start(http, f"[[fake rounds=1 tool=task args='{args}' text=Done.]]")
    [request] = wait(lambda: asks(http))
    child = request["session_id"]
    assert (row(http, child)["parent_id"], row(http, child)["title"]) == (parent, "Look around")
    told = http.get("/attention").json()["items"]
    assert [(each["kind"], each["session_id"]) for each in told] == [("needs_you", child)]
    body = {"client_message_id": "2", "text": "And?"}
    refused = http.post(f"/sessions/{child}/messages", json=body)
    assert (refused.status_code, refused.json()["code"]) == (409, "subagent_works")
    decision = {"decision": "allow", "shown_sha256": request["shown_sha256"]}
    http.post(f"/permissions/requests/{request['id']}/decision", json=decision)

    assert ended(http, parent)["last_outcome"] == "completed"
    assert (folder / "made.txt").read_text(encoding="utf-8") == "hello\n"
    [call] = calls(http, parent)
    assert (call["tool"], call["state"], call["result"]["text"]) == (
        "task",
        "completed",
        "Made.",
    )
    assert call["result"]["metadata"]["session_id"] == child
    ends = [each for each in http.get("/attention").json()["items"] if each["kind"] == "finished"]
    assert [each["session_id"] for each in ends] == [parent]


def test_a_subagent_ends_with_its_parent_and_is_deleted_with_it(http: httpx.Client) -> None:
    args = task("[[fake rounds=1 tool=write path=never.txt]]")
    parent = start(http, f"[[fake rounds=1 tool=task args='{args}']]")
    [request] = wait(lambda: asks(http))
    http.post(f"/sessions/{parent}/interrupt", json={})

    assert asks(http) == []
    assert ended(http, request["session_id"])["last_outcome"] == "interrupted"
    assert [each["state"] for each in calls(http, parent)] == ["interrupted"]
    assert http.delete(f"/sessions/{parent}").status_code == 200
    assert http.get(f"/sessions/{request['session_id']}").status_code == 404


def test_the_budget_is_shared_and_those_that_only_read_cannot_write(http: httpx.Client) -> None:
    args = task("[[fake rounds=9 tool=write path=never.txt]]", read_only=True)
    parent = start(http, f"[[fake rounds=1 calls=2 tool=task args='{args}']]")

    assert ended(http, parent)["last_outcome"] == "budget"
    both = calls(http, parent)
    assert [each["result"]["is_error"] for each in both] == [True, True]
    assert all("limit of 4 turns" in each["result"]["text"] for each in both)
    children = [each["result"]["metadata"]["session_id"] for each in both]
    tried = [each for child in children for each in calls(http, child)]
    assert len(tried) == 3
    assert {each["result"]["summary"] for each in tried} == {"unknown"}
