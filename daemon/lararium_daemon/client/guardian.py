"""A guardian, seen from whoever started it: what it says first, and how it is ended.

Here is the one that a client starts as a program of its own; the one that a fork server makes is in
`forked_guardian.py`.
"""

import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

END_SECONDS = 20.0
"""How long a guardian that is told to end may take: the daemon's time and the sweep's."""
_MAX_WORDS_BYTES = 64 * 1024

_spawned: "list[subprocess.Popen[bytes]]" = []
"""Started by this process and perhaps still running: they are its children, so it reaps them."""
_spawned_lock = threading.Lock()


class Guardian(Protocol):
    """A guardian that was just started. Its calls block, each for a bounded time."""

    def first_line(self, seconds: float) -> bytes | None:
        """Read a line; b"" when it ended without one, None when the time is over."""
        ...

    def terminate(self) -> None:
        """Tell it to end."""
        ...

    def wait(self) -> None:
        """Wait until it is gone with all that is below it; kill it after `END_SECONDS`."""
        ...

    def last_words(self) -> str:
        """Say how one ended that has said nothing of use; call it after `wait`."""
        ...

    def let_go(self) -> None:
        """Close our ends: the guardian has closed its own, or ends because of it."""
        ...


def reap_guardians() -> None:
    """Let the guardians that this process started and that have ended go."""
    with _spawned_lock:
        _spawned[:] = [process for process in _spawned if process.poll() is None]


class SpawnedGuardian:
    """A guardian that is this process's child."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @classmethod
    def start(
        cls, command: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> "SpawnedGuardian":
        """Start one."""
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        return cls.adopt(process)

    @classmethod
    def adopt(cls, process: "subprocess.Popen[bytes]") -> "SpawnedGuardian":
        """Take over a child whose output and errors are pipes."""
        with _spawned_lock:
            _spawned.append(process)
        return cls(process)

    def first_line(self, seconds: float) -> bytes | None:
        """Read a line; b"" when it ended without one, None when the time is over."""
        lines: list[bytes] = []
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - opened with a pipe
        reader = threading.Thread(target=lambda: lines.append(stdout.readline()), daemon=True)
        reader.start()
        reader.join(seconds)
        return lines[0] if lines else None

    def terminate(self) -> None:
        """Tell it to end."""
        self._process.terminate()

    def wait(self) -> None:
        """Wait until it is gone with all that is below it; kill it after `END_SECONDS`."""
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(END_SECONDS)

    def last_words(self) -> str:
        """Say how it ended."""
        stderr = self._process.stderr
        assert stderr is not None  # noqa: S101 - opened with a pipe
        lines = stderr.read(_MAX_WORDS_BYTES).decode("utf-8", "replace").strip().splitlines()
        last = f" It said last: {lines[-1]}" if lines else ""
        return f"its guardian ended with {self._process.returncode}.{last}"

    def let_go(self) -> None:
        """Close our ends of its pipes."""
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
