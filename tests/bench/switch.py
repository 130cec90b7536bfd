"""P15: from a click in the rail to the other project's page, open or asleep, in Chromium.

Beside it a bare page that shows one of two empty iframes and hides the other.
"""

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from tests.bench.figures import Figure, median, percentile
from tests.bench.workshop import environment, llm_process
from tests.e2e.hub_page import HubPage, hub_page
from tests.fakes.chromium import chromium
from tests.fakes.hub_project import Project, open_project
from tests.fakes.running_hub import RunningHub, running_hub

SWITCHES = 40
SLEEPS = 7
BARE = """
<!doctype html><body><button data-project></button><button data-project></button>
<iframe></iframe><iframe></iframe><script>
const frames = [...document.querySelectorAll("iframe")];
document.querySelectorAll("button").forEach((button, chosen) => button.onclick = () =>
  frames.forEach((frame, at) => {
    frame.style.visibility = at === chosen ? "visible" : "hidden";
    frame.inert = at !== chosen;
  }));
</script></body>"""
SWITCH = """async (times) => {
  const buttons = document.querySelectorAll("[data-project]");
  const frame = () => new Promise(requestAnimationFrame);
  const taken = [];
  for (let at = 0; at < times; at += 1) {
    await frame();
    const begun = performance.now();
    buttons[at % 2].click();
    await frame();
    await frame();
    taken.push(performance.now() - begun);
  }
  return taken;
}"""
"""Milliseconds from each click to the frame after the one in which it was drawn."""


def switch() -> list[Figure]:
    """Measure it."""
    with llm_process() as llm, environment(llm) as variables, _machine(variables):
        home = Path(variables["HOME"])
        with running_hub() as hub, chromium() as browser:
            projects = [open_project(hub, home / name) for name in ("atlas", "orrery")]
            bare = browser.new_page()
            bare.set_content(BARE)
            with hub_page(browser, hub) as app:
                for project in projects:
                    _show(app, project)
                ours, floor = _pairs(app.page, bare)
                asleep = [_wake(hub, app, *projects) for _ in range(SLEEPS)]
                app.problems.clear()  # a page whose daemon was stopped has lost its connection
    what = "switch to an open project / two empty iframes, p95"
    asleep_what = "switch to a sleeping project, to its composer"
    return [
        Figure("P15", what, percentile(ours, 95), percentile(floor, 95), "ms", 1.4),
        Figure("P15", asleep_what, median(asleep), None, "ms", 300),
    ]


def _pairs(ours: Page, floor: Page) -> tuple[list[float], list[float]]:
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(3):
        for page, taken in zip((ours, floor), found, strict=True):
            page.bring_to_front()
            taken += page.evaluate(SWITCH, SWITCHES)
    ours.bring_to_front()
    return found


def _show(app: HubPage, project: Project) -> None:
    app.rail.get_by_text(project.folder.name, exact=True).click()
    app.project.locator("[data-composer]").wait_for()


def _wake(hub: RunningHub, app: HubPage, sleeper: Project, other: Project) -> float:
    """Stop a daemon; give the milliseconds from the click to its project's composer."""
    _show(app, other)
    hub.link.request("POST", f"/workspaces/{sleeper.workspace}/stop", {})
    app.page.locator(f'iframe[title="{sleeper.folder.name}"]').wait_for(state="detached")
    begun = time.perf_counter()
    _show(app, sleeper)
    return 1000 * (time.perf_counter() - begun)


@contextmanager
def _machine(variables: dict[str, Any]) -> Generator[None]:
    """Let what is started here find the bench's own folders."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
