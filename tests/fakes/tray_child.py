"""The real tray process as a child of a test, spoken to by JSON lines as the hub does it."""

import queue
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress

from lararium_desktop.system.tray_messages import TrayModel, TraySaid, decode_said, encode_model

WAIT_SECONDS = 20.0
COMMAND = [sys.executable, "-P", "-m", "lararium_desktop", "_tray"]


class TrayChild:
    """A running tray process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._said: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, name="tray-child", daemon=True).start()

    def send(self, model: TrayModel) -> None:
        """Show a model."""
        self.send_line(encode_model(model))

    def send_line(self, line: bytes) -> None:
        """Send whatever is given."""
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def hear(self) -> TraySaid:
        """Wait for the next thing it says."""
        return decode_said(self._said.get(timeout=WAIT_SECONDS))

    def has_more_to_say(self) -> bool:
        """Whether it said something that was not heard yet."""
        return not self._said.empty()

    def close(self) -> int:
        """End its stdin, as the end of the hub does; give its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(WAIT_SECONDS)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._said.put(line)


@contextmanager
def tray_child(environment: Mapping[str, str]) -> Generator[TrayChild]:
    """Run the tray; it is gone afterwards."""
    process = subprocess.Popen(
        COMMAND,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    child = TrayChild(process)
    try:
        yield child
    finally:
        process.kill()
        process.wait(WAIT_SECONDS)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
