"""P4, for one daemon: memory of daemon and guardian, idle and after a turn."""

import time

import psutil
from tests.bench.figures import Figure, tree_pss_megabytes
from tests.bench.start import hello_world
from tests.bench.workshop import workshop
from tests.fakes.llm_server import FakeLlm

SETTLE_SECONDS = 3.0


def idle_memory() -> list[Figure]:
    """Measure it."""
    with hello_world() as pid:
        time.sleep(SETTLE_SECONDS)
        floor = tree_pss_megabytes(pid)
    with FakeLlm() as llm, workshop(llm) as shop:
        guardian = psutil.Process(shop.daemon.pid).ppid()
        time.sleep(SETTLE_SECONDS)
        idle = tree_pss_megabytes(guardian)
        shop.run(shop.session("yolo"), "go [[fake rounds=2 tool=shell command=true]]")
        time.sleep(SETTLE_SECONDS)
        used = tree_pss_megabytes(guardian)
    # The target of P4 is for five daemons with a fork server, which does not exist yet; one daemon
    # is held to what a peer of the same kind takes.
    return [
        Figure("P4", "one daemon with guardian, idle, PSS / hello world", idle, floor, "MB", 2.5),
        Figure("P4", "the same after a turn of two tool rounds, PSS", used, floor, "MB", 3.5),
    ]
