"""Puts the hub's attention together: what daemons told, the inbox over it, the lines to them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lararium_daemon.client.find import find_daemon
from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.system.paths import Paths, WorkspacePaths
from lararium_desktop.hub.attention_book import AttentionBook
from lararium_desktop.hub.feed import ShellFeed
from lararium_desktop.hub.followers import FindDaemon, Followers
from lararium_desktop.hub.inbox import Inbox
from lararium_desktop.hub.inbox_answers import DAEMON_SECONDS, Answerer, Ask
from lararium_desktop.hub.inbox_memory import InboxMemory


@dataclass(slots=True, frozen=True)
class Attending:
    """The parts that belong together."""

    book: AttentionBook
    inbox: Inbox
    followers: Followers


def attend(
    memory: Path,
    find: FindDaemon,
    workspaces: Callable[[], Sequence[Workspace]],
    feed: ShellFeed,
) -> Attending:
    """Make the parts; `memory` is the inbox's file, `workspaces` gives the pool's view now."""
    book = AttentionBook(InboxMemory.load(memory), changed=feed.announce)

    def connect(workspace: WorkspaceId) -> Ask | None:
        handle = find(workspace)
        if handle is None:
            return None
        client = handle.client()

        def ask(method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
            return client.request(method, path, body, timeout_seconds=DAEMON_SECONDS)

        return ask

    inbox = Inbox(book, Answerer(connect), workspaces)
    return Attending(book, inbox, Followers(book, inbox, workspaces, find, feed))


def local_daemons(paths: Paths) -> FindDaemon:
    """Give the way to the running daemons of this machine."""
    return lambda workspace: find_daemon(WorkspacePaths(paths.state / workspace))
