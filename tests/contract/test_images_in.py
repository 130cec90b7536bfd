"""A picture goes from the person to the model: by each wire, from a terminal, out and in again."""

import base64
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.fakes.copilot_server import LOGIN, FakeCopilot
from tests.fakes.llm_server import FakeLlm
from tests.fakes.llm_wire import json_reply
from tests.fakes.pictures import GIF, PNG
from tests.fakes.real_daemon import RealDaemon, real_daemon
from tests.fakes.terminal import lar

Json = dict[str, Any]
OCTETS = {"Content-Type": "application/octet-stream"}
URL = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


def client_of(daemon: RealDaemon) -> httpx.Client:
    bearer = {"Authorization": f"Bearer {daemon.token}"}
    return httpx.Client(
        base_url=f"{daemon.base_url}/api", headers=bearer, timeout=30, trust_env=False
    )


def put(http: httpx.Client, session: str, data: bytes, name: str) -> str:
    address = f"/sessions/{session}/attachments/{name}"
    return http.put(address, content=data, headers=OCTETS).json()["attachment_id"]


def run(http: httpx.Client, session: str, text: str, *images: str) -> Json:
    """Send a message; give its run's end."""
    body = {"client_message_id": text, "text": text, "attachments": list(images)}
    taken = http.post(f"/sessions/{session}/messages", json=body).json()
    address = f"/sessions/{session}/events?after_seq=0&until={taken['run_id']}"
    with http.stream("GET", address) as answer:
        return [json.loads(line) for line in answer.iter_lines() if line][-1]["payload"]


def profile_of(llm: FakeLlm, kind: str) -> Json:
    copilot = isinstance(llm, FakeCopilot)
    profile = {
        "kind": kind,
        "base_url": llm.github_url if isinstance(llm, FakeCopilot) else llm.base_url,
        "model": "fake-model",
    }
    return profile | ({"key": "env:COPILOT_LOGIN"} if copilot else {})


def contents(body: Json) -> list[Any]:
    """Give what the person's messages of a request hold."""
    messages = body.get("messages") or body["input"]
    return [each["content"] for each in messages if each.get("role") == "user"]


@pytest.mark.parametrize("kind", ["chat", "responses", "copilot"])
def test_the_model_is_shown_the_picture_in_every_call(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_LOGIN", LOGIN)
    text = "what is it [[fake tokens=2]]"
    with (
        FakeCopilot() if kind == "copilot" else FakeLlm() as llm,
        real_daemon(tmp_path / "project", profiles={"P": profile_of(llm, kind)}) as daemon,
        client_of(daemon) as http,
    ):
        session = http.post("/sessions", json={}).json()["id"]
        image = put(http, session, PNG, "shot.png")
        assert run(http, session, text, image)["outcome"] == "completed"
        assert run(http, session, "and now?")["outcome"] == "completed"
    image_part: Json = {"type": "image_url", "image_url": {"url": URL}}
    text_kind = "text"
    if kind == "responses":
        image_part = {"type": "input_image", "image_url": URL, "detail": "auto"}
        text_kind = "input_text"
    shown = [{"type": text_kind, "text": text}, image_part]
    assert [contents(request.body)[0] for request in llm.requests] == [shown, shown]
    vision = [request.headers.get("copilot-vision-request") for request in llm.requests]
    assert vision == (["true", "true"] if kind == "copilot" else [None, None])


def test_a_model_that_refuses_pictures_is_told_as_such(tmp_path: Path) -> None:
    with (
        FakeLlm() as llm,
        real_daemon(tmp_path / "project", profiles={"P": profile_of(llm, "chat")}) as daemon,
        client_of(daemon) as http,
    ):
        refusal = {"error": {"message": "image input is not supported", "code": None}}
        llm.script(json_reply(refusal, status=400))
        session = http.post("/sessions", json={}).json()["id"]
        ended = run(http, session, "look", put(http, session, PNG, "shot.png"))
    assert (ended["outcome"], ended["code"]) == ("error", "provider_bad_request")
    assert "Pictures went along with it" in ended["detail"]


def test_a_picture_comes_from_a_terminal_and_goes_out_and_in_with_its_session(
    project: Path, tmp_path: Path, llm: FakeLlm
) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    (tmp_path / "b.gif").write_bytes(GIF)
    (tmp_path / "c.png").write_text("no picture", encoding="utf-8")
    for wrong, said in (("c.png", "PNG, JPEG, GIF and WebP"), ("d.png", "cannot be read")):
        refused = lar(project, "run", "--image", str(tmp_path / wrong), "look", **llm.environment)
        assert refused.returncode == 2
        assert said in refused.stderr
    assert llm.requests == []

    pictures = ("--image", str(tmp_path / "a.png"), "--image", str(tmp_path / "b.gif"))
    ran = lar(project, "run", "--json", *pictures, "look", **llm.environment)
    assert ran.returncode == 0, ran.stderr
    session = json.loads(ran.stdout.splitlines()[0])["session_id"]
    shown = contents(llm.requests[0].body)[0]
    assert [each["type"] for each in shown] == ["text", "image_url", "image_url"]

    file = tmp_path / "out.jsonl"
    out = lar(project, "sessions", "export", session, "--output", str(file), "--json")
    assert json.loads(out.stdout)["images"] == 2
    assert sorted(each.read_bytes() for each in (tmp_path / "out.images").iterdir()) == [GIF, PNG]
    came = json.loads(lar(project, "sessions", "import", str(file), "--json").stdout)
    assert (came["images"], came["missing_images"]) == (2, 0)
    again = lar(project, "run", "--session", came["session_id"], "go on", **llm.environment)
    assert again.returncode == 0, again.stderr
    assert contents(llm.requests[-1].body)[0] == shown
