"""The person's settings of the app itself, kept by the hub: how it looks and what it tells."""

from typing import Literal

from pydantic import Field

from lararium_daemon.protocol.api import Input, Output

Theme = Literal["system", "light", "dark"]
SMALLEST_TEXT = 85
LARGEST_TEXT = 150


class NotificationSettings(Output):
    """What becomes a notification. Never what is in front."""

    needs_you: bool = True
    """A run stands still until the person answers."""
    failed: bool = True
    """A run failed, or a daemon stopped."""
    finished: bool = True
    """A run ended well while the app was not in front."""
    finished_after_seconds: float = Field(default=30.0, ge=0, le=86_400)
    """A run that took no longer is no news."""


class ShellSettings(Output):
    """Everything that can be set in the app itself."""

    theme: Theme = "system"
    text_percent: int = Field(default=100, ge=SMALLEST_TEXT, le=LARGEST_TEXT)
    """Size of text, in percent of the usual one."""
    notifications: NotificationSettings = NotificationSettings()


class NotificationsPatchInput(Input):
    """Change what is given."""

    needs_you: bool | None = None
    failed: bool | None = None
    finished: bool | None = None
    finished_after_seconds: float | None = Field(default=None, ge=0, le=86_400)


class ShellSettingsPatchInput(Input):
    """Change what is given."""

    theme: Theme | None = None
    text_percent: int | None = Field(default=None, ge=SMALLEST_TEXT, le=LARGEST_TEXT)
    notifications: NotificationsPatchInput | None = None
