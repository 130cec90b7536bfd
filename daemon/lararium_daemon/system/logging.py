"""The log of one process: JSON lines, rotated, private, without secrets.

Every line says when, how grave, who and what, and which session, run and call it belongs to.
A secret that was told to `redact` never reaches the file, whoever formats it.
"""

import json
import logging
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

MAX_LOG_BYTES = 4 * 1024 * 1024
KEPT_LOGS = 3
_SHORTEST_SECRET = 6
"""Shorter ones are words: replacing them would make the log unreadable and hide nothing."""

_secrets: set[str] = set()
_context: ContextVar[dict[str, str] | None] = ContextVar("log_context", default=None)


def redact(secret: str) -> None:
    """Keep `secret` out of every line logged from now on."""
    if len(secret) >= _SHORTEST_SECRET:
        _secrets.add(secret)


def redacted(text: str) -> str:
    """Return the text without the secrets that were told to `redact`."""
    for secret in sorted(_secrets, key=len, reverse=True):
        text = text.replace(secret, "[redacted]")
    return text


@contextmanager
def log_context(**fields: str) -> Generator[None]:
    """Add fields (session, run, call) to every line logged inside, in this task and its own."""
    token = _context.set({**(_context.get() or {}), **fields})
    try:
        yield
    finally:
        _context.reset(token)


def configure_logging(path: Path | None, *, level: str = "INFO", foreground: bool = False) -> None:
    """Send the root logger to `path` (0600) as JSON lines, and to stderr in the foreground.

    Called once by the process's entry; replaces what was set up before. With neither a path nor
    the foreground nothing is logged.
    """
    handlers: list[logging.Handler] = []
    if path is not None:
        file = _PrivateRotatingFileHandler(path)
        file.setFormatter(JsonLines())
        handlers.append(file)
    if foreground:
        screen = logging.StreamHandler(sys.stderr)
        screen.setFormatter(PlainLines())
        handlers.append(screen)
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
        old.close()
    for handler in handlers or [logging.NullHandler()]:
        root.addHandler(handler)
    root.setLevel(level.upper())
    logging.captureWarnings(True)


class JsonLines(logging.Formatter):
    """One JSON object a line; a message with line ends stays one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = {
            "at": _at(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **(_context.get() or {}),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        elif record.stack_info:
            line["error"] = record.stack_info
        return json.dumps({name: redacted(text) for name, text in line.items()})


class PlainLines(logging.Formatter):
    """Time, level and message, for a person at a terminal."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return redacted(super().format(record))


class _PrivateRotatingFileHandler(RotatingFileHandler):
    """Readable by this user alone from the moment it exists."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path, maxBytes=MAX_LOG_BYTES, backupCount=KEPT_LOGS, encoding="utf-8", delay=True
        )

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        return os.fdopen(os.open(self.baseFilename, flags, 0o600), "a", encoding="utf-8")


def _at(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
