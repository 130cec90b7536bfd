"""Putting a stream's pieces of tool calls together.

Servers disagree on everything but the fields' names: index may be missing or always 0, the id
missing, empty, repeated or new in each piece, the name whole, split or resent. The rules here are
ordered from what is certain (another index, another id with a name) to what is likely.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, cast

from lararium_daemon.protocol.text import whole_text
from lararium_daemon.providers.arguments import arguments_text, is_object, parse_arguments
from lararium_daemon.providers.provider import CallRequested

EXTRA = "extra_content"
"""Field of a call that must go back with it, e.g. its thought signature."""


@dataclass(slots=True)
class _Draft:
    """A call whose pieces are still coming."""

    index: int | None
    id: str
    name: str = ""
    pieces: list[str] = field(default_factory=list[str])
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    """What goes back with the call."""

    def text(self) -> str:
        return "".join(self.pieces)

    def is_complete(self) -> bool:
        # The last piece is looked at first: a name resent with every piece must not cost a join.
        return bool(self.pieces) and self.pieces[-1].endswith("}") and is_object(self.text())


@dataclass(slots=True, frozen=True)
class _Piece:
    """One item of a delta's `tool_calls`, made regular."""

    index: int | None
    id: str
    name: str
    arguments: str
    extra: dict[str, Any]


class ToolDrafts:
    """The tool calls of one answer."""

    def __init__(self, tool_names: Collection[str] = ()) -> None:
        self._tool_names = frozenset(tool_names)
        self._drafts: list[_Draft] = []
        self.extras: list[dict[str, Any]] = []
        """What goes back with each call, in order; known once they are finished."""

    def add(self, items: list[Any]) -> None:
        """Take the `tool_calls` of one delta (or of a whole message)."""
        touched: list[_Draft] = []
        for item in items:
            piece = _regular(item)
            if piece is None:
                continue
            draft = self._find(piece)
            if draft is not None and piece.name and any(draft is other for other in touched):
                draft = None  # one delta does not hold two pieces of one call
            if draft is None:
                draft = _Draft(piece.index, piece.id)
                self._drafts.append(draft)
            touched.append(draft)
            self._extend(draft, piece)

    def finish(self, *, hit_output_limit: bool) -> list[CallRequested]:
        """Give the calls, in the order in which they were begun.

        `hit_output_limit`: the answer ended at the output limit, so its last call may be cut.
        """
        calls: list[CallRequested] = []
        for number, draft in enumerate(self._drafts, 1):
            raw = whole_text(draft.text())
            is_last = number == len(self._drafts)
            parsed = parse_arguments(raw, hit_output_limit=hit_output_limit and is_last)
            calls.append(CallRequested(whole_text(draft.name), parsed.value, raw, parsed.error))
        self.extras = [draft.extra for draft in self._drafts]
        self._drafts.clear()
        return calls

    def _find(self, piece: _Piece) -> _Draft | None:
        """Give the call that the piece goes on with, None when it begins one."""
        if piece.index is not None:
            mine = [d for d in self._drafts if d.index == piece.index]
            if not mine and not piece.name:
                mine = [d for d in self._drafts if d.index is None]
        elif piece.id and any(d.id == piece.id for d in self._drafts):
            mine = [d for d in self._drafts if d.id == piece.id]
        else:
            mine = self._drafts
        if not mine:
            return None
        latest = mine[-1]
        if not piece.name:
            # A new id alone is no new call: some servers make one for each piece.
            return latest
        if piece.id and latest.id and piece.id != latest.id:
            return None
        if piece.index is None and piece.id and not latest.id:
            return None
        # A name again: resent with a further piece, or the next call of a server that counts
        # nothing. A call that is complete needs no further piece.
        return None if piece.arguments and latest.is_complete() else latest

    def _extend(self, draft: _Draft, piece: _Piece) -> None:
        draft.id = draft.id or piece.id
        if draft.index is None:
            draft.index = piece.index
        if piece.name:
            draft.name = self._join_name(draft, piece.name)
        if piece.arguments:
            draft.pieces.append(piece.arguments)
        draft.extra |= piece.extra

    def _join_name(self, draft: _Draft, name: str) -> str:
        """Tell a name that is resent, or grows, from one that comes in parts."""
        known = draft.name
        if known not in self._tool_names and known + name in self._tool_names:
            return known + name
        if not known or name == known:
            return name
        if name.startswith(known) and (name in self._tool_names or known not in self._tool_names):
            return name
        if known + name in self._tool_names:
            return known + name
        return known if known in self._tool_names or draft.pieces else known + name


def _regular(item: Any) -> _Piece | None:
    if not isinstance(item, dict):
        return None
    call = cast("dict[str, Any]", item)
    function: Any = call.get("function")
    body = cast("dict[str, Any]", function) if isinstance(function, dict) else call
    index = call.get("index")
    return _Piece(
        index=index if isinstance(index, int) and not isinstance(index, bool) else None,
        id=_text(call.get("id")),
        name=_text(body.get("name")),
        arguments=arguments_text(body.get("arguments")),
        extra={EXTRA: call[EXTRA]} if call.get(EXTRA) else {},
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
