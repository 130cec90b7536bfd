from typing import Any

import keyring
import pytest
from keyring.backends import chainer, fail, null
from keyring.errors import KeyringLocked, PasswordDeleteError

from lararium_daemon.providers.vault import SERVICE, Backend, VaultError, system_vault, usable


class Good:
    """A backend that keeps secrets."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str, /) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str, /) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str, /) -> None:
        if (service, username) not in self.kept:
            raise PasswordDeleteError("not found")
        del self.kept[service, username]


class PlaintextKeyring(Good):
    """What writes secrets down for all to read."""


class Locked(Good):
    """A keyring that nobody unlocked."""

    def get_password(self, service: str, username: str, /) -> str | None:
        raise KeyringLocked("locked!")


class Chain(Good):
    def __init__(self, *backends: Any) -> None:
        super().__init__()
        self.backends = list(backends)


def test_backends_that_keep_nothing_secret_are_refused() -> None:
    other: Any = type("EncryptedKeyring", (Good,), {"__module__": "keyrings.alt.file"})
    for backend in (fail.Keyring(), null.Keyring(), PlaintextKeyring(), other()):
        assert usable(backend) is None
    good = Good()
    assert usable(good) is good


def test_of_a_chain_the_first_good_one_is_taken() -> None:
    good = Good()
    assert usable(Chain(PlaintextKeyring(), good, Good())) is good
    assert usable(Chain(fail.Keyring(), Chain())) is None
    assert usable(chainer.ChainerBackend()) in (None, *chainer.ChainerBackend.backends)


def vault_of(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(keyring, "get_keyring", lambda: backend)
    return system_vault()


def test_the_system_vault_keeps_gives_and_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    good = Good()
    vault = vault_of(good, monkeypatch)
    vault.set("P-1", "secret")
    assert good.kept == {(SERVICE, "P-1"): "secret"}
    assert (vault.get("P-1"), vault.get("P-2"), vault.name) == ("secret", None, "Good")
    vault.delete("P-1")
    with pytest.raises(VaultError, match="not found"):
        vault.delete("P-1")


def test_a_locked_keyring_is_an_error_in_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VaultError, match="locked!"):
        vault_of(Locked(), monkeypatch).get("P-1")


def test_without_a_keyring_there_is_no_vault(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring_of_none: Any = fail.Keyring()
    assert vault_of(keyring_of_none, monkeypatch) is None
