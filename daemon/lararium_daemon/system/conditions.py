"""What a process has from whoever started it and cannot change afterwards.

A process that is forked from a running server gets the server's, where one started anew would get
its caller's. Where the two differ the caller has to start it anew: this is how they are compared.
Linux only.
"""

import os
import resource
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lararium_daemon import __version__

PACKAGE = Path(__file__).resolve().parents[1]
_NAMESPACES = ("mnt", "net", "pid", "user")
_READ_AT_START = ("PYTHON", "LD_", "MALLOC_", "GLIBC_", "PYDANTIC_")
"""Variables that interpreter, loader or a library read once, when they start."""
_READ_AT_START_TOO = frozenset({"OPENAI_LOG", "OPENSSL_CONF"})
_LIMITS = sorted({n for name, n in vars(resource).items() if name.startswith("RLIMIT_")})
_MAX_SOURCES = 10_000


class Conditions(NamedTuple):
    """Comparable as it is and as JSON."""

    version: str
    package: str
    """Where the code lies."""
    python: str
    encoding: str
    """How the interpreter was told, at its start, to read names of files."""
    namespaces: list[str]
    groups: list[int]
    niceness: int
    limits: list[list[int]]
    read_at_start: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return what `json` writes."""
        return self._asdict()


def own_conditions(environment: Mapping[str, str]) -> Conditions:
    """Return this process's, as a program started from it with `environment` would have them."""
    return Conditions(
        version=__version__,
        package=str(PACKAGE),
        python=sys.executable,
        encoding=f"{sys.getfilesystemencoding()} {sys.getfilesystemencodeerrors()}",
        namespaces=[_namespace(name) for name in _NAMESPACES],
        groups=sorted({os.getegid(), *os.getgroups()}),
        niceness=os.nice(0),
        limits=[list(resource.getrlimit(number)) for number in _LIMITS],
        read_at_start=read_at_start(environment),
    )


def read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that take effect only when a program starts. Pure."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if name.startswith(_READ_AT_START) or name in _READ_AT_START_TOO
    }


def code_stamp(package: Path = PACKAGE) -> tuple[int, int]:
    """Return what changes when the code on disk does. Takes about a millisecond."""
    count, total = 0, Path(sys.executable).stat().st_mtime_ns
    folders = [str(package)]
    while folders and count < _MAX_SOURCES:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    info = entry.stat()
                    count += 1
                    total += info.st_mtime_ns + info.st_size
                elif "." not in entry.name and entry.name != "static" and entry.is_dir():
                    folders.append(entry.path)
    return count, total


def umask_now() -> int:
    """Return the mask for new files without changing it, which would show in other threads."""
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").split("\n"):
        name, _, value = line.partition(":")
        if name == "Umask":
            return int(value, 8)
    return 0o077


def _namespace(name: str) -> str:
    try:
        return os.readlink(f"/proc/self/ns/{name}")  # noqa: PTH115 - a name, not a path
    except OSError:
        return ""
