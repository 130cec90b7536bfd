"""`lar run`: one prompt, headless, from a terminal.

Prints the final text on stdout, or with `--json` each event envelope, one a line; everything else
goes to stderr. Exit codes: 0 done, 1 failed, 3 an ask was refused for want of a person (whatever
the outcome), 130 interrupted.
"""

import argparse
import json
import sys
import uuid
from pathlib import Path
from typing import Any, TextIO

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.start import start_daemon
from lararium_daemon.client.workspace import find_workspace
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.exit_codes import DONE, FAILED, INTERRUPTED, REFUSED, USAGE
from lararium_daemon.terminal.commands import Commands
from lararium_daemon.terminal.pictures import read_picture, send_picture


def add_command(commands: Commands) -> None:
    """Add `run` to the commands of `lar`."""
    parser = commands.add_parser("run", help="give the agent one prompt and wait for the result")
    parser.add_argument("--workspace", type=Path, metavar="DIR", help="the project folder")
    parser.add_argument("--session", metavar="ID", help="go on in this session")
    parser.add_argument("--model", metavar="NAME")
    parser.add_argument(
        "--mode", choices=["default", "accept-edits", "plan", "yolo"], help="permission mode"
    )
    parser.add_argument(
        "--allow", action="append", default=[], metavar="RULE", help="allow for this run"
    )
    parser.add_argument(
        "--image", action="append", type=Path, default=[], metavar="PATH", help="send a picture too"
    )
    parser.add_argument("--max-turns", type=int, metavar="N")
    parser.add_argument("--wait", action="store_true", help="wait for a person to answer asks")
    parser.add_argument("--json", action="store_true", help="print every event, one a line")
    parser.add_argument("prompt", help="the task; - reads it from stdin")
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    """Run the command; give its exit code."""
    prompt = sys.stdin.read() if args.prompt == "-" else args.prompt
    if not prompt.strip():
        raise ClientError("empty_prompt", "The prompt is empty; nothing was sent.", USAGE)
    pictures = [read_picture(path) for path in args.image]
    environment = read_environment()
    workspace = find_workspace(args.workspace or Path.cwd(), environment)
    client = start_daemon(workspace, environment).client()
    session_id = _session(client, args)
    message: dict[str, Any] = {
        "client_message_id": uuid.uuid4().hex,
        "text": prompt,
        "attachments": [send_picture(client, session_id, each) for each in pictures],
        "headless": not args.wait,
        "allow": args.allow,
        "max_turns": args.max_turns,
    }
    accepted = client.request("POST", f"/api/sessions/{session_id}/messages", message)
    printer = _JsonPrinter(sys.stdout) if args.json else _TextPrinter(sys.stdout, sys.stderr)
    try:
        return _follow(client, session_id, accepted, printer)
    except KeyboardInterrupt:
        client.request("POST", f"/api/sessions/{session_id}/interrupt", {})
        return INTERRUPTED


def _session(client: DaemonClient, args: argparse.Namespace) -> str:
    """Give the session to prompt: the named one, set as asked, or a new one."""
    settings = {
        name: value for name in ("mode", "model") if (value := getattr(args, name)) is not None
    }
    if args.session is None:
        return str(client.request("POST", "/api/sessions", settings)["id"])
    if settings:
        client.request("PATCH", f"/api/sessions/{args.session}", settings)
    return str(args.session)


def _follow(
    client: DaemonClient, session_id: str, accepted: dict[str, Any], printer: "_Printer"
) -> int:
    """Print the run's events until it ends."""
    message_id, run_id = accepted["message_id"], accepted["run_id"]
    path = f"/api/sessions/{session_id}/events?after_seq={accepted['seq'] - 1}"
    for line in client.stream_lines(path):
        event = json.loads(line)
        payload = event["payload"]
        if event["type"] == "run.started" and payload["message_id"] == message_id:
            run_id = payload["run_id"]
        printer.event(line, event["type"], payload)
        if event["type"] == "run.ended" and payload["run_id"] == run_id:
            return _exit_code(payload)
    raise ClientError("stream_ended", "The daemon went away while the run went on.", FAILED)


def _exit_code(ended: dict[str, Any]) -> int:
    if ended["refused"]:
        return REFUSED
    return {"completed": DONE, "interrupted": INTERRUPTED}.get(ended["outcome"], FAILED)


class _JsonPrinter:
    """Every envelope as it came."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def event(self, line: bytes, kind: str, payload: dict[str, Any]) -> None:
        self._out.write(line.decode() + "\n")
        self._out.flush()


class _TextPrinter:
    """The final text on stdout; calls, notices and errors on stderr."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out = out
        self._err = err

    def event(self, line: bytes, kind: str, payload: dict[str, Any]) -> None:
        match kind:
            case "part.appended" if payload["part"]["type"] == "tool_call":
                part = payload["part"]
                self._err.write(f"· {part['tool']} {_plain(part['title'])}\n")
            case "tool.ended" if payload["state"] != "completed":
                self._err.write(f"  {payload['state']}: {_plain(payload['result']['text'])}\n")
            case "notice":
                self._err.write(f"{_plain(payload['text'])}\n")
            case "run.ended":
                if payload["detail"]:
                    self._err.write(f"{_plain(payload['detail'])}\n")
                if payload["text"]:
                    self._out.write(payload["text"].rstrip("\n") + "\n")
            case _:
                pass
        self._err.flush()


_Printer = _JsonPrinter | _TextPrinter


def _plain(text: str) -> str:
    """Give the first line of `text` without control characters: a terminal would obey them."""
    first = text.strip().split("\n", 1)[0]
    return "".join(c for c in first if c.isprintable())[:200]
