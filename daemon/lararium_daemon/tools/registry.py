"""The tool registry. It knows the protocol and nothing else of ours.

A tool is a subclass of `Tool` whose file calls `register` when it is imported, so adding a tool is
adding a file. `discovery.py` imports them all; one that fails to import is reported and skipped.
A call has two steps: `preview` works out what it would do, without doing it, so that the policy can
judge and the person can see it; `run` does it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from lararium_daemon.protocol.messages import Effect, FileDiff, ToolResult
from lararium_daemon.tools.context import ToolContext


class ToolInput(BaseModel):
    """Base of every tool's arguments; unknown ones are ignored, models invent them."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class ToolFailure(Exception):
    """A call that cannot be done; its text is what the model reads."""

    def __init__(self, text: str, summary: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.summary = summary


@dataclass(slots=True, frozen=True)
class Preview:
    """What a call would do."""

    title: str
    """The row's target: a command's first line, a path relative to the root, a pattern."""
    shown: str = ""
    """Exactly what a person would approve. Shell: cwd, LF, command. Edit: path, LF, diff."""
    command: str = ""
    """Shell tools: the command."""
    path: str = ""
    """File tools: the real absolute path that is read or written, links resolved."""
    address: str = ""
    """Network tools: the URL that is asked for first."""
    before_sha256: str = ""
    """Write tools: the file's hash now, `absent` when there is none."""
    after_sha256: str = ""
    """Write tools: the hash it will have."""
    diff: FileDiff | None = None
    prepared: Any = None
    """What `run` needs of the work already done."""


Args = TypeVar("Args", bound=ToolInput)


class Tool(ABC, Generic[Args]):
    """A tool the model may call."""

    name: ClassVar[str]
    description: ClassVar[str]
    """What the model reads."""
    permission: ClassVar[str]
    """The name rules are written on: `Bash`, `Read`, `Edit`; "" = never asks."""
    effect: ClassVar[Effect]
    """`read` calls run side by side, all others in order."""
    input_model: type[Args]

    def runs_beside(self, arguments: Mapping[str, Any]) -> bool:
        """Tell whether a call with these arguments may run beside its neighbours."""
        return self.effect == "read"

    def parameters(self) -> dict[str, Any]:
        """Give the JSON schema that is offered to the model."""
        schema = self.input_model.model_json_schema()
        schema.pop("title", None)
        schema.pop("description", None)
        return schema

    def parse(self, arguments: dict[str, Any]) -> Args:
        """Read the model's arguments.

        Raises:
            ToolFailure: with one line for each argument that is missing or wrong.
        """
        try:
            return self.input_model.model_validate(arguments)
        except ValidationError as error:
            lines = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
            text = "The arguments do not fit; nothing was run.\n" + "\n".join(lines)
            raise ToolFailure(text, "invalid arguments") from None

    @abstractmethod
    async def preview(self, args: Args, context: ToolContext) -> Preview:
        """Work out what the call would do; change nothing.

        Raises:
            ToolFailure: it cannot be done, e.g. the text to replace is not there.
        """

    @abstractmethod
    async def run(self, args: Args, preview: Preview, context: ToolContext) -> ToolResult:
        """Do it. Cancelling ends all that it started.

        Raises:
            ToolFailure: it could not be done.
        """


AnyTool = Tool[Any]
TOOLS: dict[str, AnyTool] = {}
"""Every registered tool by name."""


def register(tool: AnyTool) -> None:
    """Add a tool.

    Raises:
        ValueError: the name is taken.
    """
    if tool.name in TOOLS:
        raise ValueError(f"a tool named {tool.name} is registered already")
    TOOLS[tool.name] = tool
