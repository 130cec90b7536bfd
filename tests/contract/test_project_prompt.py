"""A project's own words reach the model of a real daemon, once the folder is trusted."""

from pathlib import Path

import httpx
from tests.fakes.llm_server import FakeLlm
from tests.fakes.real_daemon import real_daemon


def run(http: httpx.Client, llm: FakeLlm) -> str:
    """Work on a prompt in a new session to its end; give the system prompt that was told."""
    session = http.post("/sessions", json={}).json()["id"]
    body = {"client_message_id": "1", "text": "hello"}
    taken = http.post(f"/sessions/{session}/messages", json=body).json()
    http.get(f"/sessions/{session}/events?after_seq=0&until={taken['run_id']}")
    return str(llm.requests[-1].body["messages"][0]["content"])


def test_a_trusted_projects_own_words_are_read_for_each_run_and_before_instructions(
    tmp_path: Path,
) -> None:
    words = tmp_path / "project" / ".lararium" / "prompt.md"
    words.parent.mkdir(parents=True)
    words.write_text("Use tabs.", "utf-8")
    (tmp_path / "project" / "AGENTS.md").write_text("Answer in Latin.", "utf-8")
    with FakeLlm() as llm:
        profile = {"base_url": llm.base_url, "model": "fake-model"}
        with real_daemon(tmp_path / "project", profiles={"P": profile}) as daemon:
            bearer = {"Authorization": f"Bearer {daemon.token}"}
            address = f"{daemon.base_url}/api"
            with httpx.Client(
                base_url=address, headers=bearer, timeout=30, trust_env=False
            ) as http:
                before = run(http, llm)
                items = http.get("/trust").json()["items"]
                http.post("/trust", json={"trusted": True})
                words.write_text("Use two spaces.", "utf-8")
                told = run(http, llm)
                seen = http.get("/instructions").json()
    assert "tabs" not in before
    assert [(item["kind"], item["path"]) for item in items] == [
        ("instructions", "AGENTS.md"),
        ("prompt", ".lararium/prompt.md"),
    ]
    assert told.index("You are the agent") < told.index("two spaces") < told.index("in Latin")
    assert [file["path"] for file in seen["files"]] == [".lararium/prompt.md", "AGENTS.md"]
    assert seen["text"] in told
