"""What stands on a line of the menu on each system, and how dark its panel is taken to be."""

from types import SimpleNamespace
from typing import Any

import pytest

from lararium_desktop.tray.icon import label_of, linux_theme
from lararium_desktop.tray.mac_icon import mac_icon_class
from lararium_desktop.tray.menu import Entry


@pytest.mark.parametrize(
    ("platform", "label"),
    [
        ("linux", "my__project & co · 1__run"),
        ("win32", "my_project && co\t1_run"),
        ("darwin", "my_project & co · 1_run"),
    ],
)
def test_a_character_that_marks_a_key_stands_for_itself(platform: str, label: str):
    assert label_of(Entry("my_project & co", fact="1_run"), platform) == label


def test_an_entry_without_a_fact_is_its_text():
    assert label_of(Entry("Open Lararium"), "linux") == label_of(Entry("Open Lararium"), "win32")


@pytest.mark.parametrize(
    ("desktop", "is_foreground_light", "theme"),
    [
        ("GNOME", False, "dark"),
        ("ubuntu:GNOME", False, "dark"),
        ("XFCE", False, "dark"),
        ("KDE", False, "light"),
        ("KDE", True, "dark"),
        ("", False, "light"),
    ],
)
def test_the_icon_is_chosen_for_the_panel(desktop: str, is_foreground_light: bool, theme: str):
    assert linux_theme(desktop, is_foreground_light=is_foreground_light) == theme


class Recorder:
    """Takes every Objective-C call and remembers it."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        def call(given: Any) -> None:
            self.calls.append((name, given))

        return call


class PystrayOnMac:
    """What is used of pystray's class on macOS."""

    def __init__(self) -> None:
        self.image, self.seen = Recorder(), Recorder()
        self._icon_image = self.image
        self._status_item = SimpleNamespace(button=lambda: self.seen)
        self.title = "Lararium: 3 need you"

    def _assert_image(self) -> None:
        self.seen.setImage_(self.image)

    def _update_title(self) -> None:
        self.seen.setToolTip_(self.title)


def test_on_macos_the_icon_is_a_template_with_the_count_beside_it():
    """Against a stand-in: not run on macOS."""
    icon = mac_icon_class(PystrayOnMac)()
    icon.count_text = "3"
    icon._assert_image()
    icon._update_title()
    assert icon.image.calls == [("setTemplate_", True)]
    assert icon.seen.calls[-2:] == [("setToolTip_", "Lararium: 3 need you"), ("setTitle_", "3")]
