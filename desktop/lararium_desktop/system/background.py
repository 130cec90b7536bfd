"""Starts the hub in the background: one start at a time, told when it is ready or why it is not."""

import json
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lararium_daemon.client.errors import ClientError
from lararium_daemon.system.environment import daemon_environment
from lararium_daemon.system.locks import try_lock
from lararium_desktop.system.command import own_command
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import HubLink, find_hub

READY_SECONDS = 30.0
ATTACH_SECONDS = 10.0
"""How long a hub that holds the lock may take until it proves itself."""
POLL_SECONDS = 0.05


def start_background_hub(paths: HubPaths, environment: Mapping[str, str]) -> HubLink:
    """Start the hub, or find the one that another command starts meanwhile.

    Raises:
        ClientError: the hub's own code, `hub_failed` with its last words, or `hub_timed_out`.
    """
    lock = try_lock(paths.start_lock, patience_seconds=READY_SECONDS)
    if lock is None:
        raise ClientError("hub_timed_out", "Another start of Lararium does not come to an end.")
    with lock:
        return find_hub(paths) or _start(paths, environment)


def _start(paths: HubPaths, environment: Mapping[str, str]) -> HubLink:
    with paths.output.open("wb") as output:
        process = subprocess.Popen(
            own_command("_hub"),
            env=_absolute_home(environment),
            cwd=paths.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=output,
            start_new_session=True,
        )
    line = _first_line(process)
    if line is None:
        process.kill()
        process.wait(READY_SECONDS)
        raise ClientError("hub_timed_out", f"Lararium did not start. Its log is {paths.log}.")
    _judge(process, line, paths.output)
    return _attach(paths)


def _first_line(process: subprocess.Popen[bytes]) -> bytes | None:
    """Read a line; b"" when the process ended without one, None when the time is over."""
    lines: list[bytes] = []

    def read() -> None:
        if process.stdout is not None:
            with process.stdout as stdout:
                lines.append(stdout.readline())

    reader = threading.Thread(target=read, name="hub-ready", daemon=True)
    reader.start()
    reader.join(READY_SECONDS)
    return lines[0] if lines else None


def _judge(process: subprocess.Popen[bytes], line: bytes, output: Path) -> None:
    """Return when the hub is ready, or when another one holds the lock; else say why not."""
    try:
        said: dict[str, Any] = json.loads(line)
        if "ready" in said:
            return
        code, detail = str(said["error"]["code"]), str(said["error"]["detail"])
    except (ValueError, KeyError, TypeError):
        process.kill()
        process.wait(READY_SECONDS)
        raise ClientError("hub_failed", f"Lararium did not start. {_last_words(output)}") from None
    process.wait(READY_SECONDS)
    if code != "lock_held":
        raise ClientError(code, detail)


def _attach(paths: HubPaths) -> HubLink:
    give_up = time.monotonic() + ATTACH_SECONDS
    while time.monotonic() < give_up:
        link = find_hub(paths)
        if link is not None:
            return link
        time.sleep(POLL_SECONDS)
    raise ClientError(
        "lock_held",
        f"A process holds {paths.owner_lock} and does not answer as Lararium's hub. End it, then "
        "try again.",
    )


def _last_words(output: Path) -> str:
    lines = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"It said last: {lines[-1]}" if lines else ""


def _absolute_home(environment: Mapping[str, str]) -> dict[str, str]:
    """The hub runs in another folder, so a relative home of the files is made absolute."""
    own = daemon_environment(environment)
    if home := own.get("LARARIUM_HOME"):
        own["LARARIUM_HOME"] = str(Path(home).expanduser().absolute())
    return own
