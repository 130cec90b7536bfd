"""A desk that shows what a test lays on it and remembers what the tray did there."""

from dataclasses import dataclass, field

import anyio

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import Workspace, WorkspaceState
from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import InboxItem

ATLAS, ORRERY = (WorkspaceId(letter * 16) for letter in "ab")


def workspace(
    identity: WorkspaceId = ATLAS, name: str = "atlas", state: WorkspaceState = "ready"
) -> Workspace:
    return Workspace(id=identity, name=name, path=f"/code/{name}", state=state)


def ask(number: int = 1, *, allow_once: bool = False) -> InboxItem:
    return InboxItem(
        id=f"{ATLAS}.r{number}",
        workspace_id=ATLAS,
        workspace_name="atlas",
        kind="needs_you",
        waiting=True,
        session_id=SessionId("s1"),
        title="Rate-limit",
        detail="git push --force",
        at="2026-01-01T00:00:00Z",
        tool="bash",
        program="git",
        buttons=["allow_once", "deny"] if allow_once else ["review", "deny"],
    )


@dataclass
class FakeDesk:
    given_workspaces: list[Workspace] = field(default_factory=lambda: [workspace()])
    given_items: list[InboxItem] = field(default_factory=list[InboxItem])
    done: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])
    refuses: str = ""
    """What answers, sessions and quits fail with; "" when they work."""
    gate: anyio.Event | None = None
    """Set: answers wait for it."""

    def workspaces(self) -> list[Workspace]:
        return self.given_workspaces

    def items(self) -> list[InboxItem]:
        return self.given_items

    def recent(self) -> tuple[WorkspaceId, ...]:
        return ()

    async def show(self, workspace: WorkspaceId | None, session: SessionId | None) -> None:
        self.done.append(("show", workspace, session))

    async def answer(self, item_id: str, *, allow: bool) -> None:
        self.done.append(("answer", item_id, allow))
        if self.gate is not None:
            await self.gate.wait()
        self._check()

    async def new_session(self, workspace: WorkspaceId) -> SessionId:
        self._check()
        self.done.append(("new_session", workspace))
        return SessionId("fresh")

    async def quit(self, *, stop_daemons: bool) -> None:
        self._check()
        self.done.append(("quit", stop_daemons))

    def _check(self) -> None:
        if self.refuses:
            raise LarariumError("refused", self.refuses, 409)
