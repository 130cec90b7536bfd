"""P4 and P12: what idle daemons take of memory and of the processor."""

import time
from contextlib import ExitStack

import psutil
from tests.bench.figures import Figure, tree_pss_megabytes
from tests.bench.start import hello_world
from tests.bench.workshop import llm_process, project, warm_home, workshop

SETTLE_SECONDS = 3.0
WATCH_SECONDS = 60.0
DAEMONS = 5


def idle_memory() -> list[Figure]:
    """Measure one daemon that was started anew."""
    with hello_world() as pid:
        time.sleep(SETTLE_SECONDS)
        floor = tree_pss_megabytes(pid)
    with llm_process() as llm, workshop(llm) as shop:
        guardian = psutil.Process(shop.daemon.pid).ppid()
        time.sleep(SETTLE_SECONDS)
        idle = tree_pss_megabytes(guardian)
        shop.run(shop.session("yolo"), "go [[fake rounds=2 tool=shell command=true]]")
        time.sleep(SETTLE_SECONDS)
        used = tree_pss_megabytes(guardian)
    return [
        Figure("P4", "one daemon with guardian, idle, PSS / hello world", idle, floor, "MB", 2.5),
        Figure("P4", "the same after a turn of two tool rounds, PSS", used, floor, "MB", 3.5),
    ]


def five_daemons() -> list[Figure]:
    """Measure five forked daemons with guardians and their fork server, all together."""
    with warm_home() as (variables, server), ExitStack() as projects:
        alone = tree_pss_megabytes(server)
        for number in range(DAEMONS):
            projects.enter_context(project(variables, f"project-{number}"))
        time.sleep(SETTLE_SECONDS)
        together = tree_pss_megabytes(server)
    what = f"{DAEMONS} forked daemons with guardians and fork server, idle, PSS"
    return [
        Figure("P4", what, together, None, "MB", 160),
        Figure("P13", "the fork server alone, PSS", alone, None, "MB", 85),
    ]


def idle_cpu() -> list[Figure]:
    """Measure what a daemon and its guardian run while nothing is asked of them."""
    with workshop() as shop:
        daemon = psutil.Process(shop.daemon.pid)
        watched = [daemon.pid, daemon.ppid()]
        time.sleep(SETTLE_SECONDS)
        before = sum(ran_seconds(pid) for pid in watched)
        time.sleep(WATCH_SECONDS)
        ran = sum(ran_seconds(pid) for pid in watched) - before
    what = f"a daemon with guardian, idle, share of a core over {WATCH_SECONDS:.0f} s"
    return [Figure("P12", what, 100 * ran / WATCH_SECONDS, None, "%", 0.25)]


def ran_seconds(pid: int) -> float:
    """Give the time that a process has run, threads that have ended included, to the nanosecond.

    What the scheduler counts, by the clock that clock_getcpuclockid(3) gives; the files of /proc
    know either one thread, or ticks of 10 ms.
    """
    return time.clock_gettime((~pid << 3) | 2)
