"""Notifications without buttons, by `plyer` or, where it would misread a text, without it.

On Linux plyer hands texts to notify-send as if they were options, and in a sandbox writes them into
the source of a GVariant: notify-send is called here instead, with the texts after `--`, and plyer
is left what it does by D-Bus. On macOS and Windows it gets the texts as arguments; neither has been
run.
"""

import importlib
import importlib.util
import logging
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import anyio
from anyio import to_thread

from lararium_desktop.system.notifications.short_text import escape_markup
from lararium_desktop.system.notifications.toast import OnAction, Toast

logger = logging.getLogger(__name__)

APP_NAME = "Lararium"
SHOW_SECONDS = 5.0
_SANDBOX = Path("/app")
"""Where plyer believes to be in a Flatpak."""

Way = Literal["notify-send", "plyer", "none"]


def choose_way(platform: str, *, has_notify_send: bool, has_dbus: bool, in_sandbox: bool) -> Way:
    """Give the way that shows a text as it is; `platform` is `sys.platform`."""
    if platform.startswith("linux"):
        if has_notify_send:
            return "notify-send"
        return "plyer" if has_dbus and not in_sandbox else "none"
    return "plyer" if platform in {"darwin", "win32"} else "none"


def notify_send_argv(program: str, toast: Toast) -> list[str]:
    """Give the command: texts only after `--`; markup and backslashes of the body are escaped."""
    body = escape_markup(toast.body).replace("\\", "\\\\")
    return [program, f"--app-name={APP_NAME}", "--icon=lararium", "--", toast.title, body]


def plyer_arguments(platform: str, toast: Toast) -> dict[str, str | int]:
    """Give what plyer is called with; only Linux' servers read markup."""
    body = escape_markup(toast.body) if platform.startswith("linux") else toast.body
    return {"title": toast.title, "message": body, "app_name": APP_NAME, "timeout": 10}


class SimpleToaster:
    """Shows and forgets: no buttons, no click, nothing to take back."""

    def __init__(
        self,
        platform: str = sys.platform,
        find_program: Callable[[str], str | None] = shutil.which,
    ) -> None:
        self._platform = platform
        self._find_program = find_program
        self._limit = anyio.CapacityLimiter(1)

    @property
    def name(self) -> str:
        """What it is called in the log."""
        return "plyer"

    async def show(self, toast: Toast, on_action: OnAction) -> bool:
        """Show a notification; False when it could not be. Nothing of it can be pressed."""
        del on_action
        with anyio.move_on_after(SHOW_SECONDS):
            return await to_thread.run_sync(
                self._show, toast, abandon_on_cancel=True, limiter=self._limit
            )
        logger.warning("The simple notifications did not answer in %s s", SHOW_SECONDS)
        return False

    async def withdraw(self, key: str) -> None:
        """Do nothing: it cannot."""

    async def close(self) -> None:
        """Do nothing: nothing is open."""

    def _show(self, toast: Toast) -> bool:
        program = self._find_program("notify-send")
        way = choose_way(
            self._platform,
            has_notify_send=program is not None,
            has_dbus=importlib.util.find_spec("dbus") is not None,
            in_sandbox=_SANDBOX.is_dir(),
        )
        try:
            if way == "notify-send" and program is not None:
                return _run(notify_send_argv(program, toast))
            return way == "plyer" and _call_plyer(plyer_arguments(self._platform, toast))
        except Exception:  # whatever a system's library raises: the page says it then
            logger.exception("The simple notifications failed")
            return False


def _run(argv: list[str]) -> bool:
    done = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=SHOW_SECONDS,
        check=False,
    )
    return done.returncode == 0


def _call_plyer(arguments: dict[str, str | int]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of what it does not find
        plyer: Any = importlib.import_module("plyer")
        plyer.notification.notify(**arguments)
    return True
