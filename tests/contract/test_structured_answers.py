"""What a server is asked when an answer has a shape, and what is done when it knows none."""

import pytest
from tests.fakes.llm_server import FakeLlm
from tests.fakes.llm_wire import json_reply
from tests.fakes.model_asker import provider

from lararium_daemon.agent.structured import ask_structured
from lararium_daemon.protocol.profiles import ProfileKind
from lararium_daemon.providers.answer_schema import AnswerSchema
from lararium_daemon.providers.provider import ModelMessage, ProviderError

pytestmark = pytest.mark.anyio

CITY = AnswerSchema(
    "city",
    {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    },
)
ASKED = [ModelMessage("user", """Which? [[fake text='{"name": "Ostia"}']]""")]
BOUND = {"name": "city", "schema": dict(CITY.schema), "strict": True}


@pytest.fixture
def llm(kind_llm: FakeLlm) -> FakeLlm:
    return kind_llm


async def test_the_server_is_bound_to_the_schema(llm: FakeLlm, kind: ProfileKind) -> None:
    async with provider(llm, kind=kind) as model:
        answer = await ask_structured(model, ASKED, CITY)
    assert answer.value == {"name": "Ostia"}
    body = llm.requests[0].body
    if kind == "responses":
        assert body["text"] == {"format": {"type": "json_schema", **BOUND}}
    else:
        assert body["response_format"] == {"type": "json_schema", "json_schema": BOUND}


async def test_a_server_that_knows_no_schemas_is_asked_in_words(
    llm: FakeLlm, kind: ProfileKind
) -> None:
    words = "text.format is unknown" if kind == "responses" else "response_format is not supported"
    llm.script(json_reply({"error": {"message": words}}, status=400))
    async with provider(llm, kind=kind) as model:
        answer = await ask_structured(model, ASKED, CITY)
        await ask_structured(model, ASKED, CITY)
    assert answer.value == {"name": "Ostia"}
    bound = [any(k in r.body for k in ("text", "response_format")) for r in llm.requests]
    assert bound == [True, False, False]


async def test_a_repair_goes_over_the_same_wire(llm: FakeLlm, kind: ProfileKind) -> None:
    asked = [ModelMessage("user", "Which? [[fake text='no idea']]")]
    async with provider(llm, kind=kind) as model:
        with pytest.raises(ProviderError, match="no JSON") as caught:
            await ask_structured(model, asked, CITY)
    assert caught.value.code == "provider_bad_answer"
    assert len(llm.requests) == 2
    assert [m["role"] for m in llm.requests[1].asked["messages"]] == [
        "user",
        "user",
        "assistant",
        "user",
    ]
