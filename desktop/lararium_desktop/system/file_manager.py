"""Shows a file in the system's file manager, in its folder and selected; opens and runs nothing.

Linux asks `org.freedesktop.FileManager1`, which every large desktop has, and opens the folder with
`xdg-open` where nobody answers to that. macOS and Windows (not run there) have a command for it.
Every path is a full one, so that none is taken for an option, and none goes through a shell.
Source: https://www.freedesktop.org/wiki/Specifications/file-manager-interface/
"""

import logging
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
from anyio import to_thread

from lararium_daemon.protocol.errors import LarariumError

logger = logging.getLogger(__name__)

BUS_ADDRESS = "DBUS_SESSION_BUS_ADDRESS"
NAME = "org.freedesktop.FileManager1"
ANSWER_SECONDS = 5.0
"""A file manager that does not run yet is started by the bus."""
COMMAND_SECONDS = 3.0
"""A command that runs on has opened its window; one that ends by then says how it went."""


class FileManager:
    """The file manager of one desktop."""

    def __init__(self, platform: str = sys.platform, opener: str = "xdg-open") -> None:
        """`opener` opens a folder on Linux."""
        self._platform = platform
        self._opener = opener

    async def reveal(self, path: Path, environment: Mapping[str, str]) -> None:
        """Show what lies at a full path that exists, on the screen of these variables.

        Raises:
            LarariumError: `native_failed` when the system has nothing that would.
        """
        if self._platform == "linux" and await _ask_bus(path, environment.get(BUS_ADDRESS, "")):
            return
        command = reveal_command(path, self._platform, self._opener)
        await to_thread.run_sync(_run, command, environment)


def reveal_command(path: Path, platform: str, opener: str = "xdg-open") -> list[str]:
    """Give the command that shows a full path."""
    match platform:
        case "darwin":
            return ["open", "-R", str(path)]
        case "win32":
            return ["explorer", "/select,", str(path)]
        case _:
            return [opener, str(path if path.is_dir() else path.parent)]


async def _ask_bus(path: Path, address: str) -> bool:
    """Ask the desktop's file manager; False when there is none that answers."""
    if not address:
        return False
    from dbus_fast import BusType, Message, MessageType
    from dbus_fast.aio import MessageBus
    from dbus_fast.errors import AuthError, DBusError, InvalidAddressError

    message = Message(
        destination=NAME,
        path=f"/{NAME.replace('.', '/')}",
        interface=NAME,
        member="ShowItems",
        signature="ass",
        body=[[path.as_uri()], ""],
    )
    try:
        with anyio.fail_after(ANSWER_SECONDS):
            bus = await MessageBus(bus_address=address, bus_type=BusType.SESSION).connect()
            try:
                reply = await bus.call(message)
            finally:
                bus.disconnect()
    except (
        OSError,
        EOFError,
        TimeoutError,
        AuthError,
        DBusError,
        InvalidAddressError,
    ) as error:
        logger.info("No file manager was reached over the bus: %r", error)
        return False
    if reply.message_type is MessageType.ERROR:
        logger.info("No file manager shows files over the bus: %s", reply.error_name)
        return False
    return True


def _run(command: Sequence[str], environment: Mapping[str, str]) -> None:
    try:
        process = subprocess.Popen(
            command,
            env=dict(environment),
            cwd=Path.home(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise _failure(f"{command[0]} could not be started") from error
    try:
        code = process.wait(COMMAND_SECONDS)
    except subprocess.TimeoutExpired:
        threading.Thread(target=process.wait, name="opener-reaper", daemon=True).start()
        return
    # Explorer ends with 1 whatever it did.
    if code != 0 and command[0] != "explorer":
        raise _failure(f"{command[0]} ended with {code}")


def _failure(what: str) -> LarariumError:
    return LarariumError(
        "native_failed", f"No file manager opened: {what}. The path can be copied instead.", 502
    )
