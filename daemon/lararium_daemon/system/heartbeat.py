"""A sign of life: one fixed record, rewritten in place every two seconds, never synced.

Its age is judged by the monotonic clock within one boot, never by the file's time: a changed
clock or a suspended machine is no death.
"""

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

import anyio

from lararium_daemon.system.clock import now_rfc3339
from lararium_daemon.system.process_table import boot_id

BEAT_SECONDS = 2.0
STALE_SECONDS = 15.0
_RECORD_BYTES = 160


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The last sign of life."""

    monotonic_ns: int
    boot_id: str
    at: str

    def is_stale(self, *, now_ns: int, boot: str) -> bool:
        """Tell whether it is too old, or of another boot."""
        return self.boot_id != boot or now_ns - self.monotonic_ns > STALE_SECONDS * 1e9


async def beat(path: Path) -> None:
    """Write the record every two seconds until cancelled.

    The write is so small that it happens on the event loop: a loop that hangs must show.
    """
    boot = boot_id()
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        while True:
            _write(descriptor, Heartbeat(time.monotonic_ns(), boot, now_rfc3339()))
            await anyio.sleep(BEAT_SECONDS)
    finally:
        os.close(descriptor)


def read_heartbeat(path: Path) -> Heartbeat | None:
    """Read the record; None when there is none that makes sense."""
    try:
        content = json.loads(path.read_bytes()[:_RECORD_BYTES])
        return Heartbeat(int(content["monotonic_ns"]), str(content["boot_id"]), str(content["at"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(descriptor: int, record: Heartbeat) -> None:
    content = {"monotonic_ns": record.monotonic_ns, "boot_id": record.boot_id, "at": record.at}
    line = json.dumps(content).encode().ljust(_RECORD_BYTES - 1) + b"\n"
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, line)
