"""Start the daemon of a workspace, or find the one that runs: every caller ends with the same one.

Whoever takes the start lock starts it; the others wait for what comes of it. The owner lock
decides in the end: a guardian that does not get it says so, and its caller waits for the holder to
prove itself.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lararium_daemon.client.command import own_command
from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.find import DaemonHandle, find_daemon
from lararium_daemon.client.guardian import Guardian, SpawnedGuardian, reap_guardians
from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.workspace import check_folder
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.system.environment import daemon_environment
from lararium_daemon.system.locks import is_locked, try_lock
from lararium_daemon.system.paths import WorkspacePaths, ensure_private_dir, resolve_paths

READY_SECONDS = 20.0
"""From starting a guardian to its ready line."""
ATTACH_SECONDS = 10.0
"""How long the holder of the owner lock may take to prove itself, or to let go."""
_FIRST_PAUSE_SECONDS, _PAUSE_SECONDS = 0.01, 0.1

TakeSpare = Callable[[Path], Guardian | None]


class StartedDaemon(NamedTuple):
    """A daemon that runs and has proved itself."""

    workspace_id: WorkspaceId
    base_url: str
    pid: int
    guid: str
    token_file: Path
    already_running: bool
    token: str
    handle: DaemonHandle

    def __repr__(self) -> str:
        return f"<StartedDaemon {self.workspace_id} {self.base_url} {self.guid}>"

    def client(self) -> DaemonClient:
        """Return a client that may do everything."""
        return self.handle.client()

    def to_json(self) -> dict[str, Any]:
        """Return what `lar daemon start --json` prints."""
        return {
            "workspace_id": self.workspace_id,
            "base_url": self.base_url,
            "pid": self.pid,
            "guid": self.guid,
            "token_file": str(self.token_file),
            "already_running": self.already_running,
        }


def start_daemon(
    workspace: Path,
    environment: Mapping[str, str],
    *,
    command: Sequence[str] | None = None,
    fork_folder: Path | None = None,
    take_spare: TakeSpare | None = None,
) -> StartedDaemon:
    """Start or find the daemon of a folder. Blocks for at most about a minute.

    Args:
        workspace: The folder; any spelling of its path.
        environment: What the daemon sees. No variable of it reaches a tool without being scrubbed.
        command: What starts a guardian, `--workspace DIR` is added; None for this program.
        fork_folder: Where a fork server may offer to make the guardian instead; None for the
            shell's folder, or for nowhere when there is a `command`.
        take_spare: Gives a guardian that waited for a folder, or None when there is none; it has
            the same `environment`. Asked where there is no fork server.

    Raises:
        ClientError: `no_such_folder`, `not_a_folder`, `folder_unreadable`; `lock_held` when
            somebody guards the folder and does not answer; `start_timed_out`, `daemon_failed` or
            the daemon's own code when it did not start; `other_api_version`.
        LarariumError: `unsafe_folder`, `folder_unusable`, `lock_unusable`.
    """
    reap_guardians()
    folder = check_folder(workspace)
    folders = resolve_paths(environment)
    paths = folders.workspace(folder)
    found = find_daemon(paths)
    if found is not None:
        return _started(found, already_running=True)
    ensure_private_dir(folders.state)
    ensure_private_dir(paths.state_dir)
    if command is None:
        command, fork_folder = own_command("_guardian"), fork_folder or folders.hub
    request = _Request(folder, paths, environment, command, fork_folder, take_spare)
    return _converge(request)


class _Request(NamedTuple):
    folder: Path
    paths: WorkspacePaths
    environment: Mapping[str, str]
    command: Sequence[str]
    fork_folder: Path | None
    take_spare: TakeSpare | None


def _converge(request: _Request) -> StartedDaemon:
    """Try in turn to find and to start, until one works or the time is over."""
    pause = _FIRST_PAUSE_SECONDS
    give_up = time.monotonic() + READY_SECONDS + ATTACH_SECONDS
    patience = _Patience(request.paths.owner_lock)
    while time.monotonic() < give_up:
        found = find_daemon(request.paths)
        if found is not None:
            return _started(found, already_running=True)
        lock = try_lock(request.paths.start_lock)
        if lock is not None:
            with lock:
                started = _start_alone(request, patience)
            if started is not None:
                return started
        time.sleep(pause)
        pause = min(pause * 2, _PAUSE_SECONDS)
    raise ClientError(
        "start_timed_out", "Another start of this folder's daemon does not come to an end."
    )


class _Patience:
    """How long somebody has held the owner lock, while nobody was starting, without proof."""

    def __init__(self, lock: Path) -> None:
        self._lock = lock
        self._held_since: float | None = None

    def is_held(self) -> bool:
        """Tell whether it is held now; raise `lock_held` when the holder has had its time."""
        if not is_locked(self._lock):
            self._held_since = None
            return False
        now = time.monotonic()
        self._held_since = self._held_since or now
        if now - self._held_since > ATTACH_SECONDS:
            raise ClientError(
                "lock_held",
                "Another process guards this folder and does not answer. `lar daemon stop` ends "
                "it.",
                status=409,
            )
        return True


def _start_alone(request: _Request, patience: _Patience) -> StartedDaemon | None:
    """Start the daemon while holding the start lock; None when the owner lock is held."""
    found = find_daemon(request.paths)  # the last holder may have started it meanwhile
    if found is not None:
        return _started(found, already_running=True)
    if patience.is_held():
        return None
    guardian = _begin(request)
    if guardian is None:
        return None
    found = find_daemon(request.paths)
    if found is None:
        guardian.terminate()
        guardian.wait()
        raise ClientError("daemon_failed", "The daemon said it was ready and did not answer.")
    return _started(found, already_running=False)


def _begin(request: _Request) -> Guardian | None:
    """Get a guardian whose daemon is ready; None when the owner lock is held."""
    environment = _environment(request.environment)
    guardian = _fork(request, environment) or _take(request) or _spawn(request, environment)
    try:
        line = guardian.first_line(READY_SECONDS)
        if line is None:
            guardian.terminate()
            guardian.wait()
            raise ClientError(
                "start_timed_out",
                f"The daemon was not ready after {READY_SECONDS:.0f} s and was ended. See "
                f"{request.paths.log} and {request.paths.output}.",
            )
        return guardian if _judge(guardian, line) else None
    finally:
        guardian.let_go()


def _fork(request: _Request, environment: dict[str, str]) -> Guardian | None:
    """Have one forked, where somebody offers to."""
    folder = request.fork_folder
    if sys.platform != "linux" or folder is None:
        return None
    # Loaded here: nobody else needs it, least of all a terminal that finds its daemon running.
    from lararium_daemon.client.forked_guardian import fork_guardian

    return fork_guardian(folder, request.folder, request.paths.state_dir, environment)


def _take(request: _Request) -> Guardian | None:
    return request.take_spare(request.folder) if request.take_spare else None


def _spawn(request: _Request, environment: dict[str, str]) -> Guardian:
    command = [*request.command, "--workspace", str(request.folder)]
    return SpawnedGuardian.start(command, request.paths.state_dir, environment)


def _judge(guardian: Guardian, line: bytes) -> bool:
    """Tell whether the daemon is ready; False when the owner lock is held, else raise."""
    try:
        said: Any = json.loads(line)
        if "ready" in said:
            return True
        code, detail = str(said["error"]["code"]), str(said["error"]["detail"])
    except (ValueError, KeyError, TypeError):
        guardian.terminate()
        guardian.wait()
        raise ClientError(
            "daemon_failed", f"The daemon did not start: {guardian.last_words()}"
        ) from None
    guardian.wait()
    if code == "lock_held":
        return False
    raise ClientError(code, detail)


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what the guardian sees; it runs in another folder, so its home is made absolute."""
    own = daemon_environment(environment)
    if home := own.get("LARARIUM_HOME"):
        own["LARARIUM_HOME"] = str(Path(home).expanduser().absolute())
    return own


def _started(handle: DaemonHandle, *, already_running: bool) -> StartedDaemon:
    return StartedDaemon(
        workspace_id=handle.workspace_id,
        base_url=handle.base_url,
        pid=handle.pid,
        guid=handle.guid,
        token_file=handle.token_file,
        already_running=already_running,
        token=handle.token,
        handle=handle,
    )
