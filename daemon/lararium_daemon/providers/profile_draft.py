"""A profile that is being written: what is wrong with it, and which key may try which address."""

from collections.abc import Mapping
from typing import Any

from lararium_daemon.protocol.profiles import ProfileCheckInput, ProfileKind, ProfilePatchInput
from lararium_daemon.providers.address import (
    address_problem,
    is_same_server,
    tidy_address,
    unencrypted_notice,
)
from lararium_daemon.providers.github import github_problem
from lararium_daemon.providers.known_servers import home_of_key
from lararium_daemon.providers.profile_check import without_promise
from lararium_daemon.providers.profiles import GITHUB_URL, Profile, Secret, key_problem
from lararium_daemon.settings import ProfileSettings

_FORM = "the address field"


def draft_problem(kind: ProfileKind, base_url: str, name: str) -> str:
    """Say why a profile cannot be saved like this, "" when it can."""
    if kind == "tour":
        return ""
    if kind == "copilot":
        return without_promise(github_problem(base_url.strip() or GITHUB_URL))
    if not base_url.strip():
        return f"The profile {name} needs an address, for example https://host/v1."
    return without_promise(address_problem(base_url.strip(), _FORM))


def change_problem(old: Profile, given: ProfilePatchInput) -> str:
    """Say why a saved profile cannot be changed like this, "" when it can."""
    if given.base_url is None:
        return draft_problem(given.kind or old.kind, old.base_url, old.name)
    if problem := draft_problem(given.kind or old.kind, given.base_url, old.name):
        return problem
    has_new_key = given.key is not None or given.key_variable is not None
    if has_new_key or not old.key_reference or is_same_server(old.base_url, given.base_url):
        return ""
    return (
        f"The key of {old.name} belongs to {old.base_url}. To use another server, enter its key "
        "too, or none."
    )


def fallback_problem(name: str, fallback: str, found: Profile | None) -> str:
    """Say why a profile cannot fall back on this one, "" when it can or has none."""
    if not fallback:
        return ""
    if fallback == name:
        return f"{name} cannot fall back on itself. Choose another profile."
    if found is None:
        return f"There is no profile {fallback} to fall back on."
    if found.kind == "tour":
        return "The tour is a script; it cannot answer in place of a model."
    return ""


def differences(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out (None) what a profile's default says anyway."""
    usual = ProfileSettings().model_dump()
    tidied = {
        name: value.strip() if isinstance(value, str) else value for name, value in fields.items()
    }
    return {name: None if value == usual[name] else value for name, value in tidied.items()}


def draft_to_check(
    given: ProfileCheckInput, named: Profile | None, environment: Mapping[str, str]
) -> Profile:
    """Make the profile to try; a key that is not typed in goes to its own address only."""
    address = given.base_url.strip() or (named.base_url if named else "")
    kind = given.kind or (named.kind if named else "chat")
    if kind == "copilot":
        address = address or GITHUB_URL
    problem = draft_problem(kind, address, given.name or "here")
    if kind == "tour":
        problem = "The tour is a script on this machine; there is nothing to check."
    base_url = address if problem else tidy_address(address)
    key = given.key.get_secret_value().strip() if given.key is not None else ""
    reference = ""
    if not problem and not key:
        reference, problem = _kept_key(given, named, base_url, environment)
    problem = problem or without_promise(key_problem(key, "the key field"))
    is_same = named is not None and is_same_server(base_url, named.base_url)
    saved_headers = dict(named.headers) if named is not None and is_same else {}
    return Profile(
        name=given.name or "this address",
        base_url=base_url,
        api_key=Secret(key if not problem else ""),
        model=given.model.strip(),
        headers={**saved_headers, **given.headers},
        source="settings",
        problem=problem,
        notice="" if problem else unencrypted_notice(base_url, has_key=bool(key or reference)),
        kind=kind,
        is_saved=named is not None,
        key_reference=reference,
    )


def _kept_key(
    given: ProfileCheckInput,
    named: Profile | None,
    base_url: str,
    environment: Mapping[str, str],
) -> tuple[str, str]:
    """Give the reference of a kept key that may try this address, and why one may not."""
    if given.key_variable:
        home = home_of_key(given.key_variable, environment)
        if home and is_same_server(home, base_url):
            return f"env:{given.key_variable}", ""
        is_saved_so = (
            named is not None
            and named.key_reference == f"env:{given.key_variable}"
            and is_same_server(named.base_url, base_url)
        )
        if is_saved_so:
            return f"env:{given.key_variable}", ""
        whose = f"belongs to {home}" if home else "belongs to no server that is known"
        return "", (
            f"The key in {given.key_variable} {whose}, so it was not sent to {base_url}. Save the "
            "profile with it if that is right, or type the key in."
        )
    if named is None or not named.key_reference:
        return "", ""
    if not is_same_server(named.base_url, base_url):
        return "", (
            f"The key of {named.name} belongs to {named.base_url}, so it was not sent to "
            f"{base_url}. Type the key in to try it there."
        )
    return named.key_reference, ""
