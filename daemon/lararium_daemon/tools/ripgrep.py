"""Runs ripgrep when it is on PATH: bounded in time and output, ended when the caller is cancelled.

No configuration file of anybody is read; `.gitignore` counts also outside a git repository.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from anyio import fail_after, to_thread

SEARCH_SECONDS = 60
_COMMON = ("--no-config", "--hidden", "--no-require-git", "--color=never", "--glob=!.git")
_IGNORE_FILES = (".gitignore", ".ignore", ".rgignore")
_MAX_ERROR_BYTES = 16 * 1024


@dataclass(slots=True, frozen=True)
class RipgrepEnd:
    """How ripgrep ended."""

    code: int
    """0 found, 1 nothing found, 2 an error; negative when it was stopped early."""
    errors: str


def find_ripgrep(environment: Mapping[str, str], folder: Path) -> str | None:
    """Give its path, None when it is not installed or would hang in `folder`.

    It waits without end for an ignore file that is a pipe.
    """
    for place in (folder, *folder.parents):
        for name in _IGNORE_FILES:
            if (place / name).exists() and not (place / name).is_file():
                return None
    return shutil.which("rg", path=environment.get("PATH", ""))


async def run_ripgrep(
    program: str,
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    consume: Callable[[Iterator[bytes]], None],
) -> RipgrepEnd:
    """Run it in `folder`; `consume` reads its output in pieces and may stop early.

    Raises:
        TimeoutError: it took longer than a minute.
        OSError: it cannot be started.
    """
    # Errors go to a file: a pipe nobody reads meanwhile could fill up and stop the search.
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed below, by the thread that reads it
    process = _start([program, *_COMMON, *arguments], folder, environment, errors)
    try:
        with fail_after(SEARCH_SECONDS):
            # The thread is let go when this is cancelled: it ends by itself once rg is killed.
            return await to_thread.run_sync(_read, process, errors, consume, abandon_on_cancel=True)
    finally:
        if process.poll() is None:
            process.kill()


def _start(
    argv: Sequence[str], folder: Path, environment: Mapping[str, str], errors: BinaryIO
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
    )


def _read(
    process: subprocess.Popen[bytes],
    errors: BinaryIO,
    consume: Callable[[Iterator[bytes]], None],
) -> RipgrepEnd:
    with errors, process:
        if process.stdout is None:
            raise ValueError("the process has no pipe")
        consume(iter(process.stdout))
        is_done = process.stdout.read(1) == b""
        if not is_done:
            process.kill()
        code = process.wait()
        errors.seek(0)
        text = errors.read(_MAX_ERROR_BYTES).decode("utf-8", "replace")
    return RipgrepEnd(code if is_done else -1, text)
