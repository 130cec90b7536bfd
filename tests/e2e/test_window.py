"""A window that is opened again: the daemons are the same, and so is what it shows."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.rig import Rig, desktop, wait_for
from tests.e2e.shell import (
    LARARIUM,
    sessions,
    the_daemon,
    the_hub,
    wait_hub_page,
    why_no_window,
)
from tests.fakes.llm_server import FakeLlm

from lararium_daemon.client.find import DaemonHandle

pytestmark = [pytest.mark.window, pytest.mark.e2e, pytest.mark.timeout(240)]


@pytest.fixture(scope="module", autouse=True)
def screen_is_possible() -> None:
    if why_not := why_no_window():
        pytest.skip(why_not)


@pytest.fixture
def rig(tmp_path: Path, llm: FakeLlm, lararium_home: Path) -> Iterator[Rig]:
    with desktop(tmp_path / "rig", tmp_path / "shots", variables=llm.environment) as rig:
        yield rig


@pytest.fixture
def project(lararium_home: Path) -> Path:
    folder = lararium_home.parent / "code" / "atlas-api"
    folder.mkdir(parents=True)
    return folder


def said(daemon: DaemonHandle, session: str) -> list[str]:
    """Give what the person said in a session."""
    page = daemon.client().request("GET", f"/api/sessions/{session}/messages")
    own = [each for each in page["items"] if each["role"] == "user"]
    return [part["text"] for each in own for part in each["parts"]]


def test_a_window_opened_again_shows_the_session_that_was_in_front(
    rig: Rig, project: Path, llm: FakeLlm
):
    app = rig.start("lararium", *LARARIUM, str(project))
    daemon = wait_for("daemon of the project", lambda: the_daemon(project), 60)
    wait_for("page of the project", lambda: llm.app.model_requests > 0, 60)
    rig.wait_window("Lararium")
    rig.wait_still()
    rig.type("hello")
    rig.keys("Return")
    wait_for(
        "finished run", lambda: [each["last_outcome"] for each in sessions(daemon)] == ["completed"]
    )
    [session] = sessions(daemon)
    rig.wait_still()
    rig.run("wmctrl", "-c", "Lararium")
    assert app.wait(30) == 0
    assert daemon.is_alive()

    again = rig.start("again", *LARARIUM)
    wait_hub_page(rig)
    rig.type("and again")
    rig.keys("Return")
    wait_for("second prompt", lambda: len(said(daemon, session["id"])) == 2)
    assert said(daemon, session["id"]) == ["hello", "and again"]
    assert len(sessions(daemon)) == 1
    status = json.loads(rig.run(*LARARIUM, "status", "--json"))
    assert [item["pid"] for item in status["workspaces"]] == [daemon.pid]

    hub = the_hub()
    rig.run(*LARARIUM, "quit", "--stop-daemons", timeout=60)
    assert again.wait(30) == 0
    assert hub is not None
    assert not (hub.is_alive() or daemon.is_alive())
