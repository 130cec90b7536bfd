"""The real daemon with faults at its two seams: `python -m tests.fakes.faulty_daemon`.

A program for tests that stands in for `lar`: it guards and forks real daemons, whose journal and
tools meet what `faults.json` in `LARARIUM_HOME` says. The file may change while the daemon runs.
Every act of a tool is noted in `acts.log` before it begins, so that a test can tell what was done
twice.
"""

import errno
import functools
import json
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import anyio

from lararium_daemon.app import Seams, serve, warm_up
from lararium_daemon.protocol.messages import Effect, ToolResult
from lararium_daemon.storage.journal import Batch, Journal
from lararium_daemon.system import clock, fork_server, guardian
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.forked import Serve
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.registry import AnyTool, Preview, Tool, ToolInput

SQLITE_CODES = {"raise": 1, "enospc": 13, "eio": 10}
"""SQLITE_ERROR, SQLITE_FULL, SQLITE_IOERR."""
ERRNOS = {"enospc": errno.ENOSPC, "eio": errno.EIO}
HELD_SECONDS = 60.0


def home() -> Path:
    """Give the folder of `faults.json`, `acts.log` and `met.log`."""
    return Path(read_environment()["LARARIUM_HOME"])


def planned() -> dict[str, Any]:
    """Give what is planned now; a test may change it at any time."""
    try:
        return json.loads((home() / "faults.json").read_bytes())
    except (FileNotFoundError, ValueError):  # there is none, or it is just being written
        return {}


def meet(point: str) -> str:
    """Give what is to happen at a point, once, and note that it was met; "" for nothing."""
    plan = planned()
    if plan.get("point") != point or (home() / "met.log").exists():
        return ""
    (home() / "met.log").write_text(point, encoding="utf-8")
    return str(plan["kind"])


def pause(point: str) -> float:
    """Give how long a point takes, in seconds, so that random kills fall into each."""
    return float(planned().get("pauses", {}).get(point, 0.0))


def end_at_once() -> None:
    """Be killed."""
    os.kill(os.getpid(), signal.SIGKILL)


def hold() -> None:
    """Hang until the test lets go, or for a minute."""
    give_up = time.monotonic() + HELD_SECONDS
    while (home() / "faults.json").exists() and time.monotonic() < give_up:
        time.sleep(0.01)


class ShiftedTime(datetime):
    """The wall clock, as far off as planned."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "ShiftedTime":
        """Give the time that the test wants it to be."""
        moment = datetime.now(tz) + timedelta(hours=float(planned().get("clock_hours", 0)))
        return cls.fromtimestamp(moment.timestamp(), tz)


POINTS = (
    ("import", {"message.appended", "run.started", "run.ended"}),
    ("end", {"run.ended"}),
    ("compact", {"compaction.started"}),
    ("compacted", {"compaction.ended"}),
    ("result", {"tool.ended", "turn.started"}),
    ("next", {"tool.ended", "tool.started"}),
    ("grant", {"permission.resolved"}),
    ("ask", {"permission.requested"}),
    ("intent", {"tool.started"}),
    ("prompt", {"run.started"}),
    ("turn", {"turn.started"}),
    ("text", {"part.appended"}),
)
"""What a transaction is called that has all of these events; the first that fits."""


def point_of(batch: Batch) -> str:
    """Name the place in a run that a transaction is."""
    types = {entry.type for entry in batch.entries}
    return next((name for name, wanted in POINTS if wanted <= types), "other")


class FaultyJournal(Journal):
    """A journal that fails, hangs or dies in the commit of a chosen transaction."""

    async def append(self, batch: Batch) -> None:
        """Commit, or fail as planned."""
        point = point_of(batch)
        await anyio.sleep(pause(f"{point}.before"))
        match kind := meet(f"journal.{point}"):
            case "kill":
                end_at_once()
            case "raise" | "enospc" | "eio":
                await self._writer.submit(functools.partial(_fail, SQLITE_CODES[kind]))
            case "hang":
                await self._writer.submit(lambda _: hold())
            case _:
                pass
        await super().append(batch)
        if kind == "kill-committed":
            end_at_once()
        await anyio.sleep(pause(f"{point}.after"))


def _fail(code: int, connection: sqlite3.Connection) -> None:
    del connection
    error = sqlite3.OperationalError("a planned fault")
    error.sqlite_errorcode = code
    raise error


class FaultyTool(Tool[ToolInput]):
    """A tool that does what the real one does, and fails, hangs or dies as planned."""

    def __init__(self, real: AnyTool) -> None:
        self._real = real
        self.name: str = real.name  # pyright: ignore[reportIncompatibleVariableOverride]
        self.description: str = real.description  # pyright: ignore[reportIncompatibleVariableOverride]
        self.permission: str = real.permission  # pyright: ignore[reportIncompatibleVariableOverride]
        self.effect: Effect = real.effect  # pyright: ignore[reportIncompatibleVariableOverride]
        self.input_model = real.input_model

    async def preview(self, args: ToolInput, context: ToolContext) -> Preview:
        """Preview as the real tool does."""
        return await self._real.preview(args, context)

    async def run(self, args: ToolInput, preview: Preview, context: ToolContext) -> ToolResult:
        """Act, or fail as planned before, in the middle of or after the act."""
        await anyio.sleep(pause(f"{self.effect}.before"))
        await self._meet("before")
        note_act(context.call_id, self.effect)
        result = await self._act(args, preview, context)
        await anyio.sleep(pause(f"{self.effect}.after"))
        await self._meet("after")
        return result

    async def _act(self, args: ToolInput, preview: Preview, context: ToolContext) -> ToolResult:
        if self.effect == "write":
            with halted_replace():
                return await self._real.run(args, preview, context)
        seen, results = anyio.Event(), list[ToolResult]()

        def progress(tail: bytes, total: int) -> None:
            context.progress(tail, total)
            seen.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._meet_when, seen)
            watched = replace(context, progress=progress)
            results.append(await self._real.run(args, preview, watched))
            tasks.cancel_scope.cancel()
        return results[0]

    async def _meet_when(self, seen: anyio.Event) -> None:
        await seen.wait()
        await self._meet("during")

    async def _meet(self, moment: str) -> None:
        match kind := meet(f"tool.{self.effect}.{moment}"):
            case "kill":
                end_at_once()
            case "raise":
                raise RuntimeError("a planned fault")
            case "enospc" | "eio":
                raise OSError(ERRNOS[kind], os.strerror(ERRNOS[kind]))
            case "hang":
                await anyio.sleep(HELD_SECONDS)
            case _:
                pass


@contextmanager
def halted_replace() -> Generator[None]:
    """Let a write meet a fault between its temporary file and the renaming of it."""
    real = os.replace

    def replace_(source: Any, target: Any) -> None:
        os.replace = real
        time.sleep(pause("rename.before"))
        match kind := meet("tool.write.during"):
            case "kill":
                end_at_once()
            case "raise":
                raise RuntimeError("a planned fault")
            case "enospc" | "eio":
                raise OSError(ERRNOS[kind], os.strerror(ERRNOS[kind]))
            case "hang":
                hold()
                real(source, target)
            case _:
                real(source, target)
        time.sleep(pause("rename.after"))

    os.replace = replace_  # type: ignore[assignment]
    try:
        yield
    finally:
        os.replace = real


def note_act(call_id: str, effect: str) -> None:
    """Note that a call acts now, in a file that outlives the daemon."""
    with (home() / "acts.log").open("a", encoding="utf-8") as file:
        file.write(f"{call_id} {effect}\n")


def faulty(real: Serve) -> Serve:
    """Give the daemon with faulty seams and a clock that may be set."""
    clock.datetime = ShiftedTime
    seams = Seams(journal=FaultyJournal, tool=FaultyTool)
    return functools.partial(real, seams=seams)  # type: ignore[call-arg]


def main(arguments: Sequence[str]) -> int:
    """Be a guardian or a fork server, as `lar` would."""
    environment = read_environment()
    if arguments[0] == "_fork_server":
        return fork_server.main(arguments[1:], lambda: faulty(warm_up()), environment)
    return guardian.main(arguments[1:], faulty(serve), environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
