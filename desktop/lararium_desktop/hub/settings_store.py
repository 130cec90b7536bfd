"""The person's settings of the app: one small file in the config folder, replaced as a whole.

A file that cannot be read is renamed to `.bad-<time>` and said; the usual settings serve. Fields
that this version does not know are kept.
"""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from lararium_daemon.protocol.shell_settings import ShellSettings, ShellSettingsPatchInput
from lararium_daemon.system.atomic import write_private
from lararium_daemon.system.clock import now_rfc3339
from lararium_daemon.system.paths import ensure_private_dir
from lararium_desktop.hub.notice import NoticeRules

logger = logging.getLogger(__name__)

Content = dict[str, Any]


class SettingsStore:
    """The settings as they are now. `load` and `change` block: use them from a worker thread."""

    def __init__(self, path: Path, now: Callable[[], str] = now_rfc3339) -> None:
        self.notices: list[str] = []
        """What was found broken, as sentences for the person."""
        self._path = path
        self._now = now
        self._content = self._read()
        self.current = _settings(self._content)

    def change(self, given: ShellSettingsPatchInput) -> ShellSettings:
        """Change what is given and keep it."""
        changes = given.model_dump(exclude_none=True)
        content = _merged(self._content, changes)
        current = _settings(content)
        ensure_private_dir(self._path.parent)
        text = json.dumps(content, ensure_ascii=True, indent=2) + "\n"
        write_private(self._path, text.encode())
        self._content, self.current = content, current
        return current

    @property
    def notice_rules(self) -> NoticeRules:
        """What becomes a notification."""
        return NoticeRules(**self.current.notifications.model_dump())

    def _read(self) -> Content:
        try:
            content: Content = json.loads(self._path.read_bytes())
            _settings(content)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            self._set_aside(error)
            return {}
        return content

    def _set_aside(self, error: Exception) -> None:
        kept = self._path.with_name(f"{self._path.name}.bad-{self._now().replace(':', '')}")
        said = f"The app's settings in {self._path} cannot be read; the usual ones serve."
        try:
            self._path.replace(kept)
            said += f" The file is kept as {kept.name}."
        except OSError:
            logger.warning("%s could not be set aside", self._path)
        logger.warning("%s %s", said, error)
        self.notices.append(said)


def _settings(content: Content) -> ShellSettings:
    """Read the settings; unknown fields are not looked at. Raises ValueError."""
    try:
        return ShellSettings.model_validate(content)
    except ValidationError as error:
        raise ValueError(f"{error.error_count()} fields have no sense") from error


def _merged(content: Content, changes: Content) -> Content:
    merged = dict(content)
    for key, value in changes.items():
        old = merged.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            merged[key] = _merged(cast("Content", old), cast("Content", value))
        else:
            merged[key] = value
    return merged
