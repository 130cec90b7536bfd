"""The tour's script, played against the messages that a run would give it."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.fakes.model_asker import Naps, text_of

from lararium_daemon.providers.provider import (
    CallRequested,
    Finished,
    ModelEvent,
    ModelMessage,
    ModelRequest,
    ModelToolCall,
    ToolSpec,
)
from lararium_daemon.providers.tour import WORD_SECONDS, TourProvider
from lararium_daemon.system.sample_project import copy_sample_project

pytestmark = pytest.mark.anyio

TOOLS = ("bash", "read_file", "write_file", "edit_file", "glob", "ask_user", "task_complete")
DENIED = "The person denied this."
EDITED = "lamp.py was changed: 1 line added, 1 removed."


@dataclass
class Play:
    """A session with the tour: what it did, and what it is told next."""

    is_sample: bool = True
    tools: tuple[str, ...] = TOOLS
    messages: list[ModelMessage] = field(default_factory=list[ModelMessage])
    naps: Naps = field(default_factory=Naps)
    text: str = ""
    call: CallRequested | None = None

    def __post_init__(self) -> None:
        self.messages.append(ModelMessage("system", "You are an agent."))

    async def say(self, text: str) -> "Play":
        self.messages.append(ModelMessage("user", text))
        return await self.step()

    async def result(self, text: str) -> "Play":
        self.messages.append(ModelMessage("tool", text, tool_call_id=f"c{len(self.messages) - 1}"))
        return await self.step()

    async def step(self) -> "Play":
        """Ask a new provider each time: nothing may be kept between two steps."""
        specs = [ToolSpec(name, "", {}) for name in self.tools]
        stream = TourProvider(is_sample=self.is_sample, sleep=self.naps).stream(
            ModelRequest("", list(self.messages), specs)
        )
        events: list[ModelEvent] = [event async for event in stream]
        self.text = text_of(events)
        calls = [event for event in events if isinstance(event, CallRequested)]
        self.call = calls[0] if calls else None
        assert isinstance(events[-1], Finished)
        made = tuple(ModelToolCall(f"c{len(self.messages)}", each.name, each.raw) for each in calls)
        self.messages.append(ModelMessage("assistant", self.text, made))
        return self

    @property
    def called(self) -> str:
        return self.call.name if self.call else ""

    @property
    def path(self) -> str:
        assert self.call is not None
        return str((self.call.arguments or {}).get("path", ""))


@pytest.fixture
def lamp(tmp_path: Path) -> str:
    """What `read_file` shows of the sample."""
    text = (copy_sample_project(tmp_path / "tour") / "lamp.py").read_text(encoding="utf-8")
    return "\n".join(f"{n:6d}\t{line}" for n, line in enumerate(text.splitlines(), 1))


async def test_it_streams_reads_changes_runs_asks_and_completes(lamp: str, tmp_path: Path) -> None:
    play = await Play().say("Show me around")
    assert (play.called, play.path) == ("read_file", "lamp.py")
    assert "not an AI" in play.text
    assert "offline" in play.text
    assert len(play.naps.seconds) > 20
    assert set(play.naps.seconds) == {WORD_SECONDS}
    await play.result(lamp)
    assert (play.called, play.path) == ("edit_file", "lamp.py")
    arguments = play.call.arguments if play.call else None
    assert arguments is not None
    assert (tmp_path / "tour" / "lamp.py").read_text(encoding="utf-8").count(
        arguments["old_string"]
    ) == 1
    await play.result(EDITED)
    assert play.called == "bash"
    await play.result("...\nRan 3 tests in 0.001s\n\nOK")
    assert play.called == "ask_user"
    assert "All tests pass" in play.text
    await play.result("Shall I note the change somewhere?\n→ In README.md")
    assert (play.called, play.path) == ("edit_file", "README.md")
    await play.result("README.md was changed.")
    assert play.called == "task_complete"
    summary = play.call.arguments["summary"] if play.call and play.call.arguments else ""
    assert "`lamp.py`, `README.md`" in summary
    assert "The tests pass" in summary


async def test_a_denied_change_is_told_and_the_tour_goes_on(lamp: str) -> None:
    play = await Play().say("go")
    await play.result(lamp)
    await play.result(f"{DENIED} They said: not today")
    assert play.called == "bash"
    assert "You denied it" in play.text
    await play.result("FAILED (failures=1)\n[exit 1]")
    assert "failed" in play.text
    await play.result("Shall I?\n→ No, that is all")
    assert play.called == "task_complete"
    assert "No file was changed. The tests do not pass." in json.dumps(
        play.call.arguments if play.call else {}
    )


async def test_a_denied_command_and_nobody_to_ask_end_the_tour_all_the_same(lamp: str) -> None:
    play = await Play().say("go")
    await play.result(lamp)
    await play.result("Denied: it needs the person's permission, and nobody is here to give it.")
    await play.result("Denied: it needs the person's permission, and nobody is here to give it.")
    assert "unrun" in play.text
    await play.result("Nobody is there to answer. Decide yourself, say what you assumed.")
    assert play.called == "task_complete"
    assert "were not run" in json.dumps(play.call.arguments if play.call else {})


async def test_an_answer_in_their_own_words_is_quoted_and_not_understood(lamp: str) -> None:
    play = await Play().say("go")
    for result in (lamp, EDITED, "OK", "Shall I?\n→ In their words: in the CHANGELOG"):
        await play.result(result)
    assert play.called == "task_complete"
    assert "You wrote “in the CHANGELOG”" in play.text


async def test_after_the_end_free_text_gets_an_honest_answer_and_again_starts_over(
    lamp: str,
) -> None:
    play = await Play().say("go")
    for result in (lamp, EDITED, "OK", "Shall I?\n→ No, that is all", "done"):
        await play.result(result)
    play.messages.pop()  # the run ended with `task_complete`
    await play.say("Write me a web shop\nin Rust")
    assert play.called == ""
    assert "You wrote “Write me a web shop in Rust”" in play.text
    assert "no AI" in play.text
    await play.say("again, please")
    assert play.called == "read_file"
    fixed = lamp.replace("/ MILLILITRES_PER_HOUR", "/ (MILLILITRES_PER_HOUR * wicks)")
    await play.result(fixed)
    assert play.called == "bash"
    assert "right already" in play.text


async def test_a_run_that_was_cut_goes_on_where_it_was(lamp: str) -> None:
    play = await Play().say("go")
    await play.result(lamp)
    play.messages.append(ModelMessage("tool", EDITED, tool_call_id=f"c{len(play.messages) - 1}"))
    await play.say("and now?")
    assert play.called == "bash"


async def test_a_file_that_somebody_rewrote_is_left_alone() -> None:
    play = await Play().say("go")
    await play.result("     1\tprint('mine')")
    assert play.called == "bash"
    assert "leave it alone" in play.text


async def test_in_another_folder_it_says_so_and_only_looks() -> None:
    play = await Play(is_sample=False).say("Fix the bug")
    assert play.called == "glob"
    assert "not its sample project" in play.text
    await play.result("README.md")
    assert play.called == ""
    assert "nothing was changed" in play.text
    await play.say("Delete everything")
    assert play.called == ""
    assert "You wrote “Delete everything”" in play.text


async def test_a_tool_that_is_not_offered_is_passed_over(lamp: str) -> None:
    play = await Play(tools=("read_file", "task_complete")).say("go")
    await play.result(lamp)
    assert play.called == "task_complete"
    play = await Play(tools=()).say("go")
    assert play.called == ""
    assert play.text


@pytest.mark.parametrize("said", ["", "   ", "x" * 5000, "again", "[[fake error=500]]"])
async def test_any_first_words_begin_the_tour(said: str) -> None:
    play = await Play().say(said)
    assert play.called == "read_file"
