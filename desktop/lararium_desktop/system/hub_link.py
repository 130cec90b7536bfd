"""Finds the running hub, lets it prove itself, and speaks to it: for commands and the window.

The token is read and sent only after process, guid and proof agree: whoever took over an old port
learns nothing.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.find import describes_living
from lararium_daemon.client.http import DaemonClient
from lararium_daemon.edge.proof import verify
from lararium_daemon.system.process_table import is_alive
from lararium_daemon.system.runtime import RuntimeRecord, read_runtime
from lararium_desktop.system.hub_files import HubPaths

PROOF_SECONDS = 5.0
ANSWER_SECONDS = 15.0


@dataclass(frozen=True)
class HubLink:
    """A hub that has proved itself."""

    guid: str
    pid: int
    start: float
    port: int
    token: str = field(repr=False)

    @property
    def base_url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def is_alive(self) -> bool:
        """Whether its process still runs."""
        return is_alive(self.pid, self.start)

    def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        seconds: float = ANSWER_SECONDS,
    ) -> dict[str, Any]:
        """Ask for one thing below `/api` and give its JSON.

        Raises:
            ClientError: the hub's own code and sentence, or `hub_gone`.
        """
        client = DaemonClient(self.base_url, self.token)
        try:
            return client.request(method, f"/api{path}", body, timeout_seconds=seconds)
        except ClientError as error:
            if error.code in {"daemon_gone", "daemon_timed_out"}:
                raise ClientError(
                    "hub_gone", f"Lararium's hub at {self.base_url} does not answer."
                ) from error
            raise

    def page_url(self) -> str:
        """Give the page's address with a fresh single-use ticket. Raises ClientError."""
        return str(self.request("POST", "/page-link")["url"])


def find_hub(paths: HubPaths) -> HubLink | None:
    """Give the running hub; None when there is none, or what answers there is another."""
    record = read_runtime(paths.record)
    if record is None or not describes_living(record):
        return None
    try:
        token = paths.token.read_text(encoding="ascii").strip()
        if not token or not _has_proved(record, token):
            return None
    except (OSError, ValueError, ClientError):
        return None
    return HubLink(record.guid, record.pid, record.pid_create_time, record.port, token)


def _has_proved(record: RuntimeRecord, token: str) -> bool:
    client = DaemonClient(record.base_url, None)
    health = client.request("GET", "/api/health", timeout_seconds=PROOF_SECONDS)
    if health.get("guid") != record.guid:
        return False
    nonce = secrets.token_hex(24)
    answer = client.request(
        "POST", "/api/auth/prove", {"nonce": nonce}, timeout_seconds=PROOF_SECONDS
    )
    return verify(token, "hub", record.guid, record.port, nonce, str(answer.get("proof", "")))
