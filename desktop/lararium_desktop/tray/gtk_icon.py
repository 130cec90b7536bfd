"""pystray's icon on Linux with four things put right; all GTK calls of the tray are here.

* An underscore in a name stays one: GTK shows the label of a plain item as it is, but sends it to
  panels (D-Bus) as one in which `_` marks a key. Items that use marks, with `__` for `_`, are
  right in both.
* The picture lies in a private folder, under a name that stands for what it shows: pystray writes
  to a guessable place and deletes the old picture while a panel may be reading it.
* pystray connects to the notification service and waits for its answers; a slow one would hold up
  the start and the end of the tray. Our notifications are the hub's.
* The tooltip is set where the backend has one.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAttributeAccessIssue=false
# PyGObject builds its modules at run time; no stubs exist for them.

from pathlib import Path
from typing import Any

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402  the version is chosen first

LUMINANCE = (0.2126, 0.7152, 0.0722)


def linux_icon_class(base: Any, folder: Path) -> Any:
    """Give the mended class; its pictures go to `folder`, which must be private."""

    def initialize(self: Any) -> None:
        self._mark_ready()

    def finalize(_self: Any) -> None:
        """Leave everything: the process ends with its icon."""

    def remove_file(self: Any) -> None:
        self._icon_valid = False

    def update_file(self: Any) -> None:
        target = folder / f"{self.icon.info['name']}.png"
        if not target.exists():
            partial = target.with_suffix(".part")
            self.icon.save(partial, "PNG")
            partial.replace(target)
        self._icon_path = str(target)
        self._icon_valid = True

    def create_item(self: Any, descriptor: Any) -> Any:
        return _menu_item(self, descriptor)

    def update_title(self: Any) -> None:
        status_icon = getattr(self, "_status_icon", None)
        if status_icon is not None:
            status_icon.set_tooltip_text(self.title)
        base._update_title(self)

    return type(
        "LinuxIcon",
        (base,),
        {
            "_initialize": initialize,
            "_finalize": finalize,
            "_remove_fs_icon": remove_file,
            "_update_fs_icon": update_file,
            "_create_menu_item": create_item,
            "_update_title": update_title,
        },
    )


def is_foreground_light() -> bool:
    """Whether the desktop's theme writes light on dark. Needs a screen."""
    found, colour = Gtk.Window().get_style_context().lookup_color("theme_fg_color")
    parts = (colour.red, colour.green, colour.blue)
    return bool(found) and sum(w * part for w, part in zip(LUMINANCE, parts, strict=True)) > 0.5


def _menu_item(icon: Any, descriptor: Any) -> Any:
    from pystray import Menu

    if descriptor is Menu.SEPARATOR:
        return Gtk.SeparatorMenuItem()
    item = Gtk.MenuItem.new_with_mnemonic(descriptor.text)
    if descriptor.submenu:
        item.set_submenu(icon._create_menu(descriptor.submenu))
    else:
        item.connect("activate", icon._handler(descriptor))
    item.set_sensitive(descriptor.enabled)
    return item
