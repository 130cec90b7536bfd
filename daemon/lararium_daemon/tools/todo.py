"""Tool `todo`: the agent's list of steps, whole each time, for the person to follow.

The list becomes part of the session's state; it is in the result's metadata as well.
"""

from typing import Any, cast

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.protocol.text import whole_text
from lararium_daemon.protocol.todo import StepState, TodoStep, as_lines
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.registry import Preview, Tool, ToolInput, register

_OTHER_WORDS = {"completed": "done", "complete": "done", "todo": "pending", "canceled": "cancelled"}


class Step(BaseModel):
    """One step."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    text: str = Field(
        min_length=1,
        max_length=500,
        validation_alias=AliasChoices("text", "content", "title"),
        description="What is to be done, in a few words.",
    )
    state: StepState = Field(default="pending", validation_alias=AliasChoices("state", "status"))

    @model_validator(mode="before")
    @classmethod
    def _use_our_words(cls, data: object) -> object:
        if isinstance(data, str):
            return {"text": data}
        if not isinstance(data, dict):
            return data
        given = cast("dict[str, Any]", data)
        state = given.get("state", given.get("status", "pending"))
        return {**given, "state": _OTHER_WORDS.get(str(state), state)}


class TodoInput(ToolInput):
    """Arguments of `todo`."""

    steps: list[Step] = Field(
        max_length=50,
        validation_alias=AliasChoices("steps", "todos", "items"),
        description="All steps in order; the list before is replaced.",
    )


class Todo(Tool[TodoInput]):
    """Keeps the list."""

    name = "todo"
    description = (
        "Keep the list of steps of a task with more than two: give it whole each time, one step "
        "in_progress at most, and mark a step done as soon as it is."
    )
    permission = ""
    effect = "none"
    input_model = TodoInput

    async def preview(self, args: TodoInput, context: ToolContext) -> Preview:
        """Show the step that is worked on."""
        done = sum(step.state == "done" for step in args.steps)
        current = next((step.text for step in args.steps if step.state == "in_progress"), "")
        title = f"{done} of {len(args.steps)} done" + (f": {current}" if current else "")
        return Preview(title=title.split("\n", 1)[0][:200])

    async def run(self, args: TodoInput, preview: Preview, context: ToolContext) -> ToolResult:
        """Keep the list and give it back as it stands."""
        steps = [TodoStep(whole_text(step.text), step.state) for step in args.steps]
        context.keep_todo(steps)
        done = sum(step.state == "done" for step in steps)
        return ToolResult(
            as_lines(steps) or "The list is empty.",
            summary=f"{done} of {len(steps)} done",
            metadata={"steps": [{"text": step.text, "state": step.state} for step in steps]},
        )


register(Todo())
