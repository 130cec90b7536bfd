"""pystray, chosen and mended: which of its backends can show an icon with a menu here.

It has no types and chooses its backend while it is imported, falling back to one without a menu;
so it is imported with its own choice switched off, and each candidate is asked for by name.
"""

import importlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lararium_daemon.system.environment import read_environment, replace_environment

logger = logging.getLogger(__name__)

CANDIDATES = {
    "linux": ("appindicator", "gtk"),
    "darwin": ("darwin",),
    "win32": ("win32",),
}
"""In order of preference. On Linux `xorg` is left out: it has no menu."""

LoadModule = Callable[[str], Any]


class NoBackendError(Exception):
    """There is no way to show an icon with a menu; the text says why."""


@dataclass(frozen=True)
class Backend:
    """What draws the icon."""

    name: str
    icon_class: Any
    """pystray's `Icon` for this backend."""


def load_module(name: str) -> Any:
    """Import one backend of pystray. Raises what the import raises."""
    replace_environment({**read_environment(), "PYSTRAY_BACKEND": "dummy"})
    return importlib.import_module(f"pystray._{name}")


def choose_backend(platform: str, load: LoadModule = load_module) -> Backend:
    """Give the first backend that can be loaded and has a menu.

    Raises:
        NoBackendError: none is left; the text names each one's reason.
    """
    reasons: list[str] = []
    for name in CANDIDATES.get(platform, ()):
        try:
            icon_class = load(name).Icon
        except (ImportError, ValueError, AttributeError, OSError) as error:
            # ValueError is how PyGObject says that a library is not installed.
            reasons.append(f"{name}: {error}")
            continue
        if getattr(icon_class, "HAS_MENU", False):
            return Backend(name, icon_class)
        reasons.append(f"{name}: it has no menu")
    raise NoBackendError("; ".join(reasons) or f"there is none for {platform}")
