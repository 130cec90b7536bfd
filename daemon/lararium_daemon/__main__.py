"""`lar`: the command of the daemon and of everything in a terminal.

Only what a command needs is imported: `lar run` with a daemon up stays on the standard library,
and a guardian stays small.
"""

import argparse
import gc
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lararium_daemon import __version__
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.exit_codes import exit_code_of
from lararium_daemon.system.utf8 import speak_utf8

if TYPE_CHECKING:
    from lararium_daemon.system.forked import Serve


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; give its exit code."""
    if argv is None:
        speak_utf8()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["_guardian"]:
        return _guard(arguments[1:])
    if arguments[:1] == ["_fork_server"]:
        return _offer_forks(arguments[1:])
    if arguments[:1] == ["_spare"]:
        return _wait_as_spare(arguments[1:])
    args = _parser().parse_args(arguments)
    try:
        return args.handler(args)
    except LarariumError as error:
        _say(error, as_json=getattr(args, "json", False))
        return getattr(error, "exit_code", None) or exit_code_of(error.code)
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return 130


def _guard(arguments: Sequence[str]) -> int:
    from lararium_daemon.system import guardian

    return guardian.main(arguments, serve, read_environment())


def _offer_forks(arguments: Sequence[str]) -> int:
    from lararium_daemon.system import fork_server

    return fork_server.main(arguments, _warm_up, read_environment())


def _wait_as_spare(arguments: Sequence[str]) -> int:
    from lararium_daemon.system import spare

    return spare.main(arguments, _warm_up, read_environment())


def _warm_up() -> "Serve":
    from lararium_daemon.app import warm_up

    return warm_up()


def serve(*, workspace: Path, lock_fd: int | None, ready_fd: int | None, foreground: bool) -> int:
    """Be the daemon; its modules are imported in the guardian's child, never in the guardian."""
    gc.disable()  # what an import makes stays: looking for garbage in it takes a tenth of the start
    from lararium_daemon.app import serve as serve_workspace

    gc.freeze()
    gc.enable()
    return serve_workspace(
        workspace=workspace, lock_fd=lock_fd, ready_fd=ready_fd, foreground=foreground
    )


def _parser() -> argparse.ArgumentParser:
    from lararium_daemon.terminal import daemon, login, paths, permissions, run, sessions

    parser = argparse.ArgumentParser(prog="lar", description="Lararium in a terminal.")
    parser.add_argument("--version", action="version", version=f"lar {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run.add_command(commands)
    daemon.add_commands(commands)
    paths.add_command(commands)
    permissions.add_commands(commands)
    sessions.add_commands(commands)
    login.add_command(commands)
    return parser


def _say(error: LarariumError, *, as_json: bool) -> None:
    if as_json:
        sys.stderr.write(json.dumps({"error": {"code": error.code, "detail": error.detail}}) + "\n")
    else:
        sys.stderr.write(f"lar: {error.detail}\n")


if __name__ == "__main__":
    sys.exit(main())
