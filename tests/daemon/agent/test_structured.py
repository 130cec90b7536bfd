"""A question whose answer has a shape: bound to it, checked, repaired once."""

import json

import pytest
from tests.fakes.scripted_provider import ScriptedProvider, says

from lararium_daemon.agent.structured import ask_structured
from lararium_daemon.providers.answer_schema import AnswerSchema, read_answer
from lararium_daemon.providers.provider import ModelMessage, ProviderError

pytestmark = pytest.mark.anyio

CITY = AnswerSchema(
    "city",
    {
        "type": "object",
        "properties": {"name": {"type": "string"}, "people": {"type": "integer", "minimum": 0}},
        "required": ["name", "people"],
        "additionalProperties": False,
    },
)
ASKED = [ModelMessage("user", "Which city?")]
GOOD = '{"name": "Ostia", "people": 50000}'


async def test_an_answer_that_fits_is_given_as_a_value() -> None:
    model = ScriptedProvider([says(GOOD)])
    answer = await ask_structured(model, ASKED, CITY)
    assert answer.value == {"name": "Ostia", "people": 50000}
    assert (answer.is_repaired, len(answer.calls)) == (False, 1)
    request = model.requests[0]
    assert request.schema == CITY
    assert json.loads(request.messages[-1].text.partition(":\n")[2][:-1]) == CITY.schema


async def test_one_that_does_not_fit_is_sent_back_once_with_what_is_wrong() -> None:
    model = ScriptedProvider([says('{"name": "Ostia", "people": -1}'), says(GOOD)])
    answer = await ask_structured(model, ASKED, CITY)
    assert answer.value["people"] == 50000
    assert answer.is_repaired
    told = model.requests[1].messages
    assert told[-2].text == '{"name": "Ostia", "people": -1}'
    assert "people" in told[-1].text
    assert "minimum" in told[-1].text


@pytest.mark.parametrize("second", ["", "Sorry.", '{"name": "Ostia"}', "[]", '{"name": 1'])
async def test_two_that_do_not_fit_are_a_failure_with_words(second: str) -> None:
    model = ScriptedProvider([says("Ostia"), says(second)])
    with pytest.raises(ProviderError) as caught:
        await ask_structured(model, ASKED, CITY)
    assert caught.value.code == "provider_bad_answer"
    assert "twice" in caught.value.detail
    assert len(model.requests) == 2


async def test_a_wrong_schema_is_found_before_it_costs_a_call() -> None:
    model = ScriptedProvider([])
    with pytest.raises(ValueError, match="schema odd"):
        await ask_structured(model, ASKED, AnswerSchema("odd", {"type": "thing"}))


async def test_a_schema_never_reaches_out() -> None:
    model = ScriptedProvider([])
    far = AnswerSchema("far", {"$ref": "http://127.0.0.1:9/schema.json"})
    with pytest.raises(ValueError, match="far"):
        await ask_structured(model, ASKED, far)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"Here it is:\n```\n{GOOD}\n```",
        f"Sure: {GOOD}.",
    ],
)
def test_json_is_found_in_what_models_put_around_it(text: str) -> None:
    assert read_answer(text) == {"name": "Ostia", "people": 50000}


def test_only_a_closed_and_full_schema_is_sent_as_strict() -> None:
    inner = {"type": "object", "properties": {"city": CITY.schema}, "required": ["city"]}
    assert CITY.is_strict
    assert not AnswerSchema("x", inner).is_strict
    assert AnswerSchema("x", {**inner, "additionalProperties": False}).is_strict
    assert not AnswerSchema("x", {**CITY.schema, "required": ["name"]}).is_strict
