"""HTTP to one server on this machine: JSON in, JSON or lines out, never through a proxy.

A connection lasts for one request: on loopback a new one costs less than finding out that an old
one is gone.
"""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from typing import Any

from lararium_daemon.client.errors import ClientError

ANSWER_SECONDS = 30.0
UPLOAD_SECONDS = 60.0
MAX_ANSWER_BYTES = 64 * 1024 * 1024
_READ_BYTES = 64 * 1024


class DaemonClient:
    """Speaks to one daemon (or hub) with one token; without one, to its open routes."""

    def __init__(self, base_url: str, token: str | None) -> None:
        """Take `http://127.0.0.1:PORT`; any other host is a ValueError, lest the token leave."""
        host, _, port = base_url.removeprefix("http://").partition(":")
        if host != "127.0.0.1" or not port.isdecimal():
            raise ValueError(base_url)
        self.base_url = base_url
        self._port = int(port)
        self._token = token

    def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        timeout_seconds: float = ANSWER_SECONDS,
    ) -> dict[str, Any]:
        """Send a request and return the JSON object it is answered with; {} for no content.

        Raises:
            ClientError: with the daemon's own code and status, or `daemon_gone`,
                `daemon_timed_out`, `bad_answer`.
        """
        with self._exchange(method, path, body, timeout_seconds, timeout_seconds) as response:
            return _object(_whole(response))

    def put_octets(self, path: str, data: bytes) -> dict[str, Any]:
        """Send bytes and return the JSON object they are answered with; raises as `request`."""
        with self._exchange("PUT", path, data, UPLOAD_SECONDS, UPLOAD_SECONDS) as response:
            return _object(_whole(response))

    def read_octets(self, path: str) -> bytes:
        """Return the bytes of an answer; raises as `request`."""
        with self._exchange("GET", path, None, ANSWER_SECONDS, ANSWER_SECONDS) as response:
            return _whole(response)

    def stream_lines(
        self, path: str, *, idle_seconds: float | None = None
    ) -> Generator[bytes, None, None]:
        """Yield the lines of an answer as they come, without their ends and without empty ones.

        Ends when the server ends the answer or goes away. Closing the generator closes the
        connection.

        Args:
            path: Where to read.
            idle_seconds: How long the server may say nothing; None for as long as it lives, since
                a run may wait for a person.

        Raises:
            ClientError: as `request`.
        """
        with self._exchange("GET", path, None, ANSWER_SECONDS, idle_seconds) as response:
            rest = b""
            while chunk := response.read1(_READ_BYTES):
                *lines, rest = (rest + chunk).split(b"\n")
                yield from filter(None, lines)
                if len(rest) > MAX_ANSWER_BYTES:
                    raise ClientError("bad_answer", "The daemon sent a line without end.")

    @contextmanager
    def _exchange(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | bytes | None,
        timeout_seconds: float,
        idle_seconds: float | None,
    ) -> Generator[HTTPResponse]:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=timeout_seconds)
        try:
            connection.request(method, path, _encode(body), self._headers(body))
            sock = connection.sock
            response = connection.getresponse()
            sock.settimeout(idle_seconds)
            if not 200 <= response.status < 300:
                raise _problem(response)
            yield response
        except TimeoutError as error:
            raise ClientError(
                "daemon_timed_out", f"The daemon at {self.base_url} did not answer in time."
            ) from error
        except (OSError, HTTPException) as error:
            raise ClientError(
                "daemon_gone", f"The daemon at {self.base_url} does not answer: it has gone away."
            ) from error
        finally:
            connection.close()

    def _headers(self, body: Mapping[str, Any] | bytes | None) -> dict[str, str]:
        headers = {"Accept": "application/json"}
        if body is not None:
            kind = "octet-stream" if isinstance(body, bytes) else "json"
            headers["Content-Type"] = f"application/{kind}"
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        return headers


def _encode(body: Mapping[str, Any] | bytes | None) -> bytes | None:
    return body if body is None or isinstance(body, bytes) else json.dumps(body).encode()


def _whole(response: HTTPResponse) -> bytes:
    """Read an answer to its end; one that was cut off must not pass for a short one."""
    data = response.read(MAX_ANSWER_BYTES + 1)
    if response.length and len(data) <= MAX_ANSWER_BYTES:
        raise IncompleteRead(data, response.length)
    return data


def _object(data: bytes) -> dict[str, Any]:
    if not data:
        return {}
    try:
        content = json.loads(data) if len(data) <= MAX_ANSWER_BYTES else None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ClientError(
            "bad_answer", "The daemon answered with something that is no JSON object."
        )
    return content  # pyright: ignore[reportUnknownVariableType]  # keys of JSON objects are texts


def _problem(response: HTTPResponse) -> ClientError:
    """Return what a refused request says, in the daemon's words where it has any."""
    try:
        content = _object(response.read(_READ_BYTES))
    except ClientError:
        content = {}
    code, detail = content.get("code"), content.get("detail")
    return ClientError(
        code if isinstance(code, str) else "refused",
        detail if isinstance(detail, str) else f"The daemon answered {response.status}.",
        status=response.status,
    )
