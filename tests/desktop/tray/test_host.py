"""Where a tray is, and whether it still has the icon: what is said, and when it is given up."""

import threading
from collections.abc import Sequence

import pytest

from lararium_desktop.system.tray_messages import TrayNoHost, TrayReady, TraySaid

host = pytest.importorskip("lararium_desktop.tray.host", reason="PyGObject is not installed")
NOTIFIER = "status-notifier"


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(host, "LOOK_AGAIN_SECONDS", 0.001)


def watch(looks: Sequence[tuple[str | None, bool]]) -> tuple[bool, list[TraySaid]]:
    """Look so often, each time with a kind of host and whether it lacks the icon."""
    left, stopped, said = list(looks), threading.Event(), list[TraySaid]()

    def find() -> str | None:
        return left[0][0]

    def lost(kind: str | None) -> bool:
        _, is_lost = left.pop(0)
        if not left:
            stopped.set()
        return is_lost

    return host.watch_hosts(find, lost, said.append, stopped), said


def test_a_host_is_said_once_and_again_when_it_comes_back():
    is_lost, said = watch([(NOTIFIER, False), (NOTIFIER, False), (None, False), (NOTIFIER, False)])
    assert not is_lost
    assert said == [
        TrayReady(NOTIFIER),
        TrayNoHost(host.NO_HOST, is_final=False),
        TrayReady(NOTIFIER),
    ]


def test_an_icon_that_the_host_does_not_have_for_long_is_lost():
    is_lost, said = watch([(NOTIFIER, True)] * (host.LOST_LOOKS + 1))
    assert is_lost
    assert said == [TrayReady(NOTIFIER)]


def test_an_icon_that_comes_late_is_not_lost():
    late = [(NOTIFIER, True)] * (host.LOST_LOOKS - 1) + [(NOTIFIER, False)]
    is_lost, _ = watch(late * 2)
    assert not is_lost
