"""Keys of profiles: kept in the system's keyring, else in a private file after consent.

A profile holds a *reference*: `keyring:ACCOUNT`, `file:ACCOUNT` or `env:VARIABLE`. Accounts end in
random letters, so that two homes never share one and a replaced key never lands under an old name.
Every key that passes here is kept out of the log.
"""

import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import anyio.to_thread

from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.profiles import KeyPlace
from lararium_daemon.providers.key_file import KeyFile, reason_of
from lararium_daemon.providers.profiles import Secret, key_problem
from lararium_daemon.providers.stubborn_call import call_patiently
from lararium_daemon.providers.vault import Vault, VaultError, system_vault
from lararium_daemon.system.logging import redact

VAULT_SECONDS = 5.0
"""A keyring that waits for somebody to unlock it is given up after this long."""
_THREAD_NAME = "keyring"
_STUCK_CALLS = 4
"""A call that the keyring never answers keeps its thread; no more than these."""

T = TypeVar("T")


@dataclass(slots=True, frozen=True)
class FoundKey:
    """What a reference leads to."""

    secret: Secret
    problem: str = ""
    """Why there is no key, a sentence; "" when there is one or none is needed."""


class KeyStore:
    """The keys of one person."""

    def __init__(
        self,
        folder: Path | None,
        environment: Mapping[str, str],
        find_vault: Callable[[], Vault | None] = system_vault,
        vault_seconds: float = VAULT_SECONDS,
    ) -> None:
        self._file = KeyFile(folder) if folder is not None else None
        self._environment = environment
        self._find_vault = find_vault
        self._vault_seconds = vault_seconds
        self._vault: Vault | None = None
        self._known: dict[str, Secret] = {}
        """Keys that a keyring gave; asking again may ask the person again."""

    async def find(self, reference: str) -> FoundKey:
        """Follow a reference. Never raises."""
        kind, _, name = reference.partition(":")
        match kind:
            case "env":
                return self._of_environment(name)
            case "file":
                return await self._of_file(name)
            case "keyring":
                return await self._of_keyring(name)
            case _:
                return FoundKey(Secret(""))

    async def vault_name(self) -> str:
        """Name the keyring, "" when there is none that answers."""
        try:
            vault = await self._open_vault()
            return await self._bounded(lambda: vault.name) if vault else ""
        except VaultError:
            return ""

    async def keep(self, name: str, key: str, *, consent_file: bool) -> str:
        """Keep a key for the profile `name`; give the reference to it.

        Raises:
            LarariumError: `consent_needed` (409) when only a file could hold it and nobody agreed
                to that; `invalid_key` (422); `keys_unwritable` when the file cannot be written.
        """
        problem = key_problem(key, "this form")
        if problem or not key.strip():
            raise LarariumError("invalid_key", problem or "The key is empty.", 422)
        redact(key)
        account = f"{name.replace(' ', '_')}-{secrets.token_hex(3)}"
        try:
            vault = await self._open_vault()
            if vault is not None:
                await self._bounded(lambda: vault.set(account, key))
                self._known[account] = Secret(key)
                return f"keyring:{account}"
            reason = "there is none on this system"
        except VaultError as error:
            reason = str(error)
        if not consent_file or self._file is None:
            raise self.consent_needed(reason)
        await anyio.to_thread.run_sync(self._file.change, account, key)
        return f"file:{account}"

    async def forget(self, reference: str) -> bool:
        """Remove a kept key; False when there was none, or its store did not let it go."""
        kind, _, account = reference.partition(":")
        if kind == "file" and self._file is not None:
            return await anyio.to_thread.run_sync(self._file.change, account, None)
        if kind != "keyring":
            return False
        self._known.pop(account, None)
        try:
            vault = await self._open_vault()
            if vault is None:
                return False
            await self._bounded(lambda: vault.delete(account))
        except VaultError:
            return False
        return True

    def consent_needed(self, reason: str) -> LarariumError:
        """Make the refusal that asks whether a file may hold the key."""
        return LarariumError("consent_needed", self._ask_consent(reason), 409)

    def _ask_consent(self, reason: str) -> str:
        if self._file is None:
            return f"The system's keyring cannot keep the key ({reason})."
        return (
            f"The system's keyring cannot keep the key ({reason}). It can go into "
            f"{self._file.path}, a file that only you can read, if you agree. Nothing was "
            "saved yet."
        )

    def _of_environment(self, variable: str) -> FoundKey:
        key = self._environment.get(variable, "").strip()
        if not key:
            problem = f"The variable {variable} is not set. Set it and restart."
            return FoundKey(Secret(""), f"{problem} Your message is kept.")
        if problem := key_problem(key, variable):
            return FoundKey(Secret(""), problem)
        redact(key)
        return FoundKey(Secret(key))

    async def _of_keyring(self, account: str) -> FoundKey:
        if account in self._known:
            return FoundKey(self._known[account])
        try:
            vault = await self._open_vault()
            if vault is None:
                return _lost("The system's keyring is not there any more")
            key = await self._bounded(lambda: vault.get(account))
        except VaultError as error:
            return _lost(f"The system's keyring did not give the key ({error})")
        if not key:
            return _lost("The system's keyring has no such key any more")
        redact(key)
        self._known[account] = Secret(key)
        return FoundKey(self._known[account])

    async def _open_vault(self) -> Vault | None:
        if self._vault is None:
            self._vault = await self._bounded(self._find_vault)
        return self._vault

    async def _bounded(self, call: Callable[[], T]) -> T:
        """Do it in a thread; a thread that never comes back is left behind.

        Raises:
            VaultError: the store refused, or did not answer in time.
        """
        waiting = sum(thread.name == _THREAD_NAME for thread in threading.enumerate())
        if waiting >= _STUCK_CALLS:
            raise VaultError("it has not answered before; restart the app once it is unlocked")
        try:
            return await call_patiently(call, self._vault_seconds, _THREAD_NAME)
        except TimeoutError:
            raise VaultError(
                f"it did not answer in {self._vault_seconds:g} s; it may wait to be unlocked"
            ) from None

    async def _of_file(self, account: str) -> FoundKey:
        if self._file is None:
            return _lost("There is no file of keys")
        try:
            key = await anyio.to_thread.run_sync(self._file.read, account)
        except (OSError, ValueError) as error:
            return _lost(f"{self._file.path} cannot be read ({reason_of(error)})")
        if not key:
            return _lost(f"{self._file.path} has no such key any more")
        redact(key)
        return FoundKey(Secret(key))


def key_place(reference: str) -> KeyPlace:
    """Say where a reference leads."""
    places: dict[str, KeyPlace] = {
        "keyring": "keyring",
        "file": "file",
        "env": "environment",
    }
    return places.get(reference.partition(":")[0], "none")


def _lost(what: str) -> FoundKey:
    sentence = f"{what}. Unlock it, or enter the key again in the settings. Your message is kept."
    return FoundKey(Secret(""), sentence)
