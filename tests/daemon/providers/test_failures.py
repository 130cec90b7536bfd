import errno
import json
import socket
import ssl

import pytest

from lararium_daemon.providers.failures import KEPT, retry_reason
from lararium_daemon.providers.profiles import Profile, Secret
from lararium_daemon.providers.provider import ProviderError
from lararium_daemon.providers.server_failures import from_status, from_stream, read_words
from lararium_daemon.providers.transport_failures import error_words, from_transport

KEY = "sk-0123456789"
FAR = Profile("far", "https://models.example.com/v1", Secret(KEY))
NEAR = Profile("near", "http://127.0.0.1:8080/v1")


def caused(outer: Exception, cause: BaseException) -> Exception:
    outer.__cause__ = cause
    return outer


class ConnectError(Exception):
    """By name, as the client library has it."""


class ReadTimeout(Exception):
    """By name, as the client library has it."""


class ConnectTimeout(Exception):
    """By name, as the client library has it."""


class ReadError(Exception):
    """By name, as the client library has it."""


@pytest.mark.parametrize(
    ("error", "code", "begin", "words"),
    [
        (
            caused(ConnectError(), socket.gaierror(-2, "Name or service not known")),
            "provider_unreachable",
            "DNS: the name models.example.com was not found",
            "Check the address",
        ),
        (
            caused(ConnectError(), ssl.SSLCertVerificationError(1, "self-signed certificate")),
            "provider_tls",
            "TLS:",
            "SSL_CERT_FILE",
        ),
        (
            caused(
                ConnectError(), ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed")
            ),
            "provider_unreachable",
            "Network: no connection to",
            "connection refused",
        ),
        (
            caused(ConnectError(), OSError(errno.EHOSTUNREACH, "")),
            "provider_unreachable",
            "Network: no connection to",
            "no route to host",
        ),
        (ConnectTimeout(), "provider_timeout", "Network:", "firewall"),
        (ReadTimeout(), "provider_timeout", "Time-out:", "did not answer"),
        (
            caused(ReadError(), ConnectionResetError(errno.ECONNRESET, "reset")),
            "provider_unreachable",
            "Network: no answer from",
            "connection reset",
        ),
        (
            ExceptionGroup(
                "several",
                [ConnectionRefusedError(errno.ECONNREFUSED, "a"), OSError(errno.EHOSTUNREACH, "b")],
            ),
            "provider_unreachable",
            "Network:",
            "no route to host",
        ),
    ],
)
def test_a_call_without_answer_names_its_layer_and_the_next_step(
    error: Exception, code: str, begin: str, words: str
) -> None:
    failure = from_transport(FAR, caused(Exception("Connection error."), error))
    assert failure.code == code
    assert failure.detail.startswith(begin)
    assert words in failure.detail
    assert failure.detail.endswith(KEPT)


def test_a_connection_error_through_a_proxy_is_the_proxys() -> None:
    refused = caused(ConnectError(), ConnectionRefusedError(errno.ECONNREFUSED, ""))
    assert from_transport(FAR, refused, is_proxied=True).detail.startswith("Proxy:")


def test_a_server_on_this_machine_is_asked_after() -> None:
    refused = caused(ConnectError(), ConnectionRefusedError(errno.ECONNREFUSED, ""))
    assert "Is the model server running?" in from_transport(NEAR, refused).detail


def test_causes_that_go_round_end() -> None:
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert error_words(one) == "other"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "no\n such   thing", "code": "c"}}, "no such thing"),
        ({"error": "plain"}, "plain"),
        ({"detail": [{"msg": "field"}]}, '[{"msg": "field"}]'),
        ({"message": "top"}, "top"),
        ([{"error": {"message": "in a list"}}], "in a list"),
        ([], ""),
        ({}, ""),
        (None, ""),
    ],
)
def test_servers_words_are_found_wherever_they_stand(body: object, message: str) -> None:
    assert read_words(json.dumps(body).encode()).message == message


def test_a_web_page_is_not_quoted_and_a_long_text_is_shortened() -> None:
    assert read_words(b"<html>Bad gateway</html>").message == ""
    assert len(read_words(b"x" * 10_000).message) == 300


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (402, {}, "provider_quota"),
        (407, {}, "provider_auth"),
        (408, {}, "provider_timeout"),
        (413, {}, "provider_context_overflow"),
        (422, {"error": {"message": "This model's maximum context length is 8"}},
         "provider_context_overflow"),
        (400, {"error": {"type": "exceed_context_size_error", "message": "x"}},
         "provider_context_overflow"),
        (400, {"error": {"message": "prompt is too long: 9 tokens"}}, "provider_context_overflow"),
        (429, {"error": {"type": "insufficient_quota"}}, "provider_quota"),
        (502, {"error": "bad gateway"}, "provider_overloaded"),
        (529, {}, "provider_overloaded"),
        (418, {}, "provider_bad_request"),
    ],
)  # fmt: skip
def test_each_status_has_its_code(status: int, body: object, code: str) -> None:
    failure = from_status(FAR, status, {}, json.dumps(body).encode(), "m")
    assert (failure.code, failure.status) == (code, status)
    assert f"HTTP {status}" in failure.detail


def test_without_a_key_the_person_is_told_to_set_one() -> None:
    assert "wants a key" in from_status(NEAR, 401, {}, b"", "m").detail


def test_the_key_is_masked_in_the_servers_words() -> None:
    failure = from_status(FAR, 400, {}, json.dumps({"error": f"key {KEY}"}).encode(), "m")
    assert KEY not in failure.detail
    assert KEY not in from_stream(FAR, {"message": KEY}, "m").detail


def test_the_reason_of_a_retry_is_short() -> None:
    error = ProviderError("provider_overloaded", "…", status=503)
    assert retry_reason(error) == "the model server fails or is overloaded (HTTP 503)"
