"""What the guard leaves behind: a reason for each refusal, and no secret."""

import logging
from pathlib import Path

import pytest
from tests.fakes.guard_rows import HANDSHAKE, HOST, NEIGHBOUR, TOKEN, ask, read, row
from tests.fakes.guarded_site import guarded_site


def test_each_refusal_is_counted_and_logged_with_its_reason(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "lararium_daemon.edge")
    with guarded_site(tmp_path) as site:
        ask(site, read(HOST))
        ask(site, read(HOST, TOKEN, NEIGHBOUR))
        ask(site, read(HOST, TOKEN))
        ask(site, row("GET", "/", HOST))
    assert site.guard.refusals == {"credential_missing": 1, "foreign_origin": 1}
    assert site.guard.admitted == {"private": 1, "page": 1}
    assert [each.getMessage() for each in caplog.records if "edge" in each.name] == [
        "refused GET /api/sessions: credential_missing",
        "refused GET /api/sessions: foreign_origin",
        "admitted GET /api/sessions",
    ]


def test_neither_query_nor_control_code_nor_secret_reaches_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with guarded_site(tmp_path) as site:
        ask(site, row("GET", "/api/%1b[31m/x?token={token}", HOST))
        ask(site, row("GET", "/api/" + "y" * 5000, HOST))
    messages = [each.getMessage() for each in caplog.records if "edge" in each.name]
    assert messages[0] == "refused GET /api/%1b[31m/x: credential_missing"
    assert len(messages[1]) < 300
    assert not [each for each in messages if site.token in each]


def test_a_refused_handshake_is_no_error_of_the_server(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with guarded_site(tmp_path) as site:
        for _ in range(3):
            assert ask(site, row("GET", "/api/events", HOST, *HANDSHAKE)).status == 401
    assert site.guard.refusals == {"credential_missing": 3}
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []
