"""The list of steps."""

import pytest
from tests.daemon.tools.conftest import ToolBench

pytestmark = pytest.mark.anyio


async def test_the_list_comes_back_as_it_stands(bench: ToolBench) -> None:
    steps = [
        {"text": "Read", "state": "done"},
        {"text": "Write", "state": "in_progress"},
        {"text": "Check"},
        {"text": "Ask", "state": "cancelled"},
    ]

    result = await bench.call("todo", steps=steps)

    assert result.text == "[x] Read\n[>] Write\n[ ] Check\n[-] Ask"
    assert result.summary == "1 of 4 done"
    assert result.metadata["steps"][2] == {"text": "Check", "state": "pending"}
    assert (await bench.preview("todo", steps=steps)).title == "1 of 4 done: Write"


async def test_the_words_of_other_agents_are_understood(bench: ToolBench) -> None:
    todos = [{"content": "Read", "status": "completed", "id": "1"}, "Write"]

    assert (await bench.call("todo", todos=todos)).text == "[x] Read\n[ ] Write"


async def test_an_empty_list_is_fine_and_a_wrong_one_is_named(bench: ToolBench) -> None:
    assert (await bench.call("todo", steps=[])).text == "The list is empty."
    assert "state" in await bench.fails("todo", steps=[{"text": "x", "state": "maybe"}])
    assert "text" in await bench.fails("todo", steps=[{"state": "done"}])
