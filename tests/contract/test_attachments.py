"""The pictures of a session over a real server: what is kept, what is refused, what is given."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.fakes.api_daemon import ApiDaemon, api_daemon
from tests.fakes.pictures import GIF, PNG, jpeg, png, webp
from tests.fakes.scripted_runner import Gated

from lararium_daemon.protocol.images import IMAGE_BYTES

OCTETS = {"Content-Type": "application/octet-stream"}
Json = dict[str, Any]


@pytest.fixture
def daemon(tmp_path: Path) -> Generator[ApiDaemon]:
    with api_daemon(tmp_path) as daemon:
        yield daemon


@pytest.fixture
def http(daemon: ApiDaemon) -> Generator[httpx.Client]:
    with daemon.client() as client:
        yield client


def new_session(http: httpx.Client, **given: Any) -> str:
    return http.post("/sessions", json=given).json()["id"]


def put(http: httpx.Client, session_id: str, data: bytes, name: str = "a.png") -> httpx.Response:
    address = f"/sessions/{session_id}/attachments/{name}"
    return http.put(address, content=data, headers=OCTETS)


def post(http: httpx.Client, session_id: str, *ids: str, client_id: str = "c") -> httpx.Response:
    body = {"client_message_id": client_id, "text": "look", "attachments": list(ids)}
    return http.post(f"/sessions/{session_id}/messages", json=body)


def code(response: httpx.Response) -> tuple[int, str]:
    assert response.headers["content-type"] == "application/problem+json"
    return response.status_code, response.json()["code"]


@pytest.mark.parametrize(
    ("data", "kind", "size"),
    [
        (PNG, "image/png", (1, 1)),
        (png(640, 480), "image/png", (640, 480)),
        (GIF, "image/gif", (3, 2)),
        (jpeg(300, 200), "image/jpeg", (300, 200)),
        (webp(70, 50), "image/webp", (70, 50)),
    ],
    ids=["png", "large png", "gif", "jpeg", "webp"],
)
def test_a_picture_is_kept_by_what_is_in_it_and_given_again(
    http: httpx.Client, data: bytes, kind: str, size: tuple[int, int]
) -> None:
    session_id = new_session(http)
    kept = put(http, session_id, data, "..%5C..%5Cmy%20shot.txt").json()
    assert kept | {"attachment_id": ""} == {
        "attachment_id": "",
        "media_type": kind,
        "name": "my shot.txt",
        "bytes": len(data),
        "width": size[0],
        "height": size[1],
    }
    answer = http.get(f"/sessions/{session_id}/attachments/{kept['attachment_id']}")
    assert answer.content == data
    assert answer.headers["content-type"] == kind
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''my%20shot.txt"
    assert answer.headers["cache-control"].startswith("private, ")


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"", (422, "empty_attachment")),
        (b"x", (415, "unsupported_attachment")),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", (415, "unsupported_attachment")),
        (b"%PDF-1.7" + bytes(2_000_000), (415, "unsupported_attachment")),
        (PNG + bytes(IMAGE_BYTES), (413, "image_too_large")),
    ],
    ids=["empty", "a byte", "svg", "pdf", "too large"],
)
def test_what_is_no_picture_for_a_model_is_refused_and_leaves_nothing(
    http: httpx.Client, tmp_path: Path, data: bytes, wanted: tuple[int, str]
) -> None:
    session_id = new_session(http)
    assert code(put(http, session_id, data)) == wanted
    assert [each for each in (tmp_path / "attachments").rglob("*") if each.is_file()] == []
    assert http.get(f"/sessions/{session_id}").status_code == 200


def test_other_bodies_sessions_and_ids_are_refused(http: httpx.Client) -> None:
    session_id = new_session(http)
    address = f"/sessions/{session_id}/attachments/a.png"
    as_picture = {"Content-Type": "image/png"}
    assert code(http.put(address, content=PNG, headers=as_picture)) == (415, "unsupported_body")
    assert code(http.put(address, json={})) == (415, "unsupported_body")
    assert code(put(http, "ses_none", PNG)) == (404, "unknown_session")
    for odd in ("0" * 64, "x", "%2e%2e%2fjournal.db", "a" * 4000):
        answer = http.get(f"/sessions/{session_id}/attachments/{odd}")
        assert answer.status_code == 404, odd


def test_a_message_names_its_pictures_once_each(http: httpx.Client) -> None:
    session_id = new_session(http)
    first = put(http, session_id, PNG, "one.png").json()["attachment_id"]
    second = put(http, session_id, GIF, "two.gif").json()["attachment_id"]
    accepted = post(http, session_id, first, second, first)
    assert accepted.status_code == 202
    message = http.get(f"/sessions/{session_id}/messages").json()["items"][0]
    text, *images = message["parts"]
    assert (text["type"], text["text"]) == ("text", "look")
    assert [(p["type"], p["attachment_id"], p["name"], p["width"]) for p in images] == [
        ("image", first, "one.png", 1),
        ("image", second, "two.gif", 3),
    ]
    again = post(http, session_id, first, second, first)
    assert again.json()["message_id"] == accepted.json()["message_id"]
    assert code(post(http, session_id, second)) == (409, "message_id_reused")
    assert code(post(http, session_id)) == (409, "message_id_reused")


def test_a_picture_of_another_session_or_none_is_unknown(http: httpx.Client) -> None:
    elsewhere = put(http, new_session(http), PNG).json()["attachment_id"]
    session_id = new_session(http)
    for each in (elsewhere, "0" * 64, "../journal.db", ""):
        assert code(post(http, session_id, each)) == (422, "unknown_attachment")
    assert code(post(http, session_id, *(f"{n}" for n in range(21)))) == (422, "invalid_input")
    assert http.get(f"/sessions/{session_id}/messages").json()["items"] == []


def test_a_model_without_pictures_is_told_before_anything_is_sent(http: httpx.Client) -> None:
    session_id = new_session(http, model="blind")
    kept = put(http, session_id, PNG).json()["attachment_id"]
    refused = post(http, session_id, kept)
    assert code(refused) == (422, "model_without_images")
    assert "choose another model" in refused.json()["detail"]
    http.patch(f"/sessions/{session_id}", json={"model": None})
    taken = post(http, session_id, kept)
    assert taken.status_code == 202
    http.patch(f"/sessions/{session_id}", json={"model": "blind"})
    assert post(http, session_id, kept).json()["message_id"] == taken.json()["message_id"]


def test_a_queued_message_keeps_its_pictures_when_its_text_changes(tmp_path: Path) -> None:
    with api_daemon(tmp_path, Gated()) as daemon, daemon.client() as http:
        session_id = new_session(http)
        post(http, session_id, client_id="first")
        kept = put(http, session_id, PNG).json()["attachment_id"]
        message_id = post(http, session_id, kept).json()["message_id"]
        address = f"/sessions/{session_id}/queue/{message_id}"
        edited = http.patch(address, json={"text": "other"}).json()
        assert [part["type"] for part in edited["parts"]] == ["text", "image"]
        assert edited["parts"][0]["text"] == "other"


def test_pictures_outlive_a_restart_and_reach_a_run_that_goes_on(tmp_path: Path) -> None:
    with api_daemon(tmp_path, Gated()) as daemon, daemon.client() as http:
        session_id = new_session(http)
        post(http, session_id, client_id="first")
        kept = put(http, session_id, PNG).json()["attachment_id"]
        said = {"client_message_id": "said", "text": "this one", "attachments": [kept]}
        assert http.post(f"/sessions/{session_id}/steer", json=said).status_code == 202
        assert post(http, session_id, kept, client_id="waits").json()["queued"]
    with api_daemon(tmp_path, Gated()) as daemon, daemon.client() as http:
        messages = http.get(f"/sessions/{session_id}/messages").json()["items"]
        images = {
            message["client_message_id"]: [part["attachment_id"] for part in message["parts"][1:]]
            for message in messages
        }
        assert images == {"first": [], "said": [kept], "waits": [kept]}
        assert http.get(f"/sessions/{session_id}/attachments/{kept}").content == PNG


def test_pictures_go_with_their_session(http: httpx.Client, tmp_path: Path) -> None:
    session_id = new_session(http)
    put(http, session_id, PNG)
    assert (tmp_path / "attachments" / session_id).is_dir()
    assert http.delete(f"/sessions/{session_id}").status_code == 200
    assert not (tmp_path / "attachments" / session_id).exists()


def test_putting_needs_the_scope_to_prompt_and_reading_that_to_read(daemon: ApiDaemon) -> None:
    with daemon.client() as http:
        session_id = new_session(http)
        kept = put(http, session_id, PNG).json()["attachment_id"]
    with daemon.client("read") as reader:
        assert code(put(reader, session_id, PNG)) == (403, "missing_scope")
        assert reader.get(f"/sessions/{session_id}/attachments/{kept}").content == PNG
    with daemon.client("prompt") as prompter:
        answer = prompter.get(f"/sessions/{session_id}/attachments/{kept}")
        assert code(answer) == (403, "missing_scope")
