"""The agent's loop: ask the model, show the stream, run the tools, append the results, again.

It is pure of I/O; model, tools, permissions and journal come as the protocols of `ports.py`. A run
ends on text without tool calls, on `task_complete`, on a refusal, on its budget, on an error or on
an interrupt, and always with exactly one `run.ended`. An interrupt cancels the task: what was
streamed is committed here, and the session pairs what stays open.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path

import anyio

from lararium_daemon.agent.answer import Answer
from lararium_daemon.agent.asks import Asks
from lararium_daemon.agent.calls import Calls
from lararium_daemon.agent.compactor import Compactor
from lararium_daemon.agent.context import OwnPrompt, as_told, model_messages, system_prompt
from lararium_daemon.agent.cut_answer import changed_a_file, last_answer, open_calls
from lararium_daemon.agent.ports import Gate, MakeContext, Recorder, RunPlan
from lararium_daemon.agent.purse import Cost, Purse
from lararium_daemon.agent.spending import Spending, SpendRules
from lararium_daemon.agent.staging import Staging
from lararium_daemon.protocol.events import (
    MessageAppended,
    Notice,
    Outcome,
    RunEnded,
    TurnEnded,
    TurnStarted,
)
from lararium_daemon.protocol.ids import MessageId, new_message_id
from lararium_daemon.protocol.messages import Message
from lararium_daemon.providers.provider import (
    ModelEvent,
    ModelMessage,
    ModelRequest,
    Provider,
    ProviderError,
    ToolSpec,
)
from lararium_daemon.system.clock import now_rfc3339
from lararium_daemon.tools.registry import AnyTool

EMPTY_ANSWERS = 2
"""Empty answers in a row after which a run gives up."""
FLUSH_SECONDS = 5.0
OVERFLOW = "provider_context_overflow"
REFUSALS = ("refusal", "content_filter")
GRACE = ModelMessage(
    "user",
    "[The budget of this run is used up. This is your last call: make the calls that leave every "
    "file consistent, if any, and say in a few sentences what is done and what is not.]",
)


class Agent:
    """Runs one person's message to its end.

    Args:
        plan: what the run is to do.
        provider: the model.
        recorder: where events go; owns the session's state.
        gate: who decides on calls and brings asks to the person.
        tools: the tools by name.
        make_context: makes a call's context.
        root: the workspace.
        instructions: what the person and the project tell the agent, as it is told.
        own_prompt: the person's own words for the system prompt.
        context_window: tokens the model can hold; None = unknown.
        cost: gives what a model call cost in dollars; None = unknown.
        spend: the spend caps; None = there are none.
        purse: of a subagent, the purse of the run it works for.
    """

    def __init__(
        self,
        plan: RunPlan,
        provider: Provider,
        recorder: Recorder,
        gate: Gate,
        tools: Mapping[str, AnyTool],
        make_context: MakeContext,
        *,
        root: Path,
        instructions: str = "",
        own_prompt: OwnPrompt | None = None,
        context_window: int | None = None,
        cost: Cost = lambda _: None,
        spend: SpendRules | None = None,
        purse: Purse | None = None,
    ) -> None:
        self._plan = plan
        self._provider = provider
        self._recorder = recorder
        self._staging = Staging(recorder)
        asks = Asks(plan, recorder, self._staging, gate)
        self._calls = Calls(plan, recorder, self._staging, gate, asks, tools, make_context)
        own = Spending(spend or SpendRules(), plan, recorder, self._staging, asks)
        spending = purse.spending if purse else own
        self.purse = Purse(plan, self._staging, spending, cost, context_window, purse)
        """What the run spends from; a subagent's agent is given it."""
        self._specs = [ToolSpec(t.name, t.description, t.parameters()) for t in tools.values()]
        self._prompt = system_prompt(root, plan.mode, instructions, own_prompt)
        self._compactor = Compactor(
            plan, provider, recorder, self._staging, self._prompt, context_window, self.purse.count
        )

    async def run(self) -> None:
        """Work until the run ends; `run.ended` is then committed.

        Cancelling commits what was streamed and leaves `run.ended` to the session.
        """
        try:
            await self._turns()
        except ProviderError as error:
            await self._end("error", code=error.code, detail=error.detail)
        except anyio.get_cancelled_exc_class():
            with anyio.move_on_after(FLUSH_SECONDS, shield=True):
                await self._staging.commit()
                self._calls.confirm()
            raise

    async def stream(self, messages: Sequence[ModelMessage]) -> AsyncGenerator[ModelEvent]:
        """Give one answer to these messages as it streams; nothing is run or recorded.

        Close it (`contextlib.aclosing`) when you leave it early.

        Raises:
            ProviderError: the model did not answer.
        """
        told = [ModelMessage("system", self._prompt), *messages]
        request = ModelRequest(self._plan.model, told, self._specs)
        async with aclosing(self._provider.stream(request)) as events:
            async for event in events:
                yield event

    async def step(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        """Take one turn: ask the model, run what it calls for; give its answer and the results.

        Calls are judged and recorded as in a run. The next step is told all of it again; a step
        that gives one message has called for nothing.

        Raises:
            ProviderError: the model did not answer; what it said until then is recorded.
        """
        told = [ModelMessage("system", self._prompt), *messages]
        try:
            answer = await self._call_model(told=told)
            await self._calls.perform(answer.calls)
        finally:
            await self._staging.commit()
        said = last_answer(self._recorder.state, self._plan.run_id)
        return as_told([said]) if said is not None else []

    async def compact(self) -> bool:
        """Summarise the older messages now; False when nothing can be parted or it failed."""
        done = await self._compactor.compact("manual")
        await self._staging.commit()
        return done

    async def _turns(self) -> None:
        budget, empty = self.purse.budget, 0
        if self._plan.goes_on and await self._take_up():
            return None
        while not (limit := budget.exhausted()):
            if not await self.purse.spending.may_go_on():
                return await self._out_of_money()
            answer = await self._ask_model()
            if answer.calls:
                empty = 0
                await self._calls.perform(answer.calls)
                done = self._calls.completed
                if done is not None and await self._complete(answer.message_id, done.text):
                    return None
            elif answer.finish_reason in REFUSALS:
                return await self._end("refused_by_model", text=answer.text)
            elif answer.is_empty:
                empty += 1
                if empty == EMPTY_ANSWERS:
                    return await self._give_up()
            elif await self._complete(answer.message_id, answer.text):
                return None
        return await self._out_of_budget(limit)

    async def _out_of_budget(self, limit: str) -> None:
        text = await self._grace(f"The limit of {limit} is reached")
        detail = (
            f"The run stopped at its limit of {limit}. "
            "What was done is kept; send a message to go on."
        )
        await self._end("budget", code="budget_exhausted", detail=detail, text=text)

    async def _out_of_money(self) -> None:
        code = "spend_cap" if self.purse.spending.refused else "spend_stopped"
        text = await self._grace("The spend cap is reached")
        detail = f"{self.purse.spending.stopped} What was done is kept; send a message to go on."
        await self._end("budget", code=code, detail=detail, text=text)

    async def _grace(self, why: str) -> str:
        """Let a run that is changing files finish and summarise, once; give what it says."""
        if not (self._calls.is_changing and self.purse.budget.take_grace()):
            return ""
        said = f"{why} in the middle of a change: one call to finish."
        self._staging.add(Notice("info", "grace_call", said, self._plan.run_id))
        answer = await self._ask_model(GRACE)
        await self._calls.perform(answer.calls)
        return answer.text

    async def _take_up(self) -> bool:
        """Run the calls that a restart left waiting for the person; give whether that was all."""
        run, answer = self._recorder.state.run, last_answer(self._recorder.state, self._plan.run_id)
        if run is None:
            raise ValueError("there is no run to go on with")
        self.purse.budget.go_on_after(run.turn)
        if answer is None:  # it waits before its first model call, to be let spend more
            return False
        await self._calls.perform(open_calls(answer))
        self._calls.is_changing |= changed_a_file(answer)
        done = self._calls.completed
        return done is not None and await self._complete(answer.message_id, done.text)

    async def _complete(self, message_id: MessageId, text: str) -> bool:
        """End the run with this answer, unless the person said something since it began."""

        def is_last_word() -> bool:
            ours = (m for m in self._recorder.state.messages if m.run_id == self._plan.run_id)
            return [*ours][-1].message_id == message_id

        end = RunEnded(self._plan.run_id, "completed", self._refused, text=text)
        return await self._staging.commit_if(is_last_word, end)

    async def _ask_model(self, *extra: ModelMessage) -> Answer:
        """Call the model; an older part that does not fit its window is summarised before."""
        await self._compactor.compact_when_due()
        try:
            return await self._call_model(*extra)
        except ProviderError as error:
            if error.code != OVERFLOW or not await self._compactor.compact("overflow"):
                raise
        return await self._call_model(*extra)

    async def _call_model(
        self, *extra: ModelMessage, told: list[ModelMessage] | None = None
    ) -> Answer:
        """Call the model once; its answer's last events are staged, not committed."""
        turn = self.purse.budget.begin_turn()
        message = Message(new_message_id(), "assistant", now_rfc3339(), self._plan.run_id)
        self._staging.add(
            TurnStarted(self._plan.run_id, turn, message.message_id), MessageAppended(message)
        )
        await self._staging.commit()
        told = told or [*model_messages(self._recorder.state, self._prompt), *extra]
        request = ModelRequest(self._plan.model, told, self._specs)
        answer = Answer(self._recorder, self._plan.run_id, message.message_id)
        whole = False
        try:
            async with aclosing(self._provider.stream(request)) as stream:
                await answer.read(stream)
            whole = True
        finally:
            self._staging.add(*answer.rest(), self._turn_ended(turn, answer, cut=not whole))
        self.purse.count(answer.usage, "turn")
        return answer

    def _turn_ended(self, turn: int, answer: Answer, *, cut: bool) -> TurnEnded:
        return TurnEnded(
            self._plan.run_id,
            turn,
            answer.message_id,
            answer.finish_reason,
            cut=cut,
            reasoning=answer.reasoning,
        )

    async def _give_up(self) -> None:
        detail = (
            "The model answered with nothing, twice. Nothing was changed by that; send the message "
            "again or choose another model."
        )
        self._staging.add(Notice("warning", "empty_answer", detail, self._plan.run_id))
        await self._end("error", code="provider_empty_answer", detail=detail)

    async def _end(
        self, outcome: Outcome, *, code: str = "", detail: str = "", text: str = ""
    ) -> None:
        self._staging.add(RunEnded(self._plan.run_id, outcome, self._refused, code, detail, text))
        await self._staging.commit()

    def note_refused(self, asks: int) -> None:
        """Count asks of a subagent that were denied because nobody is there."""
        self._calls.refused += asks

    @property
    def _refused(self) -> int:
        return self._calls.refused + self.purse.spending.refused
