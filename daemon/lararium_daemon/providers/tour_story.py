"""How far a session of the tour has come, read from nothing but the messages of a request."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from lararium_daemon.providers.provider import ModelMessage

_AGAIN = re.compile(
    r"\b(again|restart|once more|repeat|start over|nochmal|noch einmal)\b", re.IGNORECASE
)
_OWN_WORDS = re.compile(r"In their words: (.*)", re.DOTALL)


@dataclass(slots=True, frozen=True)
class TourCall:
    """A call that the tour made, and what came of it."""

    tool: str
    arguments: dict[str, Any]
    result: str

    @property
    def outcome(self) -> Literal["done", "denied", "failed"]:
        """Whether it ran; as a model would read it."""
        if self.result.startswith(("The person denied", "Denied:")):
            return "denied"
        if re.search(
            r"^\[(exit \d+|timed out)|^There is no result|was not |^No ", self.result, re.M
        ):
            return "failed"
        return "done"

    @property
    def own_words(self) -> str:
        """What the person answered in words of their own, "" when they chose an option."""
        found = _OWN_WORDS.search(self.result)
        return found[1].strip() if found else ""


@dataclass(slots=True, frozen=True)
class TourStory:
    """A session so far, from the first message or the last that asked to see the tour again."""

    calls: tuple[TourCall, ...]
    said: str
    """The person's last message."""
    is_asked: bool
    """Nothing was answered to it yet."""
    is_first: bool
    """It is the first since the beginning."""

    def last(self, tool: str) -> TourCall | None:
        """Give the last call of a tool."""
        return next((call for call in reversed(self.calls) if call.tool == tool), None)

    @property
    def is_over(self) -> bool:
        """The tour has been completed."""
        return self.last("task_complete") is not None


def read_story(messages: Sequence[ModelMessage]) -> TourStory:
    """Read how far a session has come."""
    begin = 0
    for place, message in enumerate(messages):
        if message.role == "user" and _AGAIN.search(message.text):
            before = _calls(messages[begin:place])
            if any(call.tool == "task_complete" for call in before):
                begin = place
    told = messages[begin:]
    asked = [place for place, message in enumerate(told) if message.role == "user"]
    return TourStory(
        calls=tuple(_calls(told)),
        said=told[asked[-1]].text.strip() if asked else "",
        is_asked=bool(asked) and asked[-1] == len(told) - 1,
        is_first=len(asked) <= 1,
    )


def _calls(messages: Sequence[ModelMessage]) -> list[TourCall]:
    results = {each.tool_call_id: each.text for each in messages if each.role == "tool"}
    return [
        TourCall(call.name, _arguments(call.arguments_json), results.get(call.id, ""))
        for message in messages
        for call in message.tool_calls
    ]


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
