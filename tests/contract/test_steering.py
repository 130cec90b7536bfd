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
