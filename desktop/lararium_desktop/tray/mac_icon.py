"""pystray's icon on macOS: a template that the system colours, with the count as text beside it.

Not run on macOS so far; its tests use a stand-in for pystray's class.
"""

import importlib
from collections.abc import Callable
from typing import Any


def mac_icon_class(base: Any) -> Any:
    """Give the class; set `count_text` on an icon before its title."""

    def assert_image(self: Any) -> None:
        base._assert_image(self)
        self._icon_image.setTemplate_(True)
        self._status_item.button().setImage_(self._icon_image)

    def update_title(self: Any) -> None:
        base._update_title(self)
        self._status_item.button().setTitle_(self.count_text)

    return type(
        "MacIcon",
        (base,),
        {"count_text": "", "_assert_image": assert_image, "_update_title": update_title},
    )


def on_main_thread(act: Callable[[], None]) -> None:
    """Run it on the main loop: AppKit is used from nowhere else."""
    importlib.import_module("PyObjCTools.AppHelper").callAfter(act)
