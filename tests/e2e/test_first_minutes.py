"""A newcomer without any key: from the first folder through the tour to its end, in a window.

`LARARIUM_RELIABILITY=full` does it in both looks, and takes each picture in both widths.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.rig import Rig, desktop, wait_for
from tests.e2e.shell import (
    LARARIUM,
    approve,
    pick_folder,
    sessions,
    the_daemon,
    wait_hub_page,
    why_no_window,
)
from tests.reliability.scale import FULL

from lararium_daemon.client.find import DaemonHandle

pytestmark = [pytest.mark.window, pytest.mark.e2e, pytest.mark.timeout(300)]

SHOTS = Path(__file__).parent / "shots"
LOOKS = ["light", "dark"] if FULL else ["light"]
WIDTHS = {"light": 1440, "dark": 900}
"""In which each journey is made."""
HEIGHT = 860


@pytest.fixture(scope="module", autouse=True)
def screen_is_possible() -> None:
    if why_not := why_no_window():
        pytest.skip(why_not)


@pytest.fixture(params=LOOKS)
def look(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def rig(tmp_path: Path, look: str, lararium_home: Path) -> Iterator[Rig]:
    with desktop(tmp_path / "rig", SHOTS, dark=look == "dark", size=(1440, 900)) as rig:
        yield rig


@pytest.fixture
def project(lararium_home: Path) -> Path:
    folder = lararium_home.parent / "code" / "atlas"
    folder.mkdir(parents=True)
    return folder


def take_pictures(rig: Rig, station: str, look: str) -> None:
    """Take the window, and leave it in this journey's own width."""
    own = WIDTHS[look]
    others = [width for width in WIDTHS.values() if width != own] if FULL else []
    for width in (*others, own):
        rig.resize("Lararium", width, HEIGHT)
        rig.wait_still()
        rig.shot(f"first-{station}-{look}-{width}")


def questions(daemon: DaemonHandle) -> list[dict[str, Any]]:
    return daemon.client().request("GET", "/api/questions")["items"]


def answer_second(rig: Rig, daemon: DaemonHandle) -> None:
    """Choose the second answer of what is asked; cards take keys a moment after the focus."""

    def is_answered() -> bool:
        if not questions(daemon):
            return True
        rig.keys("ctrl+j")
        rig.wait_still(calm_seconds=0.8)
        if questions(daemon):
            rig.keys("2", "Return")
        return not questions(daemon)

    wait_for("answered question", is_answered, 60, pause=1)


def test_without_any_key_a_newcomer_takes_the_tour_to_its_end(
    rig: Rig, project: Path, lararium_home: Path, look: str
):
    rig.start("lararium", *LARARIUM)
    wait_hub_page(rig)
    take_pictures(rig, "1-folder", look)
    pick_folder(rig, project)
    wait_for("daemon of the project", lambda: the_daemon(project), 60)
    rig.wait_window("Lararium")
    rig.wait_still()
    take_pictures(rig, "2-model", look)

    # Backwards from the end of the page: its last two buttons are to skip, and the tour.
    rig.keys("shift+Tab", "shift+Tab", "Return")
    sample = lararium_home.with_name(f"{lararium_home.name}-tour") / "lamp-oil"
    daemon = wait_for("daemon of the sample", lambda: the_daemon(sample), 60)
    rig.wait_still()
    take_pictures(rig, "3-tour", look)

    rig.type("Show me how this works.")
    rig.keys("Return")
    approve(rig, daemon)
    approve(rig, daemon)
    wait_for("question", lambda: questions(daemon), 60)
    answer_second(rig, daemon)
    wait_for("end of the run", lambda: sessions(daemon)[0]["activity"] == "idle", 60)
    assert sessions(daemon)[0]["last_outcome"] == "completed"
    assert "* wicks" in (sample / "lamp.py").read_text(encoding="utf-8")
    rig.wait_still()
    take_pictures(rig, "4-finished", look)
    rig.run(*LARARIUM, "quit", "--stop-daemons", timeout=60)
