"""Whether there is a screen for a window, and how a hub that has none is told of it."""

import sys
from collections.abc import Mapping
from typing import get_args

from lararium_daemon.protocol.hub import DisplayName


def has_screen(environment: Mapping[str, str]) -> bool:
    """Whether a window can be shown here."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def display_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Give the variables that name the caller's screen and session bus."""
    return {name: environment[name] for name in get_args(DisplayName) if name in environment}
