"""A window as the library makes it, without any guard: the positive control of the hostile page."""

# pyright: reportUnknownMemberType=false
# pywebview is typed in part.

import sys
from pathlib import Path

import webview


class Bridge:
    """What an app might expose."""

    def steal(self, *_arguments: object) -> None:
        Path("stolen").touch()


if __name__ == "__main__":
    webview.create_window("Stock", url=sys.argv[1], js_api=Bridge(), width=900, height=600)
    webview.start(gui="gtk", private_mode=True)
