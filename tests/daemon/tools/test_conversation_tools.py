"""The tools that talk to the person or end the run."""

from typing import Any

import pytest
from tests.daemon.tools.conftest import ToolBench

from lararium_daemon.protocol.permissions import QuestionAnswer, QuestionItem, QuestionOption
from lararium_daemon.tools.registry import TOOLS

pytestmark = pytest.mark.anyio
QUESTIONS: list[dict[str, Any]] = [
    {"question": "Which?", "options": [{"label": "A", "description": "first"}, {"label": "B"}]},
    {"question": "More?", "options": [{"label": "C"}, {"label": "D"}], "multiple": True},
]


async def test_answers_reach_the_model(bench: ToolBench) -> None:
    bench.answers = [QuestionAnswer(["A"]), QuestionAnswer(["C", "D"], "and E")]

    result = await bench.call("ask_user", questions=QUESTIONS)

    assert result.text == "Which?\n→ A\n\nMore?\n→ C, D. In their words: and E"
    assert bench.asked == [
        QuestionItem("Which?", [QuestionOption("A", "first"), QuestionOption("B")]),
        QuestionItem("More?", [QuestionOption("C"), QuestionOption("D")], multiple=True),
    ]


async def test_nobody_there_is_told_to_the_model(bench: ToolBench) -> None:
    result = await bench.call("ask_user", questions=QUESTIONS)

    assert result.is_error
    assert "Nobody is there to answer" in result.text


@pytest.mark.parametrize(
    "questions",
    [
        [],
        QUESTIONS * 3,
        [{"question": "?", "options": [{"label": "A"}]}],
        [{"question": "?", "options": [{"label": "A"}, {"label": "A"}]}],
        [{"question": "", "options": [{"label": "A"}, {"label": "B"}]}],
    ],
)
async def test_questions_out_of_shape_are_refused(
    bench: ToolBench, questions: list[dict[str, Any]]
) -> None:
    assert "do not fit" in await bench.fails("ask_user", questions=questions)


async def test_completing_hands_over_the_summary(bench: ToolBench) -> None:
    result = await bench.call("task_complete", summary="All done.")

    assert (result.text, result.metadata) == ("All done.", {"complete": True})


def test_the_tools_and_what_rules_call_them(bench: ToolBench) -> None:
    assert {name: (tool.permission, tool.effect) for name, tool in TOOLS.items()} == {
        "ask_user": ("", "none"),
        "bash": ("Bash", "exec"),
        "edit_file": ("Edit", "write"),
        "glob": ("Read", "read"),
        "grep": ("Read", "read"),
        "read_file": ("Read", "read"),
        "task": ("Agent", "none"),
        "task_complete": ("", "none"),
        "todo": ("", "none"),
        "web_fetch": ("WebFetch", "read"),
        "write_file": ("Edit", "write"),
    }
    for tool in TOOLS.values():
        assert tool.description
        assert tool.parameters()["type"] == "object"
