"""The real tray process on a real X server: its menu over D-Bus, its clicks, its end."""

import shutil
from collections.abc import Generator
from pathlib import Path

import pytest
from PIL import Image
from tests.e2e.rig import Rig, desktop, missing_programs, wait_for
from tests.fakes.tray_child import TrayChild, tray_child
from tests.fakes.tray_host import TrayHost
from tests.fakes.tray_menu import outline

from lararium_daemon.protocol.ids import WorkspaceId
from lararium_desktop.system.tray_messages import (
    TrayClick,
    TrayItem,
    TrayModel,
    TrayNoHost,
    TrayReady,
    TrayWorkspace,
)

pytest.importorskip("gi", reason="PyGObject is not installed")
pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(bool(missing_programs()), reason=f"no {', '.join(missing_programs())}"),
]

ATLAS, DASH = WorkspaceId("a" * 16), WorkspaceId("b" * 16)
EMBER_ON_LIGHT = (0xD9, 0x72, 0x18)
ASKING = TrayModel(
    workspaces=(
        TrayWorkspace(ATLAS, "my_project & <b>co</b>", "needs_you", running=1, waiting=1),
        TrayWorkspace(DASH, "--help", "stopped"),
    ),
    items=(
        TrayItem(
            *("atlas:r1", ATLAS, "my_project", "needs_you"),
            waiting=True,
            title="Rename_all\u202e",
            tool="edit_file",
            buttons=("allow_once", "deny"),
        ),
    ),
)


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Generator[Rig]:
    folder = tmp_path_factory.mktemp("desktop")
    with desktop(folder / "rig", folder / "shots") as running:
        running.environment["LARARIUM_HOME"] = str(folder / "home")
        yield running


@pytest.fixture
def host(rig: Rig) -> Generator[TrayHost]:
    with TrayHost(rig.environment["DBUS_SESSION_BUS_ADDRESS"]) as running:
        yield running


@pytest.fixture
def tray(rig: Rig) -> Generator[TrayChild]:
    with tray_child(rig.environment) as child:
        yield child


def test_a_panel_reads_the_menu_with_every_name_as_text(host: TrayHost, tray: TrayChild):
    tray.send(ASKING)
    assert tray.hear() == TrayReady("status-notifier")
    host.wait_line("Open Lararium")
    assert outline(host.menu()) == [
        "[Needs you]",
        (
            "my_project: change a file",
            ["[Rename_all\\u202e]", "-", "Allow once", "Deny", "-", "Open session"],
        ),
        "-",
        "my_project & <b>co</b> · 1 run, 1 needs you",
        "--help · stopped",
        "-",
        ("New session in", ["my_project & <b>co</b>", "--help"]),
        "Open Lararium",
        "-",
        (
            "Quit…",
            [
                "[my_project & <b>co</b> · 1 run, 1 needs you]",
                "-",
                "Quit, leave daemons running",
                "Quit and stop 1 run",
            ],
        ),
    ]
    assert host.property("Title") == "Lararium: 1 running, 1 needs you"
    assert host.property("Status") == "Active"


def test_a_click_is_said_by_the_id_of_its_action(host: TrayHost, tray: TrayChild):
    tray.send(ASKING)
    assert tray.hear() == TrayReady("status-notifier")
    host.click("Open Lararium")
    assert tray.hear() == TrayClick("show")
    host.click("my_project: change a file", "Allow once")
    assert tray.hear() == TrayClick("allow_once:atlas:r1")
    host.click("New session in", "--help")
    assert tray.hear() == TrayClick(f"new_session:{DASH}")


def test_menu_picture_and_tooltip_follow_the_model(host: TrayHost, tray: TrayChild):
    tray.send(TrayModel())
    assert tray.hear() == TrayReady("status-notifier")
    host.wait("plain menu", lambda: outline(host.menu()) == ["Open Lararium", "-", "Quit Lararium"])
    quiet = Path(host.property("IconName"))
    tray.send(ASKING)
    host.wait_line("my_project: change a file")
    host.wait("new title", lambda: host.property("Title") == "Lararium: 1 running, 1 needs you")
    asking = Path(host.property("IconName"))
    assert asking.name.startswith("needs_you-1")
    # A panel may still read the old one.
    for picture in (quiet, asking):
        with Image.open(picture) as image:
            assert image.size == (48, 48)
    assert asking.parent.stat().st_mode & 0o077 == 0


def test_a_menu_that_says_the_same_is_left_open(host: TrayHost, tray: TrayChild):
    tray.send(ASKING)
    assert tray.hear() == TrayReady("status-notifier")
    host.wait_line("Open Lararium")
    before = host.menu()
    failed = TrayItem("f1", ATLAS, "my_project", "failed", waiting=False)
    tray.send(TrayModel(ASKING.workspaces, (*ASKING.items, failed)))
    host.wait("new title", lambda: host.property("Title").endswith("1 failed"))
    assert host.menu() == before


def test_a_line_that_is_no_model_is_skipped(host: TrayHost, tray: TrayChild):
    tray.send_line(b"{not json\n")
    tray.send_line(b'{"workspaces": 3}\n')
    tray.send(TrayModel())
    assert tray.hear() == TrayReady("status-notifier")
    tray.send_line(b"\xff\xfe\n")
    tray.send(ASKING)
    host.wait_line("my_project: change a file")


def test_it_ends_with_its_stdin_and_takes_the_icon_with_it(host: TrayHost, tray: TrayChild):
    tray.send(ASKING)
    assert tray.hear() == TrayReady("status-notifier")
    host.wait_entry()
    assert tray.close() == 0
    host.wait("end of the icon", lambda: host.entry() is None)


def test_it_ends_with_its_stdin_when_it_was_never_told_anything(tray: TrayChild):
    assert tray.close() == 0
    assert not tray.has_more_to_say()


def test_without_a_tray_it_says_so_and_goes_on_until_one_comes(rig: Rig, tray: TrayChild):
    tray.send(ASKING)
    said = tray.hear()
    assert isinstance(said, TrayNoHost)
    assert not said.is_final
    assert "GNOME" in said.reason
    with TrayHost(rig.environment["DBUS_SESSION_BUS_ADDRESS"]) as host:
        assert tray.hear() == TrayReady("status-notifier")
        host.click("Open Lararium")
        assert tray.hear() == TrayClick("show")
    assert isinstance(tray.hear(), TrayNoHost)
    assert tray.close() == 0


def test_without_a_screen_it_says_that_no_icon_can_be_shown_and_ends(rig: Rig):
    blind = {name: value for name, value in rig.environment.items() if name != "DISPLAY"}
    with tray_child(blind) as tray:
        tray.send(ASKING)
        said = tray.hear()
        assert isinstance(said, TrayNoHost)
        assert said.is_final
        assert tray.process.wait(10) == 0


def test_without_a_session_bus_it_says_so_and_still_ends_with_its_stdin(rig: Rig):
    nowhere = f"unix:path={rig.folder}/no-such-bus"
    with tray_child({**rig.environment, "DBUS_SESSION_BUS_ADDRESS": nowhere}) as tray:
        tray.send(ASKING)
        assert isinstance(tray.hear(), TrayNoHost)
        assert tray.close() == 0


@pytest.mark.skipif(shutil.which("trayer") is None, reason="no trayer")
def test_in_an_older_tray_the_icon_is_seen_and_its_menu_opens(rig: Rig, tray: TrayChild):
    """Pixels, once: that what is drawn reaches the screen."""
    panel = rig.start(
        *("trayer", "trayer", "--edge", "bottom", "--align", "right", "--widthtype", "request"),
        *("--heighttype", "pixel", "--height", "32", "--SetDockType", "true"),
    )
    try:
        tray.send(ASKING)
        said = tray.hear()
        while said != TrayReady("xembed"):
            assert isinstance(said, TrayNoHost)
            said = tray.hear()
        place = wait_for("an ember flame on the screen", lambda: _ember(rig))
        assert place[1] > 760
        rig.run("xdotool", "mousemove", str(place[0]), str(place[1]), "click", "1")
        wait_for("menu", lambda: _has_menu(rig))
    finally:
        panel.terminate()
        panel.wait(10)


def _ember(rig: Rig) -> tuple[int, int] | None:
    with Image.open(rig.shot("trayer")) as shot:
        picture = shot.convert("RGB")
    for x in range(picture.width - 40, picture.width):
        for y in range(picture.height - 40, picture.height):
            if picture.getpixel((x, y)) == EMBER_ON_LIGHT:
                return (x, y)
    return None


def _has_menu(rig: Rig) -> bool:
    tree = rig.run("xwininfo", "-root", "-tree")
    listed = [
        line.split() for line in tree.splitlines() if '("lararium' in line or "__main__" in line
    ]
    return any(_height(words) > 100 for words in listed)


def _height(words: list[str]) -> int:
    sizes = [word for word in words if "x" in word and "+" in word]
    return int(sizes[0].split("x")[1].split("+")[0]) if sizes else 0
