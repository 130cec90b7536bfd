"""The log: JSON lines, private, without secrets, saying what each line belongs to."""

import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lararium_daemon.system import logging as own_logging
from lararium_daemon.system.logging import configure_logging, log_context, redact, redacted

logger = logging.getLogger("lararium_daemon.test")


@pytest.fixture(autouse=True)
def restore_root_logger(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give the root logger back as pytest had it, and forget the secrets of the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    for handler in handlers:
        root.removeHandler(handler)
    monkeypatch.setattr(own_logging, "_secrets", set[str]())
    yield
    configure_logging(None)
    logging.captureWarnings(False)
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_line_is_one_json_object_that_says_what_it_belongs_to(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    configure_logging(path)
    with log_context(session="ses_1"), log_context(call="call_2"):
        logger.info("Wrote %s\nand more", "naïve 日本 😀")
    (line,) = lines(path)
    assert line.pop("at").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "lararium_daemon.test",
        "message": "Wrote naïve 日本 😀\nand more",
        "session": "ses_1",
        "call": "call_2",
    }


def test_a_secret_reaches_neither_message_nor_trace(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    configure_logging(path)
    redact('sk-"quoted"-1')
    try:
        int('sk-"quoted"-1')
    except ValueError:
        logger.exception("Asking with %s failed", 'sk-"quoted"-1')
    (line,) = lines(path)
    assert line["message"] == "Asking with [redacted] failed"
    assert "quoted" not in line["error"]
    assert "'[redacted]'" in line["error"]


def test_a_secret_that_holds_another_is_replaced_whole() -> None:
    redact("secret")
    redact("secret-and-more")
    assert redacted("a secret-and-more b secret") == "a [redacted] b [redacted]"


def test_a_word_too_short_for_a_secret_is_left_alone() -> None:
    redact("x")
    assert redacted("box") == "box"


def test_the_log_and_its_predecessors_are_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_logging, "MAX_LOG_BYTES", 200)
    configure_logging(tmp_path / "daemon.log")
    for _ in range(10):
        logger.warning("a line of some length, again and again and again")
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == [
        "daemon.log", "daemon.log.1", "daemon.log.2", "daemon.log.3",
    ]  # fmt: skip
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_the_level_is_kept_and_the_foreground_is_plain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging(tmp_path / "daemon.log", level="warning", foreground=True)
    logger.info("quiet")
    logger.warning("loud")
    assert [line["message"] for line in lines(tmp_path / "daemon.log")] == ["loud"]
    assert capsys.readouterr().err.endswith("WARNING loud\n")
