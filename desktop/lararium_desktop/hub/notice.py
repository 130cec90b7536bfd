"""Which news becomes a notification, and what it says: pure.

A notification may be read by whoever stands beside the screen, so it names the project, the session
and the kind of news, and of a command the programs only: no code, no arguments, no paths.
"""

from dataclasses import dataclass

from lararium_daemon.protocol.attention import AttentionItem
from lararium_daemon.protocol.confined import Button, buttons
from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.inbox import InboxItem
from lararium_desktop.system.notifications.short_text import BODY_UNITS, TITLE_UNITS, cut
from lararium_desktop.system.notifications.toast import Toast, ToastButton

PROJECT_UNITS = 40
SESSION_UNITS = 100

_LABELS: dict[Button, str] = {"allow_once": "Allow once", "review": "Review…", "deny": "Deny"}
_WISHES = {
    "write_file": "change a file",
    "edit_file": "change a file",
    "read_file": "read a file",
    "grep": "read files",
    "glob": "list files",
    "web_fetch": "fetch a page",
    "web_search": "search the web",
}
_ENDS = {
    "budget": "stopped at its limit.",
    "refused_by_model": "ended: the model declined.",
    "daemon_restarted": "was cut off when its daemon stopped. Nothing was started again.",
}


@dataclass(slots=True, frozen=True)
class NoticeRules:
    """What the person wants to be told."""

    needs_you: bool = True
    failed: bool = True
    finished: bool = True
    finished_after_seconds: float = 30.0
    """A run that took no longer is no news."""


def is_wanted(
    item: AttentionItem, rules: NoticeRules, *, session_in_front: bool, window_in_front: bool
) -> bool:
    """Say whether an item becomes a notification now."""
    match item.kind:
        case "needs_you" | "question":
            return rules.needs_you and not session_in_front
        case "failed":
            return rules.failed and not session_in_front
        case "finished":
            took = item.run_seconds or 0.0
            return rules.finished and not window_in_front and took > rules.finished_after_seconds


def toast_of(key: str, item: AttentionItem, workspace: Workspace) -> Toast:
    """Give the notification of an item."""
    project = cut(workspace.name, PROJECT_UNITS)
    session = cut(item.title, SESSION_UNITS)
    subject = f"“{session}”" if session else "A session"
    is_remote = workspace.location == "remote"
    match item.kind:
        case "needs_you":
            offered = buttons(allow_once=item.allow_once, is_remote=is_remote)
            advice = " Look before you allow it." if "review" in offered else ""
            body = f"{subject} wants to {_wish(item)}.{advice}"
            shown = tuple(ToastButton(each, _LABELS[each]) for each in offered)
            return _toast(key, f"{project} needs you", body, shown)
        case "question":
            asked = (ToastButton("review", "Answer…"), ToastButton("later", "Later"))
            is_spend = item.code == "spend_cap"
            reached = "has reached its spend cap and waits for your answer."
            body = f"{subject} {reached if is_spend else 'waits for your answer.'}"
            return _toast(key, f"{project} has a question", body, asked)
        case "failed":
            end = _ENDS.get(item.code, "stopped before it was done.")
            return _toast(key, f"{project}: a run failed", f"{subject} {end}")
        case "finished":
            time = _duration(item.run_seconds or 0.0)
            return _toast(key, f"{project} finished", f"{subject} is done after {time}.")


def crash_toast(key: str, crash: InboxItem) -> Toast:
    """Give the notification of a daemon that stopped without being asked to."""
    body = "Its daemon stopped without being asked to. Its sessions are on disk."
    return _toast(key, f"{cut(crash.workspace_name, PROJECT_UNITS)} stopped", body)


def _toast(key: str, title: str, body: str, shown: tuple[ToastButton, ...] = ()) -> Toast:
    return Toast(key, cut(title, TITLE_UNITS), cut(body, BODY_UNITS), shown)


def _wish(item: AttentionItem) -> str:
    if item.tool == "bash":
        return f"run {item.program}" if item.program else "run a command"
    return _WISHES.get(item.tool, "use a tool")


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    hours, minutes = divmod(round(whole / 60), 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
