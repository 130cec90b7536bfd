"""A session bus of the test's own, on which no service starts by itself."""

import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
END_SECONDS = 5


def missing() -> str:
    """Say why there can be no bus, "" when there can."""
    return "" if shutil.which("dbus-daemon") else "dbus-daemon is not installed"


@contextmanager
def session_bus(folder: Path) -> Generator[str]:
    """Give the address of a bus that lives in `folder`, whose path must be short."""
    config = folder / "bus.conf"
    config.write_text(CONFIG.format(socket=folder / "bus"), encoding="utf-8")
    bus = subprocess.Popen(
        ["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile", "--print-address=1"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert bus.stdout is not None
        with bus.stdout as output:
            yield output.readline().strip()
    finally:
        bus.terminate()
        try:
            bus.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            bus.kill()
            bus.wait(END_SECONDS)
