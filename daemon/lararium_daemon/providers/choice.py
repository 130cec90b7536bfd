"""Which profile and model answer: a pure choice among all that are known.

Order: session > workspace > (in a sample project: the tour) > default > first saved > the unnamed
one of settings and environment > found on this machine. What was chosen by name and cannot be used
is a problem to be told, never a reason to send a prompt elsewhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from lararium_daemon.providers.profiles import NO_MODEL, Profile
from lararium_daemon.providers.saved_profiles import TOUR_NAME, tour_profile
from lararium_daemon.providers.workspace_choice import WorkspaceChoice


@dataclass(slots=True, frozen=True)
class Book:
    """Every profile that is known, and what the person chose."""

    saved: tuple[Profile, ...] = ()
    unnamed: Profile | None = None
    """Of `provider.*` and the environment."""
    found: Profile | None = None
    """A server of this user on this machine."""
    default: str = ""
    """Name of the default profile."""
    workspace: WorkspaceChoice = field(default_factory=WorkspaceChoice)
    is_sample: bool = False
    """The workspace is the tour's sample project."""
    proxy: str = field(default="system", repr=False)
    """The setting of that name, for a profile that is not saved yet."""

    def named(self, name: str) -> Profile | None:
        """Give the profile of this name."""
        return next((profile for profile in self.all() if profile.name == name), None)

    def lost_fallbacks(self) -> list[str]:
        """Say which profiles fall back on one that is not there."""
        names = {profile.name for profile in self.all()}
        return [
            f"The profile {each.name} falls back on {each.fallback}, which is not there."
            for each in self.saved
            if each.fallback and each.fallback not in names
        ]

    def all(self) -> Iterator[Profile]:
        """Give all, in the order in which they are shown."""
        yield from self.saved
        if self.unnamed is not None and self.unnamed.name:
            yield self.unnamed
        if self.found is not None:
            yield self.found
        if all(profile.name != TOUR_NAME for profile in self.saved):
            yield tour_profile()


@dataclass(slots=True, frozen=True)
class Choice:
    """What answers; no profile when `problem` says why."""

    profile: Profile | None
    model: str = ""
    """"" = the profile's own, or its server's first one."""
    problem: str = ""


def choose(book: Book, session_model: str | None) -> Choice:
    """Choose for a session that names `session_model`: `profile/model`, a model, or None."""
    if session_model:
        name, slash, model = session_model.partition("/")
        chosen = book.named(name) if slash else None
        if chosen is not None:
            return _of(chosen, model)
    current = _current(book)
    if session_model and current.profile is not None and current.profile.kind != "tour":
        return replace(current, model=session_model)
    return current


def fallbacks(book: Book, profile: Profile) -> list[Profile]:
    """Give the profiles that take over from this one, in order; a circle ends where it closes."""
    row = [profile]
    while (name := row[-1].fallback) and (after := book.named(name)) is not None:
        if after.kind == "tour" or after in row:
            break
        row.append(after)
    return row[1:]


def _current(book: Book) -> Choice:
    if book.workspace.profile:
        return _by_name(book, book.workspace.profile, "This project", book.workspace.model)
    if book.is_sample:
        return _of(tour_profile())
    if book.default:
        return _by_name(book, book.default, "The settings")
    first = next((each for each in (*book.saved, book.unnamed, book.found) if each), None)
    return _of(first) if first is not None else Choice(None, problem=NO_MODEL)


def _by_name(book: Book, name: str, who: str, model: str = "") -> Choice:
    profile = book.named(name)
    if profile is None:
        return Choice(
            None,
            problem=f"{who} chose the model profile {name}, which is not there. Choose another one "
            "in the settings. Your message is kept.",
        )
    return _of(profile, model)


def _of(profile: Profile, model: str = "") -> Choice:
    return Choice(profile, model or profile.model, profile.problem)
