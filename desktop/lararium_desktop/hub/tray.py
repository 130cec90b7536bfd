"""Keeps the tray beside the hub: starts it where there is a screen, feeds it, starts it again.

A desktop without a tray is no failure. It is said once, and nothing depends on the tray: the
command `lararium` and the notifications lead back to the app as well.
"""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import anyio
from anyio.abc import TaskGroup

from lararium_desktop.hub.feed import ShellFeed
from lararium_desktop.hub.tray_clicks import TrayClicks, TrayDesk
from lararium_desktop.hub.tray_model import model_of
from lararium_desktop.hub.tray_process import run_tray_process
from lararium_desktop.hub.tray_state import TrayState
from lararium_desktop.system.restarts import Restarts
from lararium_desktop.system.screen import has_screen
from lararium_desktop.system.tray_messages import (
    TrayClick,
    TrayModel,
    TrayNoHost,
    TrayReady,
    TraySaid,
    parse_action,
)

logger = logging.getLogger(__name__)

TOGETHER_SECONDS = 0.05
"""Changes that come so close together are shown as one."""
PATIENCE_SECONDS = 10.0
"""A panel that starts with the session may come later than the app."""
PAUSE_SECONDS = 0.2
LEAN = MappingProxyType({"GDK_GL": "disable"})
"""GTK looks for OpenGL when it opens the first screen: 35 MB of drivers for a menu of text."""
NO_TRAY = "Lararium goes on without a tray icon; the command lararium brings its window back."


class Tray:
    """The tray of one hub."""

    def __init__(
        self,
        desk: TrayDesk,
        feed: ShellFeed,
        state: TrayState,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        *,
        restarts: Restarts | None = None,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """`environment` is the hub's, which the screen of `state` overrides."""
        self._desk = desk
        self._clicks = TrayClicks(desk)
        self._feed = feed
        self._state = state
        self._command = command
        self._environment = environment
        self._log = log
        self._restarts = restarts or Restarts()
        self._patience_seconds = patience_seconds
        self._is_final = False
        self._waits = anyio.CancelScope()

    async def run(self, *, at_once: bool) -> None:
        """Keep a tray until cancelled; `at_once` is False when only a window shall bring it."""
        if not at_once:
            await self._state.wait_wanted()
        async with anyio.create_task_group() as tasks:
            while True:
                display = dict(self._state.display)
                environment = {**self._environment, **display, **LEAN}
                if has_screen(environment):
                    await self._run_here(tasks, environment, display)
                else:
                    await self._state.wait_display(display)

    async def _run_here(
        self, tasks: TaskGroup, environment: Mapping[str, str], display: Mapping[str, str]
    ) -> None:
        """Run a tray on one screen, again and again, until the person is on another one."""
        async with anyio.create_task_group() as group:

            async def leave() -> None:
                await self._state.wait_display(display)
                while self._state.status == "ready":  # a tray that is seen stays where it is
                    await self._feed.wait_newer(self._feed.version)
                group.cancel_scope.cancel()

            group.start_soon(leave)
            while True:
                self._is_final = False
                code = await self._run_once(tasks, environment)
                if self._is_final:
                    await anyio.sleep_forever()
                pause = self._restarts.note()
                logger.warning("The tray ended with %s; it starts again in %.0f s", code, pause)
                await anyio.sleep(max(PAUSE_SECONDS, pause))

    async def _run_once(self, tasks: TaskGroup, environment: Mapping[str, str]) -> int | None:
        def hear(said: TraySaid) -> None:
            self._hear(tasks, said)

        try:
            return await run_tray_process(
                self._command, environment, self._log, self._next_model, hear
            )
        except OSError as error:
            logger.warning("The tray could not be started: %s", error)
            return error.errno
        finally:
            if not self._is_final:
                self._state.set_absent("off")

    async def _next_model(self, known: TrayModel | None) -> TrayModel:
        version = self._feed.version
        while (model := self._model()) == known:
            await self._feed.wait_newer(version)
            await anyio.sleep(TOGETHER_SECONDS)
            version = self._feed.version
        return model

    def _model(self) -> TrayModel:
        return model_of(self._desk.workspaces(), self._desk.items(), self._desk.recent())

    def _hear(self, tasks: TaskGroup, said: TraySaid) -> None:
        match said:
            case TrayReady():
                logger.info("The tray icon is shown (%s)", said.host)
                self._waits.cancel()
                self._state.set_ready()
            case TrayNoHost():
                self._is_final = said.is_final
                self._state.set_absent("no_host")
                tasks.start_soon(self._say_absent, said)
            case TrayClick():
                action = parse_action(said.action)
                if action is None:
                    logger.warning("The tray reported a click on something unknown")
                else:
                    tasks.start_soon(self._clicks.perform, action)

    async def _say_absent(self, said: TrayNoHost) -> None:
        """Tell the person that there is no tray, when none comes within a while."""
        self._waits.cancel()
        self._waits = anyio.CancelScope()
        with self._waits:
            await anyio.sleep(self._patience_seconds)
            if self._state.status != "no_host":
                return
            logger.warning("No tray: %s", said.reason)
            self._state.tell_once(f"{said.reason} {NO_TRAY}")
