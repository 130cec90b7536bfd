"""What keeps a page in its place on WebKitGTK: no bridge, no foreign page, nothing opened unasked.

pywebview's own handlers are taken out (its bridge can be called from any frame, and it hands any
address of a new window to the system), and ours decide by `navigation.judge`.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAttributeAccessIssue=false
# PyGObject builds its modules at run time; no stubs exist for them.

import logging
from collections.abc import Callable
from typing import Any

import gi

from lararium_desktop.window.navigation import AllowedOrigins, Navigation, judge

gi.require_version("WebKit2", "4.1")
from gi.repository import WebKit2  # noqa: E402  the version is chosen first

logger = logging.getLogger(__name__)

_OFF = (
    "javascript_can_access_clipboard",
    "javascript_can_open_windows_automatically",
    "enable_media_stream",
    "enable_webgl",
    "enable_webaudio",
    "enable_developer_extras",
    "allow_file_access_from_file_urls",
    "allow_universal_access_from_file_urls",
    "enable_html5_database",
)


def install_guard(
    view: Any, allowed: Callable[[], AllowedOrigins], recover: Callable[[], None]
) -> None:
    """Take pywebview's handlers out and put ours in, before any page is loaded.

    `view` is pywebview's `BrowserView`; `recover` is called when the page's process died.
    """
    view.manager.unregister_script_message_handler("jsBridge")
    web = view.webview
    for handler in (view.on_navigation, view.on_load_finish, view.on_drag_data, view.on_request):
        web.disconnect_by_func(handler)
    for name in _OFF:
        setattr(web.get_settings().props, name, False)
    # pywebview hides the view until its own handler, which is out, shows it.
    web.set_opacity(1.0)
    web.connect("decide-policy", _decide, allowed)
    web.connect("permission-request", _refuse_permission)
    web.connect("script-dialog", _refuse, "script dialog")
    web.connect("print", _refuse, "print")
    web.connect("web-process-terminated", _on_process_gone, recover)
    web.get_context().connect("download-started", _refuse_download)


def _decide(_web: Any, decision: Any, kind: Any, allowed: Callable[[], AllowedOrigins]) -> bool:
    navigation = _describe(decision, kind)
    if judge(navigation, allowed()) == "allow":
        decision.use()
    else:
        logger.info("Refused to load %s", _without_fragment(navigation))
        decision.ignore()
    return True


def _describe(decision: Any, kind: Any) -> Navigation:
    if kind == WebKit2.PolicyDecisionType.RESPONSE:
        url = decision.get_request().get_uri()
        top = decision.is_main_frame_main_resource()
        is_download = not decision.is_mime_type_supported()
        return Navigation(url, "top" if top else "child", is_download=is_download)
    action = decision.get_navigation_action()
    new_window = kind == WebKit2.PolicyDecisionType.NEW_WINDOW_ACTION
    return Navigation(action.get_request().get_uri(), new_window=new_window)


def _without_fragment(navigation: Navigation) -> str:
    """Fragments carry tickets, which no log shall hold."""
    return repr(navigation.url.partition("#")[0][:200])


def _refuse_permission(_web: Any, request: Any) -> bool:
    logger.info("Refused a page's request: %s", type(request).__name__)
    request.deny()
    return True


def _refuse(_web: Any, _what: Any, name: str) -> bool:
    logger.info("Refused a page's %s", name)
    return True


def _refuse_download(_context: Any, download: Any) -> None:
    logger.info("Refused a download")
    download.cancel()


def _on_process_gone(_web: Any, reason: Any, recover: Callable[[], None]) -> None:
    logger.warning("The web process ended: %s", reason)
    recover()
