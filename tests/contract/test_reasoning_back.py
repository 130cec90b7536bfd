"""Reasoning goes back to servers that want it, as it came, and to nobody else."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from tests.fakes.copilot_server import FakeCopilot
from tests.fakes.llm_server import FakeLlm
from tests.fakes.llm_wire import json_reply
from tests.fakes.model_asker import WRITE, ask, text_of

from lararium_daemon.protocol.profiles import ProfileKind
from lararium_daemon.protocol.reasoning import Reasoning
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.provider import (
    Finished,
    ModelEvent,
    ModelMessage,
    ModelRequest,
    ModelToolCall,
    Provider,
    ProviderError,
    ThinkingDelta,
)
from lararium_daemon.settings import ProfileSettings, ReasoningBack, Settings

pytestmark = pytest.mark.anyio

KINDS: list[tuple[ProfileKind, str]] = [
    ("chat", "shown"),
    ("chat", "details"),
    ("chat", "signature"),
    ("copilot", "opaque"),
    ("responses", "sealed"),
]


@asynccontextmanager
async def asked(
    kind: ProfileKind, back: ReasoningBack = "auto"
) -> AsyncGenerator[tuple[FakeLlm, Provider]]:
    with FakeCopilot() if kind == "copilot" else FakeLlm() as llm:
        saved = ProfileSettings(kind=kind, base_url=llm.base_url, reasoning_back=back)
        if isinstance(llm, FakeCopilot):
            saved = saved.model_copy(
                update={"base_url": llm.github_url, "key": "env:COPILOT_LOGIN"}
            )
        settings = Settings(profiles={"P": saved})
        async with ModelGateway(settings, llm.environment) as gateway:
            yield llm, gateway.provider_for("fake-model")


def history(prompt: str, events: list[ModelEvent]) -> list[ModelMessage]:
    """Give what the loop would tell next: the answer with its call, and the call's result."""
    end = events[-1]
    assert isinstance(end, Finished)
    thinking = "".join(e.text for e in events if isinstance(e, ThinkingDelta))
    calls = (ModelToolCall("call_0", "write_file", "{}"),)
    return [
        ModelMessage("user", prompt),
        ModelMessage("assistant", "", calls, reasoning=end.reasoning, thinking=thinking),
        ModelMessage("tool", "done", tool_call_id="call_0"),
    ]


def of_another(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Give the same history as if another model had made it."""
    return [
        replace(m, reasoning=m.reasoning and replace(m.reasoning, made_by="P/other"))
        for m in messages
    ]


async def told(model: Provider, messages: list[ModelMessage]) -> str:
    return text_of([e async for e in model.stream(ModelRequest("", messages, [WRITE]))])


def prompt_of(keeps: str, rounds: int = 1) -> str:
    return f"hi [[fake rounds={rounds} tool=write reasoning=2 keeps={keeps}]]"


@pytest.mark.parametrize(("kind", "keeps"), KINDS)
async def test_a_server_that_wants_it_back_gets_it_as_it_came(
    kind: ProfileKind, keeps: str
) -> None:
    async with asked(kind) as (llm, model):
        messages = history(prompt_of(keeps), await ask(model, prompt_of(keeps)))
        assert await told(model, messages) == "the "
    assert len(llm.requests) == 2  # nothing had to be tried again
    kept = messages[1].reasoning
    assert kept is not None
    assert kept.made_by == "P/fake-model"


@pytest.mark.parametrize(("kind", "keeps"), [KINDS[0], KINDS[2]])
async def test_calls_of_another_model_are_made_good_for_a_server_that_misses_reasoning(
    kind: ProfileKind, keeps: str
) -> None:
    async with asked(kind) as (llm, model):
        messages = history(prompt_of(keeps), await ask(model, prompt_of(keeps)))
        assert await told(model, of_another(messages)) == "the "
    assert len(llm.requests) == 3  # learned from the refusal
    sent = str(llm.requests[1].body)
    assert "reasoning_content" not in sent
    assert "extra_content" not in sent


@pytest.mark.parametrize(("kind", "keeps"), KINDS)
async def test_nothing_is_told_to_another_model_or_against_the_persons_will(
    kind: ProfileKind, keeps: str
) -> None:
    async with asked(kind, "never") as (llm, model):
        messages = history(prompt_of(keeps), await ask(model, prompt_of("")))
        messages[1] = replace(
            messages[1],
            reasoning=Reasoning(
                "P/fake-model", "reasoning_content", {"a": "b"}, [{"a": "b"}], [{"a": "b"}]
            ),
        )
        llm.set(keeps="")
        messages[0] = ModelMessage("user", "hi [[fake rounds=1]]")
        assert await told(model, messages) == "the "
    last = llm.requests[-1].body
    assert "include" not in last
    assert "reasoning_content" not in str(last)
    assert "'a'" not in str(last)


async def test_a_server_that_takes_none_gets_none() -> None:
    async with asked("chat") as (llm, model):
        prompt = prompt_of("refused")
        assert await told(model, history(prompt, await ask(model, prompt))) == "the "
    assert len(llm.requests) == 3


async def test_shown_reasoning_of_an_answer_without_calls_goes_back_only_if_always() -> None:
    said = ModelMessage(
        "assistant",
        "Hello.",
        reasoning=Reasoning("P/fake-model", "reasoning_content", {"reasoning_opaque": "b3Bh"}),
        thinking="hm",
    )
    sent: list[list[str]] = []
    for back in ("auto", "always"):
        async with asked("chat", back) as (llm, model):
            await told(model, [ModelMessage("user", "hi"), said, ModelMessage("user", "more")])
        sent.append(sorted(llm.requests[0].body["messages"][1]))
    assert sent[0] == ["content", "reasoning_opaque", "role"]
    assert sent[1] == ["content", "reasoning_content", "reasoning_opaque", "role"]


async def test_a_server_that_knows_no_sealed_reasoning_is_asked_without() -> None:
    async with asked("responses") as (llm, model):
        refusal = "Encrypted content is not supported with this model."
        llm.script(json_reply({"error": {"message": refusal}}, status=400))
        assert text_of(await ask(model)) == "the "
    assert [request.body.get("include") for request in llm.requests] == [
        ["reasoning.encrypted_content"],
        None,
    ]


async def test_what_was_lost_is_said_in_the_servers_words() -> None:
    async with asked("chat") as (_, model):
        prompt = prompt_of("details")
        messages = history(prompt, await ask(model, prompt))
        with pytest.raises(ProviderError, match="reasoning_details must be passed back"):
            await told(model, of_another(messages))
