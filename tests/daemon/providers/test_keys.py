import json
import logging
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from tests.fakes.memory_vault import MemoryVault

from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.providers.keys import KeyStore, key_place
from lararium_daemon.providers.vault import Vault
from lararium_daemon.system.logging import JsonLines

pytestmark = pytest.mark.anyio

KEY = "sk-a-very-secret-key"


@pytest.fixture
def vault() -> Iterator[MemoryVault]:
    vault = MemoryVault()
    yield vault
    vault.answers.set()


def store(
    folder: Path, vault: Vault | None = None, seconds: float = 5.0, **environment: str
) -> KeyStore:
    return KeyStore(folder, environment, find_vault=lambda: vault, vault_seconds=seconds)


async def refused(keys: KeyStore, *, consent_file: bool = False) -> LarariumError:
    with pytest.raises(LarariumError) as caught:
        await keys.keep("P", KEY, consent_file=consent_file)
    return caught.value


async def test_a_key_goes_into_the_keyring_and_comes_back(
    tmp_path: Path, vault: MemoryVault
) -> None:
    reference = await store(tmp_path, vault).keep("My profile", KEY, consent_file=False)
    assert reference.startswith("keyring:My_profile-")
    assert list(vault.kept.values()) == [KEY]
    found = await store(tmp_path, vault).find(reference)
    assert (found.secret.reveal(), found.problem) == (KEY, "")
    assert not (tmp_path / "keys.json").exists()
    assert await store(tmp_path, vault).vault_name() == "Test keyring"


async def test_a_keyring_is_asked_once_for_a_key(tmp_path: Path, vault: MemoryVault) -> None:
    vault.kept["a"] = KEY
    keys = store(tmp_path, vault)
    assert [(await keys.find("keyring:a")).secret.reveal() for _ in range(3)] == [KEY] * 3
    assert vault.reads == 1


async def test_two_keys_of_one_name_never_meet(tmp_path: Path, vault: MemoryVault) -> None:
    keys = store(tmp_path, vault)
    first = await keys.keep("P", "first-key", consent_file=False)
    second = await keys.keep("P", "second-key", consent_file=False)
    assert await keys.forget(first)
    assert (await keys.find(second)).secret.reveal() == "second-key"
    assert "no such key" in (await keys.find(first)).problem


async def test_without_a_keyring_a_file_needs_consent_and_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "config"
    keys = store(folder)
    error = await refused(keys)
    assert (error.code, error.status) == ("consent_needed", 409)
    assert str(folder / "keys.json") in error.detail
    assert not folder.exists()
    reference = await keys.keep("P", KEY, consent_file=True)
    path = folder / "keys.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(json.loads(path.read_bytes()).values()) == [KEY]
    assert (await store(folder).find(reference)).secret.reveal() == KEY
    assert await keys.vault_name() == ""
    assert await keys.forget(reference)
    assert not await keys.forget(reference)
    assert json.loads(path.read_bytes()) == {}


async def test_consent_to_a_file_does_not_pass_over_a_keyring_that_works(
    tmp_path: Path, vault: MemoryVault
) -> None:
    assert (await store(tmp_path, vault).keep("P", KEY, consent_file=True)).startswith("keyring:")


async def test_a_keyring_that_refuses_is_said_and_leads_to_consent(
    tmp_path: Path, vault: MemoryVault
) -> None:
    vault.refuses = "the collection is locked"
    keys = store(tmp_path, vault)
    assert "the collection is locked" in (await refused(keys)).detail
    assert "the collection is locked" in (await keys.find("keyring:P-1")).problem
    assert not await keys.forget("keyring:P-1")


async def test_a_keyring_that_never_answers_is_given_up(tmp_path: Path, vault: MemoryVault) -> None:
    vault.is_stuck = True
    keys = store(tmp_path, vault, seconds=0.05)
    with anyio.fail_after(5):
        for _ in range(4):
            assert "did not answer in 0.05 s" in (await keys.find("keyring:P-1")).problem
        assert "restart" in (await keys.find("keyring:P-1")).problem
    assert vault.reads == 4


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such bits")
async def test_a_file_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_text('{"a": "sk-planted"}', encoding="utf-8")
    path.chmod(0o644)
    keys = store(tmp_path)
    found = await keys.find("file:a")
    assert not found.secret
    assert "chmod 600" in found.problem
    assert (await refused(keys, consent_file=True)).code == "keys_unwritable"
    link = tmp_path / "other" / "keys.json"
    link.parent.mkdir()
    path.chmod(0o600)
    link.symlink_to(path)
    assert not (await store(link.parent).find("file:a")).secret
    assert (await keys.find("file:a")).secret.reveal() == "sk-planted"


@pytest.mark.parametrize("content", ["", "[]", "{", '{"a": 1}', "\x00"])
async def test_a_broken_file_is_a_problem_and_is_not_written_over(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "keys.json"
    path.write_text(content, encoding="utf-8")
    path.chmod(0o600)
    found = await store(tmp_path).find("file:a")
    assert not found.secret
    assert str(path) in found.problem
    if content != '{"a": 1}':
        await refused(store(tmp_path), consent_file=True)
        assert path.read_text(encoding="utf-8") == content


async def test_a_key_of_the_environment_is_read_each_time_and_not_copied(tmp_path: Path) -> None:
    keys = store(tmp_path, MY_KEY=f"{KEY}\n", ODD="sk-“x”")
    assert (await keys.find("env:MY_KEY")).secret.reveal() == KEY
    assert "OTHER is not set" in (await keys.find("env:OTHER")).problem
    odd = await keys.find("env:ODD")
    assert not odd.secret
    assert "ODD" in odd.problem
    assert not await keys.forget("env:MY_KEY")
    assert (await keys.find("")).problem == ""


@pytest.mark.parametrize("key", ["", "  ", "sk\nx", "sk-“x”", "sk\x00"])
async def test_what_is_no_key_is_not_kept(tmp_path: Path, vault: MemoryVault, key: str) -> None:
    with pytest.raises(LarariumError) as caught:
        await store(tmp_path, vault).keep("P", key, consent_file=True)
    assert caught.value.code == "invalid_key"
    assert not vault.kept


async def test_a_key_never_reaches_the_log(tmp_path: Path, vault: MemoryVault) -> None:
    await store(tmp_path, vault).keep("P", "sk-logged-by-mistake", consent_file=False)
    record = logging.LogRecord("x", 20, "", 0, "sent %s", ("sk-logged-by-mistake",), None)
    assert "sk-logged" not in JsonLines().format(record)


def test_a_reference_says_its_place() -> None:
    places = [key_place(each) for each in ("keyring:a", "file:a", "env:A", "", "other:x")]
    assert places == ["keyring", "file", "environment", "none", "none"]
