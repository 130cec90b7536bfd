"""What a person says while a run goes on, over HTTP."""

from pathlib import Path

from tests.contract.test_http_api import Gated, finish, new_session, post, problem
from tests.fakes.api_daemon import api_daemon


def test_steering_speaks_into_the_run_and_is_the_same_message_when_sent_again(
    tmp_path: Path,
) -> None:
    gate = Gated()
    with api_daemon(tmp_path, gate) as daemon, daemon.client() as http:
        session_id = new_session(http)
        run_id = post(http, session_id, "Go", "c1").json()["run_id"]
        given = {"client_message_id": "c2", "text": "and mind the tests"}
        first = http.post(f"/sessions/{session_id}/steer", json=given)
        again = http.post(f"/sessions/{session_id}/steer", json=given)

        assert (first.status_code, first.json()["run_id"]) == (202, run_id)
        assert again.json() == first.json()
        assert http.get(f"/sessions/{session_id}/queue").json()["items"] == []
        daemon.portal.call(gate.leave.set)
        finish(http, session_id, run_id)


def test_steering_without_a_run_keeps_nothing(tmp_path: Path) -> None:
    with api_daemon(tmp_path, Gated()) as daemon, daemon.client() as http:
        session_id = new_session(http)
        given = {"client_message_id": "c1", "text": "too late"}

        assert problem(http.post(f"/sessions/{session_id}/steer", json=given)) == (409, "no_run")
        assert http.get(f"/sessions/{session_id}/messages").json()["items"] == []


def test_there_is_no_compaction_to_undo_in_a_new_session(tmp_path: Path) -> None:
    with api_daemon(tmp_path, Gated()) as daemon, daemon.client() as http:
        path = f"/sessions/{new_session(http)}/compaction/undo"

        assert problem(http.post(path, json={})) == (409, "nothing_to_undo")


def test_a_message_that_waits_can_be_changed_and_keeps_its_place(tmp_path: Path) -> None:
    gate = Gated()
    with api_daemon(tmp_path, gate) as daemon, daemon.client() as http:
        session_id = new_session(http)
        run_id = post(http, session_id, "Go", "c1").json()["run_id"]
        second, third = (post(http, session_id, t, t).json()["message_id"] for t in ("b", "c"))
        path = f"/sessions/{session_id}/queue/{second}"
        changed = http.patch(path, json={"text": "better"})
        seq = http.get("/sessions").json()["items"][0]["updated_at"]

        assert (changed.status_code, changed.json()["parts"][0]["text"]) == (200, "better")
        assert http.patch(path, json={"text": "better"}).json() == changed.json()
        assert http.get("/sessions").json()["items"][0]["updated_at"] == seq
        queue = http.get(f"/sessions/{session_id}/queue").json()["items"]
        assert [(m["message_id"], m["parts"][0]["text"]) for m in queue] == [
            (second, "better"),
            (third, "c"),
        ]
        assert http.patch(path, json={"text": ""}).status_code == 422
        http.delete(path)
        assert problem(http.patch(path, json={"text": "x"})) == (404, "unknown_message")
        busy = http.post(f"/sessions/{session_id}/compact", json={})
        assert problem(busy) == (409, "run_goes_on")
        daemon.portal.call(gate.leave.set)
        finish(http, session_id, run_id)


def test_a_message_that_a_run_has_taken_is_not_changed(tmp_path: Path) -> None:
    gate = Gated()
    with api_daemon(tmp_path, gate) as daemon, daemon.client() as http:
        session_id = new_session(http)
        first = post(http, session_id, "Go", "c1").json()
        path = f"/sessions/{session_id}/queue/{first['message_id']}"

        assert problem(http.patch(path, json={"text": "Stop"})) == (409, "already_taken")
        daemon.portal.call(gate.leave.set)
        finish(http, session_id, first["run_id"])
        too_short = http.post(f"/sessions/{session_id}/compact", json={})
        assert problem(too_short) == (409, "nothing_to_compact")
