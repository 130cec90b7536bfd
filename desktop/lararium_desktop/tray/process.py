"""The tray process: shows what the hub says, says what the person clicked, ends with the hub.

stdin takes a `TrayModel` a line, the first one before anything is shown; its end is the end of the
hub and of this process. stdout carries what `tray_messages` names and nothing else. The main loop
of the desktop belongs to the main thread, which nothing but the icon uses.
"""

import logging
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from lararium_daemon.system.paths import Paths, ensure_private_dir
from lararium_desktop.system.tray_messages import (
    MAX_LINE_BYTES,
    TrayAction,
    TrayClick,
    TrayModel,
    TrayNoHost,
    TrayReady,
    TraySaid,
    decode_model,
    encode_said,
)
from lararium_desktop.tray.backend import Backend, NoBackendError, choose_backend
from lararium_desktop.tray.icon import TrayIcon, linux_theme
from lararium_desktop.tray.icons import Theme

logger = logging.getLogger(__name__)

ICON_LOST = 1
"""Exit code: the panel is there and does not have the icon."""
END_SECONDS = 2.0
"""A desktop that hangs keeps the process no longer than this once the hub is gone."""


def run_tray(paths: Paths, environment: Mapping[str, str]) -> int:
    """Be the tray until stdin ends; give the exit code."""
    speaker = Speaker.of_stdout()
    models = sys.stdin.buffer
    first = next_model(models)
    if first is None:
        return 0
    try:
        backend = choose_backend(sys.platform)
    except NoBackendError as error:
        speaker.say(TrayNoHost(f"No tray icon can be shown ({error}).", is_final=True))
        return 0
    folder = ensure_private_dir(paths.state / "hub" / "tray")
    _show(backend, folder, environment, Stdio(first, models, speaker))
    return 0


class Speaker:
    """Writes lines to the hub, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    @classmethod
    def of_stdout(cls) -> "Speaker":
        """Take stdout away from everything else: a library that prints there prints to stderr."""
        speaker = cls(os.dup(1))
        os.dup2(2, 1)
        return speaker

    def say(self, said: TraySaid) -> None:
        """Send it; a hub that is gone is noticed where its end is read."""
        try:
            with self._lock:
                os.write(self._descriptor, encode_said(said))
        except OSError:
            logger.info("The hub is gone")

    def click(self, action: TrayAction) -> None:
        """Say that an entry was chosen."""
        self.say(TrayClick(action.id))


class Stdio:
    """What hub and tray share while the tray runs."""

    def __init__(self, first: TrayModel, models: BinaryIO, speaker: Speaker) -> None:
        self.first = first
        self.models = models
        self.speaker = speaker
        self.stopped = threading.Event()


def next_model(lines: BinaryIO) -> TrayModel | None:
    """Read the next model; None at the end. A line that is none is skipped and said."""
    while line := lines.readline(MAX_LINE_BYTES):
        try:
            return decode_model(line)
        except ValueError:
            logger.warning("The hub sent a line that is no model (%s bytes)", len(line))
    return None


def _show(backend: Backend, folder: Path, environment: Mapping[str, str], stdio: Stdio) -> None:
    theme = _theme(backend, environment)
    icon = TrayIcon(backend, folder, theme, stdio.first, stdio.speaker.click)

    def on_running() -> None:
        threading.Thread(target=_follow, args=(icon, stdio), name="models", daemon=True).start()
        if sys.platform != "linux":
            stdio.speaker.say(TrayReady("system"))
            return
        takes_notifier = backend.name == "appindicator"
        threading.Thread(
            target=_watch, args=(stdio, takes_notifier), name="hosts", daemon=True
        ).start()

    icon.run(on_running)


def _watch(stdio: Stdio, takes_notifier: bool) -> None:
    from lararium_desktop.tray.host import LinuxHosts, watch_hosts

    hosts = LinuxHosts(takes_notifier=takes_notifier)
    if watch_hosts(hosts.find, hosts.has_lost_icon, stdio.speaker.say, stdio.stopped):
        logger.warning("The tray has lost the icon; the hub starts another process for it")
        # Nothing is left to do, and an orderly end would wait for the thread that reads stdin.
        os._exit(ICON_LOST)


def _follow(icon: TrayIcon, stdio: Stdio) -> None:
    while (model := next_model(stdio.models)) is not None:
        icon.show(model)
    stdio.stopped.set()
    last_resort = threading.Timer(END_SECONDS, os._exit, (0,))
    last_resort.daemon = True
    last_resort.start()
    icon.stop()


def _theme(backend: Backend, environment: Mapping[str, str]) -> Theme:
    if backend.name == "darwin":
        return "template"
    if backend.name == "win32":
        return "light" if _is_windows_light() else "dark"
    from lararium_desktop.tray.gtk_icon import is_foreground_light

    desktop = environment.get("XDG_CURRENT_DESKTOP", "")
    return linux_theme(desktop, is_foreground_light=is_foreground_light())


def _is_windows_light() -> bool:
    """Whether the taskbar is light. Not run on Windows so far."""
    if sys.platform != "win32":
        return False
    import winreg

    place = r"Software\Microsoft\Windows\CurrentVersion\Themes\Personalize"
    try:
        with winreg.OpenKey(winreg.HKEY_CURRENT_USER, place) as key:
            return bool(winreg.QueryValueEx(key, "SystemUsesLightTheme")[0])
    except OSError:
        return False
