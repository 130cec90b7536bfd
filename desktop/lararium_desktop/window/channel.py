"""The window's line to the hub: a thread that follows the hub for as long as the window is open.

It finds the hub by its files, lets it prove itself, loads its page with a fresh ticket, and serves
the native channel. A hub that went away and came back at the same address gets the page a new
ticket without a reload, so that nothing on the screen is lost. One that stays away is started.
"""

import logging
import os
import threading
import time
from collections.abc import Callable

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from lararium_daemon.protocol.errors import LarariumError
from lararium_desktop.system.hub_link import HubLink
from lararium_desktop.system.restarts import Restarts
from lararium_desktop.window.services import NativeServices, Request, serve_request

logger = logging.getLogger(__name__)

RETRY_SECONDS = 0.25
GONE_SECONDS = 2.0
"""A hub that is away for so long does not come back by itself."""
OPEN_SECONDS = 10.0
CLOSE_SECONDS = 2.0
PAGE_PAUSE_SECONDS = 0.2
MESSAGE_BYTES = 1024 * 1024
TAKEN_CLOSE = 4409
"""The hub has a window already."""

FindHub = Callable[[], HubLink | None]


class WindowChannel:
    """Serves one window to whichever hub runs."""

    def __init__(
        self,
        services: NativeServices,
        find: FindHub,
        bring_back: Callable[[], bool] = lambda: True,
        *,
        restarts: Restarts | None = None,
        gone_seconds: float = GONE_SECONDS,
    ) -> None:
        """Serve the hub that `find` gives.

        Args:
            services: The window.
            find: Gives the hub that runs and has proved itself.
            bring_back: Starts a hub that crashed, and returns once it serves or raises
                LarariumError; False when the last one ended because it was told to.
            restarts: Counts the starts.
            gone_seconds: How long the hub may be away.
        """
        self._services = services
        self._find = find
        self._start = bring_back
        self._hub_restarts = restarts or Restarts()
        self._page_restarts = Restarts()
        self._gone_seconds = gone_seconds
        self._seen_at = time.monotonic()
        self._stopped = threading.Event()
        self._socket: ClientConnection | None = None
        self._thread = threading.Thread(target=self._follow, name="native-channel", daemon=True)

    def start(self) -> None:
        """Begin to follow the hub."""
        self._thread.start()

    def stop(self) -> None:
        """Let the hub go, within a bounded time."""
        self._stopped.set()
        socket = self._socket
        if socket is not None:
            socket.close()
        self._thread.join(CLOSE_SECONDS)

    def replace_page(self) -> None:
        """Load the page anew after its process ended; returns at once."""
        threading.Thread(target=self._replace_page, name="page", daemon=True).start()

    def _follow(self) -> None:
        self._seen_at = time.monotonic()
        while not self._stopped.is_set():
            try:
                link = self._find()
                if link is not None:
                    self._serve(link)
                elif time.monotonic() - self._seen_at >= self._gone_seconds:
                    self._bring_back()
            except (LarariumError, OSError, WebSocketException) as error:
                logger.info("The hub is not reached: %s", error)
            self._stopped.wait(RETRY_SECONDS)

    def _bring_back(self) -> None:
        pause = self._hub_restarts.note()
        logger.warning("The hub is gone; it is started again in %.0f s", pause)
        if not self._stopped.wait(pause) and not self._start():
            logger.info("The hub was ended; the window closes as well")
            self._services.close()
            self._stopped.set()

    def _replace_page(self) -> None:
        pause = max(PAGE_PAUSE_SECONDS, self._page_restarts.note())
        logger.warning("The page's process ended; it is loaded again in %.1f s", pause)
        if self._stopped.wait(pause):
            return
        try:
            if (link := self._find()) is not None:
                link.request("POST", "/native/page-ended")
                self._services.load(link.page_url())
                return
        except LarariumError as error:
            logger.info("The hub did not hear that its page ended: %s", error)
        # Its key is still there; a hub that comes back gives it another.
        self._services.reload()

    def _serve(self, link: HubLink) -> None:
        try:
            with connect(
                f"ws://127.0.0.1:{link.port}/api/native/channel?pid={os.getpid()}",
                additional_headers={"Authorization": f"Bearer {link.token}"},
                compression=None,
                proxy=None,
                open_timeout=OPEN_SECONDS,
                close_timeout=CLOSE_SECONDS,
                max_size=MESSAGE_BYTES,
            ) as socket:
                self._socket = socket
                # Attached before the page asks for anything native.
                self._services.load(link.page_url())
                self._answer(socket)
        except InvalidStatus as error:
            logger.warning("The hub refused this window: %s", error.response.status_code)
        finally:
            self._socket = None
            self._seen_at = time.monotonic()

    def _answer(self, socket: ClientConnection) -> None:
        def reply(given: str) -> None:
            try:
                socket.send(given)
            except ConnectionClosed:
                logger.info("The hub went away before it had its answer")

        try:
            for message in socket:
                serve_request(self._services, Request.parse(message), reply)
        except ValueError:
            # A newer hub asks for what this window cannot do: it notices by its own time limit.
            logger.warning("The hub asked for something unknown")
        if socket.close_code == TAKEN_CLOSE:
            logger.warning("Another window is attached; this one closes")
            self._services.close()
