"""`lar daemon start|stop|status|serve`: the daemon of one folder, from a terminal."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from lararium_daemon.client.command import own_command
from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.find import Absence, DaemonHandle, look_for_daemon
from lararium_daemon.client.start import start_daemon
from lararium_daemon.client.stop import drain_daemon, stop_daemon
from lararium_daemon.client.workspace import find_workspace
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.exit_codes import DONE, FAILED, STOP_TIMED_OUT
from lararium_daemon.system.locks import is_locked
from lararium_daemon.system.paths import WorkspacePaths, resolve_paths
from lararium_daemon.terminal.commands import Commands

LOOPBACK = "127.0.0.1"
_STATES = {
    Absence.NONE: "stopped",
    Absence.STALE: "crashed",
    Absence.FOREIGN: "stopped",
    Absence.SILENT: "unresponsive",
}


def add_commands(commands: Commands) -> None:
    """Add `daemon` and its own commands to the commands of `lar`."""
    parser = commands.add_parser("daemon", help="start, stop and see the daemon of a folder")
    own = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, handler, text in (
        ("start", start, "start the daemon, or find the one that runs"),
        ("stop", stop, "stop the daemon with everything it has started"),
        ("status", status, "say whether the daemon runs, and where"),
        ("serve", serve, "serve in the foreground until interrupted"),
    ):
        command = own.add_parser(name, help=text)
        command.add_argument(
            "--workspace",
            type=Path,
            metavar="DIR",
            help="the project folder (default: the registered project around here, else here)",
        )
        command.add_argument("--json", action="store_true", help="print one JSON object")
        if name == "serve":
            command.add_argument(
                "--host",
                default=LOOPBACK,
                metavar="ADDRESS",
                help=f"where to listen: {LOOPBACK}, and nothing else",
            )
        if name == "stop":
            command.add_argument(
                "--drain", action="store_true", help="let what runs end first; do not wait for it"
            )
        command.set_defaults(handler=handler)


def start(args: argparse.Namespace) -> int:
    """Start or find the daemon; return the exit code."""
    environment = read_environment()
    started = start_daemon(_workspace(args), environment)
    found = "already runs" if started.already_running else "runs"
    _say(args, started.to_json(), f"The daemon {found} at {started.base_url} (pid {started.pid}).")
    return DONE


def stop(args: argparse.Namespace) -> int:
    """Stop the daemon; return the exit code."""
    paths = _paths(args)
    if args.drain:
        return _drain(args, paths)
    result = stop_daemon(paths)
    facts = {
        "workspace_id": paths.workspace_id,
        "was_running": result.was_running,
        "timed_out": result.timed_out,
    }
    if result.timed_out:
        _say(args, facts, "The daemon did not stop when asked, so it was killed.")
        return STOP_TIMED_OUT
    _say(args, facts, "The daemon stopped." if result.was_running else "No daemon was running.")
    return DONE


def _drain(args: argparse.Namespace, paths: WorkspacePaths) -> int:
    running = drain_daemon(paths)
    facts = {
        "workspace_id": paths.workspace_id,
        "was_running": running is not None,
        "draining": bool(running),
    }
    if running is None:
        _say(args, facts, "No daemon was running.")
    elif running == 0:
        _say(args, facts, "The daemon stops.")
    else:
        _say(args, facts, f"The daemon stops when what runs has ended (sessions: {running}).")
    return DONE


def status(args: argparse.Namespace) -> int:
    """Say whether the daemon runs; return the exit code."""
    paths = _paths(args)
    found = look_for_daemon(paths)
    if not isinstance(found, DaemonHandle):
        is_guarded = found is not Absence.SILENT and is_locked(paths.owner_lock)
        state = "starting" if is_guarded else _STATES[found]
        facts = {"workspace_id": paths.workspace_id, "running": False, "state": state}
        _say(args, facts, f"No daemon answers for this folder ({state}).")
        return FAILED
    facts = {
        "workspace_id": found.workspace_id,
        "running": True,
        "state": "ready",
        "base_url": found.base_url,
        "pid": found.pid,
        "guid": found.guid,
        "token_file": str(found.token_file),
        "app_version": found.app_version,
    }
    _say(args, facts, f"The daemon runs at {found.base_url} (pid {found.pid}).")
    return DONE


def serve(args: argparse.Namespace) -> int:
    """Become the guardian of a daemon that keeps this terminal; return its exit code."""
    if args.host != LOOPBACK:
        raise ClientError(
            "not_loopback",
            f"--host {args.host} is refused, nothing was started: a daemon runs commands as you, "
            f"so it listens on {LOOPBACK} alone. From another machine, forward its port: "
            f"ssh -L PORT:{LOOPBACK}:PORT THIS-MACHINE.",
        )
    command = own_command("_guardian", "--workspace", str(_workspace(args)), "--foreground")
    if sys.platform == "win32":  # not run there: exec would let go of the terminal
        return subprocess.call(command)
    os.execv(command[0], command)  # noqa: S606 - this very program


def _workspace(args: argparse.Namespace) -> Path:
    return find_workspace(args.workspace or Path.cwd(), read_environment())


def _paths(args: argparse.Namespace) -> WorkspacePaths:
    return resolve_paths(read_environment()).workspace(_workspace(args))


def _say(args: argparse.Namespace, facts: dict[str, Any], sentence: str) -> None:
    sys.stdout.write((json.dumps(facts) if args.json else sentence) + "\n")
