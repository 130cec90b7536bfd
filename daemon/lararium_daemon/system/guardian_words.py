"""What a guardian says: one line to whoever waits for its daemon, and the log's last line.

Standard library alone: it is loaded in every guardian.
"""

import json
import os
import sys
from pathlib import Path

from lararium_daemon.system.clock import now_rfc3339
from lararium_daemon.system.forked import open_output

MAX_OUTPUT_BYTES = 256 * 1024
_LOGGER = "lararium_daemon.system.guardian"
_MAX_LINE_BYTES = 64 * 1024
_FRAME_OF_GROUPS = " |+-"
"""What a traceback of several errors draws around them."""


def trim_output(path: Path) -> int:
    """Empty the output file when it has grown long; return where the new output begins."""
    try:
        size = path.lstat().st_size
    except FileNotFoundError:
        return 0
    if size <= MAX_OUTPUT_BYTES:
        return size
    path.unlink()
    return 0


def why_ended(output: Path, begin: int, code: int) -> str:
    """Say why a daemon ended before it was ready: the last line it printed."""
    lines: list[str] = []
    if output.exists():
        with output.open("rb") as file:
            file.seek(begin)
            text = file.read(_MAX_LINE_BYTES).decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip(_FRAME_OF_GROUPS)]
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    last = f" It said last: {lines[-1].lstrip('| ')}" if lines else ""
    return f"The daemon ended ({how}) before it was ready.{last} See {output}."


def note_end(log: Path, code: int, ended: int) -> None:
    """Leave the last line of the log, which the daemon cannot write any more."""
    if code == 0 and ended == 0:
        return
    how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
    level = "info" if code == 0 else "error"
    log_note(log, level, f"The daemon ended {how}; {ended} processes it left behind were ended")


def log_note(log: Path, level: str, message: str) -> None:
    """Add a line to the workspace's log while no daemon writes it."""
    line = {"at": now_rfc3339(), "level": level, "logger": _LOGGER, "message": message}
    descriptor = open_output(log)
    try:
        write_all(descriptor, json.dumps(line).encode() + b"\n")
    finally:
        os.close(descriptor)


def say_error(code: str, detail: str) -> None:
    """Say on stdout why there is no daemon; on stderr when nobody listens there any more."""
    line = json.dumps({"error": {"code": code, "detail": detail}})
    try:
        write_all(1, line.encode() + b"\n")
    except ConnectionError:
        sys.stderr.write(detail + "\n")


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte. Raises OSError."""
    while data:
        data = data[os.write(descriptor, data) :]
