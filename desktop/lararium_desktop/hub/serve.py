"""Runs the hub: takes its lock, binds its port, serves until it is told to end."""

import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import anyio

from lararium_daemon import __version__
from lararium_daemon.client.start import TakeSpare
from lararium_daemon.edge.credentials import PAGE_SCOPES, Credentials, new_token
from lararium_daemon.edge.same_user import chosen_mode, peer_check
from lararium_daemon.edge.server import bind_loopback, bound_port, serve_app
from lararium_daemon.protocol.api import API_MAJOR, API_MINOR, Scope
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import WindowShown
from lararium_daemon.system.locks import HeldLock, try_lock
from lararium_daemon.system.paths import Paths, ensure_private_dir
from lararium_daemon.system.runtime import own_record, read_runtime
from lararium_desktop.hub.application import create_hub
from lararium_desktop.hub.attending import attend, local_daemons
from lararium_desktop.hub.daemons import LocalDaemons
from lararium_desktop.hub.feed import ShellFeed
from lararium_desktop.hub.fork_server import keep_fork_server
from lararium_desktop.hub.front import Front
from lararium_desktop.hub.launcher import ATTACH_SECONDS, WindowLauncher
from lararium_desktop.hub.lingering import end_when_forgotten, presence_of
from lararium_desktop.hub.native import NativeChannel
from lararium_desktop.hub.opener import Opener
from lararium_desktop.hub.pool import Pool
from lararium_desktop.hub.registry import Registry
from lararium_desktop.hub.services import HubServices
from lararium_desktop.hub.settings_store import SettingsStore
from lararium_desktop.hub.shown import Shown
from lararium_desktop.hub.spare_shelf import SpareShelf
from lararium_desktop.hub.tour_api import samples_folder
from lararium_desktop.hub.tray import Tray
from lararium_desktop.hub.tray_desk import HubDesk
from lararium_desktop.hub.tray_state import TrayState
from lararium_desktop.hub.window_keeper import WindowKeeper
from lararium_desktop.system.command import own_command
from lararium_desktop.system.file_manager import FileManager
from lararium_desktop.system.hub_files import HubPaths, publish

logger = logging.getLogger(__name__)

TOKEN_SCOPES: frozenset[Scope] = PAGE_SCOPES | frozenset[Scope](("native",))
"""The token is the window's and the commands' own; no page ever gets its `native`."""
LOCK_PATIENCE_SECONDS = 2.0
"""A hub that is just ending holds the lock for a moment more."""

TRAY_DELAY_SECONDS = 0.5
HAS_FORK_SERVER = sys.platform == "linux"

OnReady = Callable[[HubServices], Awaitable[None]]


async def serve_hub(
    paths: Paths,
    environment: Mapping[str, str],
    on_ready: OnReady,
    *,
    is_background: bool = False,
) -> None:
    """Serve until quit, SIGINT or SIGTERM; `on_ready` runs once connections are taken.

    One in the background has its tray from the start, and ends when nobody needs it any more.

    Raises:
        LarariumError: `lock_held` when a hub runs already, or a folder that is not safe.
    """
    hub_paths = HubPaths(ensure_private_dir(paths.state / "hub"))
    with _take_lock(hub_paths):
        sock = _bind(hub_paths)
        # Where a fork is not safe, one process waits, imported.
        shelf = None if HAS_FORK_SERVER else SpareShelf(hub_paths.folder, environment)
        take_spare = None if shelf is None else shelf.take
        hub, launcher = _assemble(paths, hub_paths, environment, sock, take_spare)

        async def on_listening() -> None:
            record = own_record(
                guid=hub.guid,
                port=hub.port,
                api_version=(API_MAJOR, API_MINOR),
                app_version=hub.version,
            )
            publish(hub_paths, record, hub.credentials.token)
            logger.info("The hub listens at %s", hub.origin)
            await on_ready(hub)

        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_quit_on_signal, hub)
                if shelf is None:
                    group.start_soon(keep_fork_server, hub_paths.folder, environment)
                else:
                    group.start_soon(shelf.keep)
                stop = anyio.Event()
                group.start_soon(_stop_after_window, hub, launcher, stop)
                tray = _tray(hub, paths, hub_paths, environment)
                group.start_soon(_keep_in_sight, hub, tray, is_background)
                await serve_app(create_hub(hub), sock, on_listening=on_listening, stop=stop)
                group.cancel_scope.cancel()
        finally:
            hub_paths.token.unlink(missing_ok=True)
            logger.info("The hub ended")


def _take_lock(paths: HubPaths) -> HeldLock:
    lock = try_lock(paths.owner_lock, patience_seconds=LOCK_PATIENCE_SECONDS)
    if lock is None:
        raise LarariumError("lock_held", "Lararium's hub runs already.", 409)
    return lock


def _bind(paths: HubPaths) -> socket.socket:
    """Take the port of the last hub again, so that its page stays where it is."""
    last = read_runtime(paths.record)
    if last is not None:
        try:
            return bind_loopback(last.port)
        except OSError:
            logger.info("The port %s of the last hub is taken", last.port)
    return bind_loopback(0)


def _assemble(
    paths: Paths,
    hub_paths: HubPaths,
    environment: Mapping[str, str],
    sock: socket.socket,
    take_spare: TakeSpare | None,
) -> tuple[HubServices, WindowLauncher]:
    port = bound_port(sock)
    feed = ShellFeed()
    native = NativeChannel(changed=feed.announce)
    registry = Registry(paths.registry)
    pool = Pool(
        registry,
        LocalDaemons(paths, environment, take_spare),
        hub_origin=lambda: f"http://127.0.0.1:{port}",
        changed=feed.announce,
    )
    launcher = WindowLauncher(native, environment, hub_paths.window_output)

    async def show_window(display: Mapping[str, str]) -> WindowShown:
        with feed.followed():  # the hub is needed while a window opens
            return await launcher.show(display)

    shown, front = Shown(hub_paths.shown), Front()
    opener = Opener(shown, front, feed, show_window)
    attending = attend(
        hub_paths.inbox, local_daemons(paths), pool.workspaces, feed, front, opener.open
    )
    settings = SettingsStore(paths.config / "shell.json")
    attending.notifier.rules = settings.notice_rules
    hub = HubServices(
        guid=secrets.token_hex(16),
        version=__version__,
        pid=os.getpid(),
        port=port,
        credentials=Credentials(new_token(), token_scopes=TOKEN_SCOPES),
        registry=registry,
        pool=pool,
        inbox=attending.inbox,
        followers=attending.followers,
        front=front,
        notifier=attending.notifier,
        native=native,
        feed=feed,
        shown=shown,
        tray=TrayState(hub_paths.no_tray_said, changed=feed.announce),
        settings=settings,
        file_manager=FileManager(),
        environment=environment,
        samples=samples_folder(environment),
        keeper=WindowKeeper(opener.open, lambda: native.is_attached, needed=feed.followed),
        opener=opener,
        same_user=peer_check(chosen_mode(paths.config, environment), sock),
    )
    return hub, launcher


def _tray(
    hub: HubServices, paths: Paths, hub_paths: HubPaths, environment: Mapping[str, str]
) -> Tray:
    return Tray(
        HubDesk(hub, local_daemons(paths)),
        hub.feed,
        hub.tray,
        own_command("_tray"),
        environment,
        hub_paths.tray_output,
    )


async def _keep_in_sight(hub: HubServices, tray: Tray, is_background: bool) -> None:
    """Keep the tray, and end a hub in the background that nobody sees and nothing needs."""
    async with anyio.create_task_group() as group:
        if is_background:
            group.start_soon(end_when_forgotten, partial(presence_of, hub), hub.feed, hub.quit.set)
            await _let_window_first(hub)
        await tray.run(at_once=is_background)


async def _let_window_first(hub: HubServices) -> None:
    """Leave the processor to a window that is asked for at once: the person looks at that."""
    await anyio.sleep(TRAY_DELAY_SECONDS)
    if hub.feed.followers and await hub.native.wait_attached(ATTACH_SECONDS):
        await anyio.sleep(2 * TRAY_DELAY_SECONDS)


async def _quit_on_signal(hub: HubServices) -> None:
    if sys.platform == "win32":  # the event loop there takes no signals; Ctrl-C raises
        return
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            hub.quit.set()


async def _stop_after_window(hub: HubServices, launcher: WindowLauncher, stop: anyio.Event) -> None:
    """Let the window go first: without its hub it could show nothing but a lost connection."""
    await hub.quit.wait()
    await launcher.close()
    stop.set()
