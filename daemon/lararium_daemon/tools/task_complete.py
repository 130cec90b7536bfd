"""Tool `task_complete`: the agent says that the task is done, which ends the run."""

from pydantic import Field

from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.registry import Preview, Tool, ToolInput, register


class TaskCompleteInput(ToolInput):
    """Arguments of `task_complete`."""

    summary: str = Field(description="What was done, for the person, in a few sentences.")


class TaskComplete(Tool[TaskCompleteInput]):
    """Ends the run."""

    name = "task_complete"
    description = (
        "Say that the whole task is done and end the run. Call it alone, after every other call "
        "has its result."
    )
    permission = ""
    effect = "none"
    input_model = TaskCompleteInput

    async def preview(self, args: TaskCompleteInput, context: ToolContext) -> Preview:
        """Show the summary's first line."""
        return Preview(title=args.summary.strip().split("\n", 1)[0][:200])

    async def run(
        self, args: TaskCompleteInput, preview: Preview, context: ToolContext
    ) -> ToolResult:
        """Hand the summary to the loop, which ends the run."""
        return ToolResult(args.summary, summary="done", metadata={"complete": True})


register(TaskComplete())
