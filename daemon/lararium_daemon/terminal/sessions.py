"""`lar sessions list|show|export|import|search|rebuild`."""

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.start import start_daemon
from lararium_daemon.client.workspace import find_workspace
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.exit_codes import DONE, FAILED
from lararium_daemon.terminal.commands import Commands
from lararium_daemon.terminal.saved_pictures import SavedPictures
from lararium_daemon.terminal.session_file import (
    ReadFile,
    read_about,
    read_file,
    sidecar,
    write_file,
)

PAGE = 500
MAX_BODY_BYTES = 3 * 1024 * 1024
MAX_MESSAGES = 1_000
_MARKS = str.maketrans("", "", "\u2068\u2069")

Json = dict[str, Any]


def add_commands(commands: Commands) -> None:
    """Add `sessions` and its own commands to the commands of `lar`."""
    parser = commands.add_parser("sessions", help="list, show, search, export and import sessions")
    own = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, handler, text in (
        ("list", list_sessions, "list sessions, newest first"),
        ("show", show, "print a session's messages"),
        ("export", export, "write a session to a file, one message a line"),
        ("import", import_, "begin a session with the messages of a file"),
        ("search", search, "find messages by their words"),
        ("compact", compact, "summarise a session's older messages for the model"),
        ("rebuild", rebuild, "make list, snapshots and search anew from the journal"),
    ):
        command = own.add_parser(name, help=text)
        command.add_argument("--workspace", type=Path, metavar="DIR", help="the project folder")
        command.add_argument("--json", action="store_true", help="print JSON")
        command.set_defaults(handler=handler)
        if name in {"show", "export", "compact"}:
            command.add_argument("session", metavar="ID")
        if name == "list":
            command.add_argument("--archived", action="store_true")
        if name == "export":
            command.add_argument("--output", type=Path, metavar="FILE", help="default: ID.jsonl")
            command.add_argument("--replace", action="store_true", help="a file that is there")
        if name == "import":
            command.add_argument("file", type=Path, metavar="FILE")
        if name == "search":
            command.add_argument("words", nargs="+", metavar="WORD")


def list_sessions(args: argparse.Namespace) -> int:
    """Print the rows; return the exit code."""
    client, cursor = _client(args), ""
    while True:
        query = urlencode({"archived": str(args.archived).lower(), "cursor": cursor})
        page = client.request("GET", f"/api/sessions?{query}")
        for row in page["items"]:
            line = f"{row['id']}  {row['updated_at'][:16]}  {_plain(row['title']) or '(untitled)'}"
            _say(args, row, line)
        cursor = page["next_cursor"]
        if not cursor:
            return DONE


def show(args: argparse.Namespace) -> int:
    """Print the messages; return the exit code."""
    for message in _messages(_client(args), args.session):
        _say(args, message, f"{message['role']}:\n{_body(message)}\n")
    return DONE


def export(args: argparse.Namespace) -> int:
    """Write the session to a file and its sidecar; return the exit code."""
    client = _client(args)
    about = client.request("GET", f"{_path(args.session)}/export")
    path = args.output or Path(f"{args.session}.jsonl")
    pictures = SavedPictures(path)
    messages = pictures.noting(_messages(client, args.session))
    count = write_file(path, messages, about, replace=args.replace)
    saved = pictures.save(client, args.session)
    facts = {
        "file": str(path),
        "metadata": str(sidecar(path)),
        "messages": count,
        "images": saved,
        "missing_images": len(pictures.ids) - saved,
    }
    _say(args, facts, f"{count} messages were written to {path}{pictures.said(saved)}.")
    return DONE


def import_(args: argparse.Namespace) -> int:
    """Begin a session with what the file holds; return the exit code."""
    found = read_file(args.file)
    if not found.messages:
        sys.stderr.write(f"lar: there is no message in {args.file}. {found.note()}\n")
        return FAILED
    row = read_about(args.file).get("session")
    title = str(row.get("title") or "") if isinstance(row, dict) else ""  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    client = _client(args)
    session_id = _send(client, found, title[:200])
    pictures = SavedPictures(args.file)
    for _ in pictures.noting(found.messages):
        pass
    sent = pictures.send(client, session_id)
    facts = {
        "session_id": session_id,
        "messages": len(found.messages),
        "images": sent,
        "missing_images": len(pictures.ids) - sent,
        "torn": found.torn,
        "foreign": found.foreign,
        "too_long": found.too_long,
    }
    said = f"{len(found.messages)} messages are in session {session_id}{pictures.said(sent)}. "
    said += found.note()
    _say(args, facts, said.strip())
    return DONE


def _send(client: DaemonClient, found: ReadFile, title: str) -> str:
    """Send the messages; give the session's id. What cannot be finished is taken back."""
    session_id = ""
    try:
        for batch in _batches(found.messages):
            if session_id:
                client.request("POST", f"{_path(session_id)}/import", {"messages": batch})
            else:
                body = {"messages": batch, "title": title, "note": found.note()}
                session_id = client.request("POST", "/api/sessions/import", body)["session_id"]
    except LarariumError:
        if session_id:
            with contextlib.suppress(LarariumError):
                client.request("DELETE", _path(session_id))
        raise
    return session_id


def search(args: argparse.Namespace) -> int:
    """Print what was found; return the exit code."""
    query = urlencode({"q": " ".join(args.words)})
    items = _client(args).request("GET", f"/api/search?{query}")["items"]
    for hit in items:
        snippet = _plain(hit["snippet"].translate(_MARKS))
        _say(args, hit, f"{hit['session_id']}  {hit['at'][:16]}  {snippet}")
    return DONE if items else FAILED


def compact(args: argparse.Namespace) -> int:
    """Have the older messages summarised; return the exit code."""
    _client(args).request("POST", f"{_path(args.session)}/compact", {})
    _say(args, {"compacted": True}, "The older messages are told as a summary from now on.")
    return DONE


def rebuild(args: argparse.Namespace) -> int:
    """Make everything anew that is made from the events; return the exit code."""
    facts = _client(args).request("POST", "/api/sessions/rebuild", {}, timeout_seconds=600)
    _say(args, facts, f"{facts['sessions']} sessions were made anew.")
    return DONE


def _client(args: argparse.Namespace) -> DaemonClient:
    environment = read_environment()
    workspace = find_workspace(args.workspace or Path.cwd(), environment)
    return start_daemon(workspace, environment).client()


def _path(session_id: str) -> str:
    return f"/api/sessions/{quote(session_id, safe='')}"


def _messages(client: DaemonClient, session_id: str) -> Iterator[Json]:
    """Give all messages, oldest first; pages come newest first."""
    pages: list[list[Json]] = []
    cursor = ""
    while True:
        query = urlencode({"limit": PAGE, "cursor": cursor})
        page = client.request("GET", f"{_path(session_id)}/messages?{query}")
        pages.append(page["items"])
        cursor = page["next_cursor"]
        if not cursor:
            break
    for items in reversed(pages):
        yield from items


def _batches(messages: list[Json]) -> Iterator[list[Json]]:
    """Cut the messages into bodies that a daemon takes."""
    batch: list[Json] = []
    size = 0
    for message in messages:
        length = len(json.dumps(message))
        if batch and (size + length > MAX_BODY_BYTES or len(batch) == MAX_MESSAGES):
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += length
    yield batch


def _body(message: Json) -> str:
    lines = [_shown(part) for part in message["parts"] if part["type"] != "thinking"]
    return "\n".join(_printable(line) for line in lines)


def _shown(part: Json) -> str:
    match part["type"]:
        case "text":
            return str(part["text"])
        case "image":
            return f"[image {part['name']}]"
        case "tool_call":
            return f"[{part['tool']} {part['title']}]"
        case other:  # of a newer daemon
            return f"[{other}]"


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable() or c in "\n\t")


def _plain(text: str) -> str:
    return _printable(text).replace("\n", " ").replace("\t", " ").strip()


def _say(args: argparse.Namespace, facts: Json, sentence: str) -> None:
    sys.stdout.write((json.dumps(facts) if args.json else sentence) + "\n")
