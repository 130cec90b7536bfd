"""Whether a hub without a window and without a tray still has a reason to be there.

With a tray the person sees that Lararium runs, so closing the window ends nothing. Without one a
hub that does nothing would be a process that nobody sees: it ends a moment after its window. It
stays while anything runs, waits or was not looked at, and while a page in a browser follows it.
Either way the command `lararium` brings the window back, and no daemon ends with the hub.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

import anyio

from lararium_desktop.hub.feed import ShellFeed
from lararium_desktop.hub.services import HubServices

logger = logging.getLogger(__name__)

GRACE_SECONDS = 10.0
"""A window that is restarted, or a page that is loaded anew, comes back within this time."""


@dataclass(frozen=True)
class Presence:
    """What could need the hub now."""

    has_tray: bool
    has_window: bool
    pages: int
    """That follow the hub, in the window or in a browser."""
    runs: int
    items: int
    """That wait or ended and were not looked at."""

    @property
    def is_needed(self) -> bool:
        """Whether the hub shall stay."""
        return not self.is_hidden or bool(self.runs or self.items)

    @property
    def is_hidden(self) -> bool:
        """Whether nothing on any screen shows that the hub is there."""
        return not (self.has_tray or self.has_window or self.pages)


def presence_of(hub: HubServices) -> Presence:
    """Look at the hub."""
    return Presence(
        has_tray=hub.tray.status == "ready",
        has_window=hub.native.is_attached,
        pages=hub.feed.followers,
        runs=sum(workspace.running for workspace in hub.workspaces()),
        items=len(hub.inbox.items()),
    )


async def end_when_forgotten(
    presence: Callable[[], Presence],
    feed: ShellFeed,
    end: Callable[[], None],
    *,
    grace_seconds: float = GRACE_SECONDS,
) -> None:
    """Once there was a window, call `end` when nothing needs the hub for so long.

    `feed` says when to look at `presence` again.
    """
    while not presence().has_window:
        await feed.wait_newer(feed.version)
    was_hidden = False
    while True:
        while (now := presence()).is_needed:
            if now.is_hidden and not was_hidden:
                logger.info(
                    "The window is closed and there is no tray: %s runs and %s items keep the hub. "
                    "The command lararium brings the window back",
                    now.runs,
                    now.items,
                )
            was_hidden = now.is_hidden
            await feed.wait_newer(feed.version)
        with anyio.move_on_after(grace_seconds) as grace:
            while not presence().is_needed:
                await feed.wait_newer(feed.version)
        if grace.cancelled_caught:
            logger.info("No window, no tray, nothing runs or waits: the hub ends with its window")
            end()
            return
