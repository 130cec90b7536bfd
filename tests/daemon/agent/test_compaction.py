"""What is summarised and what is kept, whatever the session looks like."""

from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.agent.compaction import LEAST_KEPT, cut, is_due
from lararium_daemon.agent.context import model_messages
from lararium_daemon.protocol.ids import CallId, MessageId, PartId, RunId, SessionId
from lararium_daemon.protocol.messages import Message, Part, TextPart, ToolCallPart, ToolResult
from lararium_daemon.protocol.state import Compaction, RunState, SessionState
from lararium_daemon.protocol.todo import TodoStep

RUN = RunId("run_1")


def message(number: int, size: int, calls: int) -> Message:
    parts: list[Part] = [TextPart(PartId(f"t{number}"), "x" * size)]
    for call in range(calls):
        name = f"{number}.{call}"
        part = ToolCallPart(PartId(name), CallId(name), "bash", {}, result=ToolResult("y" * size))
        parts.append(part)
    role = "assistant" if calls else "user"
    return Message(MessageId(f"m{number}"), role, "now", RUN, parts=parts)


sessions = st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 3)), max_size=12).map(
    lambda rows: [message(number, size, calls) for number, (size, calls) in enumerate(rows)]
)


@given(sessions, st.none() | st.integers(1024, 20_000))
def test_a_cut_keeps_every_message_on_one_side_and_the_newest_as_they_are(
    messages: list[Message], window: int | None
) -> None:
    found = cut(messages, window)

    if found is None:
        return
    assert [*found.old, *found.kept] == messages
    assert len(found.kept) >= LEAST_KEPT
    assert found.old


@given(sessions, st.integers(1024, 20_000))
def test_after_a_compaction_each_call_still_has_exactly_one_result(
    messages: list[Message], window: int
) -> None:
    found = cut(messages, window)
    state = SessionState(SessionId("s"), messages=messages)
    state.run = RunState(
        RUN, messages[0].message_id if messages else MessageId("m"), "m", "plan", ""
    )
    if found is not None:
        state.compactions.append(Compaction("now", found.old[-1].message_id, "notes"))

    told = model_messages(state, "prompt")

    asked = [call.id for m in told for call in m.tool_calls]
    answered = [m.tool_call_id for m in told if m.role == "tool"]
    assert asked == answered
    for place, each in enumerate(told):
        if each.role == "tool":
            assert told[place - 1].role in {"assistant", "tool"}


def test_the_message_a_run_works_on_is_told_whole_when_it_was_compacted() -> None:
    goal = message(0, 10, 0)
    state = SessionState(SessionId("s"), messages=[goal, *(message(n, 9, 1) for n in (1, 2, 3))])
    state.run = RunState(RUN, goal.message_id, "m", "default", "")
    state.compactions.append(Compaction("now", MessageId("m1"), "notes"))

    texts = [m.text for m in model_messages(state, "prompt") if m.role == "user"]

    assert texts == ["[Your own notes of the session so far]\nnotes", "x" * 10]


def test_the_list_of_steps_outlives_the_call_that_made_it() -> None:
    state = SessionState(SessionId("s"), messages=[message(n, 3, 1) for n in range(4)])
    state.run = RunState(RUN, MessageId("m0"), "m", "default", "")
    state.todo = [TodoStep("Read", "done"), TodoStep("Write", "in_progress")]
    made = state.messages[2].parts[-1]
    assert isinstance(made, ToolCallPart)
    made.tool, made.state = "todo", "completed"

    def told(until: str) -> list[str]:
        state.compactions = [Compaction("now", MessageId(until), "notes")]
        messages = model_messages(state, "prompt")
        return [m.text for m in messages if "list of steps" in m.text]

    assert told("m1") == []  # the call itself is told
    assert told("m2") == ["[Your list of steps]\n[x] Read\n[>] Write"]
    state.todo = []
    assert told("m2") == []


def test_it_is_due_from_85_percent_of_a_known_window_on() -> None:
    assert not is_due(84, 100)
    assert is_due(85, 100)
    assert not is_due(None, 100)
    assert not is_due(10**9, None)
