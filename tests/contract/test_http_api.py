"""The HTTP API over a real server: shapes, codes and what they promise."""

import hashlib
import json
import logging
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from tests.fakes.api_daemon import ApiDaemon, api_daemon
from tests.fakes.scripted_runner import Gated, Script, begin_answer

from lararium_daemon.protocol.events import (
    MessageAppended,
    PartAppended,
    PermissionRequested,
    PermissionResolved,
    QuestionAsked,
    QuestionResolved,
    RunEnded,
)
from lararium_daemon.protocol.ids import (
    CallId,
    MessageId,
    PartId,
    QuestionId,
    RequestId,
    RunId,
    SessionId,
)
from lararium_daemon.protocol.messages import Message, TextPart, ToolCallPart
from lararium_daemon.protocol.permissions import (
    PermissionRequest,
    Question,
    QuestionItem,
    QuestionOption,
)
from lararium_daemon.sessions.runner import RunRequest
from lararium_daemon.sessions.session import Session

AT = "2026-11-30T12:00:00.000Z"


@pytest.fixture
def daemon(tmp_path: Path) -> Generator[ApiDaemon]:
    with api_daemon(tmp_path) as daemon:
        yield daemon


@pytest.fixture
def http(daemon: ApiDaemon) -> Generator[httpx.Client]:
    with daemon.client() as client:
        yield client


def new_session(http: httpx.Client, **given: Any) -> str:
    response = http.post("/sessions", json=given)
    assert response.status_code == 201
    return response.json()["id"]


def post(http: httpx.Client, session_id: str, text: str, client_id: str = "c1") -> httpx.Response:
    message = {"client_message_id": client_id, "text": text}
    return http.post(f"/sessions/{session_id}/messages", json=message)


def finish(http: httpx.Client, session_id: str, run_id: str) -> list[str]:
    """Wait for the run's end on the event stream; give the lines."""
    with http.stream("GET", f"/sessions/{session_id}/events?until={run_id}") as response:
        return list(response.iter_lines())


def problem(response: httpx.Response) -> tuple[int, str]:
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == response.status_code
    return response.status_code, body["code"]


def test_a_session_is_begun_found_changed_listed_and_deleted(http: httpx.Client) -> None:
    session_id = new_session(http, title=" Mine ", mode="plan")
    row = http.get(f"/sessions/{session_id}").json()
    assert row == {
        "id": session_id,
        "title": "Mine",
        "mode": "plan",
        "model": None,
        "archived": False,
        "pinned": False,
        "created_at": row["created_at"],
        "updated_at": row["created_at"],
        "activity": "idle",
        "fact": "",
        "last_outcome": None,
        "message_count": 0,
        "parent_id": None,
    }
    changed = http.patch(f"/sessions/{session_id}", json={"model": "large", "pinned": True}).json()
    assert changed == row | {"model": "large", "pinned": True}
    assert http.get("/sessions").json() == {"items": [changed], "next_cursor": None}
    assert http.patch(f"/sessions/{session_id}", json={"archived": True}).json()["archived"]
    assert http.get("/sessions").json()["items"] == []
    assert len(http.get("/sessions?archived=true").json()["items"]) == 1
    assert http.delete(f"/sessions/{session_id}").json() == {"ok": True}
    assert problem(http.get(f"/sessions/{session_id}")) == (404, "unknown_session")
    assert http.get("/sessions?archived=true").json()["items"] == []


def test_the_list_comes_in_pages(http: httpx.Client) -> None:
    wanted = [new_session(http) for _ in range(5)]
    found: list[str] = []
    cursor = ""
    while True:
        page = http.get("/sessions", params={"limit": 2, "cursor": cursor}).json()
        found += [row["id"] for row in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert sorted(found) == sorted(wanted)
    assert problem(http.get("/sessions?cursor=x")) == (422, "invalid_cursor")


def test_a_message_is_taken_once_and_answered_with_its_place(http: httpx.Client) -> None:
    session_id = new_session(http)
    response = post(http, session_id, "Do it")
    accepted = response.json()
    assert response.status_code == 202
    assert accepted["queued"] is False
    assert accepted["seq"] == 3  # after its creation and its title
    finish(http, session_id, accepted["run_id"])
    assert post(http, session_id, "Do it").json() == accepted
    assert problem(post(http, session_id, "Do that")) == (409, "message_id_reused")
    messages = http.get(f"/sessions/{session_id}/messages").json()["items"]
    assert [part["text"] for m in messages for part in m["parts"]] == ["Do it", "Done."]
    assert messages[0]["message_id"] == accepted["message_id"]
    assert messages[0]["run_id"] == accepted["run_id"]
    assert http.get(f"/sessions/{session_id}").json()["title"] == "Do it"


def test_messages_come_in_pages_from_the_newest_on(daemon: ApiDaemon, http: httpx.Client) -> None:
    session_id = new_session(http)

    async def fill() -> None:
        session = await daemon.services.library.get(SessionId(session_id))
        for number in range(5):
            part = TextPart(PartId(f"prt_{number}"), str(number))
            message = Message(MessageId(f"msg_{number}"), "assistant", AT, RunId("r"), None, [part])
            await session.commit([MessageAppended(message)])

    daemon.portal.call(fill)
    pages: list[list[str]] = []
    cursor = ""
    while cursor is not None:
        params = {"limit": 2, "cursor": cursor}
        page = http.get(f"/sessions/{session_id}/messages", params=params).json()
        pages.append([message["parts"][0]["text"] for message in page["items"]])
        cursor = page["next_cursor"]
    assert pages == [["3", "4"], ["1", "2"], ["0"]]
    bad = http.get(f"/sessions/{session_id}/messages?cursor=none")
    assert problem(bad) == (422, "invalid_cursor")


def test_a_message_that_cannot_be_is_refused_with_the_field(http: httpx.Client) -> None:
    session_id = new_session(http)
    for body, field in (
        ({"client_message_id": "c"}, "text"),
        ({"client_message_id": "c", "text": ""}, "text"),
        ({"client_message_id": "c" * 129, "text": "x"}, "client_message_id"),
        ({"client_message_id": "c", "text": "x", "surprise": 1}, "surprise"),
    ):
        response = http.post(f"/sessions/{session_id}/messages", json=body)
        assert problem(response) == (422, "invalid_input")
        assert response.json()["fields"][0]["field"] == f"body.{field}"
    assert problem(post(http, "ses_none", "x")) == (404, "unknown_session")
    assert http.get(f"/sessions/{session_id}/messages").json()["items"] == []


def test_half_a_surrogate_pair_does_no_harm(http: httpx.Client) -> None:
    session_id = new_session(http)
    body = b'{"client_message_id": "c", "text": "a \\ud83d b"}'
    headers = {"content-type": "application/json"}
    response = http.post(f"/sessions/{session_id}/messages", content=body, headers=headers)
    assert response.status_code in {202, 422}
    if response.status_code == 202:
        finish(http, session_id, response.json()["run_id"])
    assert http.get(f"/sessions/{session_id}/messages").status_code == 200
    assert post(http, session_id, "next", "c2").status_code == 202


def test_follow_ups_wait_in_the_queue_until_taken_back_or_run(tmp_path: Path) -> None:
    gate = Gated()
    with api_daemon(tmp_path, gate) as daemon, daemon.client() as http:
        session_id = new_session(http)
        first = post(http, session_id, "One", "c1").json()
        second = post(http, session_id, "Two", "c2").json()
        third = post(http, session_id, "Three", "c3").json()
        assert (second["run_id"], second["queued"]) == (None, True)
        queue = http.get(f"/sessions/{session_id}/queue").json()["items"]
        assert [message["message_id"] for message in queue] == [
            second["message_id"],
            third["message_id"],
        ]
        path = f"/sessions/{session_id}/queue"
        assert http.delete(f"{path}/{second['message_id']}").json() == {"ok": True}
        assert problem(http.delete(f"{path}/{second['message_id']}")) == (404, "unknown_message")
        assert problem(http.delete(f"{path}/{first['message_id']}")) == (409, "already_taken")
        assert http.delete(path).json() == {"ok": True}
        assert http.get(path).json()["items"] == []
        daemon.portal.call(gate.leave.set)
        finish(http, session_id, first["run_id"])
        assert len(daemon.runner.requests) == 1


def test_an_interrupt_is_answered_once_the_run_has_ended(tmp_path: Path) -> None:
    with api_daemon(tmp_path, Gated()) as daemon, daemon.client() as http:
        session_id = new_session(http)
        assert http.post(f"/sessions/{session_id}/interrupt").json() == {"ok": True}
        post(http, session_id, "Go")
        assert http.get(f"/sessions/{session_id}").json()["activity"] == "running"
        assert http.post(f"/sessions/{session_id}/interrupt", json={}).json() == {"ok": True}
        row = http.get(f"/sessions/{session_id}").json()
        assert (row["activity"], row["last_outcome"]) == ("idle", "interrupted")


def asking(daemon_box: list[ApiDaemon], asked: anyio.Event) -> Script:
    """A script that asks for permission and puts a question, as the loop does."""
    shown = "/w\nid"

    async def script(session: Session, run: RunRequest) -> None:
        services = daemon_box[0].services
        message_id = await begin_answer(session, run)
        call = ToolCallPart(PartId("prt_1"), CallId("call_1"), "bash", {"command": "id"})
        request = PermissionRequest(
            id=RequestId("ask_1"),
            session_id=session.id,
            run_id=run.run_id,
            call_id=call.call_id,
            tool="bash",
            title="Run this command?",
            reason="No rule allows it.",
            input={"command": "id"},
            shown=shown,
            shown_sha256=hashlib.sha256(shown.encode()).hexdigest(),
            suggested_rules=["Bash(id)"],
            created_at=AT,
        )
        options = [QuestionOption("A"), QuestionOption("B")]
        question = Question(
            QuestionId("qst_1"),
            session.id,
            run.run_id,
            CallId("call_2"),
            [QuestionItem("Which?", options)],
            AT,
        )
        await session.commit([
            PartAppended(message_id, call),
            PermissionRequested(request),
            QuestionAsked(question),
        ])
        services.broker.open(request)
        services.questions.open(question)
        asked.set()
        decided = await services.broker.wait(request.id)
        await session.commit([
            PermissionResolved(request.id, decided.decision, decided.scope, "person")
        ])
        services.broker.committed(request.id)
        answered = await services.questions.wait(question.id)
        await session.commit([QuestionResolved(question.id, answered.answers)])
        services.questions.committed(question.id)
        await session.commit([RunEnded(run.run_id, "completed", 0, text=decided.decision)])

    return script


def test_a_request_and_a_question_are_answered_exactly_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "lararium_daemon.api")
    box: list[ApiDaemon] = []
    asked = anyio.Event()
    with api_daemon(tmp_path, asking(box, asked)) as daemon, daemon.client() as http:
        box.append(daemon)
        session_id = new_session(http)
        run_id = post(http, session_id, "Go").json()["run_id"]
        daemon.portal.call(asked.wait)
        assert http.get(f"/sessions/{session_id}").json()["activity"] == "needs_you"
        (request,) = http.get("/permissions/requests").json()["items"]
        assert request["shown"] == "/w\nid"
        path = f"/permissions/requests/{request['id']}/decision"
        decision = {"decision": "allow", "scope": "once", "shown_sha256": "0" * 64}
        assert problem(http.post(path, json=decision)) == (409, "shown_mismatch")
        decision["shown_sha256"] = request["shown_sha256"]
        with daemon.client("read", "prompt") as weak:
            assert problem(weak.post(path, json=decision)) == (403, "missing_scope")
        taken = http.post(path, json=decision)
        assert taken.json() == {"request_id": "ask_1", "decision": "allow", "scope": "once"}
        assert "Decided ask_1: allow (once), by the token" in caplog.messages
        assert problem(http.post(path, json=decision)) == (409, "already_resolved")
        assert problem(http.post("/permissions/requests/x/decision", json=decision)) == (
            404,
            "unknown_request",
        )
        (question,) = http.get("/questions").json()["items"]
        answers = {"answers": [{"selected": ["B"], "text": ""}]}
        answered = http.post(f"/questions/{question['id']}/answer", json=answers)
        assert answered.json() == {"question_id": "qst_1"}
        assert '"text":"allow"' in finish(http, session_id, run_id)[-1]
        assert http.get("/questions").json()["items"] == []


def test_rules_are_replaced_as_a_whole_and_malformed_ones_refused(
    daemon: ApiDaemon, http: httpx.Client
) -> None:
    nothing: dict[str, list[str]] = {"allow": [], "ask": [], "deny": [], "problems": []}
    assert http.get("/permissions/rules").json() == nothing
    rules = {"allow": ["Bash(npm test)"], "deny": ["Bash(rm *)"]}
    wanted = nothing | rules
    assert http.put("/permissions/rules", json=rules).json() == wanted
    assert http.get("/permissions/rules").json() == wanted
    bad = http.put("/permissions/rules", json={"allow": ["Bash("]})
    assert problem(bad) == (422, "malformed_rule")
    assert http.get("/permissions/rules").json() == wanted
    with daemon.client("read", "prompt", "approve") as weak:
        assert problem(weak.put("/permissions/rules", json={})) == (403, "missing_scope")
    explained = http.post("/permissions/explain", json={"command": "ls -l"}).json()
    assert explained["commands"] == [["ls", "-l"]]


def test_a_mode_without_questions_and_rules_for_a_run_need_their_scopes(
    daemon: ApiDaemon, http: httpx.Client
) -> None:
    session_id = new_session(http)
    with daemon.client("read", "prompt") as weak:
        message = {"client_message_id": "c", "text": "x", "allow": ["Bash(*)"]}
        for response in (
            weak.post("/sessions", json={"mode": "yolo"}),
            weak.patch(f"/sessions/{session_id}", json={"mode": "yolo"}),
            weak.post(f"/sessions/{session_id}/messages", json=message),
        ):
            assert problem(response) == (403, "missing_scope")
    assert new_session(http, mode="yolo")


def test_a_call_shows_its_whole_output_in_pages(
    tmp_path: Path, daemon: ApiDaemon, http: httpx.Client
) -> None:
    session_id = new_session(http)
    output = "".join(f"line {number} \x1b[31mred\x1b[0m é\n" for number in range(5_000))
    (tmp_path / "call_1").write_bytes(output.encode() + b"\x1b]0;title\x07end\x00 \xff")

    async def fill() -> None:
        session = await daemon.services.library.get(SessionId(session_id))
        call = ToolCallPart(PartId("prt_1"), CallId("call_1"), "bash", {}, state="completed")
        message = Message(MessageId("msg_1"), "assistant", AT, RunId("r"), None, [call])
        await session.commit([MessageAppended(message)])

    daemon.portal.call(fill)
    path = f"/sessions/{session_id}/calls/call_1/output"
    offset: int | None = 0
    pages: list[str] = []
    while offset is not None:
        page = http.get(path, params={"offset": offset}).json()
        pages.append(page["text"])
        offset = page["next_offset"]
    assert len(pages) > 1
    assert "".join(pages) == output + "end �"
    missing = http.get(f"/sessions/{session_id}/calls/none/output")
    assert problem(missing) == (404, "unknown_call")


def test_the_daemon_says_what_it_is(http: httpx.Client) -> None:
    assert http.get("/status").json()["workspace_name"] == "w"
    assert http.get("/models").json()["default"] == "model"
    assert http.get("/tools").json()["failed"] == {"broken": "SyntaxError"}


def test_the_hub_origin_is_set_by_an_administrator(daemon: ApiDaemon, http: httpx.Client) -> None:
    origin = {"origin": "http://127.0.0.1:4567"}
    with daemon.client("read") as weak:
        assert problem(weak.put("/auth/hub-origin", json=origin)) == (403, "missing_scope")
    assert http.put("/auth/hub-origin", json=origin).json() == {"ok": True}
    assert daemon.services.hub_origin.value == origin["origin"]
    bad = http.put("/auth/hub-origin", json={"origin": "https://evil.example"})
    assert problem(bad) == (422, "invalid_origin")


def test_nothing_is_reached_without_a_credential(daemon: ApiDaemon, http: httpx.Client) -> None:
    described = http.get("/openapi.json").json()
    open_paths = {"/api/health", "/api/auth/prove", "/api/auth/exchange"}
    with httpx.Client(base_url=daemon.base_url, trust_env=False) as stranger:
        for path, operations in described["paths"].items():
            if path in open_paths:
                continue
            for method in operations:
                url = path.replace("{", "").replace("}", "")
                assert stranger.request(method, url).status_code == 401, (method, path)


def test_every_route_needs_a_scope(daemon: ApiDaemon, http: httpx.Client) -> None:
    described = http.get("/openapi.json").json()
    open_paths = {"/api/health", "/api/auth/prove", "/api/auth/exchange"}
    with daemon.client("native") as other:
        for path, operations in described["paths"].items():
            if path in open_paths:
                continue
            for method in operations:
                url = path.removeprefix("/api").replace("{", "").replace("}", "")
                body = b"{}" if method != "get" else None
                kind = "octet-stream" if method == "put" and "/attachments/" in url else "json"
                headers = {"Content-Type": f"application/{kind}"} if body else {}
                response = other.request(method, url, content=body, headers=headers)
                assert response.status_code == 403, (method, path, response.text)


def test_the_description_is_complete(http: httpx.Client) -> None:
    described = http.get("/openapi.json").json()
    schemas = described["components"]["schemas"]
    operations = [op for path in described["paths"].values() for op in path.values()]
    ids = [operation["operationId"] for operation in operations]
    assert sorted(ids) == sorted(set(ids))
    assert all(name.isidentifier() for name in ids)
    for operation in operations:
        success = next(r for code, r in operation["responses"].items() if code.startswith("2"))
        (content,) = success["content"].values()
        assert content["schema"], operation["operationId"]
        assert "application/problem+json" in operation["responses"]["default"]["content"]
    assert set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(described))) <= set(schemas)
    assert {"Envelope", "PartDeltaEnvelope", "Snapshot", "SubscribeSession", "Problem"} <= set(
        schemas
    )
    assert "HTTPValidationError" not in schemas


def test_an_unknown_path_is_a_problem_too(http: httpx.Client) -> None:
    assert problem(http.get("/nothing")) == (404, "not_found")
    assert problem(http.put("/sessions", json={})) == (405, "method_not_allowed")
