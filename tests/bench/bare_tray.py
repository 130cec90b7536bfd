"""The floor of a tray: the same library with one icon and a menu of three lines."""

# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false
# pystray is typed in part.

from PIL import Image
from pystray import Icon, Menu, MenuItem

if __name__ == "__main__":
    lines = (MenuItem(text, lambda: None) for text in ("Open", "New", "Quit"))
    Icon("bare", Image.new("RGBA", (48, 48), "gray"), "Bare", Menu(*lines)).run()
