"""The window process: one GTK main loop on the main thread, one thread that follows the hub."""

import logging
from collections.abc import Mapping

from lararium_daemon.system.paths import Paths
from lararium_desktop.system.background import start_background_hub
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import find_hub
from lararium_desktop.window.channel import WindowChannel

logger = logging.getLogger(__name__)


def run_window(paths: Paths, environment: Mapping[str, str]) -> int:
    """Show the window until it is closed; give the exit code."""
    try:
        # Loaded here: a machine without GTK gets a sentence and keeps everything else.
        from lararium_desktop.window.gtk import GtkWindow
    except (ImportError, ValueError) as error:
        logger.error("No window can be shown: GTK or WebKit is missing (%s)", error)  # noqa: TRY400
        return 1
    hub_paths = HubPaths(paths.state / "hub")
    window = GtkWindow()

    def bring_back() -> bool:
        if not hub_paths.token.exists():  # a hub that ends takes it away; a crash does not
            return False
        start_background_hub(hub_paths, environment)
        return True

    channel = WindowChannel(window, lambda: find_hub(hub_paths), bring_back)
    window.run(on_ready=channel.start, on_page_ended=channel.replace_page)
    channel.stop()
    return 0
