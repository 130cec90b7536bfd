"""A measured figure, and the ways to get one."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Figure:
    """One row of the table."""

    id: str
    what: str
    ours: float
    floor: float | None
    """What ran beside it; None where the target is absolute."""
    unit: str
    target: float
    """The largest ratio, or the largest value of ours where there is no floor."""

    @property
    def ratio(self) -> float | None:
        """Ours over the floor."""
        return None if self.floor is None else self.ours / self.floor

    @property
    def is_met(self) -> bool:
        """Whether the target holds."""
        return (self.ours if self.ratio is None else self.ratio) <= self.target

    def row(self) -> str:
        """Give the row in Markdown."""
        floor = "-" if self.floor is None else f"{self.floor:.3g} {self.unit}"
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f}"
        unit = "x" if self.ratio is not None else f" {self.unit}"
        mark = "" if self.is_met else " (missed)"
        return (
            f"| {self.id} | {self.what} | {self.ours:.3g} {self.unit} | {floor} | {ratio} "
            f"| ≤ {self.target:g}{unit}{mark} |"
        )


def in_pairs(
    ours: Callable[[], float], floor: Callable[[], float], times: int
) -> tuple[float, float]:
    """Run both in turn, A B A B, and give the medians; one round before is thrown away."""
    ours()
    floor()
    pairs = [(ours(), floor()) for _ in range(times)]
    return median([a for a, _ in pairs]), median([b for _, b in pairs])


def median(values: Sequence[float]) -> float:
    """Give the middle value."""
    return statistics.median(values)


def percentile(values: Sequence[float], percent: int) -> float:
    """Give the value that so many percent lie below."""
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def tree_pss_megabytes(pid: int) -> float:
    """Sum the proportional memory of a process and all its descendants."""
    root = psutil.Process(pid)
    tree = [root, *root.children(recursive=True)]
    return sum(process.memory_full_info().pss for process in tree) / 1e6


def cpu_seconds(pid: int) -> float:
    """Give the CPU time that a process has used."""
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system
