"""The window process: one GTK main loop on the main thread, one thread that follows the hub."""

import logging

from lararium_daemon.system.paths import Paths
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import find_hub
from lararium_desktop.window.channel import WindowChannel

logger = logging.getLogger(__name__)


def run_window(paths: Paths) -> int:
    """Show the window until it is closed; give the exit code."""
    try:
        # Loaded here: a machine without GTK gets a sentence and keeps everything else.
        from lararium_desktop.window.gtk import GtkWindow
    except (ImportError, ValueError) as error:
        logger.error("No window can be shown: GTK or WebKit is missing (%s)", error)  # noqa: TRY400
        return 1
    hub_paths = HubPaths(paths.state / "hub")
    window = GtkWindow()
    channel = WindowChannel(window, lambda: find_hub(hub_paths))
    window.run(on_ready=channel.start)
    channel.stop()
    return 0
