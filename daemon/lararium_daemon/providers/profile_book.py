"""All profiles that a daemon knows, read again when their file has changed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lararium_daemon.providers.choice import Book
from lararium_daemon.providers.profiles import Profile, choose_profile
from lararium_daemon.providers.saved_profiles import saved_profiles
from lararium_daemon.providers.workspace_choice import read_choice
from lararium_daemon.settings import FILE_NAME, Settings, load_settings

FileState = tuple[int, int, int] | None


@dataclass(slots=True, frozen=True)
class ModelSources:
    """Where a daemon's profiles and choices lie."""

    config: Path
    """The folder of the person's settings and keys."""
    choice: Path
    """The file of this workspace's own choice."""
    is_sample: bool = False
    """The workspace is the tour's sample project."""


class ProfileBook:
    """The book of one daemon."""

    def __init__(
        self,
        settings: Settings,
        environment: Mapping[str, str],
        sources: ModelSources | None = None,
    ) -> None:
        self.found: Profile | None = None
        """A server of this user that may be used without a click."""
        self.notices: list[str] = []
        """What was found wrong in the settings since the start."""
        self.sources = sources
        self._settings = settings
        self._environment = environment
        self._seen: tuple[FileState, FileState] = self._states()
        self._book = self._make()

    def read(self) -> Book:
        """Give the book as it is now; two looks at the disk when nothing has changed."""
        states = self._states()
        if states != self._seen:
            self._seen = states
            self._reload()
            self._book = self._make()
        if self._book.found is not self.found:
            self._book = replace(self._book, found=self.found)
        return self._book

    def wants_discovery(self) -> bool:
        """Whether nothing is set up, and looking around was not forbidden."""
        book = self.read()
        is_empty = not (book.saved or book.unnamed or book.workspace.profile or book.default)
        return is_empty and not book.is_sample and self._settings.discovery

    def _reload(self) -> None:
        if self.sources is None:
            return
        settings = load_settings(
            self.sources.config, environment=self._environment, set_aside=False
        )
        self.notices = [each for each in settings.notices if each not in self._settings.notices]
        if not settings.damaged:  # somebody is writing it; what was read before holds
            self._settings = settings

    def _make(self) -> Book:
        book = Book(
            saved=saved_profiles(self._settings),
            unnamed=choose_profile(self._settings, self._environment),
            found=self.found,
            default=self._settings.default_profile,
            proxy=self._settings.proxy,
        )
        if self.sources is None:
            return book
        choice = read_choice(self.sources.choice)
        return replace(book, workspace=choice, is_sample=self.sources.is_sample)

    def _states(self) -> tuple[FileState, FileState]:
        if self.sources is None:
            return None, None
        return _state(self.sources.config / FILE_NAME), _state(self.sources.choice)


def _state(path: Path) -> FileState:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
