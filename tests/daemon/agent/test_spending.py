"""Spend caps: a run that reaches one waits, goes on with a higher one or stops."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from tests.fakes.probe_tool import ProbeTool
from tests.fakes.recorder import MemoryRecorder
from tests.fakes.scripted_gate import ScriptedGate
from tests.fakes.scripted_provider import ScriptedProvider, Step, calls, says

from lararium_daemon.agent.budget import Limits
from lararium_daemon.agent.loop import GRACE, Agent
from lararium_daemon.agent.ports import Answers, RunPlan
from lararium_daemon.agent.spending import DaySpend, SpendCaps, SpendRules
from lararium_daemon.protocol.events import (
    MessageAppended,
    Notice,
    QuestionAsked,
    RunEnded,
    RunStarted,
    SpendRaised,
    Usage,
)
from lararium_daemon.protocol.ids import CallId, MessageId, PartId, RunId, SessionId
from lararium_daemon.protocol.messages import Message, TextPart
from lararium_daemon.protocol.permissions import QuestionAnswer, SpendLimit
from lararium_daemon.providers.provider import Finished
from lararium_daemon.sessions.waiting import waits_for_person
from lararium_daemon.tools.context import Ask, FileLedger, Progress, ToolContext

pytestmark = pytest.mark.anyio

RUN = RunId("run_1")
GO_ON = Answers([QuestionAnswer(["Continue"])], "person")
NO_MORE = Answers([QuestionAnswer(["Stop"])], "person")


def asks_for(say: str) -> list[Step]:
    """A call, by an answer that costs one dollar."""
    return [*calls(("probe", {"say": say}))[:-1], Finished("tool_calls", 10, 5)]


class Purse:
    """A run whose model calls cost one dollar each."""

    def __init__(self, answers: Sequence[Sequence[Step]], rules: SpendRules) -> None:
        self.recorder = MemoryRecorder()
        self.tool = ProbeTool()
        self.model = ScriptedProvider(answers)
        self.rules = rules
        self.plan = RunPlan(SessionId("ses_test"), RUN, "model", "default", False, Limits(10))
        self.price: float | None = 1.0

    async def begin(self) -> None:
        message = Message(MessageId("m"), "user", "now", RUN, parts=[TextPart(PartId("p"), "do")])
        started = RunStarted(RUN, message.message_id, "model", "default")
        await self.recorder.commit([MessageAppended(message), started])

    async def run(self, gate: ScriptedGate) -> RunEnded:
        with anyio.fail_after(10):
            await self.agent(gate).run()
        end = self.recorder.events[-1]
        assert isinstance(end, RunEnded)
        return end

    def agent(self, gate: ScriptedGate) -> Agent:
        return Agent(
            self.plan,
            self.model,
            self.recorder,
            gate,
            {self.tool.name: self.tool},
            _context,
            root=Path("/w"),
            cost=self._cost,
            spend=self.rules,
        )

    def asked(self) -> list[SpendLimit | None]:
        return [e.question.spend for e in self.recorder.events if isinstance(e, QuestionAsked)]

    def _cost(self, usage: Usage) -> float | None:
        return self.price


def _context(call_id: CallId, ask: Ask, progress: Progress) -> ToolContext:
    session = SessionId("ses_test")
    return ToolContext(Path("/w"), session, call_id, {}, Path("/s"), FileLedger(), ask, progress)


async def test_going_on_raises_the_cap_by_its_own_amount_and_the_run_completes() -> None:
    purse = Purse(
        [asks_for("a"), asks_for("b"), asks_for("c"), says("done")], SpendRules(SpendCaps(run=2))
    )
    await purse.begin()

    end = await purse.run(ScriptedGate(answered=GO_ON))

    assert (end.outcome, end.text) == ("completed", "done")
    assert purse.asked() == [SpendLimit("run", 2, 2, 4)]
    assert [e.cap_usd for e in purse.recorder.events if isinstance(e, SpendRaised)] == [4]
    state = purse.recorder.state
    assert (state.runs[-1].cost_usd, state.runs[-1].spend_cap_usd, state.cost_usd) == (4, 4, 4)


async def test_a_cap_that_is_far_passed_is_raised_beyond_what_is_spent() -> None:
    purse = Purse([asks_for("a"), says("done")], SpendRules(SpendCaps(session=0.4)))
    await purse.begin()

    await purse.run(ScriptedGate(answered=GO_ON))

    assert purse.asked() == [SpendLimit("session", 0.4, 1, 1.2)]
    assert purse.recorder.state.spend_cap_usd == 1.2


async def test_the_day_counts_what_other_sessions_spent_and_what_was_raised() -> None:
    spent = DaySpend(6.0, 6.5)

    async def day() -> DaySpend:
        return replace(spent, spent_usd=6.0 + purse.recorder.state.cost_usd)

    purse = Purse([asks_for("a"), says("done")], SpendRules(SpendCaps(day=5), day))
    await purse.begin()

    end = await purse.run(ScriptedGate(answered=NO_MORE))

    assert purse.asked() == [SpendLimit("day", 6.5, 7, 11.5)]
    assert end.outcome == "budget"


async def test_stopping_ends_the_run_at_once_and_says_why() -> None:
    purse = Purse([asks_for("a")], SpendRules(SpendCaps(run=1)))
    await purse.begin()

    end = await purse.run(ScriptedGate(answered=NO_MORE))

    assert (end.outcome, end.code, end.refused) == ("budget", "spend_stopped", 0)
    assert end.detail.startswith("This run has cost $1.00; the cap is $1.00.")
    assert len(purse.model.requests) == 1


async def test_stopping_in_the_middle_of_a_change_grants_one_call_to_finish() -> None:
    purse = Purse([asks_for("a"), asks_for("b")], SpendRules(SpendCaps(run=1)))
    purse.tool = ProbeTool(effect="write")
    await purse.begin()

    await purse.run(ScriptedGate(answered=NO_MORE))

    assert purse.model.requests[1].messages[-1] == GRACE
    assert [line for line in purse.tool.log if line.startswith("end")] == ["end a", "end b"]
    notices = [e.code for e in purse.recorder.events if isinstance(e, Notice)]
    assert notices == ["grace_call"]


async def test_without_a_person_the_run_stops_and_the_ask_is_counted() -> None:
    purse = Purse([asks_for("a")], SpendRules(SpendCaps(run=1)))
    purse.plan = replace(purse.plan, headless=True)
    await purse.begin()

    end = await purse.run(ScriptedGate())

    assert (end.outcome, end.code, end.refused) == ("budget", "spend_cap", 1)
    assert "Nobody is here" in end.detail
    assert purse.asked() == []


async def test_the_question_outlives_a_restart_and_is_not_put_twice() -> None:
    purse = Purse([asks_for("a"), says("done")], SpendRules(SpendCaps(run=1)))
    await purse.begin()
    gate = ScriptedGate()
    with anyio.fail_after(10):
        async with anyio.create_task_group() as daemon:
            daemon.start_soon(purse.agent(gate).run)
            await gate.waits.wait()
            daemon.cancel_scope.cancel()
    assert waits_for_person(purse.recorder.fold)

    purse.plan = replace(purse.plan, goes_on=True)
    end = await purse.run(ScriptedGate(answered=GO_ON))

    assert (end.outcome, len(purse.asked())) == ("completed", 1)
    assert purse.recorder.state.runs[-1].turn == 2


async def test_a_session_over_its_cap_asks_before_the_first_call_also_after_a_restart() -> None:
    purse = Purse([says("done")], SpendRules(SpendCaps(session=1)))
    await purse.begin()
    purse.recorder.state.cost_usd = 1.5
    gate = ScriptedGate()
    with anyio.fail_after(10):
        async with anyio.create_task_group() as daemon:
            daemon.start_soon(purse.agent(gate).run)
            await gate.waits.wait()
            daemon.cancel_scope.cancel()
    assert purse.model.requests == []

    purse.plan = replace(purse.plan, goes_on=True)
    assert (await purse.run(ScriptedGate(answered=GO_ON))).outcome == "completed"


async def test_a_model_without_a_price_is_said_once_and_never_asked_about() -> None:
    purse = Purse([asks_for("a"), asks_for("b"), says("done")], SpendRules(SpendCaps(run=1)))
    purse.price = None
    await purse.begin()

    end = await purse.run(ScriptedGate())

    assert end.outcome == "completed"
    notices = [e.code for e in purse.recorder.events if isinstance(e, Notice)]
    assert notices == ["spend_unpriced"]
