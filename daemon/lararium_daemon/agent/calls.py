"""The tool calls of one answer: previewed, judged, asked about, run.

Reads run side by side, everything else in the order the model asked for it. The intent
(`tool.started`) is committed before its act, in the last transaction before it; a result waits for
the next transaction. A call that cannot or may not run ends with a result as well: the model reads
why, and the run goes on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import anyio

from lararium_daemon.agent.asks import Asks
from lararium_daemon.agent.ports import Gate, MakeContext, Recorder, RunPlan
from lararium_daemon.agent.repeats import Repeats
from lararium_daemon.agent.staging import Staging
from lararium_daemon.protocol.events import TodoUpdated, ToolEnded, ToolProgress, ToolStarted
from lararium_daemon.protocol.messages import CallState, ToolCallPart, ToolResult
from lararium_daemon.protocol.permissions import QuestionAnswer, QuestionItem
from lararium_daemon.protocol.text import whole_json, whole_text
from lararium_daemon.protocol.todo import TodoStep
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.registry import AnyTool, Preview, ToolFailure, ToolInput

SIDE_BY_SIDE = 8
"""Reads of one answer that run at once; the rest wait."""

_INTERRUPTED = "Interrupted before it ended. It may have partly run; it will not be repeated."
_NOBODY = "Denied: it needs the person's permission, and nobody is here to give it."


@dataclass(slots=True, frozen=True)
class _Ready:
    """A call that may start."""

    part: ToolCallPart
    tool: AnyTool
    args: ToolInput
    preview: Preview
    context: ToolContext


class Calls:
    """Runs the calls of a run's answers."""

    def __init__(
        self,
        plan: RunPlan,
        recorder: Recorder,
        staging: Staging,
        gate: Gate,
        asks: Asks,
        tools: Mapping[str, AnyTool],
        make_context: MakeContext,
    ) -> None:
        self._plan = plan
        self._recorder = recorder
        self._staging = staging
        self._gate = gate
        self._asks = asks
        self._tools = tools
        self._make_context = make_context
        self._limit = anyio.CapacityLimiter(SIDE_BY_SIDE)
        self._repeats = Repeats()
        self.refused = 0
        """Asks denied because nobody is there."""
        self.completed: ToolResult | None = None
        """The result of `task_complete`, when the last answer called it."""
        self.is_changing = False
        """Whether the last answer's calls changed a file."""

    async def perform(self, calls: Sequence[ToolCallPart]) -> None:
        """Run `calls`; their last results are staged, not committed."""
        self.is_changing, self.completed = False, None
        for group in self._groups(calls):
            ready = [step for part in group if (step := await self._prepare(part))]
            # A question that a restart left open is of a call that has its intent already.
            fresh = [step for step in ready if step.part.state == "pending"]
            self._staging.add(*(self._intent(step) for step in fresh))
            if ready or self._asks.has_unconfirmed():
                await self._asks.commit()
            async with anyio.create_task_group() as side_by_side:
                for step in ready:
                    side_by_side.start_soon(self._run, step)

    def confirm(self) -> None:
        """Tell those who decided that their decisions are committed."""
        self._asks.confirm()

    def _groups(self, calls: Sequence[ToolCallPart]) -> list[list[ToolCallPart]]:
        """Give neighbouring reads together and every other call alone."""
        groups: list[list[ToolCallPart]] = []
        for part in calls:
            if groups and self._is_read(part) and self._is_read(groups[-1][-1]):
                groups[-1].append(part)
            else:
                groups.append([part])
        return groups

    def _is_read(self, part: ToolCallPart) -> bool:
        tool = self._tools.get(part.tool)
        return tool is not None and tool.runs_beside(part.arguments)

    async def _prepare(self, part: ToolCallPart) -> _Ready | None:
        """Preview, judge and, where it must, ask; None when the call has ended here."""
        try:
            step = await self._preview(part)
        except ToolFailure as failure:
            self._asks.left_open(part, None)
            self._end(part, "error", ToolResult(whole_text(failure.text), True, failure.summary))
            return None
        ruling = self._gate.judge(step.tool, step.preview)
        ruling = self._repeats.checked(part, step.tool, ruling)
        if ruling.verdict == "deny":
            self._asks.left_open(part, None)
            self._end(part, "denied", ToolResult(f"Denied: {ruling.reason}", True, "denied"))
            return None
        left = self._asks.left_open(part, step.preview)
        if ruling.verdict == "allow" and left is None:
            return step
        if self._plan.headless:
            self.refused += 1
            text = f"{_NOBODY} {ruling.reason}"
            self._end(part, "denied", ToolResult(text, True, "nobody to ask"))
            return None
        end = await self._asks.permission(part, step.tool, step.preview, ruling, left)
        if end.decision == "allow":
            return step
        note = f" They said: {end.reason}" if end.reason else ""
        self._end(part, "denied", ToolResult(f"The person denied this.{note}", True, "denied"))
        return None

    async def _preview(self, part: ToolCallPart) -> _Ready:
        tool = self._tools.get(part.tool)
        if tool is None:
            offered = ", ".join(sorted(self._tools))
            raise ToolFailure(
                f"There is no tool {part.tool!r}. The tools are: {offered}.", "unknown"
            )
        if part.arguments_error:
            raise ToolFailure(f"{part.arguments_error} Nothing was run.", "invalid arguments")
        args = tool.parse(part.arguments)
        context = self._context(part)
        try:
            preview = await tool.preview(args, context)
        except OSError as error:
            raise ToolFailure(f"It could not be prepared: {error}. Nothing was run.") from error
        return _Ready(part, tool, args, preview, context)

    def _intent(self, step: _Ready) -> ToolStarted:
        return ToolStarted(
            self._plan.run_id,
            step.part.call_id,
            before_sha256=step.preview.before_sha256,
            after_sha256=step.preview.after_sha256,
            path=step.preview.path if step.tool.effect == "write" else "",
        )

    async def _run(self, step: _Ready) -> None:
        try:
            async with self._limit:
                result = await step.tool.run(step.args, step.preview, step.context)
        except ToolFailure as failure:
            result = ToolResult(failure.text, True, failure.summary)
        except OSError as error:
            result = ToolResult(f"It failed: {error}", True, "failed")
        except ExceptionGroup as group:  # of a tool that does several things side by side
            failures, others = group.split(_is_failure)
            if failures is None or others is not None:
                raise
            result = ToolResult(f"It failed: {_first(failures)}", True, "failed")
        except anyio.get_cancelled_exc_class():
            if not self._asks.has_open_question(step.part):  # it may be answered after a restart
                self._end(step.part, "interrupted", ToolResult(_INTERRUPTED, True, "interrupted"))
            raise
        result.text = whole_text(result.text)
        result.metadata = whole_json(result.metadata)
        self._end(step.part, "error" if result.is_error else "completed", result)
        if step.tool.effect == "write" and not result.is_error:
            self.is_changing = True
        if result.metadata.get("complete") is True:
            self.completed = result

    def _end(self, part: ToolCallPart, state: CallState, result: ToolResult) -> None:
        self._staging.add(ToolEnded(self._plan.run_id, part.call_id, state, result))

    def _context(self, part: ToolCallPart) -> ToolContext:
        def progress(tail: bytes, total: int) -> None:
            text = tail.decode("utf-8", "replace")
            self._recorder.emit(
                ToolProgress(part.call_id, part.part_id, total - len(tail), text, total)
            )

        def keep_todo(steps: Sequence[TodoStep]) -> None:
            self._staging.add(TodoUpdated(self._plan.run_id, part.call_id, list(steps)))

        context = self._make_context(part.call_id, partial(self._question, part), progress)
        return replace(context, keep_todo=keep_todo)

    async def _question(
        self, part: ToolCallPart, items: list[QuestionItem]
    ) -> list[QuestionAnswer]:
        return [] if self._plan.headless else await self._asks.question(part.call_id, items)


def _is_failure(error: Exception) -> bool:
    return isinstance(error, OSError | ToolFailure)


def _first(error: Exception) -> Exception:
    inner: tuple[Exception, ...] = getattr(error, "exceptions", ())
    return _first(inner[0]) if inner else error
