"""Envelopes as JSON: one encoder for WebSocket, NDJSON and disk, one decoder."""

from typing import Any

import orjson
from pydantic import TypeAdapter

from lararium_daemon.protocol.events import EVENTS, Envelope, Event
from lararium_daemon.protocol.ids import SessionId

_ADAPTERS: dict[str, TypeAdapter[Event]] = {}


def encode_payload(event: Event) -> bytes:
    """Give the payload's JSON, without its type."""
    return orjson.dumps(event)


def decode_payload(type_name: str, payload: bytes) -> Event | None:
    """Read a payload back; None for a type that a newer version wrote.

    Raises:
        ValueError: the payload does not fit its type.
    """
    if type_name not in EVENTS:
        return None
    if type_name not in _ADAPTERS:
        _ADAPTERS[type_name] = TypeAdapter(EVENTS[type_name])
    return _ADAPTERS[type_name].validate_json(payload)


def envelope_dict(envelope: Envelope) -> dict[str, Any]:
    """Give the envelope as a dict that orjson can write."""
    head: dict[str, Any] = {
        "session_id": envelope.session_id,
        "seq": envelope.seq,
        "epoch": envelope.epoch,
        "type": envelope.payload.type,
        "at": envelope.at,
        "payload": envelope.payload,
    }
    if envelope.volatile:
        head["volatile"] = True
    return head


def encode_envelope(envelope: Envelope) -> bytes:
    """Give the envelope's JSON, one line."""
    return orjson.dumps(envelope_dict(envelope))


def decode_envelope(line: bytes) -> Envelope | None:
    """Read an envelope back; None for an event type of a newer version."""
    raw = orjson.loads(line)
    payload = decode_payload(raw["type"], orjson.dumps(raw["payload"]))
    if payload is None:
        return None
    return Envelope(SessionId(raw["session_id"]), raw["seq"], raw["epoch"], raw["at"], payload)
