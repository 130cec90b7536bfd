"""A spare process that waits to become a daemon, seen from whoever started it."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from lararium_daemon.client.command import own_command
from lararium_daemon.client.guardian import SpawnedGuardian
from lararium_daemon.system.spare import TAKEN

TAKE_SECONDS = 5.0
"""How long one may take to say so; it may still be importing."""


class Spare:
    """One that was started and not used yet. Its calls block, each for a bounded time."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    @classmethod
    def start(
        cls, folder: Path, environment: Mapping[str, str], command: Sequence[str] | None = None
    ) -> "Spare":
        """Start one; `command` is `lar`'s when None, and `_spare` is added.

        Raises:
            OSError: it cannot be started.
        """
        process = subprocess.Popen(
            [*(command or own_command()), "_spare"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        return cls(process)

    @property
    def has_ended(self) -> bool:
        """Whether it is of no use any more."""
        return self._process.poll() is not None

    def take(self, workspace: Path) -> SpawnedGuardian | None:
        """Make it the guardian of a folder; None, and it is gone, when it will not do."""
        guardian = SpawnedGuardian.adopt(self._process)
        if self._tell(workspace) and guardian.first_line(TAKE_SECONDS) == TAKEN:
            return guardian
        self.end()
        return None

    def end(self) -> None:
        """End it, or clean up behind one that has ended."""
        process = self._process
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()

    def _tell(self, workspace: Path) -> bool:
        stdin = self._process.stdin
        if stdin is None or stdin.closed:
            return False
        try:
            with stdin:
                stdin.write(json.dumps({"workspace": str(workspace)}).encode() + b"\n")
        except OSError:  # it has ended
            return False
        return True
