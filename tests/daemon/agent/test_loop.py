"""The loop, with a scripted model and a real fold: events in, events out."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import anyio
import pytest
from tests.fakes.probe_tool import ProbeTool
from tests.fakes.recorder import MemoryRecorder
from tests.fakes.scripted_gate import ASK, ScriptedGate
from tests.fakes.scripted_provider import Pause, ScriptedProvider, Step, calls, says

from lararium_daemon.agent.budget import Limits
from lararium_daemon.agent.loop import Agent
from lararium_daemon.agent.ports import Answers, Resolution, Ruling, RunPlan
from lararium_daemon.protocol.events import (
    MessageAppended,
    RunEnded,
    RunStarted,
    TodoUpdated,
    ToolEnded,
)
from lararium_daemon.protocol.ids import CallId, MessageId, PartId, RunId, SessionId
from lararium_daemon.protocol.messages import Message, TextPart, ToolCallPart
from lararium_daemon.protocol.permissions import QuestionAnswer
from lararium_daemon.protocol.todo import TodoStep
from lararium_daemon.providers.provider import (
    CallRequested,
    Finished,
    ModelEvent,
    ModelRequest,
    ProviderError,
    TextDelta,
    ThinkingDelta,
)
from lararium_daemon.tools.context import Ask, FileLedger, Progress, ToolContext
from lararium_daemon.tools.registry import AnyTool
from lararium_daemon.tools.todo import Todo

pytestmark = pytest.mark.anyio

RUN = RunId("run_test")
ROOMY = Limits(10)


class Stage:
    """One run with everything scripted."""

    def __init__(
        self,
        answers: Sequence[Sequence[Step]],
        *,
        gate: ScriptedGate | None = None,
        headless: bool = False,
        limits: Limits = ROOMY,
        tools: Sequence[AnyTool] = (),
        context_window: int | None = None,
    ) -> None:
        self.recorder = MemoryRecorder()
        self.gate = gate or ScriptedGate()
        self.tool = ProbeTool()
        self.tools: dict[str, AnyTool] = {tool.name: tool for tool in (self.tool, *tools)}
        self.plan = RunPlan(SessionId("ses_test"), RUN, "model", "default", headless, limits)
        self.context_window = context_window
        self.use(ScriptedProvider(answers))

    def use(self, model: ScriptedProvider) -> None:
        """Let this model answer."""
        self.model = model
        self.agent = Agent(
            self.plan,
            model,
            self.recorder,
            self.gate,
            self.tools,
            self._context,
            root=Path("/workspace"),
            context_window=self.context_window,
        )

    async def run(self) -> RunEnded | None:
        """Send one message and run to the end; give the run's end, if it was committed."""
        message = Message(
            MessageId("msg_user"), "user", "now", RUN, parts=[TextPart(PartId("p"), "do it")]
        )
        await self.recorder.commit([
            MessageAppended(message),
            RunStarted(RUN, message.message_id, "model", "default"),
        ])
        self.recorder.transactions.clear()
        with anyio.fail_after(10):
            await self.agent.run()
        return self.end

    @property
    def end(self) -> RunEnded | None:
        ends = [event for event in self.recorder.events if isinstance(event, RunEnded)]
        assert len(ends) <= 1
        return ends[0] if ends else None

    @property
    def results(self) -> list[tuple[str, str]]:
        return [
            (event.state, event.result.text)
            for event in self.recorder.events
            if isinstance(event, ToolEnded)
        ]

    def _context(self, call_id: CallId, ask: Ask, progress: Progress) -> ToolContext:
        return ToolContext(
            Path("/workspace"),
            SessionId("ses_test"),
            call_id,
            {},
            Path("/nowhere"),
            FileLedger(),
            ask,
            progress,
        )


def probe(say: str, **more: object) -> tuple[str, dict[str, object]]:
    return ("probe", {"say": say, **more})


async def test_text_without_calls_ends_the_run_with_that_text() -> None:
    stage = Stage([[TextDelta("Hel"), TextDelta("lo"), Finished("stop", 10, 2)]])

    assert await stage.run() == RunEnded(RUN, "completed", 0, text="Hello")
    assert stage.recorder.types() == [
        ["turn.started", "message.appended"],
        ["part.appended", "turn.ended", "usage.updated", "run.ended"],
    ]


async def test_a_round_of_one_unasked_call_costs_two_commits() -> None:
    stage = Stage([calls(probe("one")), says("done")])

    await stage.run()

    assert stage.recorder.types() == [
        ["turn.started", "message.appended"],
        ["part.appended", "turn.ended", "tool.started"],
        ["tool.ended", "turn.started", "message.appended"],
        ["part.appended", "turn.ended", "usage.updated", "run.ended"],
    ]


async def test_the_model_reads_each_result_after_its_call() -> None:
    stage = Stage([calls(probe("one"), probe("two")), says("done")])

    await stage.run()

    told = stage.model.requests[1].messages
    assert [m.role for m in told] == ["system", "user", "assistant", "tool", "tool"]
    ids = [call.id for call in told[2].tool_calls]
    assert [(m.tool_call_id, m.text) for m in told[3:]] == list(
        zip(ids, ["one", "two"], strict=True)
    )
    assert len(set(ids)) == 2


async def test_reads_run_side_by_side_and_all_else_in_order() -> None:
    read = ProbeTool("look", "read")
    both = {"wait_for_sibling": True}
    asked = [probe("a", **both), probe("b", **both), probe("c"), probe("d")]
    asked[:2] = [("look", arguments) for _, arguments in asked[:2]]
    stage = Stage([calls(*asked), says("done")], tools=[read])

    await stage.run()

    assert read.log[:4] == ["preview a", "preview b", "begin a", "begin b"]
    assert stage.tool.log == [
        "preview c", "begin c", "end c", "preview d", "begin d", "end d",
    ]  # fmt: skip


async def test_an_asked_call_starts_only_after_its_answer_is_committed_with_its_intent() -> None:
    gate = ScriptedGate(ASK, Resolution("allow", "once", "person"))
    stage = Stage([calls(probe("one")), says("done")], gate=gate)

    await stage.run()

    assert stage.recorder.types()[1:3] == [
        ["part.appended", "turn.ended", "permission.requested"],
        ["permission.resolved", "tool.started"],
    ]
    assert len(gate.confirmed) == 1


async def test_a_denied_call_tells_the_model_the_note_and_the_run_goes_on() -> None:
    gate = ScriptedGate(ASK, Resolution("deny", "once", "person", "use make instead"))
    stage = Stage([calls(probe("one")), says("done")], gate=gate)

    end = await stage.run()

    assert stage.results == [
        ("denied", "The person denied this. They said: use make instead"),
    ]
    assert stage.tool.log == ["preview one"]
    assert end is not None
    assert (end.outcome, end.refused) == ("completed", 0)


async def test_without_a_person_an_ask_is_denied_and_counted() -> None:
    stage = Stage([calls(probe("one")), says("done")], gate=ScriptedGate(ASK), headless=True)

    end = await stage.run()

    assert end is not None
    assert (end.outcome, end.refused) == ("completed", 1)
    assert stage.tool.log == ["preview one"]
    assert "nobody is here" in stage.results[0][1]


async def test_a_call_that_a_rule_denies_never_runs() -> None:
    gate = ScriptedGate(Ruling("deny", "the rule Bash(sudo *) forbids it"))
    stage = Stage([calls(probe("one")), says("done")], gate=gate)

    await stage.run()

    assert stage.results == [("denied", "Denied: the rule Bash(sudo *) forbids it")]
    assert stage.tool.log == ["preview one"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (CallRequested("probe", None, '{"say": "x', "The arguments were cut off."), "cut off"),
        (CallRequested("probe", {"fail": "perhaps"}, ""), "fail:"),
        (CallRequested("nonsense", {}, "{}"), "There is no tool 'nonsense'. The tools are: probe."),
    ],
    ids=["unreadable", "wrong type", "unknown tool"],
)
async def test_a_call_that_cannot_be_read_is_told_to_the_model_and_never_run(
    call: CallRequested, said: str
) -> None:
    stage = Stage([[call, Finished("tool_calls")], says("sorry")])

    end = await stage.run()

    assert stage.tool.log == []
    [(state, text)] = stage.results
    assert state == "error"
    assert said in text
    assert end is not None
    assert end.outcome == "completed"


async def test_arguments_that_were_not_json_go_back_as_an_empty_object() -> None:
    broken = CallRequested("probe", None, "{oops", "The arguments are no JSON.")
    stage = Stage([[broken, Finished("tool_calls")], says("sorry")])

    await stage.run()

    assert stage.model.requests[1].messages[2].tool_calls[0].arguments_json == "{}"


async def test_a_tools_failure_is_data_for_the_model() -> None:
    stage = Stage([calls(probe("one", fail=True)), says("done")])

    await stage.run()

    assert stage.results == [("error", "cannot say one")]


async def test_calls_run_whatever_the_finish_reason_says() -> None:
    answer = [CallRequested("probe", {"say": "one"}, ""), Finished("stop")]
    stage = Stage([answer, says("done")])

    await stage.run()

    assert stage.results == [("completed", "one")]


async def test_a_tool_that_says_complete_ends_the_run_with_its_text() -> None:
    stage = Stage([calls(probe("all good", complete=True))])

    assert await stage.run() == RunEnded(RUN, "completed", 0, text="all good")


async def test_two_empty_answers_end_the_run_and_say_so() -> None:
    empty: list[Step] = [Finished("tool_calls")]
    stage = Stage([empty, empty])

    end = await stage.run()

    assert end is not None
    assert (end.outcome, end.code) == ("error", "provider_empty_answer")
    assert len(stage.model.requests) == 2
    assert [notice.code for notice in stage.recorder.state.notices] == ["empty_answer"]


async def test_a_refusal_is_an_outcome_of_its_own() -> None:
    stage = Stage([[TextDelta("I cannot help."), Finished("content_filter")]])

    assert await stage.run() == RunEnded(RUN, "refused_by_model", 0, text="I cannot help.")


async def test_a_run_stops_at_its_turns_and_says_that_what_was_done_is_kept() -> None:
    stage = Stage([calls(probe("one")), calls(probe("two"))], limits=Limits(2))

    end = await stage.run()

    assert end is not None
    assert (end.outcome, end.code) == ("budget", "budget_exhausted")
    assert "limit of 2 turns" in end.detail
    assert [text for _, text in stage.results] == ["one", "two"]


async def test_a_run_stops_at_its_tokens() -> None:
    answer = [CallRequested("probe", {"say": "one"}, ""), Finished("tool_calls", 60, 40)]
    stage = Stage([answer], limits=Limits(10, tokens=100))

    end = await stage.run()

    assert end is not None
    assert (end.outcome, len(stage.model.requests)) == ("budget", 1)
    assert "100 tokens" in end.detail


async def test_a_budget_that_ends_in_the_middle_of_a_change_grants_one_call_to_finish() -> None:
    write = ProbeTool("write", "write")
    change = [("write", probe(say)[1]) for say in ("first file", "second file", "third file")]
    last = [TextDelta("Both are done."), *calls(change[1])]
    stage = Stage([calls(change[0]), last, calls(change[2])], limits=Limits(1), tools=[write])

    end = await stage.run()

    assert [text for _, text in stage.results] == ["first file", "second file"]
    assert "last call" in stage.model.requests[1].messages[-1].text
    assert [notice.code for notice in stage.recorder.state.notices] == ["grace_call"]
    assert end is not None
    assert (end.outcome, end.text) == ("budget", "Both are done.")


async def test_what_the_person_says_in_a_run_is_told_before_the_run_may_end() -> None:
    stage = Stage([says("done"), says("and that too")])
    steer = Message(MessageId("msg_steer"), "user", "now", RUN)
    steer.parts.append(TextPart(PartId("p2"), "that too"))

    class Interrupting(ScriptedProvider):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
            if not self.requests:
                await stage.recorder.commit([MessageAppended(steer)])
            async for event in super().stream(request):
                yield event

    stage.use(Interrupting(stage.model.answers))
    end = await stage.run()

    assert end is not None
    assert end.text == "and that too"
    assert [m.text for m in stage.model.requests[1].messages[1:]] == ["do it", "done", "that too"]


async def test_a_model_that_fails_in_its_answer_keeps_what_was_streamed() -> None:
    cut = ProviderError("provider_cut", "The connection was cut. What was streamed is kept.")
    stage = Stage([[ThinkingDelta("hm"), TextDelta("half an ans"), cut]])

    end = await stage.run()

    assert end is not None
    assert (end.outcome, end.code, end.detail) == ("error", "provider_cut", cut.detail)
    message = stage.recorder.state.messages[-1]
    assert message.cut
    assert [getattr(part, "text", "") for part in message.parts] == ["hm", "half an ans"]


async def test_a_full_window_is_compacted_before_the_next_call_and_the_goal_stays() -> None:
    full = [*calls(probe("one"))[:-1], Finished("tool_calls", 900, 1)]
    middle = [*calls(probe("two"))[:-1], Finished("tool_calls", 100, 1)]
    stage = Stage([middle, full, says("MY NOTES"), says("done")], context_window=1000)

    end = await stage.run()

    told = [m.text for m in stage.model.requests[3].messages[1:3]]
    assert told == ["[Your own notes of the session so far]\nMY NOTES", "do it"]
    assert stage.model.requests[2].tools == []
    assert [c.summary for c in stage.recorder.state.compactions] == ["MY NOTES"]
    assert end is not None
    assert (end.outcome, end.text) == ("completed", "done")


async def test_the_list_of_steps_is_kept_in_the_same_commit_as_its_calls_result() -> None:
    steps: dict[str, object] = {"steps": [{"text": "Read", "state": "done"}, "Write"]}
    stage = Stage([calls(("todo", steps)), says("done")], tools=[Todo()])

    await stage.run()

    assert stage.recorder.types()[2][:2] == ["todo.updated", "tool.ended"]
    [event] = [event for event in stage.recorder.events if isinstance(event, TodoUpdated)]
    assert stage.recorder.state.todo == event.steps == [TodoStep("Read", "done"), TodoStep("Write")]


async def test_a_session_the_model_finds_too_long_is_compacted_and_asked_again() -> None:
    overflow = ProviderError("provider_context_overflow", "The session is too long.")
    answers = [calls(probe("one")), calls(probe("two")), [overflow], says("NOTES"), says("done")]
    stage = Stage(answers)

    end = await stage.run()

    assert end is not None
    assert (end.outcome, end.text) == ("completed", "done")
    assert [c.summary for c in stage.recorder.state.compactions] == ["NOTES"]


async def test_a_session_that_cannot_be_summarised_ends_with_the_models_words() -> None:
    overflow = ProviderError("provider_context_overflow", "The session is too long.")
    stage = Stage([calls(probe("one")), calls(probe("two")), [overflow], [overflow]])

    end = await stage.run()

    assert end is not None
    assert (end.outcome, end.code) == ("error", "provider_context_overflow")
    assert not stage.recorder.state.is_compacting


async def test_an_interrupt_commits_the_partial_text_and_leaves_the_end_to_the_session() -> None:
    stage = Stage([[TextDelta("half an ans"), Pause(3600)]])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stage.run)
        while not stage.recorder.shown:
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()

    assert stage.end is None
    assert stage.recorder.types()[-1] == ["part.appended", "turn.ended"]
    assert stage.recorder.state.messages[-1].cut


async def test_an_interrupted_call_ends_with_a_result_that_says_it_may_have_run() -> None:
    stage = Stage([calls(probe("for ever"))])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stage.run)
        await stage.tool.started.wait()
        tasks.cancel_scope.cancel()

    [(state, text)] = stage.results
    assert state == "interrupted"
    assert "may have partly run" in text


async def test_an_interrupt_withdraws_the_request_that_waits() -> None:
    stage = Stage([calls(probe("one"))], gate=ScriptedGate(ASK))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stage.run)
        await stage.gate.waits.wait()
        tasks.cancel_scope.cancel()

    assert len(stage.gate.withdrawn) == 1
    assert stage.tool.log == ["preview one"]


async def test_a_question_waits_for_the_person_and_its_answer_reaches_the_tool() -> None:
    gate = ScriptedGate(answered=Answers([QuestionAnswer(["b"])], "person"))
    stage = Stage([calls(probe("one", ask=True)), says("done")], gate=gate)

    await stage.run()

    assert stage.results == [("completed", "chosen: ['b']")]
    assert stage.recorder.state.questions == []
    assert len(gate.confirmed) == 1


async def test_without_a_person_a_question_gets_no_answer() -> None:
    stage = Stage([calls(probe("one", ask=True)), says("done")], headless=True)

    await stage.run()

    assert stage.results == [("completed", "chosen: nobody")]


async def test_lone_surrogates_from_a_model_never_reach_the_journal() -> None:
    stage = Stage([[TextDelta("a\ud83db"), *calls(probe("x\ud99cy"))], says("done")])

    await stage.run()

    message = stage.recorder.state.messages[1]
    text, call = message.parts
    assert isinstance(text, TextPart)
    assert isinstance(call, ToolCallPart)
    assert (text.text, call.arguments["say"]) == ("a\ufffdb", "x\ufffdy")
