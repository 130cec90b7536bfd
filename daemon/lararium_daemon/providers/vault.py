"""The system's own store of secrets, through `keyring`; slow and may ask the person.

Only stores that keep secrets are taken: not the ones that refuse everything, drop everything or
write plain text. Everything here blocks; `keys.py` calls it in a thread with a limit.
"""

import re
from dataclasses import dataclass
from typing import Any, Protocol, cast

SERVICE = "lararium"

_REFUSED = re.compile(
    r"^keyring\.backends\.(fail|null)\.|^keyrings\.alt\.|plain|uncrypted", re.IGNORECASE
)
"""`keyrings.alt` keeps files, in plain text or with a password asked at a terminal."""
_NAMES = {
    "SecretService": "Secret Service",
    "kwallet": "KWallet",
    "libsecret": "libsecret",
    "macOS": "macOS keychain",
    "Windows": "Windows Credential Manager",
}


class VaultError(Exception):
    """The store did not do what it was asked, in words for the person."""


class Backend(Protocol):
    """What is used of a backend of `keyring`, whose own types are incomplete."""

    def get_password(self, service: str, username: str, /) -> str | None:
        """Give a secret."""
        ...

    def set_password(self, service: str, username: str, password: str, /) -> None:
        """Keep a secret."""
        ...

    def delete_password(self, service: str, username: str, /) -> None:
        """Forget a secret."""
        ...


class Vault(Protocol):
    """A store of secrets. Every method blocks and may raise `VaultError`."""

    @property
    def name(self) -> str:
        """What the person calls it."""
        ...

    def get(self, account: str) -> str | None:
        """Give a secret, None when there is none."""
        ...

    def set(self, account: str, secret: str) -> None:
        """Keep a secret."""
        ...

    def delete(self, account: str) -> None:
        """Forget a secret."""
        ...


def system_vault() -> Vault | None:
    """Find the system's store; None when there is none that keeps secrets."""
    import keyring
    from keyring.errors import KeyringError

    try:
        backend = usable(cast("Backend", keyring.get_keyring()))
    except (KeyringError, RuntimeError, ImportError, OSError):
        return None
    return _KeyringVault(backend) if backend is not None else None


def usable(backend: Backend) -> Backend | None:
    """Give the backend, or the first good one of a chain."""
    chained = cast("list[Any] | None", getattr(backend, "backends", None))
    if chained is not None:
        return next((found for each in chained if (found := usable(each)) is not None), None)
    kind = type(backend)
    return None if _REFUSED.search(f"{kind.__module__}.{kind.__qualname__}") else backend


@dataclass(slots=True, frozen=True)
class _KeyringVault:
    """A backend of `keyring`."""

    backend: Backend

    @property
    def name(self) -> str:
        kind = type(self.backend)
        return _NAMES.get(kind.__module__.rpartition(".")[2], kind.__name__)

    def get(self, account: str) -> str | None:
        from keyring.errors import KeyringError

        try:
            return self.backend.get_password(SERVICE, account)
        except (KeyringError, RuntimeError, OSError) as error:
            raise VaultError(_words(error)) from error

    def set(self, account: str, secret: str) -> None:
        from keyring.errors import KeyringError

        try:
            self.backend.set_password(SERVICE, account, secret)
        except (KeyringError, RuntimeError, OSError) as error:
            raise VaultError(_words(error)) from error

    def delete(self, account: str) -> None:
        from keyring.errors import KeyringError

        try:
            self.backend.delete_password(SERVICE, account)
        except (KeyringError, RuntimeError, OSError) as error:
            raise VaultError(_words(error)) from error


def _words(error: Exception) -> str:
    text = " ".join(str(error).split())[:200]
    return text or type(error).__name__
