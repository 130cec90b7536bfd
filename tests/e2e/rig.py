"""A throw-away X11 desktop for one test: X server, session bus, window manager, and their end.

Every process of the rig is a child of the test, in a session of its own, and ended with the rig.
What the app under test starts detached is found by the rig's mark in its environment. Nothing
here sleeps for luck: each step waits, bounded, for the thing it needs.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import psutil

Found = TypeVar("Found")

PROGRAMS = ("Xvfb", "dbus-daemon", "openbox", "xdotool", "wmctrl", "import")
MARK = "LARARIUM_TEST_RIG"


def missing_programs() -> list[str]:
    """Give the programs that this machine lacks for a rig."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


def wait_for(
    what: str, probe: Callable[[], Found | None], seconds: float = 30.0, pause: float = 0.05
) -> Found:
    """Ask again and again until the probe gives something; the failure names what was missed."""
    give_up = time.monotonic() + seconds
    while True:
        found = probe()
        if found:
            return found
        if time.monotonic() > give_up:
            raise AssertionError(f"after {seconds:.0f} s there is no {what}")
        time.sleep(pause)


@dataclass
class Rig:
    """A running desktop."""

    folder: Path
    environment: dict[str, str]
    shots: Path
    children: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])

    def start(self, name: str, *argv: str, **pipes: int) -> subprocess.Popen[bytes]:
        """Start a program that ends with the rig; its output goes to `<folder>/<name>.log`."""
        with (self.folder / f"{name}.log").open("wb") as log:
            child = subprocess.Popen(
                argv,
                env=self.environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=pipes.get("stdout", log.fileno()),
                stderr=log,
                start_new_session=True,
                pass_fds=tuple(fd for key, fd in pipes.items() if key != "stdout"),
            )
        self.children.append(child)
        return child

    def start_ready(self, name: str, *argv: str) -> str:
        """Start a program that ends with the rig, and give the first line it prints."""
        child = self.start(name, *argv, stdout=subprocess.PIPE)
        if child.stdout is None:
            raise AssertionError(f"{name} has no output")
        with child.stdout as output:
            line = output.readline().decode().strip()
        if not line:
            raise AssertionError((self.folder / f"{name}.log").read_text(encoding="utf-8"))
        return line

    def run(self, *argv: str, timeout: float = 30.0) -> str:
        """Run a program to its end and give what it printed; a failure raises."""
        done = subprocess.run(
            argv,
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=True,
        )
        return done.stdout

    def shot(self, name: str) -> Path:
        """Take a picture of the whole screen."""
        target = self.shots / f"{name}.png"
        self.run("import", "-window", "root", str(target))
        return target

    def resize(self, title: str, width: int, height: int) -> None:
        """Give a window this size, at the screen's corner."""
        self.run("wmctrl", "-r", title, "-e", f"0,0,0,{width},{height}")

    def wait_still(self, seconds: float = 30.0, calm_seconds: float = 1.0) -> None:
        """Wait until the screen has not changed for a while: what loads or moves has ended.

        Less than a second of calm is found on a screen that counts seconds, too.
        """
        seen: list[tuple[float, bytes]] = []

        def is_still() -> bool:
            now = time.monotonic()
            picture = hashlib.sha256(self._screen()).digest()
            seen[:] = [*(each for each in seen if each[1] == picture), (now, picture)]
            return now - seen[0][0] > calm_seconds

        wait_for("still screen", is_still, seconds, pause=0.15)

    def keys(self, *chords: str) -> None:
        """Press chords one after another, wherever the keyboard is."""
        self.run("xdotool", "key", "--delay", "40", *chords)

    def type(self, text: str) -> None:
        """Type text, wherever the keyboard is."""
        self.run("xdotool", "type", "--delay", "12", text)

    def windows(self) -> list[str]:
        """Give the titles of the open windows."""
        # It fails while the window manager has not listed any window yet.
        rows = [line.split(None, 3) for line in self._ask("wmctrl", "-l").splitlines()]
        return [row[3] for row in rows if len(row) == 4]

    def window_count(self) -> int:
        """Give how many windows are open, those without a title too."""
        return len(self._ask("wmctrl", "-l").splitlines())

    def wait_window(self, title: str, seconds: float = 30.0) -> None:
        """Wait until a window with this title is there, and put the keyboard into it."""
        wait_for(f"window {title!r}", lambda: title in self.windows(), seconds)
        self.run("wmctrl", "-F", "-a", title)
        wait_for(f"focus on {title!r}", lambda: self.active_window() == title)

    def active_window(self) -> str:
        """Give the title of the window that has the keyboard; "" for none."""
        return self._ask("xdotool", "getactivewindow", "getwindowname").strip()

    def _screen(self) -> bytes:
        argv = ("import", "-window", "root", "-depth", "8", "rgb:-")
        done = subprocess.run(
            argv, env=self.environment, capture_output=True, timeout=30, check=True
        )
        return done.stdout

    def _ask(self, *argv: str) -> str:
        done = subprocess.run(
            argv, env=self.environment, capture_output=True, text=True, timeout=10, check=False
        )
        return done.stdout

    def detached(self) -> list[psutil.Process]:
        """Give what runs on this desktop and was not started by the test itself."""
        own = {child.pid for child in self.children}
        return [each for each in _marked(self.environment[MARK]) if each.pid not in own]

    def end(self) -> None:
        """End all that was started, the app's detached processes too."""
        marked = self.detached()
        for process in marked:
            _signal(process, signal.SIGTERM)
        _, alive = psutil.wait_procs(marked, timeout=5)
        for process in alive:
            _signal(process, signal.SIGKILL)
        for child in reversed(self.children):
            child.terminate()
        for child in self.children:
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait(5)


@contextmanager
def desktop(
    folder: Path,
    shots: Path,
    *,
    dark: bool = False,
    size: tuple[int, int] = (1280, 800),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Generator[Rig]:
    """Give a desktop; its end is the end of everything in it."""
    folder.mkdir(parents=True, exist_ok=True)
    shots.mkdir(parents=True, exist_ok=True)
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    environment = {**_environment(folder, runtime, dark=dark), **variables}
    rig = Rig(folder, environment, shots)
    try:
        _start_screen(rig, size)
        _start_bus(rig)
        rig.start("openbox", "openbox", "--sm-disable")
        wait_for("window manager", lambda: _answers(rig, "wmctrl", "-m"), 20)
        yield rig
    finally:
        rig.end()


def _environment(folder: Path, runtime: Path, *, dark: bool) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in {"WAYLAND_DISPLAY", "SESSION_MANAGER", "XAUTHORITY", "DISPLAY"}
    }
    return {
        **kept,
        "XDG_RUNTIME_DIR": str(runtime),
        "XDG_CONFIG_HOME": str(_still_settings(folder)),
        "XDG_SESSION_TYPE": "x11",
        "GDK_BACKEND": "x11",
        "NO_AT_BRIDGE": "1",
        "GSETTINGS_BACKEND": "memory",
        "GTK_THEME": "Adwaita:dark" if dark else "Adwaita",
        "LIBGL_ALWAYS_SOFTWARE": "1",
        MARK: str(folder),
    }


def _still_settings(folder: Path) -> Path:
    """Make GTK's settings those of a screen that can be still: a blinking caret never is."""
    settings = folder / "config" / "gtk-3.0" / "settings.ini"
    settings.parent.mkdir(parents=True)
    settings.write_text("[Settings]\ngtk-cursor-blink=false\n", encoding="utf-8")
    return folder / "config"


def _start_screen(rig: Rig, size: tuple[int, int]) -> None:
    """Start the X server on a number that it picks itself, so that rigs run side by side."""
    reader, writer = os.pipe()
    try:
        rig.start(
            "xvfb",
            *("Xvfb", "-displayfd", str(writer), "-screen", "0", f"{size[0]}x{size[1]}x24"),
            *("-nolisten", "tcp", "-noreset"),
            displayfd=writer,
        )
    finally:
        os.close(writer)
    with os.fdopen(reader, encoding="ascii") as line:
        number = line.readline().strip()
    if not number:
        raise AssertionError(f"no X server: {(rig.folder / 'xvfb.log').read_text('utf-8')}")
    rig.environment["DISPLAY"] = f":{number}"


def _start_bus(rig: Rig) -> None:
    bus = rig.start(
        "dbus",
        *("dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"),
        stdout=subprocess.PIPE,
    )
    if bus.stdout is None:
        raise AssertionError("the bus has no output")
    with bus.stdout as output:
        address = output.readline().decode().strip()
    rig.environment["DBUS_SESSION_BUS_ADDRESS"] = address


def _answers(rig: Rig, *argv: str) -> bool:
    done = subprocess.run(argv, env=rig.environment, capture_output=True, timeout=10, check=False)
    return done.returncode == 0


def _marked(mark: str) -> Iterator[psutil.Process]:
    own = os.getpid()
    for process in psutil.process_iter():
        try:
            if process.pid != own and process.environ().get(MARK) == mark:
                yield process
        except (psutil.Error, OSError):
            continue


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    with suppress(psutil.Error):
        process.send_signal(number)
