"""What a process finds around it, as far as a starter decides it."""

import json
import os
import random
import signal
import time
from pathlib import Path

from lararium_daemon.system.environment import read_environment


def write_report(path: Path) -> None:
    umask = os.umask(0o777)
    os.umask(umask)
    ignored = [n for n in signal.valid_signals() if signal.getsignal(n) is signal.SIG_IGN]
    facts = {
        "environment": dict(read_environment()),
        "umask": umask,
        "folder": str(Path.cwd()),
        "zone": time.tzname[0],
        "own_session": os.getsid(0) == os.getpid(),
        "ignored": sorted(int(number) for number in ignored),
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "input": str(Path("/proc/self/fd/0").readlink()),
        "files": _open_files(),
        "dice": [random.random() for _ in range(2)],  # noqa: S311
        "name": Path("/proc/self/comm").read_text(encoding="ascii").strip(),
    }
    path.write_text(json.dumps(facts), encoding="utf-8")


def _open_files() -> list[str]:
    found = {str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}
    names = {Path(name.partition(":")[0]).name for name in found}
    return sorted(names - {"fd"})
