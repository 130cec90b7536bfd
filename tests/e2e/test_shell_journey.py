"""A person's way through the whole shell: window, notification, tray, with what desktops have.

`LARARIUM_RELIABILITY=full` takes every panel with every notification server instead of two pairs.
"""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.notices import SERVERS, Notices, missing_server, notices
from tests.e2e.panels import PANELS, missing_panel, start_panel
from tests.e2e.rig import Rig, desktop, wait_for
from tests.e2e.shell import (
    LARARIUM,
    approve,
    attached_hub,
    pick_folder,
    processes,
    requests,
    sessions,
    shell_state,
    the_daemon,
    the_hub,
    wait_hub_page,
    why_no_window,
)
from tests.fakes.llm_server import FakeLlm
from tests.fakes.panel_tray import PanelTray

pytestmark = [pytest.mark.window, pytest.mark.e2e, pytest.mark.timeout(300)]

SHOTS = Path(__file__).parent / "shots"
PROMPT = "make them [[fake rounds=2 tool=write path=hello.txt]]"
FULL = os.environ.get("LARARIUM_RELIABILITY") == "full"
SOME = [("trayer", "recorder"), ("xfce4-panel", "dunst")]
PAIRS = [(panel, server) for panel in PANELS for server in SERVERS] if FULL else SOME


@pytest.fixture(scope="module", autouse=True)
def screen_is_possible() -> None:
    if why_not := why_no_window():
        pytest.skip(why_not)


@pytest.fixture(params=PAIRS, ids="+".join)
def pair(request: pytest.FixtureRequest) -> tuple[str, str]:
    panel, server = request.param
    if why_not := missing_panel(panel) or missing_server(server):
        pytest.skip(why_not)
    return panel, server


@pytest.fixture
def rig(tmp_path: Path, pair: tuple[str, str], llm: FakeLlm, lararium_home: Path) -> Iterator[Rig]:
    dark = pair[0] == "xfce4-panel"
    with desktop(tmp_path / "rig", SHOTS, dark=dark, variables=llm.environment) as rig:
        start_panel(rig, pair[0])
        yield rig


@pytest.fixture
def shown(rig: Rig, pair: tuple[str, str]) -> Iterator[Notices]:
    with notices(rig, pair[1]) as shown:
        yield shown


@pytest.fixture
def tray(rig: Rig) -> Iterator[PanelTray]:
    def find_pid() -> int | None:
        return next((each.pid for each in processes(rig, "_tray")), None)

    with PanelTray(rig.environment["DBUS_SESSION_BUS_ADDRESS"], find_pid) as tray:
        yield tray


@pytest.fixture
def code(lararium_home: Path) -> Path:
    folder = lararium_home.parent / "code"
    for name in ("atlas", "orrery"):
        (folder / name).mkdir(parents=True)
        (folder / name / "README.md").write_text(f"# {name}\n", encoding="utf-8")
    return folder


def test_work_goes_on_without_the_window_and_notification_and_tray_lead_back(
    rig: Rig, shown: Notices, tray: PanelTray, code: Path, llm: FakeLlm, pair: tuple[str, str]
):
    begun, name = time.monotonic(), "-".join(pair)
    app = rig.start("lararium", *LARARIUM)
    wait_hub_page(rig)
    pick_folder(rig, code / "atlas")
    daemon = wait_for("daemon of the project", lambda: the_daemon(code / "atlas"), 60)
    # The project's page asks for the models as soon as it has its composer.
    wait_for("page of the project", lambda: llm.app.model_requests > 0, 60)
    rig.wait_window("Lararium")
    rig.wait_still()
    rig.shot(f"journey-0-empty-{name}")

    rig.type(PROMPT)
    rig.keys("Return")
    wait_for("request for approval", lambda: requests(daemon), 60)
    # The person looks at it: nothing is told twice.
    assert shown.count() == 0
    assert not (code / "atlas" / "hello.txt").exists()
    rig.wait_still()
    rig.shot(f"journey-1-waiting-{name}")
    llm.set(reasoning=9, hold_after=3)
    approve(rig, daemon)
    wait_for("changed file", (code / "atlas" / "hello.txt").exists)

    rig.run("wmctrl", "-c", "Lararium")
    assert app.wait(30) == 0
    hub = wait_for("hub", the_hub)
    assert hub.request("GET", "/status")["window"] is False
    [session] = sessions(daemon)
    assert session["activity"] == "running"
    llm.release()
    wait_for("next request", lambda: requests(daemon))

    shown.click("atlas needs you")
    wait_for("shell", attached_hub, 60)
    rig.wait_window("Lararium", 60)
    approve(rig, daemon)  # by the keys of the card: so that very session is in front
    wait_for("end of the run", lambda: sessions(daemon)[0]["activity"] == "idle", 60)
    assert [each["last_outcome"] for each in sessions(daemon)] == ["completed"]
    wait_for("screen without notifications", lambda: shown.count() == 0)
    rig.wait_still()
    rig.shot(f"journey-2-reopened-{name}")

    rig.run(*LARARIUM, "add", str(code / "orrery"), timeout=60)
    asked = llm.app.model_requests
    tray.click("orrery · ")
    other = wait_for("daemon of the other project", lambda: the_daemon(code / "orrery"), 60)
    wait_for("page of the other project", lambda: llm.app.model_requests > asked, 60)
    rig.wait_window("Lararium")
    rig.wait_still()
    rig.type("hello")
    rig.keys("Return")
    wait_for("session there", lambda: sessions(other))
    assert len(sessions(daemon)) == 1
    rig.shot(f"journey-3-other-{name}")
    pids = {each["name"]: each["pid"] for each in shell_state()["workspaces"]}
    assert pids == {"atlas": daemon.pid, "orrery": other.pid}

    rig.run(*LARARIUM, "quit", "--stop-daemons", timeout=60)
    wait_for("end of the window", lambda: "Lararium" not in rig.windows())
    assert not (hub.is_alive() or daemon.is_alive() or other.is_alive())
    sys.stdout.write(f"{name}: {time.monotonic() - begun:.1f} s\n")
