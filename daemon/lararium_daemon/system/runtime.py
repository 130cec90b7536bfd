"""What a running daemon tells about itself: `daemon.json`, its token, and the one ready line.

`daemon.json` is a hint, written whole after listening and removed on a clean exit; the owner lock
alone says whether a daemon lives. The token lies in a file of its own (0600) and nowhere else.
"""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.system.atomic import write_private
from lararium_daemon.system.clock import now_rfc3339
from lararium_daemon.system.paths import WorkspacePaths
from lararium_daemon.system.process_table import boot_id, start_time

HOST = "127.0.0.1"
_MAX_BYTES = 64 * 1024
_VERSION = ("major", "minor")


class RuntimeRecord(NamedTuple):
    """The content of `daemon.json`."""

    guid: str
    pid: int
    pid_create_time: float
    boot_id: str
    host: str
    port: int
    api_version: dict[str, int]
    app_version: str
    started_at: str
    safe: bool = False
    """Started safely; a daemon older than this says nothing of it."""

    @property
    def base_url(self) -> str:
        """Where it listens."""
        return f"http://{self.host}:{self.port}"


def own_record(
    *,
    guid: str,
    port: int,
    api_version: tuple[int, int],
    app_version: str,
    safe: bool = False,
) -> RuntimeRecord:
    """Return the record of this process, listening on a loopback port."""
    pid = os.getpid()
    return RuntimeRecord(
        guid=guid,
        pid=pid,
        pid_create_time=start_time(pid) or 0.0,
        boot_id=boot_id(),
        host=HOST,
        port=port,
        api_version={"major": api_version[0], "minor": api_version[1]},
        app_version=app_version,
        started_at=now_rfc3339(),
        safe=safe,
    )


def write_runtime(paths: WorkspacePaths, record: RuntimeRecord, token: str) -> None:
    """Write the token, then `daemon.json`: whoever reads the second finds the first.

    Call it after listening.

    Raises:
        LarariumError: `runtime_unwritable` when one of them cannot be written.
    """
    try:
        write_private(paths.token, token.encode())
        write_private(paths.daemon_json, json.dumps(record._asdict()).encode() + b"\n")
    except OSError as error:
        raise LarariumError(
            "runtime_unwritable",
            f"{error.filename2 or error.filename or paths.state_dir} cannot be written: "
            f"{error.strerror}. Move what lies there away and try again.",
            500,
        ) from error


def read_runtime(path: Path) -> RuntimeRecord | None:
    """Read a `daemon.json`; None when there is none that makes sense, whatever lies there."""
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(_MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return _parse(content)


def remove_runtime(paths: WorkspacePaths, guid: str) -> None:
    """Remove `daemon.json` and the token on a clean exit, if they are still this daemon's."""
    record = read_runtime(paths.daemon_json)
    if record is not None and record.guid == guid:
        paths.daemon_json.unlink(missing_ok=True)
        paths.token.unlink(missing_ok=True)


def announce_ready(ready_fd: int | None, workspace: WorkspaceId, record: RuntimeRecord) -> None:
    """Tell whoever started this process that it listens; None when nobody asked."""
    ready = {
        "workspace_id": workspace,
        "base_url": record.base_url,
        "pid": record.pid,
        "guid": record.guid,
    }
    _announce(ready_fd, {"ready": ready})


def announce_error(ready_fd: int | None, code: str, detail: str) -> None:
    """Tell whoever started this process why it does not serve."""
    _announce(ready_fd, {"error": {"code": code, "detail": detail}})


def _announce(ready_fd: int | None, line: dict[str, Any]) -> None:
    """Write the one line and close the descriptor. Nobody reading any more is no error here."""
    if ready_fd is None:
        return
    try:
        os.write(ready_fd, json.dumps(line).encode() + b"\n")
    except BrokenPipeError:
        pass
    finally:
        os.close(ready_fd)


def _parse(content: Any) -> RuntimeRecord | None:
    """Check what the annotations promise: the file may hold anything."""
    try:
        record = RuntimeRecord(
            guid=_text(content["guid"]),
            pid=_natural(content["pid"]),
            pid_create_time=float(content["pid_create_time"]),
            boot_id=_text(content["boot_id"]),
            host=_text(content["host"]),
            port=_natural(content["port"]),
            api_version={part: _natural(content["api_version"][part]) for part in _VERSION},
            app_version=_text(content["app_version"]),
            started_at=_text(content["started_at"]),
            safe=content.get("safe") is True,
        )
    except (KeyError, TypeError, ValueError):
        return None
    sound = record.host == HOST and record.pid > 0 and 0 < record.port < 65536
    return record if sound else None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _natural(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value
