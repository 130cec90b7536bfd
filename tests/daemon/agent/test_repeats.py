"""The same call again and again: the third in a row is asked about."""

import pytest
from tests.daemon.agent.test_loop import Stage, probe
from tests.fakes.probe_tool import ProbeTool
from tests.fakes.scripted_gate import ScriptedGate
from tests.fakes.scripted_provider import calls, says

from lararium_daemon.agent.ports import Resolution, Ruling
from lararium_daemon.protocol.events import PermissionRequested

pytestmark = pytest.mark.anyio

BY_MODE = Ruling("allow", "This session accepts edits inside the project.")
YES = Resolution("allow", "once", "person")


class FreeTool(ProbeTool):
    """A tool that never asks."""

    permission = ""


def asked(stage: Stage) -> list[str]:
    return [e.request.reason for e in stage.recorder.events if isinstance(e, PermissionRequested)]


def begun(tool: ProbeTool) -> list[str]:
    return [line for line in tool.log if line.startswith("begin")]


async def test_the_third_same_call_in_a_row_is_asked_about_though_the_mode_allows_it() -> None:
    answers = [calls(probe("a")) for _ in range(3)]
    stage = Stage([*answers, says("done")], gate=ScriptedGate(BY_MODE, YES))

    await stage.run()

    [reason] = asked(stage)
    assert "the 3rd time in a row" in reason
    assert begun(stage.tool) == ["begin a"] * 3


async def test_another_call_between_begins_the_count_anew_and_so_does_an_answer() -> None:
    says_in_order = ["a", "a", "b", "a", "a", "a", "a", "a", "a"]
    answers = [calls(probe(say)) for say in says_in_order]
    stage = Stage([*answers, says("done")], gate=ScriptedGate(BY_MODE, YES))

    await stage.run()

    assert len(asked(stage)) == 2
    assert len(begun(stage.tool)) == 9


async def test_arguments_in_another_order_are_the_same_call_side_by_side_too() -> None:
    other_order: dict[str, object] = {"fail": False, "say": "a"}
    say, swapped = probe("a", fail=False), ("probe", other_order)
    stage = Stage([calls(say, swapped, say), says("done")], gate=ScriptedGate(BY_MODE, YES))

    await stage.run()

    assert len(asked(stage)) == 1


async def test_without_a_person_the_model_is_told_to_find_another_way() -> None:
    answers = [calls(probe("a")) for _ in range(3)]
    stage = Stage([*answers, says("done")], gate=ScriptedGate(BY_MODE), headless=True)

    end = await stage.run()

    state, text = stage.results[-1]
    assert (state, len(begun(stage.tool))) == ("denied", 2)
    assert "another way may be needed" in text
    assert end is not None
    assert (end.outcome, end.refused) == ("completed", 1)


async def test_what_the_person_allowed_in_so_many_words_is_never_asked() -> None:
    answers = [calls(probe("a")) for _ in range(4)]
    stage = Stage(
        [*answers, says("done")], gate=ScriptedGate(Ruling("allow", "A rule.", is_explicit=True))
    )

    await stage.run()

    assert asked(stage) == []


async def test_a_tool_that_needs_no_permission_may_repeat_itself() -> None:
    free = FreeTool("free")
    answers = [calls(("free", {"say": "a"})) for _ in range(4)]
    stage = Stage([*answers, says("done")], gate=ScriptedGate(BY_MODE), tools=[free])

    await stage.run()

    assert (asked(stage), len(begun(free))) == ([], 4)
