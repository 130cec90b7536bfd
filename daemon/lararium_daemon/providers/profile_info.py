"""A profile as it is shown: with where its key lies, never with the key."""

from lararium_daemon.protocol.profiles import Price, ProfileInfo
from lararium_daemon.providers.choice import Book
from lararium_daemon.providers.keys import key_place
from lararium_daemon.providers.profile_check import without_promise
from lararium_daemon.providers.profiles import Profile, Secret


def profile_info(profile: Profile, key: Secret, book: Book, current: Profile | None) -> ProfileInfo:
    """Show a profile whose key is `key`; `current` is the one that answers now."""
    place = key_place(profile.key_reference)
    price = profile.price
    return ProfileInfo(
        name=profile.name,
        kind=profile.kind,
        base_url="" if "@" in profile.base_url else profile.base_url,
        model=profile.model,
        context_window=profile.context_window,
        headers=sorted(profile.headers),
        price=Price(**price.model_dump()) if price else None,
        fallback=profile.fallback,
        key_place=place,
        key_variable=profile.key_reference.removeprefix("env:") if place == "environment" else "",
        key_hint=key.hint,
        source=profile.source or "settings",
        is_default=profile.name == book.default,
        is_workspace_default=profile.name == book.workspace.profile,
        in_use=current is not None and current.name == profile.name,
        problem=without_promise(profile.problem),
    )
