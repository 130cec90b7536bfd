"""What hub and tray process say to each other: one JSON object a line on the tray's stdio.

Hub → tray: a whole `TrayModel` after each change. Tray → hub: whether an icon can be seen here,
and what the person clicked. A click names an action by its id, which means the same whenever it
arrives; what it names may be gone by then, and then nothing happens.

Standard library alone: pydantic and the models of the wire would be a third of the tray's memory.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_args

from lararium_daemon.protocol.ids import WorkspaceId

if TYPE_CHECKING:
    from lararium_daemon.protocol.confined import Button
    from lararium_daemon.protocol.hub import WorkspaceState
    from lararium_daemon.protocol.inbox import InboxKind

Made = TypeVar("Made")

MAX_LINE_BYTES = 1024 * 1024

Verb = Literal[
    "show",
    "open_workspace",
    "open_item",
    "allow_once",
    "deny",
    "new_session",
    "quit",
    "quit_and_stop",
]


@dataclass(frozen=True)
class TrayAction:
    """What a menu entry does."""

    verb: Verb
    target: str = ""
    """The id of the workspace or of the inbox item; "" where the verb needs none."""

    @property
    def id(self) -> str:
        """The same action has the same id, in every menu."""
        return f"{self.verb}:{self.target}" if self.target else self.verb


def parse_action(text: str) -> TrayAction | None:
    """Read an action's id back; None when it is none of ours."""
    verb, _, target = text.partition(":")
    for known in get_args(Verb):
        if verb == known:
            return TrayAction(known, target)
    return None


@dataclass(frozen=True)
class TrayWorkspace:
    """One project."""

    id: WorkspaceId
    name: str
    state: "WorkspaceState"
    running: int = 0
    """Sessions that run or wait for their turn."""
    waiting: int = 0
    """Things that wait for the person."""
    unread: int = 0
    """Runs that ended and were not looked at."""
    pinned: bool = False

    @property
    def runs(self) -> int:
        """How many runs a stop of its daemon would cut; one that waits for the person counts."""
        return max(self.running, 1 if self.waiting else 0)


@dataclass(frozen=True)
class TrayItem:
    """One thing for the person."""

    id: str
    workspace_id: WorkspaceId
    workspace_name: str
    kind: "InboxKind"
    waiting: bool
    title: str = ""
    """The session's."""
    tool: str = ""
    program: str = ""
    """Names of programs, never arguments; "" when unsure."""
    buttons: "tuple[Button, ...]" = ()


@dataclass(frozen=True)
class TrayModel:
    """All that icon and menu are made of."""

    workspaces: tuple[TrayWorkspace, ...] = ()
    """In the person's own order."""
    items: tuple[TrayItem, ...] = ()
    """What waits, oldest first, then what ended."""
    recent: tuple[WorkspaceId, ...] = ()
    """Projects that were shown last, newest first."""


@dataclass(frozen=True)
class TrayReady:
    """The icon stands in a tray."""

    host: str
    type: Literal["ready"] = "ready"


@dataclass(frozen=True)
class TrayNoHost:
    """There is no tray that would show the icon and its menu."""

    reason: str
    is_final: bool
    """False when the process goes on and says `ready` as soon as a tray appears."""
    type: Literal["no_host"] = "no_host"


@dataclass(frozen=True)
class TrayClick:
    """The person chose an entry."""

    action: str
    type: Literal["click"] = "click"


TraySaid = TrayReady | TrayNoHost | TrayClick


def encode_model(model: TrayModel) -> bytes:
    """Give the line, with its end."""
    return _line(asdict(model))


def decode_model(line: bytes) -> TrayModel:
    """Read what the hub sent. Raises ValueError."""
    return _decoded(line, _model)


def encode_said(said: TraySaid) -> bytes:
    """Give the line, with its end."""
    return _line(asdict(said))


def decode_said(line: bytes) -> TraySaid:
    """Read what the tray process said. Raises ValueError."""
    return _decoded(line, _said)


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content).encode() + b"\n"


def _decoded(line: bytes, made: Callable[[Any], Made]) -> Made:
    try:
        return made(json.loads(line))
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("not a message") from error


def _model(content: Any) -> TrayModel:
    return TrayModel(
        workspaces=tuple(_workspace(each) for each in content["workspaces"]),
        items=tuple(_item(each) for each in content["items"]),
        recent=tuple(WorkspaceId(_text(each)) for each in content["recent"]),
    )


def _workspace(content: Mapping[str, Any]) -> TrayWorkspace:
    return TrayWorkspace(
        id=WorkspaceId(_text(content["id"])),
        name=_text(content["name"]),
        state=cast("WorkspaceState", _text(content["state"])),
        running=_count(content["running"]),
        waiting=_count(content["waiting"]),
        unread=_count(content["unread"]),
        pinned=_flag(content["pinned"]),
    )


def _item(content: Mapping[str, Any]) -> TrayItem:
    return TrayItem(
        id=_text(content["id"]),
        workspace_id=WorkspaceId(_text(content["workspace_id"])),
        workspace_name=_text(content["workspace_name"]),
        kind=cast("InboxKind", _text(content["kind"])),
        waiting=_flag(content["waiting"]),
        title=_text(content["title"]),
        tool=_text(content["tool"]),
        program=_text(content["program"]),
        buttons=cast("tuple[Button, ...]", tuple(_text(each) for each in content["buttons"])),
    )


def _said(content: Any) -> TraySaid:
    match content["type"]:
        case "ready":
            return TrayReady(_text(content["host"]))
        case "no_host":
            return TrayNoHost(_text(content["reason"]), _flag(content["is_final"]))
        case "click":
            return TrayClick(_text(content["action"]))
        case other:
            raise ValueError(f"{other!r} is no message of the tray's")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int):
        raise TypeError
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value
