"""`lararium`: the desktop app. See `lararium --help`.

Window and tray are commands too. They load neither hub nor models: a window is to be seen soon,
and a tray stays for days.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lararium_daemon import __version__
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.exit_codes import exit_code_of
from lararium_daemon.system.paths import resolve_paths
from lararium_daemon.system.utf8 import speak_utf8

if TYPE_CHECKING:
    from lararium_desktop.app import App

Handler = Callable[["App", argparse.Namespace], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; give its exit code."""
    if argv is None:
        speak_utf8()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["_window"]:
        return _window()
    if arguments == ["_tray"]:
        return _tray()
    return _run(arguments)


def _run(arguments: list[str]) -> int:
    from lararium_desktop.app import App

    parser, names = _parser()
    # A path may stand where a command does; one that is called like a command is written ./status.
    if not arguments or (arguments[0] not in names and arguments[0] not in {"-h", "--help"}):
        arguments.insert(0, "_open")
    args = parser.parse_args(arguments)
    environment = read_environment()
    app = App(resolve_paths(environment), environment, _writer(sys.stderr), _writer(sys.stdout))
    try:
        return args.handler(app, args)
    except LarariumError as error:
        _say(error, as_json=getattr(args, "json", False))
        return exit_code_of(error.code)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 1


def _parser() -> tuple[argparse.ArgumentParser, frozenset[str]]:
    parser = argparse.ArgumentParser(
        prog="lararium",
        description="Opens the app; with a folder, opens that project in it.",
        usage="lararium [PATH] [--no-window]\n       lararium COMMAND …",
    )
    parser.add_argument("--version", action="version", version=f"lararium {__version__}")
    sub = parser.add_subparsers(required=True, metavar="COMMAND")
    added: dict[str, argparse.ArgumentParser] = {}

    def add(name: str, handler: Handler, help_text: str | None) -> argparse.ArgumentParser:
        # argparse lists a command when it has a help text, so the internal ones have none.
        command = (
            sub.add_parser(name) if help_text is None else sub.add_parser(name, help=help_text)
        )
        command.set_defaults(handler=handler)
        added[name] = command
        return command

    opening = add("_open", _open, None)
    opening.prog = "lararium"
    opening.add_argument("path", nargs="?", metavar="PATH", help="the project's folder")
    opening.add_argument(
        "--no-window", action="store_true", help="run the hub alone and print the page's address"
    )
    status = add("status", _status, "say what runs")
    status.add_argument("--json", action="store_true")
    adding = add("add", _add, "add a folder to the list of projects")
    adding.add_argument("path", metavar="PATH")
    adding.add_argument("--nested", action="store_true", help="also inside another project")
    adding.add_argument("--json", action="store_true")
    removing = add("remove", _remove, "take a project off the list; its folder stays")
    removing.add_argument("id", metavar="ID")
    showing = add("open", _show, "show a project, or print the page's address")
    showing.add_argument("id", nargs="?", metavar="ID")
    showing.add_argument("--print", action="store_true", help="print a fresh address, single use")
    quitting = add("quit", _quit, "end hub and window; daemons and their runs go on")
    quitting.add_argument("--stop-daemons", action="store_true", help="end the daemons too")
    add("_hub", _serve, None)
    return parser, frozenset({*added, "--version"})


def _open(app: "App", args: argparse.Namespace) -> int:
    from lararium_desktop.app import open_app

    return open_app(app, args.path, no_window=args.no_window)


def _status(app: "App", args: argparse.Namespace) -> int:
    from lararium_desktop.app import show_status

    return show_status(app, as_json=args.json)


def _add(app: "App", args: argparse.Namespace) -> int:
    from lararium_desktop.app import add_project

    return add_project(app, args.path, nested=args.nested, as_json=args.json)


def _remove(app: "App", args: argparse.Namespace) -> int:
    from lararium_desktop.app import remove_project

    return remove_project(app, args.id)


def _show(app: "App", args: argparse.Namespace) -> int:
    from lararium_desktop.app import open_project

    return open_project(app, args.id, print_link=args.print)


def _quit(app: "App", args: argparse.Namespace) -> int:
    from lararium_desktop.app import quit_app

    return quit_app(app, stop_daemons=args.stop_daemons)


def _serve(app: "App", _args: argparse.Namespace) -> int:
    """Be the hub; the first line of stdout goes to the command that started it, nothing else."""
    from lararium_desktop.app import serve_background

    ready = os.dup(1)
    os.dup2(2, 1)
    return serve_background(app, ready)


def _window() -> int:
    from lararium_desktop.window.process import run_window

    environment = read_environment()
    return run_window(resolve_paths(environment), environment)


def _tray() -> int:
    from lararium_desktop.tray.process import run_tray

    environment = read_environment()
    return run_tray(resolve_paths(environment), environment)


def _writer(stream: object) -> Callable[[str], None]:
    def write(line: str) -> None:
        print(line, file=stream, flush=True)  # type: ignore[arg-type]

    return write


def _say(error: LarariumError, *, as_json: bool) -> None:
    if as_json:
        sys.stderr.write(json.dumps({"error": {"code": error.code, "detail": error.detail}}) + "\n")
    else:
        sys.stderr.write(f"lararium: {error.detail}\n")


if __name__ == "__main__":
    sys.exit(main())
