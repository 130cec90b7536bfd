"""Asks WebKitGTK's page for signs of life, and ends its process when it gives none.

The script is the engine's own call and not `eval`, which the page's security policy refuses.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAttributeAccessIssue=false
# PyGObject builds its modules at run time; no stubs exist for them.

import logging
import time
from typing import Any

import gi

from lararium_desktop.window.watchdog import TICK_SECONDS, Watchdog

gi.require_version("WebKit2", "4.1")
from gi.repository import GLib, WebKit2  # noqa: E402  the version is chosen first

logger = logging.getLogger(__name__)


def watch_page(web: Any) -> None:
    """Watch a WebKit view until it is destroyed; a hung page's process is ended, no more.

    What follows is what follows every end of a web process: `web-process-terminated`.
    """
    watchdog = Watchdog()

    def on_load(_web: Any, event: Any) -> None:
        # Questions to the page before may be lost, and count no more.
        if event == WebKit2.LoadEvent.COMMITTED:
            watchdog.begin()

    def ask() -> None:
        question = watchdog.question

        def on_answer(_web: Any, _result: Any) -> None:
            # Also an error is a sign of life: only a process that hangs says nothing.
            watchdog.answer(question)

        web.call_async_javascript_function("return 1", -1, None, None, None, None, on_answer)

    def tick() -> bool:
        match watchdog.tick(time.monotonic()):
            case "ask":
                ask()
            case "restart":
                logger.warning("The page hangs; its process is ended")
                web.terminate_web_process()
            case "wait":
                pass
        return GLib.SOURCE_CONTINUE

    timer = GLib.timeout_add(int(TICK_SECONDS * 1000), tick)

    def on_destroy(_web: Any) -> None:
        GLib.source_remove(timer)

    web.connect("load-changed", on_load)
    web.connect("destroy", on_destroy)
