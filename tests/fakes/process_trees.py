"""Process trees that try to get away, made of what real commands do, and a count of what lives.

A grove writes one bash script for each tree into a folder. Everything a tree consists of has the
grove's number in its command line, whatever it does to its environment, session or parent. The
same seed gives the same trees.
"""

import random
import time
from dataclasses import dataclass, field
from pathlib import Path

FORMS = {
    "plain": "sleep 300.{leaf} &",
    "session": "setsid sleep 300.{leaf} &",
    "nohup": "nohup sleep 300.{leaf} >/dev/null 2>&1 & disown",
    "orphan": "(setsid sleep 300.{leaf} &)",
    "orphan of an orphan": "(setsid sh -c '(setsid sleep 300.{leaf} &) ; sleep 300.{leaf}' &)",
    "silent": "setsid sleep 300.{leaf} </dev/null >/dev/null 2>&1 &",
    "deaf": "(trap '' TERM INT HUP; setsid sh -c 'while :; do sleep 1.{leaf}; done' &)",
    "deaf child": "sh -c 'trap \"\" TERM; sleep 300.{leaf} & wait; sleep 300.{leaf}' &",
    "printing": "(while :; do echo still here; sleep 0.5{leaf}; done) &",
    "stopped": "sleep 300.{leaf} & kill -STOP $!",
    "breeding": "setsid sh -c 'while :; do sleep 0.2{leaf} & sleep 0.3; done' &",
}
"""`{leaf}` are digits of the grove and the tree."""

NAMELESS = "(env -i setsid sleep 300.{leaf} &)"
"""Has no mark and no parent: only the end of the daemon takes it."""

_HOLDS = ("wait", "sleep 300.{leaf}", "while :; do sleep 0.1{leaf}; done")


@dataclass
class Grove:
    """Trees of one daemon's life."""

    folder: Path
    seed: int
    nameless: bool = False
    number: str = field(init=False)
    planted: int = 0

    def __post_init__(self) -> None:
        self.number = f"{random.SystemRandom().randrange(10**9):09d}"
        self._random = random.Random(self.seed)  # noqa: S311 - the same trees again

    def plant(self, count: int, *, hold: str | None = None) -> str:
        """Write so many trees; give the command that grows them and holds until they end.

        With `hold` the command ends when that file is there, and its trees live on.
        """
        names = [self._write() for _ in range(count)]
        growing = " & ".join(f"bash ./{name}" for name in names)
        if hold is None:
            return f"{growing} & wait"
        return f"{growing} & while [ ! -e {hold} ]; do sleep 0.05; done"

    def up(self) -> int:
        """How many trees have grown."""
        return len(list(self.folder.glob(f"up-{self.number}*")))

    def wait_up(self, seconds: float = 60.0) -> None:
        """Wait until all have."""
        give_up = time.monotonic() + seconds
        while self.up() < self.planted:
            if time.monotonic() > give_up:
                raise TimeoutError(f"{self.up()} of {self.planted} trees are up")
            time.sleep(0.02)

    def alive(self, holding: str = "") -> dict[int, str]:
        """Give the processes of all trees that live, by command line."""
        found: dict[int, str] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                line = _command_line(entry)
                if self.number in line and holding in line:
                    found[int(entry.name)] = line
        return found

    def wait_gone(self, give_up: float) -> dict[int, str]:
        """Wait until none lives; give what lives at `give_up`, of the monotonic clock."""
        while alive := self.alive():
            if time.monotonic() > give_up:
                break
            time.sleep(0.05)
        return alive

    def _write(self) -> str:
        self.planted += 1
        tree = f"{self.number}{self.planted:04d}"
        forms = self._random.sample(sorted(FORMS), self._random.randint(1, 4))
        lines = [FORMS[form] for form in forms]
        if self.nameless:
            lines.append(NAMELESS)
        text = "\n".join([*lines, f"touch up-{tree}", self._random.choice(_HOLDS), ""])
        (self.folder / f"tree-{tree}.sh").write_text(text.replace("{leaf}", tree), encoding="utf-8")
        return f"tree-{tree}.sh"


def _command_line(entry: Path) -> str:
    """Give the command line of a living process; a zombie has none."""
    try:
        return (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""
