"""Tool `task`: a subagent works on a part of the task in a session of its own.

It shares the run's budget, permissions and mode, asks the person itself, and has no subagents. Its
last words are the result. Those that only read run side by side.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.tools.context import Subtask, ToolContext
from lararium_daemon.tools.registry import Preview, Tool, ToolFailure, ToolInput, register

TITLE_CHARS = 80


class TaskInput(ToolInput):
    """Arguments of `task`."""

    description: str = Field(
        min_length=1, max_length=200, description="What it is to do, in three to six words."
    )
    prompt: str = Field(
        min_length=1,
        max_length=100_000,
        description="The whole task. It knows nothing of this session: name files, what is known "
        "and what its answer must hold.",
    )
    read_only: bool = Field(
        default=False,
        description="It only reads and searches. Such calls of one answer run side by side.",
    )


class Task(Tool[TaskInput]):
    """Lets a subagent work."""

    name = "task"
    description = (
        "Let a subagent do a part of the task that can stand alone, such as a search over many "
        "files, and give you its answer. It works in this project with the same permissions and "
        "shares your budget. Do small things yourself."
    )
    permission = "Agent"
    effect = "none"
    input_model = TaskInput

    def runs_beside(self, arguments: Mapping[str, Any]) -> bool:
        """Those that only read do."""
        return arguments.get("read_only") is True

    async def preview(self, args: TaskInput, context: ToolContext) -> Preview:
        """Show what it is to do."""
        title = args.description.strip().partition("\n")[0][:TITLE_CHARS]
        return Preview(title=title, shown=f"{title}\n{args.prompt}")

    async def run(self, args: TaskInput, preview: Preview, context: ToolContext) -> ToolResult:
        """Wait for its last words."""
        if context.delegate is None:
            raise ToolFailure("A subagent has no subagents. Do it yourself.", "not here")
        end = await context.delegate(Subtask(preview.title, args.prompt, args.read_only))
        return ToolResult(
            end.text,
            is_error=not end.is_done,
            summary="done" if end.is_done else "stopped",
            metadata={"session_id": end.session_id},
        )


register(Task())
