"""P18: the list of projects, with many registered and some awake."""

import time

from tests.bench.figures import Figure, median
from tests.bench.shell import Shell, screen, shell

REGISTERED, AWAKE = 50, 12
REPEATS = 60
SETTLE_SECONDS = 3.0


def workspace_list() -> list[Figure]:
    """Measure what the hub takes to answer `GET /api/workspaces`."""
    with screen() as rig, shell(rig) as running:
        projects = [running.add(f"project-{number:02}") for number in range(REGISTERED)]
        for project in projects[:AWAKE]:
            running.open(*project)
        time.sleep(SETTLE_SECONDS)
        taken = [_ask(running) for _ in range(REPEATS)]
    what = f"the hub's list of {REGISTERED} projects, {AWAKE} of them awake"
    return [Figure("P18", what, median(taken), None, "ms", 10)]


def _ask(running: Shell) -> float:
    begun = time.perf_counter()
    items = running.hub.request("GET", "/workspaces")["items"]
    taken = 1000 * (time.perf_counter() - begun)
    states = [item["state"] for item in items]
    if (len(states), states.count("ready")) != (REGISTERED, AWAKE):
        raise RuntimeError(f"the projects are {states}")
    return taken
