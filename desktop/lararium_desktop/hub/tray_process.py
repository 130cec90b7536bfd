"""One tray process: fed with models, listened to, ended with all it has.

It is a child on two pipes. What it does not take within its time, and what it does not say, ends
it: a tray that hangs is worth less than a new one.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE

import anyio
from anyio.abc import ByteSendStream, Process
from anyio.streams.buffered import BufferedByteReceiveStream

from lararium_desktop.system.tray_messages import (
    MAX_LINE_BYTES,
    TrayModel,
    TraySaid,
    decode_said,
    encode_model,
)

logger = logging.getLogger(__name__)

FIRST_WORD_SECONDS = 30.0
"""GTK on a busy machine takes seconds to start."""
SEND_SECONDS = 10.0
END_SECONDS = 2.0

Hear = Callable[[TraySaid], None]
NextModel = Callable[[TrayModel | None], Awaitable[TrayModel]]
"""Waits until the model differs from the given one, and gives it."""


async def run_tray_process(
    command: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    next_model: NextModel,
    hear: Hear,
) -> int | None:
    """Run one tray until it ends or hangs, and end it then; give its exit code.

    Args:
        command: What starts it.
        environment: Where its screen and session bus are.
        log: Takes what it prints.
        next_model: What it shows.
        hear: Takes what it says; must not block.

    Raises:
        OSError: it could not be started.
    """
    with log.open("wb") as output:
        process = await anyio.open_process(
            command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=output,
            env=environment,
            cwd=Path.home(),
            start_new_session=True,
        )
    try:
        await _talk(process, next_model, hear)
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
    return process.returncode


async def _talk(process: Process, next_model: NextModel, hear: Hear) -> None:
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        raise RuntimeError("the tray was started without its pipes")
    spoke = anyio.Event()

    def heard(said: TraySaid) -> None:
        spoke.set()
        hear(said)

    async with anyio.create_task_group() as group:

        async def listen() -> None:
            await _listen(BufferedByteReceiveStream(stdout), heard)
            group.cancel_scope.cancel()

        async def feed() -> None:
            await _feed(stdin, next_model)
            group.cancel_scope.cancel()

        group.start_soon(listen)
        group.start_soon(feed)
        with anyio.move_on_after(FIRST_WORD_SECONDS):
            await spoke.wait()
        if not spoke.is_set():
            logger.warning("The tray said nothing for %.0f s", FIRST_WORD_SECONDS)
            group.cancel_scope.cancel()


async def _listen(lines: BufferedByteReceiveStream, heard: Hear) -> None:
    while True:
        try:
            line = await lines.receive_until(b"\n", MAX_LINE_BYTES)
        except (anyio.IncompleteRead, anyio.EndOfStream, anyio.DelimiterNotFound):
            return
        except anyio.BrokenResourceError:
            return
        try:
            heard(decode_said(line))
        except ValueError:
            logger.warning("The tray said something unknown (%s bytes)", len(line))


async def _feed(stdin: ByteSendStream, next_model: NextModel) -> None:
    shown: TrayModel | None = None
    try:
        while True:
            shown = await next_model(shown)
            with anyio.fail_after(SEND_SECONDS):
                await stdin.send(encode_model(shown))
    except TimeoutError:
        logger.warning("The tray took nothing for %.0f s", SEND_SECONDS)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        logger.debug("The tray is gone")


async def _end(process: Process) -> None:
    """Close its stdin, wait, and kill it when that was not enough."""
    if process.stdin is not None:
        with suppress(anyio.BrokenResourceError, OSError):
            await process.stdin.aclose()
    with anyio.move_on_after(END_SECONDS):
        await process.wait()
    if process.returncode is None:
        process.kill()
    await process.aclose()
