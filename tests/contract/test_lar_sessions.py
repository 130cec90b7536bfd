"""`lar sessions`: out of one project and into another, found, and made anew."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.llm_server import FakeLlm
from tests.fakes.real_daemon import real_daemon

from lararium_daemon.__main__ import main
from lararium_daemon.client.http import DaemonClient


def lar(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> list[dict[str, Any]]:
    code = main(["sessions", words[0], "--workspace", str(folder), "--json", *words[1:]])
    out = capsys.readouterr().out
    assert code == 0, out
    return [json.loads(line) for line in out.splitlines()]


def run(client: DaemonClient, session: str, text: str) -> None:
    body = {"client_message_id": text, "text": text}
    accepted = client.request("POST", f"/api/sessions/{session}/messages", body)
    path = f"/api/sessions/{session}/events?until={accepted['run_id']}"
    list(client.stream_lines(path, idle_seconds=30))


def test_a_session_goes_out_and_comes_in_again(
    tmp_path: Path,
    llm: FakeLlm,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in llm.environment.items():
        monkeypatch.setenv(name, value)
    with real_daemon(tmp_path / "one") as daemon:
        folder = tmp_path / "one"
        client = DaemonClient(daemon.base_url, daemon.token)
        session = client.request("POST", "/api/sessions", {"mode": "yolo", "title": "Lamps"})["id"]
        run(client, session, "Light it [[fake rounds=1 tool=shell command='echo lit' text='Lit.']]")
        file = tmp_path / "out.jsonl"

        [said] = lar(capsys, folder, "export", session, "--output", str(file))
        assert said["messages"] == len(file.read_text(encoding="utf-8").splitlines()) == 3
        with file.open("ab") as torn:
            torn.write(b'{"type":"foreign"}\n{"message_id": "half')

        [came] = lar(capsys, folder, "import", str(file))
        assert (came["messages"], came["torn"], came["foreign"]) == (3, 1, 1)
        assert came["session_id"] != session
        rows = {row["id"]: row for row in lar(capsys, folder, "list")}
        assert rows[came["session_id"]]["title"] == "Lamps"
        shown = lar(capsys, folder, "show", came["session_id"])
        assert [m["role"] for m in shown] == ["user", "assistant", "assistant"]
        assert not {m["message_id"] for m in shown} & {
            m["message_id"] for m in lar(capsys, folder, "show", session)
        }

        run(client, came["session_id"], "And now? [[fake text='On.']]")
        told = [m["role"] for m in llm.requests[-1].body["messages"]]
        assert told == ["system", "user", "assistant", "tool", "assistant", "user"]

        found = lar(capsys, folder, "search", "light", "it")
        assert {hit["session_id"] for hit in found} == {session, came["session_id"]}
        assert lar(capsys, folder, "rebuild") == [{"sessions": 2}]
        assert {row["id"] for row in lar(capsys, folder, "list")} == set(rows)
        assert len(lar(capsys, folder, "search", "light")) == len(found)
