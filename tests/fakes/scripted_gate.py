"""A gate whose rulings and answers are written down before."""

from dataclasses import dataclass, field

import anyio

from lararium_daemon.agent.ports import Answers, Resolution, Ruling
from lararium_daemon.protocol.permissions import PermissionRequest, Question
from lararium_daemon.tools.registry import AnyTool, Preview

ALLOW = Ruling("allow", "")
ASK = Ruling("ask", "No rule covers this.", ["Probe(x)"])


@dataclass
class ScriptedGate:
    """Gives `ruling` to every call; an ask without a scripted end is never answered."""

    ruling: Ruling = ALLOW
    end: Resolution | None = None
    answered: Answers | None = None
    confirmed: list[str] = field(default_factory=list[str])
    """Ids of asks whose answer was said to be committed."""
    withdrawn: list[str] = field(default_factory=list[str])
    waits: anyio.Event = field(default_factory=anyio.Event)
    """Set once somebody waits for the person."""

    def judge(self, tool: AnyTool, preview: Preview) -> Ruling:
        """Give the one ruling."""
        return self.ruling

    def open_request(self, request: PermissionRequest, tool: AnyTool, preview: Preview) -> None:
        """Nothing to do: the end is known."""

    async def resolution(self, request: PermissionRequest) -> Resolution:
        """Give the scripted end."""
        self.waits.set()
        if self.end is None:
            await anyio.sleep_forever()
            raise AssertionError
        return self.end

    def open_question(self, question: Question) -> None:
        """Nothing to do: the answer is known."""

    async def answers(self, question: Question) -> Answers:
        """Give the scripted answers."""
        self.waits.set()
        if self.answered is None:
            await anyio.sleep_forever()
            raise AssertionError
        return self.answered

    def committed(self, ask: PermissionRequest | Question) -> None:
        """Keep whose answer is committed."""
        self.confirmed.append(ask.id)

    def withdraw(self, ask: PermissionRequest | Question) -> None:
        """Keep what was withdrawn."""
        self.withdrawn.append(ask.id)
