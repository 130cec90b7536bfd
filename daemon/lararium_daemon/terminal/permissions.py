"""`lar permissions`: what the rules of a project say of a command, and why."""

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import Any

from lararium_daemon.client.start import start_daemon
from lararium_daemon.client.workspace import find_workspace
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.exit_codes import DONE
from lararium_daemon.terminal.commands import Commands


def add_commands(commands: Commands) -> None:
    """Add `permissions explain` to the commands of `lar`."""
    parser = commands.add_parser("permissions", help="say what the rules allow, and why")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    explain = verbs.add_parser("explain", help="what would happen to a shell command, and why")
    explain.add_argument("--workspace", type=Path, metavar="DIR", help="the project folder")
    explain.add_argument("--json", action="store_true", help="print one JSON object")
    explain.add_argument("command", metavar="COMMAND", help="the command line, as one argument")
    explain.set_defaults(handler=show_verdict)


def show_verdict(args: argparse.Namespace) -> int:
    """Print the verdict on a command, which does not run; return the exit code."""
    environment = read_environment()
    workspace = find_workspace(args.workspace or Path.cwd(), environment)
    client = start_daemon(workspace, environment).client()
    found = client.request("POST", "/api/permissions/explain", {"command": args.command})
    sys.stdout.write(json.dumps(found) + "\n" if args.json else _lines(found))
    return DONE


def _lines(found: dict[str, Any]) -> str:
    """Give the verdict for a person."""
    parts = "".join(f"  {shlex.join(argv)}\n" for argv in found["commands"])
    rule = f"\n{found['rule']} ({found['scope']})" if found["rule"] else ""
    text = f"{found['verdict']}: {found['reason']}{rule}\n{parts}"
    return "".join(char for char in text if char.isprintable() or char == "\n")
