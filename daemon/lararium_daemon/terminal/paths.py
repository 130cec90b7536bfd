"""`lar paths`: every folder that is used, for this user and for one workspace."""

import argparse
import json
import sys
from pathlib import Path

from lararium_daemon.client.workspace import find_workspace
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.exit_codes import DONE
from lararium_daemon.system.paths import resolve_paths
from lararium_daemon.terminal.commands import Commands


def add_command(commands: Commands) -> None:
    """Add `paths` to the commands of `lar`."""
    parser = commands.add_parser("paths", help="say which folders are used")
    parser.add_argument("--workspace", type=Path, metavar="DIR", help="the project folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(handler=show)


def show(args: argparse.Namespace) -> int:
    """Print the folders, whether they exist or not; return the exit code."""
    environment = read_environment()
    folders = resolve_paths(environment)
    folder = find_workspace(args.workspace or Path.cwd(), environment)
    workspace = folders.workspace(folder)
    facts = {
        "config": str(folders.config),
        "data": str(folders.data),
        "state": str(folders.state),
        "cache": str(folders.cache),
        "settings": str(folders.settings),
        "registry": str(folders.registry),
        "workspace": str(folder),
        "workspace_id": workspace.workspace_id,
        "workspace_state": str(workspace.state_dir),
        "journal": str(workspace.journal),
        "log": str(workspace.log),
        "token_file": str(workspace.token),
    }
    if args.json:
        sys.stdout.write(json.dumps(facts) + "\n")
    else:
        sys.stdout.writelines(f"{name:16} {value}\n" for name, value in facts.items())
    return DONE
