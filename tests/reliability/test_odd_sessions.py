"""What models and tools say oddly breaks no session: not at once, not after a restart.

The model's rules refuse a history in which a call has no result or two, or that is no valid text.
"""

import json
import sys

import pytest
from tests.fakes.crash_stage import CrashStage, Json, assert_paired, call, model_is_full, model_says
from tests.fakes.llm_wire import chunk, stream_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="fork servers are Linux's")


def told(stage: CrashStage) -> list[Json]:
    """Give the messages of the newest request to the model."""
    return stage.llm.requests[-1].body["messages"]


def results_by_command(messages: list[Json]) -> dict[str, str]:
    """Give what the model is told of each command, paired by the ids it is told."""
    commands: dict[str, str] = {}
    results: dict[str, str] = {}
    for message in messages:
        calls: list[Json] = message.get("tool_calls") or []
        for each in calls:
            commands[each["id"]] = json.loads(each["function"]["arguments"])["command"]
        if message["role"] == "tool":
            results[commands[message["tool_call_id"]]] = message["content"]
    return results


def test_an_id_that_comes_again_in_every_turn_still_pairs_each_call_with_its_result(
    stage: CrashStage,
) -> None:
    session = stage.session()
    for number in range(4):
        if number == 3:
            stage.stop()
            stage.start()
        stage.llm.reset()
        stage.llm.script(model_says("", call("bash", command=f"echo {number}")), model_says("."))
        stage.post(session, f"Number {number}")
        assert stage.wait_idle(session)["last_outcome"] == "completed"
    found = results_by_command(told(stage))
    assert found == {f"echo {number}": f"{number}\n" for number in range(4)}
    ids = [each["call_id"] for each in stage.calls(session)]
    assert len(ids) == len(set(ids)) == 4


def test_two_calls_with_one_id_both_run_and_both_are_told(stage: CrashStage) -> None:
    session = stage.session()
    calls: list[Json] = [
        {
            "index": place,
            "id": "x1",
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": f"echo {name}"})},
        }
        for place, name in enumerate("ab")
    ]
    same = stream_of(chunk({"tool_calls": calls}), chunk(finish="tool_calls"))
    stage.llm.script(same, model_says("Done."))
    stage.post(session)
    assert stage.wait_idle(session)["last_outcome"] == "completed"
    assert results_by_command(told(stage)) == {"echo a": "a\n", "echo b": "b\n"}
    cards = [(each["arguments"]["command"], each["state"]) for each in stage.calls(session)]
    assert cards == [("echo a", "completed"), ("echo b", "completed")]


@pytest.mark.parametrize("cut", range(4))
def test_cut_characters_in_output_and_arguments_spoil_no_later_request(
    stage: CrashStage, cut: int
) -> None:
    session = stage.session()
    # The bound of what the model is told falls into each place of a character.
    many = f"head -c {cut} /dev/zero | tr '\\0' x; yes 😀 | tr -d '\\n' | head -c 199999"
    function = {"name": "bash", "arguments": '{"command": "echo a \\ud99c b"}'}
    half: Json = {"index": 0, "id": "c", "type": "function", "function": function}
    lone = stream_of(chunk({"tool_calls": [half]}), chunk(finish="tool_calls"))
    stage.llm.script(model_says("", call("bash", command=many)), lone, model_says("Done."))
    for text in ("One", "Two"):
        stage.post(session, text)
        assert stage.wait_idle(session)["last_outcome"] == "completed"
    stage.llm.script(model_is_full(), model_says("Notes 😀"), model_says("Done."))
    stage.post(session, "Three")
    assert stage.wait_idle(session)["last_outcome"] == "completed"
    assert "compaction.ended" in [event["type"] for event in stage.events(session)]
    stage.stop()
    stage.start()
    stage.post(session, "Four")
    assert stage.wait_idle(session)["last_outcome"] == "completed"
    assert_paired(stage.messages(session))
