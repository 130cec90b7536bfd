"""One body of tests for every kind of provider, against a real server over real HTTP."""

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread
import pytest
from tests.fakes.keyed_llm import KEY
from tests.fakes.llm_server import FakeLlm
from tests.fakes.llm_wire import Scripted
from tests.fakes.local_servers import free_port
from tests.fakes.model_asker import Naps, ask, fail, provider, provider_at, text_of

from lararium_daemon.protocol.profiles import ProfileKind
from lararium_daemon.providers.provider import (
    CallRequested,
    Finished,
    ModelEvent,
    ModelMessage,
    ModelRequest,
    ModelToolCall,
    Provider,
    ProviderError,
    Retrying,
    ThinkingDelta,
    ToolSpec,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
def llm(kind_llm: FakeLlm) -> FakeLlm:
    return kind_llm


@asynccontextmanager
async def opened(
    llm: FakeLlm, kind: ProfileKind, naps: Naps | None = None
) -> AsyncGenerator[Provider]:
    async with provider(llm, naps, kind=kind) as model:
        yield model


def calls_of(events: list[ModelEvent]) -> list[CallRequested]:
    return [event for event in events if isinstance(event, CallRequested)]


async def test_text_thinking_and_usage(llm: FakeLlm, kind: ProfileKind) -> None:
    async with opened(llm, kind) as model:
        events = await ask(model, "hi [[fake tokens=3 reasoning=2 prompt_tokens=40]]")
    thinking = "".join(e.text for e in events if isinstance(e, ThinkingDelta))
    assert (thinking, text_of(events)) == ("the lamp ", "the lamp beside ")
    end = events[-1]
    assert isinstance(end, Finished)
    assert (end.input_tokens, end.output_tokens) == (40, 5)


async def test_it_asks_its_own_path_with_the_key_and_the_model(
    llm: FakeLlm, kind: ProfileKind
) -> None:
    async with opened(llm, kind) as model:
        await ask(model)
    request = llm.requests[0]
    assert request.path == f"/v1/{'responses' if kind == 'responses' else 'chat/completions'}"
    key = "tid=fake;exp=1;sku=test" if kind == "copilot" else KEY
    assert request.headers["authorization"] == f"Bearer {key}"
    assert (request.body["model"], request.body["stream"]) == ("fake-model", True)
    assert request.body.get("store") in (None, False)


async def test_several_calls_arrive_whole_and_in_order(llm: FakeLlm, kind: ProfileKind) -> None:
    directive = "[[fake rounds=1 calls=3 tool=write path=那 content='🌍 \"x\"']]"
    async with opened(llm, kind) as model:
        events = await ask(model, f"hi {directive}")
    assert [call.arguments for call in calls_of(events)] == [
        {"path": "那", "content": '🌍 "x"'}
    ] * 3
    assert {call.name for call in calls_of(events)} == {"write_file"}


async def test_a_history_with_calls_and_results_is_taken_and_a_broken_one_refused(
    llm: FakeLlm, kind: ProfileKind
) -> None:
    calls = (ModelToolCall("call_0", "write_file", "{}"), ModelToolCall("call_1", "x", "{}"))
    messages = [
        ModelMessage("system", "You are an agent."),
        ModelMessage("user", "go [[fake rounds=1]]"),
        ModelMessage("assistant", "First this.", calls),
        ModelMessage("tool", "done \ud83d", tool_call_id="call_0"),
        ModelMessage("tool", "no such tool", tool_call_id="call_1"),
    ]
    async with opened(llm, kind) as model:
        events = [e async for e in model.stream(ModelRequest("", messages))]
        with pytest.raises(ProviderError, match="'call_1' has no result") as caught:
            await anext(model.stream(ModelRequest("", messages[:4])))
    assert text_of(events) == "the "
    assert caught.value.code == "provider_bad_request"
    asked = llm.requests[0].asked["messages"]
    assert [m["role"] for m in asked] == ["system", "user", "assistant", "tool", "tool"]
    assert asked[2]["content"] == "First this."
    assert asked[3]["content"] == "done \ufffd"


async def test_arguments_that_are_cut_are_never_given_as_if_whole(
    llm: FakeLlm, kind: ProfileKind
) -> None:
    async with opened(llm, kind) as model:
        for directive in ("error=badjson", "error=badjson finish=length"):
            events = await ask(model, f"hi [[fake rounds=1 tool=write {directive}]]")
            assert [call.arguments for call in calls_of(events)] == [None]
            assert "nothing was run" in calls_of(events)[0].arguments_error


async def test_an_answer_without_a_word_is_an_answer(llm: FakeLlm, kind: ProfileKind) -> None:
    async with opened(llm, kind) as model:
        events = await ask(model, "hi [[fake error=empty]]")
    assert [type(event) for event in events] == [Finished]


@pytest.mark.parametrize(
    ("error", "code", "status"),
    [
        ("400", "provider_bad_request", 400),
        ("401", "provider_auth", 401),
        ("404", "provider_bad_request", 404),
        ("429", "provider_rate_limit", 429),
        ("503", "provider_overloaded", 503),
        ("quota", "provider_quota", 429),
        ("context", "provider_context_overflow", 400),
    ],
)
async def test_each_refusal_has_its_code(
    llm: FakeLlm, kind: ProfileKind, error: str, code: str, status: int
) -> None:
    async with opened(llm, kind) as model:
        failed = await fail(model, f"hi [[fake error={error}]]")
    assert (failed.code, failed.status) == (code, status)
    assert KEY not in failed.detail


async def test_a_busy_server_is_tried_again_visibly(llm: FakeLlm, kind: ProfileKind) -> None:
    naps = Naps()
    async with opened(llm, kind, naps) as model:
        events = await ask(model, "hi [[fake error=429 error_on=1-2]]")
    assert len([e for e in events if isinstance(e, Retrying)]) == len(naps.seconds) == 2
    assert text_of(events) == "the "


async def test_what_is_no_answer_is_said_to_be_none(llm: FakeLlm, kind: ProfileKind) -> None:
    page = Scripted([b"<!doctype html><h1>Log in</h1>"], headers={"content-type": "text/html"})
    broken = Scripted([b"data: {\n\n"])
    llm.script(page, broken)
    async with opened(llm, kind) as model:
        failures = [await fail(model), await fail(model)]
    assert [each.code for each in failures] == ["provider_bad_response"] * 2
    assert "web page" in failures[0].detail


async def test_no_connection_and_no_tls_have_their_own_words(
    llm: FakeLlm, kind: ProfileKind
) -> None:
    async with provider_at(f"http://127.0.0.1:{free_port()}", kind) as model:
        refused = await fail(model, events=[])
    async with provider_at(llm.base_url.replace("http:", "https:"), kind) as model:
        unsafe = await fail(model)
    assert (refused.code, unsafe.code) == ("provider_unreachable", "provider_tls")
    assert refused.detail.startswith("Network: no connection")
    assert unsafe.detail.startswith("TLS:")


async def test_a_dead_proxy_and_an_unknown_name_have_their_own_words(
    kind: ProfileKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = f"http://127.0.0.1:{free_port()}"
    async with provider_at("https://192.0.2.7", kind, HTTPS_PROXY=dead) as model:
        proxy = await fail(model, events=[])

    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    async with provider_at("https://models.example", kind) as model:
        name = await fail(model, events=[])
    assert (proxy.code, name.code) == ("provider_unreachable", "provider_unreachable")
    assert proxy.detail.startswith("Proxy:")
    assert name.detail.startswith("DNS:")


async def test_what_answered_and_how_long_it_took_is_told(llm: FakeLlm, kind: ProfileKind) -> None:
    async with opened(llm, kind) as model:
        end = (await ask(model))[-1]
    assert isinstance(end, Finished)
    assert end.model.endswith("/fake-model")
    assert end.phases is not None
    assert end.phases.answered <= end.phases.whole


async def test_what_came_before_a_cut_is_kept_and_not_asked_for_again(
    llm: FakeLlm, kind: ProfileKind
) -> None:
    events: list[ModelEvent] = []
    async with opened(llm, kind) as model:
        error = await fail(model, "hi [[fake tokens=20 error=cut cut_after=5]]", events)
    assert error.code == "provider_cut"
    assert text_of(events).startswith("the lamp ")
    assert len(llm.requests) == 1


async def test_a_cancelled_answer_hangs_up(llm: FakeLlm, kind: ProfileKind) -> None:
    llm.set(tokens=9, hold_after=4)
    async with opened(llm, kind) as model:
        with anyio.fail_after(10):
            stream = model.stream(ModelRequest("", [ModelMessage("user", "hi")]))
            await anext(stream)
            await stream.aclose()
            await anyio.to_thread.run_sync(llm.wait_for_client_to_leave, 1)


async def test_a_burst_arrives_as_few_deltas(llm: FakeLlm, kind: ProfileKind) -> None:
    async with opened(llm, kind) as model:
        events = await ask(model, "hi [[fake tokens=20000 batch=64]]")
    assert len(text_of(events).split()) == 20_000
    assert len(events) < 5_000


async def test_answers_side_by_side_do_not_mix(llm: FakeLlm, kind: ProfileKind) -> None:
    texts: dict[str, str] = {}

    async def one(model: Provider, word: str) -> None:
        texts[word] = text_of(await ask(model, f"[[fake text='{word} {word}']]"))

    async with opened(llm, kind) as model, anyio.create_task_group() as group:
        for word in ("lar", "penates", "genius"):
            group.start_soon(one, model, word)
    assert texts == {w: f"{w} {w}" for w in ("lar", "penates", "genius")}


async def test_a_tool_is_offered_with_its_schema(llm: FakeLlm, kind: ProfileKind) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    request = ModelRequest("", [ModelMessage("user", "hi")], [ToolSpec("count", "Count.", schema)])
    async with opened(llm, kind) as model:
        [event async for event in model.stream(request)]
    function = llm.requests[0].asked["tools"][0]["function"]
    assert (function["name"], function["parameters"]) == ("count", schema)
