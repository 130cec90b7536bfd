"""`lar login copilot`: a code to type at GitHub, and the wait until it was typed."""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.start import start_daemon
from lararium_daemon.client.workspace import find_workspace
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.exit_codes import DONE, FAILED
from lararium_daemon.terminal.commands import Commands

LOOK_SECONDS = 1.0
BEGIN_SECONDS = 60.0
"""The system's keyring may have to be unlocked first."""


def add_command(commands: Commands) -> None:
    """Add `login copilot` to the commands of `lar`."""
    parser = commands.add_parser("login", help="log in to GitHub Copilot")
    parser.add_argument("service", choices=["copilot"], help="whose models to use")
    parser.add_argument("--workspace", type=Path, metavar="DIR", help="the project folder")
    parser.add_argument("--name", default="GitHub Copilot", help="name of the profile")
    parser.add_argument(
        "--github", default="", metavar="URL", help="a GitHub of your company, else github.com"
    )
    parser.add_argument("--default", action="store_true", help="use it for new sessions")
    parser.add_argument(
        "--file",
        action="store_true",
        help="where there is no keyring, keep the login in a file that only you can read",
    )
    parser.add_argument("--json", action="store_true", help="print JSON objects, one a line")
    parser.set_defaults(handler=log_in)


def log_in(args: argparse.Namespace) -> int:
    """Show the code, wait until the login has ended; return the exit code."""
    environment = read_environment()
    workspace = find_workspace(args.workspace or Path.cwd(), environment)
    client = start_daemon(workspace, environment).client()
    asked = {
        "name": args.name,
        "github_url": args.github,
        "consent_file": args.file,
        "make_default": "user" if args.default else "",
    }
    login = client.request("POST", "/api/logins", asked, timeout_seconds=BEGIN_SECONDS)
    _show(login, as_json=args.json)
    try:
        end = _wait(client, login)
    except KeyboardInterrupt:
        client.request("DELETE", f"/api/logins/{login['id']}")
        raise
    _show(end, as_json=args.json)
    return DONE if end["state"] == "done" else FAILED


def _wait(client: DaemonClient, login: dict[str, Any]) -> dict[str, Any]:
    """Look until the login has ended; the daemon ends it when its code runs out."""
    while login["state"] == "waiting":
        time.sleep(LOOK_SECONDS)
        login = client.request("GET", f"/api/logins/{login['id']}")
    return login


def _show(login: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(login) + "\n")
        sys.stdout.flush()
        return
    if login["state"] == "waiting":
        text = f"Open {login['verification_uri']} and type the code {login['user_code']}\n"
    elif login["state"] == "done":
        text = f"Logged in. The profile {login['profile']} is saved.\n"
    else:
        text = f"lar: {login['problem'] or 'The login was stopped.'}\n"
    sys.stderr.write("".join(char for char in text if char.isprintable() or char == "\n"))
