"""Proof that a server holds its token, given before any client sends the token to it.

A process of another user that grabbed an old port can answer `/api/health` with a guid it has
read somewhere, but it cannot compute this HMAC. Every caller may ask for a proof, so the message
is separated by kind, guid and port, and the nonce is bounded where it enters.
"""

import hashlib
import hmac
from typing import Literal

ServerKind = Literal["daemon", "hub"]


def prove(token: str, kind: ServerKind, guid: str, port: int, nonce: str) -> str:
    """Give hex HMAC-SHA256(token, "<kind>|<guid>|<port>|<nonce>")."""
    message = f"{kind}|{guid}|{port}|{nonce}"
    return hmac.new(token.encode(), message.encode(), hashlib.sha256).hexdigest()


def verify(token: str, kind: ServerKind, guid: str, port: int, nonce: str, proof: str) -> bool:
    """Say, in constant time, whether the proof is this server's answer to this nonce."""
    expected = prove(token, kind, guid, port, nonce)
    return hmac.compare_digest(expected.encode(), proof.encode("utf-8", "surrogatepass"))
