"""A hostile page in the real window reaches nothing; the same page in a stock window reaches much.

Framed, it stands in for a workspace's page under the real hub. As the top page it is what the guard
alone stops, without any sandbox: a foreign page that posed as the hub.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.e2e.rig import Rig, desktop, missing_programs, wait_for

from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import HubLink, find_hub

pytest.importorskip("gi", reason="PyGObject is not installed")
pytestmark = [
    pytest.mark.window,
    pytest.mark.e2e,
    pytest.mark.timeout(240),
    pytest.mark.skipif(bool(missing_programs()), reason=f"no {', '.join(missing_programs())}"),
]

LARARIUM = (sys.executable, "-P", "-m", "lararium_desktop")
FAKES = Path(__file__).parents[1] / "fakes"
PAGE = Path(__file__).with_name("hostile_page.html")
SECRET = "SECRET-FROM-OTHER-APP"
ATTEMPTS = 27
OPENER = """#!/bin/sh
printf '%s\\n' "$*" >> "$OPENED"
"""


@dataclass
class Site:
    """The hostile page's own server, and what happened around its window."""

    rig: Rig
    url: str
    foreign: str
    opened: Path
    most_windows: int = 0

    def hits(self) -> list[dict[str, Any]]:
        # Each look also counts the windows: a dialog is one.
        self.most_windows = max(self.most_windows, self.rig.window_count())
        return httpx.get(f"{self.url}/hits", trust_env=False, timeout=10).json()

    def reports(self) -> dict[str, str]:
        found = [json.loads(each["body"]) for each in self.hits() if each["name"] == "report"]
        return {each["name"]: each["outcome"] for each in found}

    def foreign_hits(self) -> set[str]:
        return {each["name"] for each in self.hits() if each["foreign"]}

    def addresses_opened(self) -> list[str]:
        return self.opened.read_text(encoding="utf-8").split() if self.opened.exists() else []

    def loot(self) -> list[Path]:
        return [*Path(self.rig.environment["HOME"]).rglob("loot*"), *self.rig.folder.rglob("loot*")]


@pytest.fixture
def rig(tmp_path: Path, lararium_home: Path) -> Iterator[Rig]:
    opener = tmp_path / "opener"
    opener.write_text(OPENER, encoding="utf-8")
    opener.chmod(0o755)
    variables = {"BROWSER": str(opener), "OPENED": str(tmp_path / "opened")}
    with desktop(tmp_path / "rig", tmp_path / "shots", variables=variables) as rig:
        copy = (sys.executable, str(FAKES / "clipboard_owner.py"), SECRET)
        rig.start_ready("clipboard", *copy)
        yield rig


def site(rig: Rig, role: str, folder: str = "-", page: Path = PAGE) -> Site:
    argv = (sys.executable, "-P", str(FAKES / "posing_server.py"), role, folder, str(page))
    where = json.loads(rig.start_ready(f"posing-{role}", *argv))
    return Site(rig, where["url"], where["foreign"], Path(rig.environment["OPENED"]))


def the_hub() -> HubLink | None:
    return find_hub(HubPaths(resolve_paths(read_environment()).state / "hub"))


REFUSED = {
    "bridge": {"undefined"},
    "handlers": {"undefined", ""},
    "topBridge": {"undefined", "refused SecurityError"},
    "call": {"refused TypeError"},
    "callBuiltIn": {"refused TypeError"},
    "clipboard": {"refused NotAllowedError", "refused TypeError"},
    "paste": {""},
    "popup": {"null"},
    "popupBlank": {"null"},
    "notification": {"denied", "refused TypeError", "refused ReferenceError"},
    "location": {"code 1", "refused TypeError"},
    "confirm": {"false"},
    "prompt": {"null"},
}
"""What the page itself must have been told."""


def click_page(site: Site) -> None:
    """Click into the page, once it is there: much is allowed only after the person did something.

    The click is repeated until the page has begun: what is shown may not take it yet.
    """
    wait_for("page", lambda: "ready" in site.reports(), 90)

    def has_begun() -> bool:
        site.rig.run("xdotool", "mousemove", "640", "450", "click", "1")
        return len(site.reports()) > 1

    wait_for("first attempt", has_begun, pause=1)


def assert_nothing_was_reached(site: Site) -> None:
    reports = site.reports()
    assert len(reports) == ATTEMPTS + 2, sorted(reports)
    assert {name: reports[name] for name in REFUSED if reports[name] not in REFUSED[name]} == {}
    assert site.foreign_hits() == set()
    assert site.addresses_opened() == []
    assert site.loot() == []
    assert site.most_windows == 1
    assert site.rig.windows() == ["Lararium"]


def test_framed_as_a_workspaces_page_it_reaches_nothing(rig: Rig, lararium_home: Path):
    project = lararium_home.parent / "code" / "evil"
    project.mkdir(parents=True)
    daemon = site(rig, "daemon", str(project))
    rig.start("lararium", *LARARIUM, str(project))
    rig.wait_window("Lararium", 60)
    try:
        click_page(daemon)
        wait_for("end of the attempts", lambda: "still here" in daemon.reports(), 90)
        assert_nothing_was_reached(daemon)
        reports = daemon.reports()
        assert reports["nativeFolder"] in {"nothing readable", "refused TypeError"}
        assert reports["nativeOpen"] in {"nothing readable", "refused TypeError"}
        hub = wait_for("hub", the_hub)
        assert hub.request("GET", "/status")["pages"] == 1
    finally:
        rig.run(*LARARIUM, "quit", timeout=60)


def test_as_the_top_page_it_reaches_nothing_either(rig: Rig):
    hub = site(rig, "hub")
    rig.start("window", *LARARIUM, "_window")
    click_page(hub)
    wait_for("end of the attempts", lambda: "still here" in hub.reports(), 90)
    assert_nothing_was_reached(hub)


CONTROL = "blank,bridge,handlers,call,clipboard,paste,download,nestedFrame,alert,topLocation"


def test_in_a_stock_window_the_same_page_reaches_all_this(rig: Rig):
    plain = site(rig, "plain", str(rig.folder))
    stock = (sys.executable, "-P", str(FAKES / "stock_window.py"), f"{plain.url}/?only={CONTROL}")
    rig.start("stock", *stock)
    click_page(plain)
    wait_for("top navigation", lambda: "top-location" in plain.foreign_hits(), 60)
    wait_for("dialog", lambda: plain.hits() and plain.most_windows > 1)
    reports = plain.reports()
    assert reports["handlers"] == "object"
    wait_for("call of the bridge", (rig.folder / "stolen").exists)
    assert SECRET in {reports["clipboard"], reports["paste"]}
    assert {"nested", "top-location"} <= plain.foreign_hits()
    opened = f"{plain.foreign}/hit/blank"
    wait_for("opened address", lambda: opened in plain.addresses_opened())
    assert plain.loot() != []
