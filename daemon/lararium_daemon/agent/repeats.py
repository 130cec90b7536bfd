"""Calls that a model makes again and again with the same arguments: the person is asked then.

The third such call in a row is asked about even if the mode would allow it, since a model that
has lost its way costs money and changes nothing. What the person allowed in so many words, and
tools that need no permission at all, are left alone.
"""

from dataclasses import replace

import orjson

from lararium_daemon.agent.ports import Ruling
from lararium_daemon.protocol.messages import ToolCallPart
from lararium_daemon.tools.registry import AnyTool

IN_A_ROW = 3
_WHY = (
    f"It is the same call with the same arguments for the {IN_A_ROW}rd time in a row; its result "
    "is above, and another way may be needed."
)


class Repeats:
    """Counts the calls of one run; after each ask it counts anew."""

    def __init__(self) -> None:
        self._last: tuple[str, bytes] | None = None
        self._times = 0

    def checked(self, part: ToolCallPart, tool: AnyTool, ruling: Ruling) -> Ruling:
        """Count a call and give its ruling, which is an ask when it was made too often."""
        call = (part.tool, orjson.dumps(part.arguments, option=orjson.OPT_SORT_KEYS))
        self._times = self._times + 1 if call == self._last else 1
        self._last = call
        if self._times < IN_A_ROW:
            return ruling
        self._times = 0
        if ruling.verdict != "allow" or ruling.is_explicit or not tool.permission:
            return ruling
        return replace(ruling, verdict="ask", reason=_WHY)
