"""The simple notifications hand texts over as data, on every system, and never block or raise."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from lararium_desktop.system.notifications import simple
from lararium_desktop.system.notifications.simple import (
    SimpleToaster,
    Way,
    choose_way,
    notify_send_argv,
    plyer_arguments,
)
from lararium_desktop.system.notifications.toast import Toast

pytestmark = pytest.mark.anyio

EVIL = 'done" & (do shell script "touch p") -- `touch p` $(touch p) \\'
TOAST = Toast("k", "--version", "-u critical <b>5 < 6 & 7</b>")


def pressed(action: str) -> None:
    raise AssertionError(action)


@pytest.mark.parametrize(
    ("platform", "has_program", "has_dbus", "in_sandbox", "way"),
    [
        ("linux", True, True, False, "notify-send"),
        ("linux", True, False, True, "notify-send"),
        ("linux", False, True, False, "plyer"),
        ("linux", False, False, False, "none"),
        ("linux", False, True, True, "none"),
        ("darwin", False, False, False, "plyer"),  # not run on macOS
        ("darwin", True, False, False, "plyer"),
        ("win32", False, False, False, "plyer"),  # not run on Windows
        ("freebsd14", True, True, False, "none"),
    ],
)
def test_the_way_is_one_that_shows_a_text_as_it_is(
    platform: str, has_program: bool, has_dbus: bool, in_sandbox: bool, way: Way
) -> None:
    found = choose_way(
        platform, has_notify_send=has_program, has_dbus=has_dbus, in_sandbox=in_sandbox
    )
    assert found == way


def test_texts_come_after_the_options_with_markup_escaped() -> None:
    argv = notify_send_argv("notify-send", TOAST)
    assert argv[-3:] == ["--", "--version", "-u critical &lt;b&gt;5 &lt; 6 &amp; 7&lt;/b&gt;"]
    assert all(each.startswith("--") for each in argv[1:-2])


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_an_evil_text_is_nothing_but_an_argument(platform: str) -> None:
    toast = Toast("k", EVIL, EVIL)
    arguments = plyer_arguments(platform, toast)
    body = EVIL.replace("&", "&amp;") if platform == "linux" else EVIL
    assert (arguments["title"], arguments["message"]) == (EVIL, body)
    argv = notify_send_argv("notify-send", toast)
    assert argv[-2:] == [EVIL, EVIL.replace("&", "&amp;").replace("\\", "\\\\")]
    assert EVIL not in " ".join(argv[:-2])


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], Path]:
    """Give a notify-send that does what the test writes."""

    def make(body: str) -> Path:
        path = tmp_path / "notify-send"
        path.write_text(f"#!{sys.executable}\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return make


async def test_notify_send_gets_the_texts_unchanged(
    program: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = program("import json, sys\njson.dump(sys.argv[1:], open('argv', 'w'))")
    shows = SimpleToaster("linux", lambda _: str(path))
    assert await shows.show(Toast("k", EVIL, EVIL), pressed)
    argv = json.loads((tmp_path / "argv").read_text("utf-8"))
    assert argv[-3:-1] == ["--", EVIL]
    assert not (tmp_path / "p").exists()


async def test_a_program_that_fails_showed_nothing(program: Callable[[str], Path]) -> None:
    path = program("raise SystemExit(1)")
    assert not await SimpleToaster("linux", lambda _: str(path)).show(TOAST, pressed)


async def test_a_program_that_hangs_costs_a_bounded_time(
    program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simple, "SHOW_SECONDS", 0.2)
    path = program("import time\ntime.sleep(60)")
    with anyio.fail_after(10):
        assert not await SimpleToaster("linux", lambda _: str(path)).show(TOAST, pressed)


async def test_without_any_way_nothing_is_shown_and_nothing_raised() -> None:
    assert not await SimpleToaster("linux", lambda _: None).show(TOAST, pressed)
    assert not await SimpleToaster("plan9", lambda _: None).show(TOAST, pressed)
    assert not await SimpleToaster("linux", lambda _: "/nowhere/notify-send").show(TOAST, pressed)
