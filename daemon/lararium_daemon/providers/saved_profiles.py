"""The profiles that the person saved, read out of the settings."""

from dataclasses import replace

from lararium_daemon.providers.address import address_problem, tidy_address, unencrypted_notice
from lararium_daemon.providers.github import github_problem
from lararium_daemon.providers.profiles import GITHUB_URL, Profile, key_problem
from lararium_daemon.settings import ProfileSettings, Settings

TOUR_NAME = "Tour"
TOUR_MODEL = "scripted"


def saved_profiles(settings: Settings) -> tuple[Profile, ...]:
    """Give them in the order of saving; one that cannot be used says why in `problem`."""
    return tuple(
        replace(saved_profile(name, saved), proxy=settings.proxy)
        for name, saved in settings.profiles.items()
    )


def saved_profile(name: str, saved: ProfileSettings) -> Profile:
    """Make the profile; its key has not been looked up."""
    if saved.kind == "tour":
        return replace(tour_profile(), name=name, source="settings", is_saved=True)
    address = saved.base_url.strip() or (GITHUB_URL if saved.kind == "copilot" else "")
    problem = saved.problem or (
        _address_problem(name, saved, address)
        if address
        else f"The profile {name} has no address. Add one in the settings. Your message is kept."
    )
    base_url = address if problem else tidy_address(address)
    return Profile(
        name=name,
        base_url=base_url,
        model=saved.model.strip(),
        context_window=saved.context_window,
        headers=dict(saved.headers),
        source="settings",
        problem=problem or _header_problem(name, saved),
        notice="" if problem else unencrypted_notice(base_url, has_key=bool(saved.key)),
        kind=saved.kind,
        is_saved=True,
        key_reference=saved.key,
        price=saved.price,
        timeouts=saved.timeouts,
        fallback=saved.fallback,
        reasoning_back=saved.reasoning_back,
    )


def tour_profile() -> Profile:
    """Make the profile of the built-in tour; it has no address."""
    return Profile(name=TOUR_NAME, base_url="", model=TOUR_MODEL, source="tour", kind="tour")


def _address_problem(name: str, saved: ProfileSettings, address: str) -> str:
    if saved.kind == "copilot":
        return github_problem(address)
    return address_problem(address, f"the profile {name}")


def _header_problem(name: str, saved: ProfileSettings) -> str:
    for header, value in saved.headers.items():
        if not header.isascii() or not header.replace("-", "").isalnum():
            return f"The profile {name} has a header whose name cannot be sent. Correct it."
        if key_problem(value, header):
            return f"The profile {name} has the header {header}, whose value cannot be sent."
    return ""
