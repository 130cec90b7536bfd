"""A project folder and a way to call tools in it, as the loop does: parse, preview, run."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lararium_daemon.protocol.ids import CallId, SessionId
from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.protocol.permissions import QuestionAnswer, QuestionItem
from lararium_daemon.system.environment import child_environment
from lararium_daemon.tools.context import FileLedger, MayRead, ToolContext
from lararium_daemon.tools.discovery import discover
from lararium_daemon.tools.registry import TOOLS, Preview, ToolFailure


def _any_file(path: Path) -> bool:
    return True


@dataclass
class ToolBench:
    """Calls tools in a project."""

    root: Path
    spool: Path
    environment: dict[str, str]
    session_id: SessionId
    ledger: FileLedger = field(default_factory=FileLedger)
    answers: list[QuestionAnswer] = field(default_factory=list[QuestionAnswer])
    asked: list[QuestionItem] = field(default_factory=list[QuestionItem])
    shown: list[tuple[bytes, int]] = field(default_factory=list[tuple[bytes, int]])
    may_read: MayRead = _any_file

    @property
    def home(self) -> Path:
        return Path(self.environment["HOME"])

    def context(self) -> ToolContext:
        return ToolContext(
            root=self.root,
            session_id=self.session_id,
            call_id=CallId(f"call_{os.getpid()}_{id(self)}"),
            environment=self.environment,
            spool=self.spool,
            ledger=self.ledger,
            ask=self._ask,
            progress=lambda tail, total: self.shown.append((tail, total)),
            may_read=self.may_read,
        )

    async def preview(self, name: str, **arguments: Any) -> Preview:
        tool = TOOLS[name]
        return await tool.preview(tool.parse(arguments), self.context())

    async def finish(self, name: str, preview: Preview, **arguments: Any) -> ToolResult:
        tool = TOOLS[name]
        return await tool.run(tool.parse(arguments), preview, self.context())

    async def call(self, name: str, **arguments: Any) -> ToolResult:
        preview = await self.preview(name, **arguments)
        return await self.finish(name, preview, **arguments)

    async def fails(self, name: str, **arguments: Any) -> str:
        """Give the text of the failure that the call must end with."""
        with pytest.raises(ToolFailure) as failure:
            await self.call(name, **arguments)
        return failure.value.text

    def write(self, name: str, data: bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    async def _ask(self, items: list[QuestionItem]) -> list[QuestionAnswer]:
        self.asked.extend(items)
        return self.answers


def environment_of(extra: Mapping[str, str]) -> dict[str, str]:
    return child_environment(os.environ, extra)


@pytest.fixture
def bench(tmp_path: Path) -> ToolBench:
    assert discover() == {}
    root, home = tmp_path / "work", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    environment = environment_of({"HOME": str(home)})
    return ToolBench(root.resolve(), tmp_path / "spool", environment, SessionId("ses_1"))
