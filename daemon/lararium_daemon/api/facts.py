"""What the daemon says about itself: its state, its tools, and why a command gets its verdict."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Literal

import psutil

from lararium_daemon import __version__
from lararium_daemon.permissions.explain import explain
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.protocol.api import (
    ApiVersion,
    DaemonStatus,
    ToolInfo,
    ToolList,
    VerdictExplained,
)
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.sessions.manager import SessionManager
from lararium_daemon.tools.registry import AnyTool


@dataclass(slots=True)
class Facts:
    """The facts of one daemon."""

    guid: str
    workspace_id: WorkspaceId
    root: Path
    security: Literal["token", "trust-same-user"]
    gateway: ModelGateway
    tools: Mapping[str, AnyTool]
    failed_tools: Mapping[str, str]
    rules: Callable[[], RuleSet]
    """The rules that hold now, user's and workspace's."""
    asks: Callable[[], int]
    """How many requests and questions wait for the person."""
    notices: Callable[[], list[str]]
    is_trusted: Callable[[], bool]
    """Whether the person trusts the folder."""
    started: float = field(default_factory=monotonic)

    async def status(self, manager: SessionManager) -> DaemonStatus:
        """Give the state now."""
        process = psutil.Process()
        return DaemonStatus(
            guid=self.guid,
            version=__version__,
            api_version=ApiVersion(),
            workspace_id=self.workspace_id,
            workspace_path=str(self.root),
            workspace_name=self.root.name or str(self.root),
            pid=process.pid,
            uptime_seconds=round(monotonic() - self.started, 3),
            security=self.security,
            sandbox="none",
            model=self.gateway.status(),
            sessions=await manager.library.journal.session_count(),
            running=manager.places.taken,
            waiting=self.asks(),
            memory_bytes=process.memory_info().rss,
            notices=self.notices(),
        )

    def tool_list(self) -> ToolList:
        """Give the tools as they are offered to a model."""
        items = [
            ToolInfo(
                name=tool.name,
                description=tool.description,
                permission=tool.permission,
                parameters=tool.parameters(),
            )
            for tool in self.tools.values()
        ]
        return ToolList(items=items, failed=dict(self.failed_tools))

    def explain(self, command: str, folder: str) -> VerdictExplained:
        """Say why a shell command would be allowed, asked or denied."""
        found = explain(
            command, self.rules(), self.root, folder=folder, is_trusted=self.is_trusted()
        )
        return VerdictExplained.model_validate(found)
