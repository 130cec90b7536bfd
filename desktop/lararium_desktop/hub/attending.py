"""Puts the hub's attention together: lines to the daemons, inbox, notifications."""

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
from lararium_desktop.hub.front import Front
from lararium_desktop.hub.inbox import Inbox
from lararium_desktop.hub.inbox_answers import DAEMON_SECONDS, Answerer, Ask
from lararium_desktop.hub.inbox_memory import InboxMemory
from lararium_desktop.hub.notifier import Notifier, OpenSession
from lararium_desktop.system.notifications.native import NativeToaster
from lararium_desktop.system.notifications.simple import SimpleToaster


@dataclass(slots=True, frozen=True)
class Attending:
    """The parts that belong together."""

    inbox: Inbox
    followers: Followers
    notifier: Notifier


def attend(
    memory: Path,
    find: FindDaemon,
    workspaces: Callable[[], Sequence[Workspace]],
    feed: ShellFeed,
    front: Front,
    open_session: OpenSession,
) -> Attending:
    """Make the parts; `memory` is the inbox's file, `workspaces` gives the pool's view now."""
    book = AttentionBook(InboxMemory.load(memory), changed=feed.announce)
    inbox = Inbox(book, Answerer(lambda workspace: _ask(find, workspace)), workspaces)
    notifier = Notifier(
        inbox=inbox,
        front=front,
        workspaces=workspaces,
        toasters=(NativeToaster(), SimpleToaster()),
        open_session=open_session,
        changed=feed.announce,
    )
    book.listener = notifier
    inbox.on_crash = notifier.crashed
    followers = Followers(book, inbox, workspaces, find, feed)
    return Attending(inbox, followers, notifier)


def local_daemons(paths: Paths) -> FindDaemon:
    """Give the way to the running daemons of this machine."""
    return lambda workspace: find_daemon(WorkspacePaths(paths.state / workspace))


def _ask(find: FindDaemon, workspace: WorkspaceId) -> Ask | None:
    """Give the way to ask a workspace's daemon; blocks."""
    handle = find(workspace)
    if handle is None:
        return None
    client = handle.client()

    def ask(method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        return client.request(method, path, body, timeout_seconds=DAEMON_SECONDS)

    return ask
