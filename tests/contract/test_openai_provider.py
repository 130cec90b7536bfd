"""The provider against a real server over real HTTP: what good answers become."""

import gzip
import json
from dataclasses import replace

import anyio
import pytest
from tests.fakes.llm_server import FakeLlm
from tests.fakes.llm_wire import EVENT_STREAM, HELLO, Scripted, chunk, json_reply, stream_of
from tests.fakes.model_asker import ask, ending, fail, provider, text_of

from lararium_daemon.providers.provider import (
    CallRequested,
    Finished,
    ModelMessage,
    ModelRequest,
    ModelToolCall,
    Provider,
    ProviderError,
    TextDelta,
    ThinkingDelta,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
def llm(keyed_llm: FakeLlm) -> FakeLlm:
    return keyed_llm


async def test_text_thinking_and_usage_arrive_in_order(llm: FakeLlm) -> None:
    async with provider(llm) as model:
        events = await ask(model, "hi [[fake tokens=3 reasoning=2 prompt_tokens=40]]")
    assert isinstance(events[0], ThinkingDelta)
    assert text_of(events) == "the lamp beside "
    end = ending(events)
    assert end.reasoning is not None
    assert end.reasoning.shown_in == "reasoning_content"
    assert replace(end, reasoning=None) == Finished("stop", 40, 5)


async def test_a_tool_call_arrives_whole_and_the_request_is_authenticated(llm: FakeLlm) -> None:
    async with provider(llm) as model:
        events = await ask(model, "hi [[fake rounds=1 tool=write path=a.txt content=那🌍]]")
    arguments = {"path": "a.txt", "content": "那🌍"}
    assert [e.arguments for e in events if isinstance(e, CallRequested)] == [arguments]
    request = llm.requests[0]
    assert request.headers["authorization"] == "Bearer sk-right-key"
    assert request.body["model"] == "fake-model"
    assert request.body["tools"][0]["function"]["name"] == "write_file"


async def test_a_history_with_calls_and_results_is_taken(llm: FakeLlm) -> None:
    calls = (ModelToolCall("call_0", "write_file", "{}"), ModelToolCall("call_1", "x", "{}"))
    messages = [
        ModelMessage("user", "go [[fake rounds=1]]"),
        ModelMessage("assistant", "", calls),
        ModelMessage("tool", "done \ud83d", tool_call_id="call_0"),
        ModelMessage("tool", "no such tool", tool_call_id="call_1"),
    ]
    async with provider(llm) as model:
        stream = model.stream(ModelRequest("", messages))
        events = [event_ async for event_ in stream]
        broken = model.stream(ModelRequest("", messages[:3]))
        with pytest.raises(ProviderError, match="'call_1' has no result"):
            await anext(broken)
    assert isinstance(events[-1], Finished)


async def test_a_server_on_this_machine_is_asked_without_a_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-private")
    with FakeLlm() as llm:
        async with provider(llm, OPENAI_API_KEY="") as model:
            await ask(model)
    headers = llm.requests[0].headers
    assert "authorization" not in headers
    assert "openai-organization" not in headers
    assert "private" not in str(headers)


async def test_a_call_to_another_machine_goes_through_the_proxy_and_loopback_never_does(
    llm: FakeLlm,
) -> None:
    proxy = llm.base_url.removesuffix("/v1")
    async with provider(llm, OPENAI_BASE_URL="http://192.0.2.7/v1", http_proxy=proxy) as model:
        assert text_of(await ask(model)) == "the "
    assert llm.requests[0].headers["host"] == "192.0.2.7"
    dead = "http://127.0.0.1:9"
    async with provider(llm, HTTP_PROXY=dead, HTTPS_PROXY=dead, ALL_PROXY=dead) as model:
        assert text_of(await ask(model)) == "the "


async def test_one_byte_per_read_changes_nothing(llm: FakeLlm) -> None:
    arguments = json.dumps({"path": "那", "content": "🌍"}, ensure_ascii=False)
    call = {"index": 0, "id": "c", "function": {"name": "write_file", "arguments": arguments}}
    whole = stream_of(
        b": PROCESSING\n\n:\n\nevent: ping\n\n",
        b"data:"
        + json.dumps(chunk({"content": "那🌍"}), ensure_ascii=False).encode()
        + b"\r\n\r\n",
        chunk({"tool_calls": [call]}),
        chunk(finish="tool_calls"),
    )
    body = b"".join(whole.pieces)
    llm.script(Scripted([bytes([byte]) for byte in body]))
    async with provider(llm) as model:
        events = await ask(model)
    assert text_of(events) == "那🌍"
    assert [e.arguments for e in events if isinstance(e, CallRequested)] == [json.loads(arguments)]


async def test_an_answer_that_is_not_streamed_is_read(llm: FakeLlm) -> None:
    function = {"name": "write_file", "arguments": {"path": "a.txt", "content": "x"}}
    message = {"content": "here", "tool_calls": [{"id": "c1", "function": function}]}
    choice = {"message": message, "finish_reason": "tool_calls"}
    llm.script(json_reply({"choices": [choice], "usage": {"prompt_tokens": 3}}))
    async with provider(llm) as model:
        events = await ask(model)
    assert [type(e) for e in events] == [TextDelta, CallRequested, Finished]
    assert ending(events) == Finished("tool_calls", 3)


async def test_a_packed_answer_is_read_and_one_that_explodes_is_not(llm: FakeLlm) -> None:
    packed = {**EVENT_STREAM, "content-encoding": "gzip"}
    body = gzip.compress(b"".join(stream_of(*HELLO).pieces))
    bomb = gzip.compress(b"data: " + b"x" * 50_000_000)
    strange = {**EVENT_STREAM, "content-encoding": "br"}
    llm.script(
        Scripted([body[:20], body[20:]], headers=packed),
        Scripted([bomb], headers=packed),
        Scripted([b"not gzip at all"], headers=packed),
        Scripted([b"x"], headers=strange),
    )
    async with provider(llm) as model:
        assert text_of(await ask(model)) == "hello"
        for words in ("unpacks without end", "cannot be unpacked", "packed its answer unasked"):
            error = await fail(model)
            assert error.code == "provider_bad_response"
            assert words in error.detail


async def test_a_burst_of_chunks_arrives_as_few_deltas(llm: FakeLlm) -> None:
    async with provider(llm) as model:
        events = await ask(model, "hi [[fake tokens=20000 batch=64]]")
    assert len(text_of(events).split()) == 20_000
    assert len(events) < 5_000


async def test_calls_side_by_side_do_not_mix(llm: FakeLlm) -> None:
    texts: dict[str, str] = {}

    async def one(model: Provider, word: str) -> None:
        texts[word] = text_of(await ask(model, f"[[fake text='{word} {word} {word}']]"))

    async with provider(llm) as model, anyio.create_task_group() as group:
        for word in ("lar", "penates", "genius"):
            group.start_soon(one, model, word)
    assert texts == {w: f"{w} {w} {w}" for w in ("lar", "penates", "genius")}
