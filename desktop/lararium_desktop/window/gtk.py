"""The window on Linux: pywebview over GTK 3 and WebKitGTK, with everything it opens by itself shut.

PyGObject and pywebview have no types, so this module and `gtk_guard` are the only ones that touch
them. All GTK calls happen on the thread that runs `GtkWindow.run`; the public methods may be
called from any thread and return at once.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAttributeAccessIssue=false
# PyGObject builds its modules at run time; no stubs exist for them.

import logging
import signal
from collections.abc import Callable
from typing import Any

import gi
import webview
from webview.platforms import gtk as webview_gtk

from lararium_desktop.window.gtk_guard import install_guard
from lararium_desktop.window.gtk_watch import watch_page
from lararium_desktop.window.navigation import AllowedOrigins, origin_of
from lararium_desktop.window.services import Answer

gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gio, GLib, Gtk  # noqa: E402  the version is chosen first

logger = logging.getLogger(__name__)

TITLE = "Lararium"
SIZE = (1280, 820)
SMALLEST = (720, 480)
BACKGROUND = {"light": "#eeece8", "dark": "#110d0b"}
"""Of the page, so that nothing flashes before it is there."""
OPENABLE_SCHEMES = ("http://", "https://", "mailto:")


class GtkWindow:
    """One window that shows the hub's page."""

    def __init__(self) -> None:
        self._allowed = AllowedOrigins(hub="")
        self._url = ""
        self._view: Any = None
        self._dialog: Any = None

    def run(self, on_ready: Callable[[], None], on_page_ended: Callable[[], None]) -> None:
        """Show the window until it is closed. Must be called on the main thread.

        Args:
            on_ready: Called once there is a screen; what it loads is shown with the window.
            on_page_ended: Called when the page's process crashed or hung and was ended; it must
                return at once, and have a page loaded.
        """
        for name, value in (
            ("ALLOW_DOWNLOADS", False),
            ("ALLOW_FILE_URLS", False),
            ("OPEN_EXTERNAL_LINKS_IN_BROWSER", True),
            ("SHOW_DEFAULT_MENUS", False),
        ):
            webview.settings[name] = value
        GLib.set_prgname("lararium")
        GLib.set_application_name(TITLE)
        _follow_system_theme()
        window = webview.create_window(
            TITLE,
            js_api=None,
            width=SIZE[0],
            height=SIZE[1],
            min_size=SMALLEST,
            background_color=BACKGROUND["dark" if _is_dark() else "light"],
            text_select=True,
        )
        if window is None:
            raise RuntimeError("pywebview made no window")

        def prepare() -> None:
            view = webview_gtk.BrowserView.instances[window.uid]
            # pywebview logs what a handler raises and goes on: nothing loads before this is done.
            install_guard(view, lambda: self._allowed, on_page_ended)
            watch_page(view.webview)
            self._view = view
            if self._url:
                self._load_now()

        window.events.before_show += prepare
        for number in (signal.SIGTERM, signal.SIGINT):
            GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, number, self._close_now)
        if Gdk.Display.get_default() is None:
            raise RuntimeError("There is no screen to open a window on")
        on_ready()  # the hub is found while the window is made
        webview.start(gui="gtk", private_mode=True)

    def load(self, url: str) -> None:
        """Show the hub's page at that address."""

        def load() -> None:
            self._url = url
            if self._view is not None:
                self._load_now()

        _on_gtk(load)

    def _load_now(self) -> None:
        self._allowed = AllowedOrigins(origin_of(self._url) or "", self._allowed.daemons)
        self._view.webview.load_uri(self._url)
        self._view.webview.grab_focus()

    def allow_origins(self, origins: frozenset[str]) -> None:
        """Let frames show the pages of these daemons and of no other."""
        self._allowed = AllowedOrigins(self._allowed.hub, origins)

    def pick_folder(self, title: str, answer: Answer) -> None:
        """Open the native dialog."""
        _on_gtk(lambda: self._open_dialog(title, answer))

    def open_external(self, url: str, answer: Answer) -> None:
        """Hand a web or mail address to the system."""

        def launch() -> None:
            if not url.startswith(OPENABLE_SCHEMES):
                answer(None, "Only web and mail addresses are opened.")
                return
            try:
                Gio.AppInfo.launch_default_for_uri(url, None)
            except GLib.Error as error:
                answer(None, f"No application opened the address: {error.message}")
                return
            answer(url, "")

        _on_gtk(launch)

    def show(self) -> None:
        """Bring the window to the front."""

        def present() -> None:
            if self._view is None:  # it is just being made, and will be in front
                return
            self._view.window.deiconify()
            self._view.window.present_with_time(Gdk.CURRENT_TIME)

        _on_gtk(present)

    def reload(self) -> None:
        """Load the page anew."""

        def reload() -> None:
            if self._view is not None:
                self._view.webview.reload()

        _on_gtk(reload)

    def close(self) -> None:
        """Close the window, which ends `run`."""
        _on_gtk(self._close_now)

    def _close_now(self) -> bool:
        if self._view is not None:
            self._view.close_window()
        return GLib.SOURCE_REMOVE

    def _open_dialog(self, title: str, answer: Answer) -> None:
        if self._dialog is not None:
            answer(None, "The folder dialog is open already.")
            return
        dialog = Gtk.FileChooserNative.new(
            title or "Open a folder",
            self._view.window,
            Gtk.FileChooserAction.SELECT_FOLDER,
            "_Open",
            "_Cancel",
        )
        dialog.set_modal(True)
        dialog.set_create_folders(True)
        dialog.set_current_folder(GLib.get_home_dir())

        def on_response(_dialog: Any, response: int) -> None:
            self._dialog = None
            chosen = dialog.get_filename() if response == Gtk.ResponseType.ACCEPT else None
            dialog.destroy()
            self._view.webview.grab_focus()
            answer(chosen, "")

        dialog.connect("response", on_response)
        # A dialog that nobody holds is collected while it is open.
        self._dialog = dialog
        dialog.show()


def _on_gtk(call: Callable[[], object]) -> None:
    def once() -> bool:
        call()
        return GLib.SOURCE_REMOVE

    GLib.idle_add(once)


def _is_dark() -> bool:
    settings = Gtk.Settings.get_default()
    if settings is None:
        return False
    theme = str(settings.get_property("gtk-theme-name")).lower()
    forced = GLib.getenv("GTK_THEME") or ""
    return (
        bool(settings.get_property("gtk-application-prefer-dark-theme"))
        or theme.endswith("-dark")
        or forced.lower().endswith((":dark", "-dark"))
    )


def _follow_system_theme() -> None:
    """GNOME says "dark" in its own settings only, which GTK 3 and WebKit do not read."""
    source = Gio.SettingsSchemaSource.get_default()
    schema = source.lookup("org.gnome.desktop.interface", True) if source else None
    settings = Gtk.Settings.get_default()
    if schema is None or settings is None or not schema.has_key("color-scheme"):
        return
    scheme = Gio.Settings.new("org.gnome.desktop.interface").get_string("color-scheme")
    if scheme == "prefer-dark":
        settings.set_property("gtk-application-prefer-dark-theme", True)
