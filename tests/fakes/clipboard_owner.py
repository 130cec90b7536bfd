"""Another application that has copied a secret: it holds the clipboard until it is ended."""

# pyright: reportMissingImports=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportAttributeAccessIssue=false
# PyGObject builds its modules at run time; no stubs exist for them.

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402  the version is chosen first

clipboard = Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD)
clipboard.set_text(sys.argv[1], -1)
sys.stdout.write("holds\n")
sys.stdout.flush()
Gtk.main()
