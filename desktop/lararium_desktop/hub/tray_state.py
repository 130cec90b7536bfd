"""How it stands with the tray, for whoever must know: the page, the window, the hub's own end."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

import anyio

TrayStatus = Literal["off", "ready", "no_host"]
"""`off`: not started, or it has not said yet whether its icon can be seen."""


class TrayState:
    """One hub's tray as the rest of the hub sees it. Used from the event loop alone."""

    def __init__(self, said: Path, changed: Callable[[], None] = lambda: None) -> None:
        """`said` is a file that is there once the person was told that there is no tray."""
        self._said = said
        self._changed = changed
        self._moved = anyio.Event()
        self._wanted = anyio.Event()
        self.status: TrayStatus = "off"
        self.notices: list[str] = []
        """Sentences for the person."""
        self.display: dict[str, str] = {}
        """Variables of the screen that was used last; {} means those of the hub itself."""

    def use_display(self, display: Mapping[str, str]) -> None:
        """Note the screen on which the person is; {} leaves what is known."""
        self._wanted.set()
        if display and dict(display) != self.display:
            self.display = dict(display)
            self._moved.set()
            self._moved = anyio.Event()

    async def wait_wanted(self) -> None:
        """Wait until the person has used a screen with this hub."""
        await self._wanted.wait()

    async def wait_display(self, known: Mapping[str, str]) -> None:
        """Wait until the person is on another screen than the known one."""
        while self.display == dict(known):
            await self._moved.wait()

    def set_ready(self) -> None:
        """The icon can be seen."""
        self.status = "ready"
        self.notices.clear()
        with suppress(OSError):
            self._said.unlink(missing_ok=True)
        self._changed()

    def set_absent(self, status: TrayStatus) -> None:
        """There is no icon, for now at least."""
        if status != self.status:
            self.status = status
            self._changed()

    def tell(self, sentence: str) -> None:
        """Tell the person on the page, once in the life of this hub."""
        if sentence not in self.notices:
            self.notices.append(sentence)
            self._changed()

    def tell_once(self, sentence: str) -> None:
        """Tell the person, and never again until a tray was there meanwhile."""
        if self._said.exists():
            return
        with suppress(OSError):  # then it is said once more by the next hub
            self._said.touch(mode=0o600)
        self.tell(sentence)
