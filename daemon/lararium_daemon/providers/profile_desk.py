"""Everything that a person does with profiles: look around, try, save, change, choose, remove."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import anyio.to_thread

from lararium_daemon.protocol.api import ModelList
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.profiles import (
    DefaultModelInput,
    FoundList,
    LoginInput,
    ProfileChecked,
    ProfileCheckInput,
    ProfileInfo,
    ProfileInput,
    ProfileList,
    ProfilePatchInput,
    ProfileRemoved,
)
from lararium_daemon.providers.found_models import found_models
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.profile_book import ModelSources
from lararium_daemon.providers.profile_check import check_profile
from lararium_daemon.providers.profile_draft import (
    change_problem,
    differences,
    draft_problem,
    draft_to_check,
    fallback_problem,
)
from lararium_daemon.providers.profile_info import profile_info
from lararium_daemon.providers.profiles import Profile
from lararium_daemon.providers.saved_profiles import TOUR_NAME
from lararium_daemon.providers.workspace_choice import WorkspaceChoice, write_choice
from lararium_daemon.settings import save_settings
from lararium_daemon.system.logging import redact


class ProfileDesk:
    """The profiles of one person, from the daemon of one workspace."""

    def __init__(self, gateway: ModelGateway) -> None:
        self._gateway = gateway

    async def models(self, profile: str | None = None) -> ModelList:
        """List what a profile's server offers, the current one's when none is named."""
        return await self._gateway.models(profile)

    async def discovered(self) -> FoundList:
        """Look for model servers and keys now; some 2 s at most."""
        finder = self._gateway.finder
        servers = await finder.find() if finder is not None else []
        self._gateway.note_found(servers)
        current = self._gateway.choice(None).profile
        book = self._gateway.book.read()
        return FoundList(items=found_models(servers, self._gateway.environment, book, current))

    async def profiles(self) -> ProfileList:
        """List them all, keys masked."""
        book = self._gateway.book.read()
        items = [await self._info(profile) for profile in book.all()]
        return ProfileList(
            items=items,
            default=book.default or None,
            workspace=book.workspace.profile or None,
            keyring=await self._gateway.keys.vault_name(),
        )

    async def check(self, given: ProfileCheckInput) -> ProfileChecked:
        """Try an address and a key; nothing is kept."""
        if given.key is not None:
            redact(given.key.get_secret_value())
        book = self._gateway.book.read()
        named = book.named(given.name) if given.name else None
        if given.name and named is None:
            raise _unknown(given.name)
        draft = draft_to_check(given, named, self._gateway.environment)
        profile = replace(draft, proxy=book.proxy)
        if not profile.problem and not profile.api_key and profile.key_reference:
            found = await self._gateway.keys.find(profile.key_reference)
            profile = replace(profile, api_key=found.secret, problem=found.problem)
        return await check_profile(profile, self._gateway.environment)

    async def save(self, given: ProfileInput) -> ProfileInfo:
        """Save a new profile.

        Raises:
            LarariumError: `profile_exists`, `consent_needed` (409), `invalid_profile` (422).
        """
        taken = {name.casefold() for name in self._saved()}
        if given.kind != "tour":
            taken.add(TOUR_NAME.casefold())
        if given.name.casefold() in taken:
            raise LarariumError(
                "profile_exists", f"There is a profile {given.name}. Choose another name.", 409
            )
        _refuse(draft_problem(given.kind, given.base_url, given.name))
        self._check_fallback(given.name, given.fallback)
        fields: dict[str, Any] = {
            "kind": given.kind,
            "base_url": given.base_url,
            "model": given.model,
            "context_window": given.context_window,
            "headers": dict(given.headers),
            "price": given.price.model_dump() if given.price else None,
            "fallback": given.fallback,
            "key": await self._keep_key(given.name, given),
        }
        await self._write(given.name, fields, given.make_default)
        return await self._info(self._named(given.name))

    async def refuse_login(self, given: LoginInput) -> None:
        """Refuse a login whose end could not be saved, before the person takes the trouble.

        Raises:
            LarariumError: `invalid_profile`, `profile_exists`, `consent_needed`.
        """
        _refuse(draft_problem("copilot", given.github_url, given.name))
        taken = next((n for n in self._saved() if n.casefold() == given.name.casefold()), None)
        if taken is not None and self._named(taken).kind != "copilot":
            raise LarariumError(
                "profile_exists", f"There is a profile {taken}. Choose another name.", 409
            )
        if not given.consent_file and not await self._gateway.keys.vault_name():
            raise self._gateway.keys.consent_needed("there is none on this system")

    async def keep_login(self, given: LoginInput, token: str) -> ProfileInfo:
        """Save the profile of a login, or give the one there is its new key.

        Raises:
            LarariumError: as `save`.
        """
        old = self._gateway.book.read().named(given.name)
        is_ours = old is not None and old.is_saved
        kept = await self._gateway.keys.keep(given.name, token, consent_file=given.consent_file)
        address = given.github_url.strip().rstrip("/")
        fields: dict[str, Any] = {"kind": "copilot", "base_url": address, "key": kept}
        await self._write(given.name, fields, given.make_default)
        if is_ours and old is not None and old.key_reference:
            await self._gateway.keys.forget(old.key_reference)
        return await self._info(self._named(given.name))

    async def change(self, name: str, given: ProfilePatchInput) -> ProfileInfo:
        """Change what is given; an old key that is replaced is forgotten."""
        old = self._saved_one(name)
        _refuse(change_problem(old, given))
        self._check_fallback(name, given.fallback or "")
        fields = given.model_dump(
            include=given.model_fields_set - {"key", "key_variable", "make_default", "consent_file"}
        )
        if given.context_window == 0:
            fields["context_window"] = None
        if "headers" in fields:
            gone = dict.fromkeys(set(old.headers) - set(given.headers or {}))
            fields["headers"] = {**gone, **(given.headers or {})}
        if given.key is not None or given.key_variable is not None:
            fields["key"] = await self._keep_key(name, given)
        await self._write(name, fields, given.make_default)
        if "key" in fields and old.key_reference:
            await self._gateway.keys.forget(old.key_reference)
        return await self._info(self._named(name))

    async def remove(self, name: str) -> ProfileRemoved:
        """Remove a profile and its key."""
        old = self._saved_one(name)
        changes: dict[str, Any] = {"profiles": {name: None}}
        if self._gateway.book.read().default == name:
            changes["default_profile"] = None
        sources = self._sources()
        await anyio.to_thread.run_sync(save_settings, sources.config, changes)
        if self._gateway.book.read().workspace.profile == name:
            await anyio.to_thread.run_sync(write_choice, sources.choice, WorkspaceChoice())
        return ProfileRemoved(
            name=name, key_removed=await self._gateway.keys.forget(old.key_reference)
        )

    async def set_default(self, given: DefaultModelInput) -> ProfileList:
        """Choose what new sessions use, everywhere or in this workspace."""
        if given.profile is not None:
            self._named(given.profile)
        sources = self._sources()
        if given.scope == "workspace":
            choice = WorkspaceChoice(given.profile or "", given.model or "")
            await anyio.to_thread.run_sync(write_choice, sources.choice, choice)
        else:
            changes: dict[str, Any] = {"default_profile": given.profile}
            if given.profile in self._saved() and given.model is not None:
                changes["profiles"] = {given.profile: {"model": given.model}}
            await anyio.to_thread.run_sync(save_settings, sources.config, changes)
        await self._gateway.learn_model()
        return await self.profiles()

    async def _keep_key(self, name: str, given: ProfileInput | ProfilePatchInput) -> str | None:
        """Keep the key that came in; give the reference to it, None for no key."""
        key = given.key.get_secret_value().strip() if given.key is not None else ""
        if key and given.key_variable:
            raise LarariumError(
                "invalid_profile", "Give a key or the name of a variable, not both.", 422
            )
        if given.key_variable:
            return f"env:{given.key_variable}"
        if not key:
            return None
        return await self._gateway.keys.keep(name, key, consent_file=given.consent_file)

    async def _write(self, name: str, fields: Mapping[str, Any], make_default: str) -> None:
        sources = self._sources()
        changes: dict[str, Any] = {"profiles": {name: differences(fields)}}
        if make_default == "user":
            changes["default_profile"] = name
        try:
            await anyio.to_thread.run_sync(save_settings, sources.config, changes)
        except LarariumError:
            if fields.get("key"):
                await self._gateway.keys.forget(str(fields["key"]))
            raise
        if make_default == "workspace":
            await anyio.to_thread.run_sync(write_choice, sources.choice, WorkspaceChoice(name))
        await self._gateway.learn_model()

    def _check_fallback(self, name: str, fallback: str) -> None:
        book = self._gateway.book.read()
        _refuse(fallback_problem(name, fallback, book.named(fallback) if fallback else None))

    async def _info(self, profile: Profile) -> ProfileInfo:
        secret = profile.api_key
        problem = profile.problem
        if not secret and profile.key_reference:
            found = await self._gateway.keys.find(profile.key_reference)
            secret, problem = found.secret, problem or found.problem
        current = self._gateway.choice(None).profile
        return profile_info(
            replace(profile, problem=problem), secret, self._gateway.book.read(), current
        )

    def _named(self, name: str) -> Profile:
        profile = self._gateway.book.read().named(name)
        if profile is None:
            raise _unknown(name)
        return profile

    def _saved(self) -> list[str]:
        return [profile.name for profile in self._gateway.book.read().saved]

    def _saved_one(self, name: str) -> Profile:
        profile = self._named(name)
        if not profile.is_saved:
            raise LarariumError(
                "profile_not_saved",
                f"{name} was not saved, so there is nothing to change. Save it first.",
                409,
            )
        return profile

    def _sources(self) -> ModelSources:
        sources = self._gateway.book.sources
        if sources is None:
            raise LarariumError("settings_unreadable", "This daemon keeps no settings.", 409)
        return sources


def _unknown(name: str) -> LarariumError:
    return LarariumError("unknown_profile", f"There is no profile {name}.", 404)


def _refuse(problem: str) -> None:
    if problem:
        raise LarariumError("invalid_profile", problem, 422)
