"""A tool that does what a test tells it: the real contract without files or processes."""

from typing import ClassVar

import anyio

from lararium_daemon.protocol.messages import Effect, ToolResult
from lararium_daemon.protocol.permissions import QuestionItem, QuestionOption
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.registry import Preview, Tool, ToolFailure, ToolInput


class ProbeInput(ToolInput):
    """What the probe is to do."""

    say: str = ""
    fail: bool = False
    ask: bool = False
    complete: bool = False
    wait_for_sibling: bool = False


class ProbeTool(Tool[ProbeInput]):
    """Runs as told and keeps in which order its calls began and ended."""

    description: ClassVar = "A probe."
    permission: ClassVar = "Probe"
    input_model = ProbeInput

    def __init__(self, name: str = "probe", effect: Effect = "exec") -> None:
        self.name: str = name  # pyright: ignore[reportIncompatibleVariableOverride]
        self.effect: Effect = effect  # pyright: ignore[reportIncompatibleVariableOverride]
        self.log: list[str] = []
        self.started = anyio.Event()
        self._siblings = anyio.Event()

    async def preview(self, args: ProbeInput, context: ToolContext) -> Preview:
        """Show what it would say."""
        self.log.append(f"preview {args.say}")
        return Preview(title=args.say, shown=f"probe\n{args.say}")

    async def run(self, args: ProbeInput, preview: Preview, context: ToolContext) -> ToolResult:
        """Do as told."""
        self.log.append(f"begin {args.say}")
        self.started.set()
        if args.wait_for_sibling:
            if sum(line.startswith("begin") for line in self.log) == 2:
                self._siblings.set()
            await self._siblings.wait()
        if args.say == "for ever":
            await anyio.sleep_forever()
        if args.ask:
            options = [QuestionOption("a"), QuestionOption("b")]
            answers = await context.ask([QuestionItem("Which?", options)])
            return ToolResult(f"chosen: {answers[0].selected if answers else 'nobody'}")
        if args.fail:
            raise ToolFailure(f"cannot say {args.say}", "failed")
        self.log.append(f"end {args.say}")
        return ToolResult(args.say, metadata={"complete": True} if args.complete else {})
