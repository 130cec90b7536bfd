"""Find the daemon of a workspace and make sure that it is ours, before it sees the token.

The order: the process in `daemon.json` runs, began when the file says, in this boot; the port
answers with the file's guid; it proves that it holds the token. A number or a port that somebody
else uses now fails one of these, and nothing secret was sent.
"""

import hashlib
import hmac
import os
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.versions import ApiVersion, check_major
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.protocol.version import API_MAJOR
from lararium_daemon.system.paths import WorkspacePaths
from lararium_daemon.system.process_table import boot_id, is_alive
from lararium_daemon.system.runtime import RuntimeRecord, read_runtime

HEALTH_SECONDS = 2.0
_MAX_TOKEN_BYTES = 1024


class Absence(Enum):
    """Why there is no daemon to speak to."""

    NONE = auto()
    """Nothing says that there is one."""
    STALE = auto()
    """The one that was recorded has ended without taking its record with it."""
    FOREIGN = auto()
    """Somebody else answers at its port."""
    SILENT = auto()
    """Its process runs and does not answer."""


class DaemonHandle(NamedTuple):
    """A daemon that has proved itself."""

    workspace_id: WorkspaceId
    base_url: str
    pid: int
    create_time: float
    guid: str
    token_file: Path
    token: str
    app_version: str = ""
    api_version: ApiVersion = ApiVersion(API_MAJOR, 0)
    safe: bool = False
    """It uses nothing that the project brings."""

    def __repr__(self) -> str:
        return f"<DaemonHandle {self.workspace_id} {self.base_url} {self.guid}>"

    def client(self) -> DaemonClient:
        """Return a client that may do everything."""
        return DaemonClient(self.base_url, self.token)

    def is_alive(self) -> bool:
        """Tell whether its process is still the one that proved itself."""
        return is_alive(self.pid, self.create_time)


def find_daemon(paths: WorkspacePaths) -> DaemonHandle | None:
    """Return the running daemon; None when none proves itself. Takes at most about 4 s.

    Raises:
        ClientError: `other_api_version` when it is ours and speaks another major version.
    """
    found = look_for_daemon(paths)
    return found if isinstance(found, DaemonHandle) else None


def look_for_daemon(paths: WorkspacePaths) -> DaemonHandle | Absence:
    """Return the running daemon, or why there is none to speak to. Raises as `find_daemon`."""
    record = read_runtime(paths.daemon_json)
    if record is None:
        return Absence.NONE
    if not describes_living(record):
        return Absence.STALE
    token = _read_token(paths.token)
    if token is None:
        return Absence.FOREIGN
    try:
        proven = _is_proven(record, token)
    except ClientError as error:
        silent = error.code in {"daemon_gone", "daemon_timed_out"}
        return Absence.SILENT if silent else Absence.FOREIGN
    if not proven:
        return Absence.FOREIGN
    version = ApiVersion(record.api_version["major"], record.api_version["minor"])
    check_major(version, record.app_version)
    return DaemonHandle(
        workspace_id=paths.workspace_id,
        base_url=record.base_url,
        pid=record.pid,
        create_time=record.pid_create_time,
        guid=record.guid,
        token_file=paths.token,
        token=token,
        app_version=record.app_version,
        api_version=version,
        safe=record.safe,
    )


def describes_living(record: RuntimeRecord) -> bool:
    """Tell whether the very process that wrote the record still runs."""
    return record.boot_id == boot_id() and is_alive(record.pid, record.pid_create_time)


def expected_proof(token: str, guid: str, port: int, nonce: str) -> str:
    """Return what a daemon that holds `token` answers to `nonce`."""
    message = f"daemon|{guid}|{port}|{nonce}"
    return hmac.new(token.encode(), message.encode(), hashlib.sha256).hexdigest()


def _read_token(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            token = file.read(_MAX_TOKEN_BYTES).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return token or None


def _is_proven(record: RuntimeRecord, token: str) -> bool:
    client = DaemonClient(record.base_url, None)
    health = client.request("GET", "/api/health", timeout_seconds=HEALTH_SECONDS)
    if health.get("guid") != record.guid:
        return False
    nonce = os.urandom(16).hex()
    answer = client.request(
        "POST", "/api/auth/prove", {"nonce": nonce}, timeout_seconds=HEALTH_SECONDS
    )
    proof = answer.get("proof")
    expected = expected_proof(token, record.guid, record.port, nonce)
    return isinstance(proof, str) and hmac.compare_digest(
        proof.encode("utf-8", "surrogatepass"), expected.encode()
    )
