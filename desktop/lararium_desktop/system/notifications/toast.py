"""A notification, and the port behind which the system shows it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

CLICK = "click"
"""The action of a click on the notification itself."""


@dataclass(slots=True, frozen=True)
class ToastButton:
    """A button; `action` is what its press is reported as."""

    action: str
    label: str


@dataclass(slots=True, frozen=True)
class Toast:
    """One notification. Its texts are plain: no markup, no control characters, cut to size."""

    key: str
    """A later one with the same key takes its place."""
    title: str
    body: str
    buttons: tuple[ToastButton, ...] = ()


OnAction = Callable[[str], None]
"""Hears what the person pressed; called on the loop from which the toast was shown."""


class Toaster(Protocol):
    """A way to show notifications. Every call is bounded and none raises."""

    @property
    def name(self) -> str:
        """What it is called in the log."""
        ...

    async def show(self, toast: Toast, on_action: OnAction) -> bool:
        """Show a notification, or replace it; False when it could not be shown."""
        ...

    async def withdraw(self, key: str) -> None:
        """Take a notification back; harmless when it is gone."""
        ...

    async def close(self) -> None:
        """Take all back and let go of the system."""
        ...
