"""Importing the vendor's SDK brings what is used of it and leaves everything else as it was."""

import subprocess
import sys

SCRIPT = """
import gc, sys
from lararium_daemon.providers.connection import import_sdk
before = gc.isenabled()
import_sdk()
print("openai" in sys.modules, "aiohttp" in sys.modules, gc.isenabled() == before)
import_sdk()
try:
    import aiohttp
except ModuleNotFoundError:
    pass
print("done")
"""


def test_a_transport_that_is_not_used_is_not_loaded_and_can_be_later() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, check=True, timeout=60
    )
    assert done.stdout == b"True False True\ndone\n"
