"""What `lararium` does: brings hub, window and daemons together for one command.

A hub that is needed and not there is started in the background and outlives the command; daemons
outlive the hub. Only `--no-window` without a hub runs the hub in the command's own process.
"""

import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from anyio import from_thread, to_thread
from anyio.lowlevel import current_token

from lararium_daemon.client.errors import ClientError
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.system.logging import configure_logging
from lararium_daemon.system.paths import Paths, ensure_private_dir
from lararium_daemon.system.process_table import is_alive, start_time
from lararium_desktop.hub.daemons import LocalDaemons
from lararium_desktop.hub.folders import inspect_folder
from lararium_desktop.hub.pool import Pool
from lararium_desktop.hub.registry import Registry
from lararium_desktop.system.background import start_background_hub
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import HubLink, find_hub
from lararium_desktop.system.screen import display_of, has_screen

if TYPE_CHECKING:
    from lararium_desktop.hub.services import HubServices

logger = logging.getLogger(__name__)

WINDOW_SECONDS = 45.0
DAEMON_SECONDS = 60.0
QUIT_SECONDS = 15.0
POLL_SECONDS = 0.2

Say = Callable[[str], None]


@dataclass(frozen=True)
class App:
    """One command: where the files lie, what the environment says, where words go."""

    paths: Paths
    environment: Mapping[str, str]
    say: Say
    """Writes a line for the person to stderr."""
    output: Say
    """Writes a line that is the command's result to stdout."""

    @property
    def hub_paths(self) -> HubPaths:
        """The hub's files."""
        return HubPaths(self.paths.state / "hub")

    def find(self) -> HubLink | None:
        """Give the running hub."""
        return find_hub(self.hub_paths)

    def ensure(self) -> HubLink:
        """Give the running hub, started when there is none. Raises LarariumError."""
        ensure_private_dir(self.hub_paths.folder)
        return self.find() or start_background_hub(self.hub_paths, self.environment)


def open_app(app: App, folder: str | None, *, no_window: bool) -> int:
    """Open the app, with a project when a folder is given; give the exit code."""
    path = None if folder is None else str(inspect_folder(str(Path(folder).absolute())))
    if no_window or not has_screen(app.environment):
        return _serve_page(app, path)
    link = app.ensure()
    workspace = None if path is None else str(_register(link, path)["id"])
    return _show_window(app, link, workspace)


def open_project(app: App, workspace: str | None, *, print_link: bool) -> int:
    """Show a project, or print the address of the page."""
    link = app.ensure()
    if workspace is not None:
        _known(link, workspace)
    if print_link or not has_screen(app.environment):
        if workspace is not None:
            link.request("POST", f"/workspaces/{workspace}/seen")
        app.output(link.page_url())
        return 0
    _ask_window(app, link, workspace)
    return 0


def add_project(app: App, folder: str, *, nested: bool, as_json: bool) -> int:
    """Register a folder."""
    path = str(inspect_folder(str(Path(folder).absolute())))
    link = app.find()
    if link is None:
        entry = Registry(app.paths.registry).add(path, nested=nested)
        added: dict[str, Any] = {"id": entry.id, "name": entry.name, "path": entry.path}
    else:
        found = _register(link, path, nested=nested)
        added = {name: found[name] for name in ("id", "name", "path")}
    app.output(json.dumps(added) if as_json else f"{added['id']}  {added['path']}")
    return 0


def remove_project(app: App, workspace: str) -> int:
    """Take a project off the list."""
    link = app.find()
    if link is None:
        Registry(app.paths.registry).remove(WorkspaceId(workspace))
    else:
        link.request("DELETE", f"/workspaces/{workspace}")
    return 0


def show_status(app: App, *, as_json: bool) -> int:
    """Say what runs; 1 when no hub does."""
    link = app.find()
    if link is None:
        hub = None
        items = [item.model_dump() for item in anyio.run(_look_around, app)]
    else:
        hub = {"base_url": link.base_url, "pid": link.pid, "guid": link.guid}
        items = link.request("GET", "/workspaces", seconds=DAEMON_SECONDS)["items"]
    names = ("id", "name", "path", "state", "location", "pid", "base_url")
    workspaces = [{name: item[name] for name in names} for item in items]
    if as_json:
        app.output(json.dumps({"hub": hub, "workspaces": workspaces}))
    else:
        app.output("The hub is not running." if link is None else f"Hub at {link.base_url}")
        for item in workspaces:
            app.output(f"{item['id']}  {item['state']:<9} {item['name']}  {item['path']}")
    return 0 if link is not None else 1


def quit_app(app: App, *, stop_daemons: bool) -> int:
    """End hub and window, and the daemons too when asked; 9 when something did not end."""
    link = app.find()
    ended = True
    if link is not None:
        link.request("POST", "/quit")
        ended = _wait_gone(link.pid, link.start, QUIT_SECONDS)
        if not ended:
            app.say(f"The hub (process {link.pid}) did not end in {QUIT_SECONDS:.0f} s.")
    problems = anyio.run(_stop_daemons, app) if stop_daemons else []
    for problem in problems:
        app.say(problem)
    return 0 if ended and not problems else 9


def serve_background(app: App, ready_fd: int) -> int:
    """Serve as the hub that a command started; say over the descriptor when it is ready."""
    from lararium_desktop.hub.serve import serve_hub

    configure_logging(_log_path(app))

    async def on_ready(hub: "HubServices") -> None:
        _announce(ready_fd, {"ready": {"base_url": hub.origin, "guid": hub.guid}})

    try:
        anyio.run(partial(serve_hub, is_background=True), app.paths, app.environment, on_ready)
    except LarariumError as error:
        _announce(ready_fd, {"error": {"code": error.code, "detail": error.detail}})
        return 75 if error.code == "lock_held" else 1
    return 0


def _serve_page(app: App, path: str | None) -> int:
    """Serve without a window until Ctrl-C; a hub that runs already is used, and left alone."""
    link = app.find()
    if link is not None:
        if path is not None:
            link.request("POST", f"/workspaces/{_register(link, path)['id']}/seen")
        return _print_links_of(app, link)
    from lararium_desktop.hub.serve import serve_hub

    configure_logging(_log_path(app))

    async def on_ready(hub: "HubServices") -> None:
        if path is not None:
            entry = await to_thread.run_sync(hub.registry.add, path)
            hub.ask_to_show(entry.id)
        loop = current_token()
        _print_fresh_links(app, lambda: from_thread.run_sync(_fresh_link, hub, token=loop))

    anyio.run(serve_hub, app.paths, app.environment, on_ready)
    return 0


def _fresh_link(hub: "HubServices") -> str:
    return hub.page_link().url


def _print_links_of(app: App, link: HubLink) -> int:
    # A shell starts its background commands with Ctrl-C ignored, which a `kill -INT` means as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    app.say("Lararium runs already. Ctrl-C ends this command and leaves it running.")
    _print_fresh_links(app, link.page_url)
    try:
        while link.is_alive():
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        return 0
    app.say("Lararium has ended.")
    return 0


def _print_fresh_links(app: App, fresh: Callable[[], str]) -> None:
    """Print an address now and one more for each Enter; each opens one page, for ten minutes."""

    def follow_keyboard() -> None:
        try:
            app.output(fresh())
            app.say("Open this address in a browser. Enter prints a fresh one, Ctrl-C ends.")
            # Not by `sys.stdin`: its lock, held while it waits, would be missed at the end.
            while _may_read_keyboard() and os.read(0, 4096):
                app.output(fresh())
        except (ClientError, RuntimeError, OSError) as error:
            logger.info("No more addresses are printed: %s", error)

    threading.Thread(target=follow_keyboard, name="links", daemon=True).start()


def _may_read_keyboard() -> bool:
    """Whether reading is allowed: a background job that reads its terminal is stopped by it."""
    if sys.platform == "win32" or not os.isatty(0):
        return True
    return os.tcgetpgrp(0) == os.getpgrp()


def _show_window(app: App, link: HubLink, workspace: str | None) -> int:
    try:
        shown = _ask_window(app, link, workspace)
    except ClientError as error:
        if error.code != "window_failed":
            raise
        app.say(error.detail)
        return _print_links_of(app, link)
    start = start_time(shown["pid"])
    if not shown["started"] or start is None:
        return 0
    try:
        while is_alive(shown["pid"], start):
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        app.say("The window stays open. `lararium quit` ends Lararium.")
        return 0
    if link.is_alive():
        app.say("The window is closed and Lararium goes on. `lararium quit` ends it.")
    return 0


def _ask_window(app: App, link: HubLink, workspace: str | None) -> dict[str, Any]:
    body = {"display": display_of(app.environment), "workspace_id": workspace}
    return link.request("POST", "/native/show", body, seconds=WINDOW_SECONDS)


def _register(link: HubLink, path: str, *, nested: bool = False) -> dict[str, Any]:
    return link.request("POST", "/workspaces", {"path": path, "nested": nested})


def _known(link: HubLink, workspace: str) -> None:
    items = link.request("GET", "/workspaces", seconds=DAEMON_SECONDS)["items"]
    if all(item["id"] != workspace for item in items):
        raise ClientError(
            "unknown_workspace", f"No project with the id {workspace} is in the list.", status=404
        )


def _pool(app: App) -> Pool:
    registry = Registry(app.paths.registry)
    return Pool(registry, LocalDaemons(app.paths, app.environment), hub_origin=lambda: "")


async def _look_around(app: App) -> list[Any]:
    pool = _pool(app)
    await pool.refresh()
    return pool.workspaces()


async def _stop_daemons(app: App) -> list[str]:
    return await _pool(app).stop_all()


def _wait_gone(pid: int, start: float, seconds: float) -> bool:
    give_up = time.monotonic() + seconds
    while is_alive(pid, start):
        if time.monotonic() > give_up:
            return False
        time.sleep(POLL_SECONDS / 4)
    return True


def _log_path(app: App) -> Path:
    ensure_private_dir(app.hub_paths.folder)
    return app.hub_paths.log


def _announce(descriptor: int, line: dict[str, Any]) -> None:
    try:
        os.write(descriptor, json.dumps(line).encode() + b"\n")
        os.close(descriptor)
    except OSError:
        logger.info("Nobody waited for this hub")
