"""The floor of a window: the same library showing a page of a few words, without any guard."""

# pyright: reportUnknownMemberType=false
# pywebview is typed in part.

import sys

import webview

if __name__ == "__main__":
    webview.create_window("Bare", url=sys.argv[1], width=1280, height=820)
    webview.start(gui="gtk", private_mode=True)
