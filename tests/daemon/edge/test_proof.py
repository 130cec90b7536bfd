"""A proof is right for one server, one port and one nonce only."""

import hashlib
import hmac

import pytest

from lararium_daemon.edge.proof import ServerKind, prove, verify

NONCE = "0123456789abcdef"


def test_a_proof_is_the_hmac_of_kind_guid_port_and_nonce() -> None:
    message = f"daemon|g1|4321|{NONCE}".encode()
    expected = hmac.new(b"token", message, hashlib.sha256).hexdigest()
    assert prove("token", "daemon", "g1", 4321, NONCE) == expected


def test_a_server_verifies_its_own_proof() -> None:
    assert verify("token", "hub", "g1", 1, NONCE, prove("token", "hub", "g1", 1, NONCE))


@pytest.mark.parametrize(
    ("token", "kind", "guid", "port", "nonce"),
    [
        ("other", "daemon", "g1", 1, NONCE),
        ("token", "hub", "g1", 1, NONCE),
        ("token", "daemon", "g2", 1, NONCE),
        ("token", "daemon", "g1", 2, NONCE),
        ("token", "daemon", "g1", 1, NONCE + "0"),
    ],
)
def test_a_proof_of_anything_else_is_refused(
    token: str, kind: ServerKind, guid: str, port: int, nonce: str
) -> None:
    proof = prove(token, kind, guid, port, nonce)
    assert not verify("token", "daemon", "g1", 1, NONCE, proof)


@pytest.mark.parametrize("proof", ["", "é", "\ud800", "0" * 64])
def test_a_proof_that_is_no_proof_is_refused(proof: str) -> None:
    assert not verify("token", "daemon", "g1", 1, NONCE, proof)
