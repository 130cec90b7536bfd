"""The person's decision on a folder."""

from pathlib import Path

import pytest

from lararium_daemon.permissions.trust import TrustStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trust.json"


def test_nobody_trusts_a_folder_before_a_person_does(path: Path) -> None:
    store = TrustStore(path)

    assert (store.is_trusted, store.decision().state) == (False, "undecided")


def test_a_decision_is_kept_private_and_may_be_taken_back(path: Path) -> None:
    assert TrustStore(path).decide(trusted=True).state == "trusted"
    assert path.stat().st_mode & 0o777 == 0o600

    again = TrustStore(path)
    assert (again.is_trusted, again.decision().state) == (True, "trusted")
    again.decide(trusted=False)

    assert (again.is_trusted, TrustStore(path).decision().state) == (False, "untrusted")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"state": "yes", "decided_at": "x"}',
        b'{"state": true, "decided_at": "x"}',
        b'{"state": ["trusted"], "decided_at": "x"}',
        b'{"state": "trusted"}',
        b"\xff",
        b"[" * 60_000,
    ],
)
def test_a_file_that_cannot_be_read_trusts_nothing_and_says_so(path: Path, content: bytes) -> None:
    path.write_bytes(content)

    store = TrustStore(path)

    assert (store.is_trusted, store.decision().state) == (False, "undecided")
    assert str(path) in store.decision().problem
    assert path.read_bytes() == content


def test_a_decision_that_cannot_be_stored_does_not_hold(path: Path) -> None:
    store = TrustStore(path.parent / "missing" / "trust.json")

    with pytest.raises(OSError, match="trust"):
        store.decide(trusted=True)

    assert not store.is_trusted
