"""What makes a request this user's program's: all of the conditions, each alone refuses."""

import logging
import socket
import sys

import pytest

from lararium_daemon.edge.judge import RequestFacts
from lararium_daemon.edge.same_user import is_own_program, is_program, peer_check
from lararium_daemon.system.peers import End

CLIENT, SERVER = ("127.0.0.1", 50_000), ("127.0.0.1", 8000)


def yes(client: End, server: End) -> bool:
    return client != server


def no(client: End, server: End) -> bool:
    return client == server


def facts(**headers: str) -> RequestFacts:
    named = {name.replace("_", "-"): (value,) for name, value in headers.items()}
    return RequestFacts("http", "GET", "/api/sessions", {"host": ("127.0.0.1:8000",), **named})


@pytest.mark.parametrize(
    "added",
    [
        "origin",
        "referer",
        "cookie",
        "sec_fetch_site",
        "sec_fetch_mode",
        "sec_ch_ua",
        "access_control_request_method",
        "forwarded",
        "via",
        "x_real_ip",
        "x_forwarded_for",
        "x_forwarded_host",
        "x_client_ip",
    ],
)
def test_what_a_browser_or_a_proxy_adds_makes_it_no_program(added: str) -> None:
    assert not is_program(facts(**{added: ""}))


def test_a_program_says_its_own_name() -> None:
    assert is_program(facts())
    assert is_program(facts(user_agent="curl/8.5", accept="*/*"))
    assert not is_program(facts(user_agent="Mozilla/5.0 (X11; Linux x86_64)"))


def test_both_ends_are_on_loopback_and_the_other_is_this_user_s() -> None:
    assert is_own_program(CLIENT, SERVER, yes)
    assert not is_own_program(CLIENT, SERVER, no)
    assert not is_own_program(("192.168.1.2", 1), SERVER, yes)
    assert not is_own_program(CLIENT, ("192.168.1.2", 1), yes)
    assert not is_own_program(("a socket", 1), SERVER, yes)
    assert not is_own_program(None, SERVER, yes)
    assert not is_own_program(CLIENT, None, yes)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose process it is")
def test_only_what_listens_on_loopback_alone_trusts_anybody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    with socket.socket() as loopback, socket.socket() as everywhere:
        loopback.bind(("127.0.0.1", 0))
        everywhere.bind(("0.0.0.0", 0))
        assert peer_check("token", loopback) is None
        assert caplog.messages == []
        assert peer_check("trust-same-user", loopback) is not None
        assert peer_check("trust-same-user", everywhere) is None
    assert len(caplog.messages) == 2
