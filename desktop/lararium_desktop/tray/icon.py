"""The icon in the tray: shows a model, reports clicks. A thin typed wrapper of pystray."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lararium_desktop.system.tray_messages import TrayAction, TrayModel
from lararium_desktop.tray.backend import Backend
from lararium_desktop.tray.icons import Theme, variant
from lararium_desktop.tray.menu import Entry, Line, menu_of
from lararium_desktop.tray.words import face_of, tooltip

SIZES = {"linux": 48, "darwin": 44, "win32": 32}
"""Pixels. Panels make them smaller, and so does a screen of twice the density."""
DARK_PANELS = frozenset({"GNOME", "UNITY", "XFCE", "X-CINNAMON", "PANTHEON", "BUDGIE"})
"""Desktops whose panel is dark whatever the theme of the windows is."""

OnClick = Callable[[TrayAction], None]


class TrayIcon:
    """One icon with its menu. `run` belongs to the main thread, the rest to any one other."""

    def __init__(
        self, backend: Backend, folder: Path, theme: Theme, model: TrayModel, on_click: OnClick
    ) -> None:
        """`folder` is private and takes the pictures, where the system wants files."""
        self._theme: Theme = theme
        self._on_click = on_click
        self._platform = sys.platform
        self._lines = menu_of(model)
        self._icon: Any = _icon_class(backend, folder)(
            "lararium", self._picture(model), tooltip(model), self._menu(self._lines)
        )
        self._icon.count_text = face_of(model).badge

    def run(self, on_running: Callable[[], None]) -> None:
        """Show the icon until `stop`; `on_running` is called in another thread."""

        def set_up(icon: Any) -> None:
            icon.visible = True
            on_running()

        self._icon.run(set_up)

    def show(self, model: TrayModel) -> None:
        """Show another model. A menu that says the same is left alone: it may be open."""
        if self._platform == "darwin":
            from lararium_desktop.tray.mac_icon import on_main_thread

            on_main_thread(lambda: self._show(model))
        else:
            self._show(model)

    def stop(self) -> None:
        """Take the icon away and let `run` return."""
        self._icon.stop()

    def _show(self, model: TrayModel) -> None:
        picture = self._picture(model)
        if picture.info["name"] != self._icon.icon.info["name"]:
            self._icon.icon = picture
        self._icon.count_text = face_of(model).badge
        self._icon.title = tooltip(model)
        lines = menu_of(model)
        if lines != self._lines:
            self._lines = lines
            self._icon.menu = self._menu(lines)

    def _picture(self, model: TrayModel) -> Any:
        face = face_of(model)
        picture = variant(face, SIZES.get(self._platform, 48), self._theme)
        picture.info["name"] = f"{face.name}-{self._theme}"
        return picture

    def _menu(self, lines: Sequence[Line]) -> Any:
        from pystray import Menu

        return Menu(*self._items(lines))

    def _items(self, lines: Sequence[Line]) -> Iterator[Any]:
        from pystray import Menu, MenuItem

        for line in lines:
            if not isinstance(line, Entry):
                yield Menu.SEPARATOR
            elif line.entries:
                yield MenuItem(label_of(line, self._platform), Menu(*self._items(line.entries)))
            else:
                yield MenuItem(
                    label_of(line, self._platform),
                    self._clicked(line.action),
                    default=line.is_default,
                    enabled=line.is_enabled,
                )

    def _clicked(self, action: TrayAction | None) -> Callable[[], None]:
        def click() -> None:
            if action is not None:
                self._on_click(action)

        return click


def label_of(entry: Entry, platform: str) -> str:
    """Give the entry's line; the character that marks a key on this system stands for itself."""
    match platform:
        case "win32":
            # What follows a tab stands at the right end of the line.
            return "\t".join(_doubled(part, "&") for part in (entry.text, entry.fact) if part)
        case "linux":
            return " · ".join(_doubled(part, "_") for part in (entry.text, entry.fact) if part)
        case _:
            return " · ".join(part for part in (entry.text, entry.fact) if part)


def linux_theme(desktop: str, *, is_foreground_light: bool) -> Theme:
    """Guess how dark the panel is: `desktop` is XDG_CURRENT_DESKTOP, colon-separated."""
    if DARK_PANELS & set(desktop.upper().split(":")):
        return "dark"
    return "dark" if is_foreground_light else "light"


def _doubled(text: str, mark: str) -> str:
    return text.replace(mark, mark * 2)


def _icon_class(backend: Backend, folder: Path) -> Any:
    match backend.name:
        case "appindicator" | "gtk":
            from lararium_desktop.tray.gtk_icon import linux_icon_class

            return linux_icon_class(backend.icon_class, folder)
        case "darwin":
            from lararium_desktop.tray.mac_icon import mac_icon_class

            return mac_icon_class(backend.icon_class)
        case _:
            return backend.icon_class
