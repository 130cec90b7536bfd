"""Grants over HTTP: listed, taken back, and gone with their session."""

from pathlib import Path

from tests.fakes.api_daemon import api_daemon

from lararium_daemon.protocol.ids import SessionId


def test_grants_are_listed_and_taken_back(tmp_path: Path) -> None:
    with api_daemon(tmp_path) as daemon, daemon.client() as http:
        daemon.services.grants.of(SessionId("ses_1")).add("Bash", shown="/w\nnpm test")
        (item,) = http.get("/permissions/grants").json()["items"]
        taken = http.delete(f"/permissions/grants/{item['id']}")
        again = http.delete(f"/permissions/grants/{item['id']}")
        left = http.get("/permissions/grants").json()["items"]

    assert (item["permission"], item["allowed"]) == ("Bash", "/w\nnpm test")
    assert (taken.status_code, left) == (200, [])
    assert (again.status_code, again.json()["code"]) == (404, "unknown_grant")


def test_a_reader_takes_nothing_back(tmp_path: Path) -> None:
    with api_daemon(tmp_path) as daemon, daemon.client("read") as http:
        daemon.services.grants.of(SessionId("ses_1")).add("Bash", shown="/w\nnpm test")
        (item,) = http.get("/permissions/grants").json()["items"]
        assert http.delete(f"/permissions/grants/{item['id']}").status_code == 403


def test_a_deleted_session_leaves_no_grant(tmp_path: Path) -> None:
    with api_daemon(tmp_path) as daemon, daemon.client() as http:
        session_id = http.post("/sessions", json={}).json()["id"]
        daemon.services.grants.of(SessionId(session_id)).add("Bash", shown="/w\nls")
        assert http.delete(f"/sessions/{session_id}").is_success
        assert http.get("/permissions/grants").json()["items"] == []
