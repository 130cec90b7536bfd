"""A run that waited for the person when its daemon ended waits on, and does nothing twice."""

from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest
from tests.fakes.probe_tool import ProbeTool
from tests.fakes.recorder import MemoryRecorder
from tests.fakes.scripted_gate import ALLOW, ASK, ScriptedGate
from tests.fakes.scripted_provider import ScriptedProvider, Step, calls, says

from lararium_daemon.agent.budget import Limits
from lararium_daemon.agent.context import GO_ON, model_messages
from lararium_daemon.agent.loop import Agent
from lararium_daemon.agent.ports import Answers, Resolution, Ruling, RunPlan
from lararium_daemon.protocol.events import (
    Event,
    MessageAppended,
    PermissionRequested,
    PermissionResolved,
    QuestionAsked,
    RunEnded,
    RunStarted,
    ToolEnded,
    ToolStarted,
)
from lararium_daemon.protocol.ids import CallId, MessageId, PartId, RunId, SessionId
from lararium_daemon.protocol.messages import Message, TextPart
from lararium_daemon.protocol.permissions import QuestionAnswer
from lararium_daemon.protocol.state import SessionState
from lararium_daemon.sessions.waiting import waits_for_person
from lararium_daemon.tools.context import Ask, FileLedger, Progress, ToolContext
from lararium_daemon.tools.registry import Preview

pytestmark = pytest.mark.anyio

RUN = RunId("run_1")
YES = Resolution("allow", "once", "person")


class DriftingTool(ProbeTool):
    """A tool whose calls would do something else by the time they are looked at again."""

    async def preview(self, args: object, context: ToolContext) -> Preview:
        """Show another thing each time."""
        self.log.append("preview")
        return Preview(title="drift", shown=f"version {len(self.log)}")


@dataclass
class Life:
    """A run over two lives of a daemon."""

    tool: ProbeTool = field(default_factory=ProbeTool)
    recorder: MemoryRecorder = field(default_factory=MemoryRecorder)

    async def die_waiting(self, *steps: Step, gate: ScriptedGate | None = None) -> list[Event]:
        """Begin the run and end the daemon where it waits for the person; give the events."""
        message = Message(MessageId("m"), "user", "now", RUN, parts=[TextPart(PartId("p"), "do")])
        await self.recorder.commit([
            MessageAppended(message),
            RunStarted(RUN, message.message_id, "model", "default"),
        ])
        gate = gate or ScriptedGate(ASK)
        with anyio.fail_after(10):
            async with anyio.create_task_group() as daemon:
                daemon.start_soon(self._agent(ScriptedProvider([steps]), gate).run)
                await gate.waits.wait()
                daemon.cancel_scope.cancel()
        assert waits_for_person(self.recorder.fold)
        return self._take()

    async def go_on(self, gate: ScriptedGate, model: ScriptedProvider) -> list[Event]:
        """Wait on in another life; give the events of it."""
        with anyio.fail_after(10):
            await self._agent(model, gate, goes_on=True).run()
        return self._take()

    def _take(self) -> list[Event]:
        events = self.recorder.events
        self.recorder.transactions.clear()
        return events

    def _agent(
        self, model: ScriptedProvider, gate: ScriptedGate, *, goes_on: bool = False
    ) -> Agent:
        plan = RunPlan(
            SessionId("ses_test"), RUN, "model", "default", False, Limits(10), goes_on=goes_on
        )
        tools = {self.tool.name: self.tool}
        root = Path("/workspace")
        return Agent(plan, model, self.recorder, gate, tools, _context, root=root)


def _context(call_id: CallId, ask: Ask, progress: Progress) -> ToolContext:
    session = SessionId("ses_test")
    return ToolContext(Path("/w"), session, call_id, {}, Path("/s"), FileLedger(), ask, progress)


def kinds(events: list[Event]) -> list[str]:
    return [event.type for event in events]


async def test_the_same_card_is_answered_and_its_call_runs_once() -> None:
    life = Life()
    before = await life.die_waiting(*calls(("probe", {"say": "one"})))
    [request] = [e.request for e in before if isinstance(e, PermissionRequested)]
    model = ScriptedProvider([says("done")])

    events = await life.go_on(gate := ScriptedGate(ASK, YES), model)

    assert kinds(events)[:2] == ["permission.resolved", "tool.started"]
    assert gate.confirmed == [request.id]
    assert "permission.requested" not in kinds(events)
    assert life.tool.log == ["preview one", "preview one", "begin one", "end one"]
    assert events[-1] == RunEnded(RUN, "completed", 0, text="done")
    assert life.recorder.state.runs[-1].turn == 2
    assert [m.role for m in model.requests[0].messages][-1] == "tool"


async def test_calls_behind_the_asked_one_wait_with_it() -> None:
    life = Life()
    await life.die_waiting(*calls(("probe", {"say": "one"}), ("probe", {"say": "two"})))

    events = await life.go_on(ScriptedGate(ASK, YES), ScriptedProvider([says("done")]))

    assert [e for e in life.tool.log if e.startswith("begin")] == ["begin one", "begin two"]
    assert len([e for e in events if isinstance(e, ToolEnded)]) == 2


async def test_a_call_that_would_do_something_else_by_now_is_asked_about_anew() -> None:
    life = Life(DriftingTool())
    before = await life.die_waiting(*calls(("probe", {"say": "one"})))
    [old] = [e.request for e in before if isinstance(e, PermissionRequested)]

    events = await life.go_on(ScriptedGate(ASK, YES), ScriptedProvider([says("done")]))

    resolved = [e for e in events if isinstance(e, PermissionResolved)]
    [new] = [e.request for e in events if isinstance(e, PermissionRequested)]
    assert [(e.request_id, e.decision, e.by) for e in resolved] == [
        (old.id, "deny", "restart"),
        (new.id, "allow", "person"),
    ]
    assert new.shown != old.shown
    assert life.recorder.state.requests == []


async def test_a_card_outlives_a_rule_that_would_allow_its_call_now() -> None:
    life = Life()
    await life.die_waiting(*calls(("probe", {"say": "one"})))
    refused = Resolution("deny", "once", "person", "no")

    events = await life.go_on(ScriptedGate(ALLOW, refused), ScriptedProvider([says("done")]))

    assert [e.state for e in events if isinstance(e, ToolEnded)] == ["denied"]


async def test_a_card_is_closed_when_a_rule_denies_its_call_now() -> None:
    life = Life()
    await life.die_waiting(*calls(("probe", {"say": "one"})))

    gate = ScriptedGate(Ruling("deny", "A rule says no."))
    events = await life.go_on(gate, ScriptedProvider([says("done")]))

    assert [e.by for e in events if isinstance(e, PermissionResolved)] == ["restart"]
    assert [e.state for e in events if isinstance(e, ToolEnded)] == ["denied"]
    assert life.recorder.state.requests == []


async def test_a_question_keeps_its_card_and_its_intent() -> None:
    life = Life()
    wanted = calls(("probe", {"say": "q", "ask": True}))
    before = await life.die_waiting(*wanted, gate=ScriptedGate(ALLOW))
    answered = Answers([QuestionAnswer(["a"])], "person")

    gate = ScriptedGate(ALLOW, answered=answered)
    events = await life.go_on(gate, ScriptedProvider([says("done")]))

    assert gate.confirmed == [e.question.id for e in before if isinstance(e, QuestionAsked)]
    assert not [e for e in events if isinstance(e, QuestionAsked | ToolStarted)]
    assert [e.result.text for e in events if isinstance(e, ToolEnded)] == ["chosen: ['a']"]
    assert life.recorder.state.questions == []


async def test_a_model_whose_answer_was_cut_is_told_to_go_on() -> None:
    user = Message(MessageId("m"), "user", "now", RUN, parts=[TextPart(PartId("p"), "do")])
    half = Message(MessageId("a"), "assistant", "now", RUN, parts=[TextPart(PartId("q"), "Hal")])
    told = model_messages(SessionState(SessionId("s"), messages=[user, half]), "prompt")

    assert [(m.role, m.text) for m in told[1:]] == [
        ("user", "do"),
        ("assistant", "Hal"),
        ("user", GO_ON.text),
    ]
    assert model_messages(SessionState(SessionId("s"), messages=[user]), "prompt")[-1].text == "do"
