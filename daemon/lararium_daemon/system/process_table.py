"""Which processes there are: identity, parentage, marks. Standard library alone on Linux.

A process is its number *and* its start time: numbers are used again. A zombie counts as gone: it
runs nothing, and whoever should reap it may take long. Elsewhere than Linux (not run there) the
same facts come from psutil, which is loaded only there.
"""

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")


class ProcessRow(NamedTuple):
    """One living process."""

    pid: int
    parent: int
    session: int
    start: float
    """Seconds; since boot on Linux (a changed clock does not move it), since 1970 elsewhere."""


def boot_id() -> str:
    """Return what tells this boot of the machine from the next; "" when unknown."""
    if sys.platform == "linux":
        try:
            return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        except OSError:
            return ""
    import psutil

    return f"boot-{int(psutil.boot_time())}"


def start_time(pid: int) -> float | None:
    """Return the start time of a living process; None when there is none or it is a zombie."""
    row = process_row(pid)
    return None if row is None else row.start


def is_alive(pid: int, start: float) -> bool:
    """Tell whether the very process that started then still runs."""
    return start_time(pid) == start


def send_signal(pid: int, start: float, number: signal.Signals) -> bool:
    """Signal the very process that started then; False when it is gone or not ours to signal.

    Linux: through a descriptor of the process, so that a number used again is never hit.
    """
    try:
        if sys.platform != "linux":
            if not is_alive(pid, start):
                return False
            os.kill(pid, number)
            return True
        descriptor = os.pidfd_open(pid)
        try:
            if not is_alive(pid, start):
                return False
            signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def carries_mark(pid: int, mark: str) -> bool:
    """Tell whether `NAME=value` stands in the environment the process was started with."""
    name, _, value = mark.partition("=")
    return mark_of(pid, name) == value


def mark_of(pid: int, name: str) -> str | None:
    """Return a variable that the process was started with; None when it was not, or is hidden."""
    if sys.platform == "linux":
        try:
            block = (_PROC / str(pid) / "environ").read_bytes()
        except OSError:
            return None
        begin = f"{name}=".encode("utf-8", "surrogateescape")
        found = next((each for each in block.split(b"\0") if each.startswith(begin)), None)
        return None if found is None else os.fsdecode(found[len(begin) :])
    import psutil

    try:
        return psutil.Process(pid).environ().get(name)
    except (psutil.Error, OSError):
        return None


def select_tree(
    rows: Iterable[ProcessRow], leader: int | None, known: Iterable[tuple[int, float]] = ()
) -> set[ProcessRow]:
    """Return the processes of the leader's session and the descendants of it and of `known`.

    `known` are (pid, start time) of processes found before, which may have lost their parent
    since: they are included while they live. Pure.
    """
    rows = list(rows)
    seeds = set(known)
    chosen = {
        row
        for row in rows
        if (row.pid, row.start) in seeds
        or (leader is not None and leader in {row.pid, row.session})
    }
    return chosen | select_descendants(rows, {row.pid for row in chosen})


def select_ancestors(rows: Iterable[ProcessRow], pid: int) -> set[ProcessRow]:
    """Return the process and those above it. Pure."""
    by_pid = {row.pid: row for row in rows}
    found: set[ProcessRow] = set()
    row = by_pid.get(pid)
    while row is not None and row not in found:
        found.add(row)
        row = by_pid.get(row.parent)
    return found


def select_descendants(rows: Iterable[ProcessRow], ancestors: Iterable[int]) -> set[ProcessRow]:
    """Return the processes below `ancestors`, without these. Pure."""
    children: dict[int, list[ProcessRow]] = {}
    for row in rows:
        children.setdefault(row.parent, []).append(row)
    found: set[ProcessRow] = set()
    waiting = list(ancestors)
    while waiting:
        for row in children.get(waiting.pop(), ()):
            if row not in found:
                found.add(row)
                waiting.append(row.pid)
    return found


if sys.platform == "linux":
    _TICKS = os.sysconf("SC_CLK_TCK")

    def process_row(pid: int) -> ProcessRow | None:
        """Return a living process, None when there is none or it is a zombie."""
        try:
            stat = (_PROC / str(pid) / "stat").read_bytes()
        except OSError:
            return None
        return _parse_stat(pid, stat)

    def process_rows() -> Iterator[ProcessRow]:
        """Return every living process; one that comes or goes meanwhile may be missing."""
        for name in os.listdir(_PROC):  # noqa: PTH208 - half the time of iterdir
            if name.isdecimal() and (row := process_row(int(name))) is not None:
                yield row

    def _parse_stat(pid: int, stat: bytes) -> ProcessRow | None:
        # The name, in parentheses, may hold spaces and parentheses: the last one closes it.
        fields = stat[stat.rindex(b")") + 2 :].split()
        if fields[0] in {b"Z", b"X"}:
            return None
        return ProcessRow(
            pid=pid,
            parent=int(fields[1]),
            session=int(fields[3]),
            start=int(fields[19]) / _TICKS,
        )

else:
    import psutil

    def process_row(pid: int) -> ProcessRow | None:
        """Return a living process, None when there is none or it is a zombie."""
        try:
            process = psutil.Process(pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
            return ProcessRow(pid, process.ppid(), _session(pid), process.create_time())
        except psutil.Error:
            return None

    def process_rows() -> Iterator[ProcessRow]:
        """Return every living process; one that comes or goes meanwhile may be missing."""
        for pid in psutil.pids():
            if (row := process_row(pid)) is not None:
                yield row

    def _session(pid: int) -> int:
        if sys.platform == "win32":
            return 0
        try:
            return os.getsid(pid)
        except OSError:
            return 0
