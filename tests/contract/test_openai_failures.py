"""The provider against a real server over real HTTP: failures, retries, time-outs."""

from contextlib import aclosing
from typing import Any

import anyio
import pytest
from tests.fakes.llm_server import FakeLlm
from tests.fakes.llm_wire import HELLO, Scripted, chunk, event, json_reply
from tests.fakes.model_asker import Naps, ask, ending, fail, provider, text_of

from lararium_daemon.providers.connection import Timeouts
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.provider import (
    Finished,
    ModelEvent,
    ModelMessage,
    ModelRequest,
    Retrying,
    TextDelta,
)
from lararium_daemon.settings import Settings

pytestmark = pytest.mark.anyio


@pytest.fixture
def llm(keyed_llm: FakeLlm) -> FakeLlm:
    return keyed_llm


@pytest.mark.parametrize(
    ("kind", "code", "status", "words"),
    [
        ("400", "provider_bad_request", 400, "bad request"),
        ("401", "provider_auth", 401, "Check OPENAI_API_KEY"),
        ("403", "provider_auth", 403, "not allowed in your region"),
        ("404", "provider_bad_request", 404, "/v1"),
        ("429", "provider_rate_limit", 429, "Wait a moment"),
        ("500", "provider_overloaded", 500, "overloaded"),
        ("503", "provider_overloaded", 503, "overloaded"),
        ("quota", "provider_quota", 429, "quota"),
        ("context", "provider_context_overflow", 400, "larger context window"),
    ],
)
async def test_each_refusal_names_status_and_next_step_and_keeps_the_prompt(
    llm: FakeLlm, kind: str, code: str, status: int, words: str
) -> None:
    async with provider(llm) as model:
        error = await fail(model, f"hi [[fake error={kind}]]")
    assert (error.code, error.status) == (code, status)
    assert words in error.detail
    assert f"HTTP {status}" in error.detail
    assert error.detail.endswith("Your message is kept.")


async def test_a_key_that_the_server_echoes_is_masked(llm: FakeLlm) -> None:
    async with provider(llm) as model:
        error = await fail(model, "hi [[fake error=401]]")
    async with provider(llm, OPENAI_API_KEY="sk-wrong-key") as model:
        other = await fail(model)
    assert "•••" in error.detail
    assert "sk-right-key" not in error.detail
    assert other.code == "provider_auth"
    assert "sk-wrong-key" not in other.detail


async def test_a_busy_server_is_tried_again_and_each_wait_is_shown(llm: FakeLlm) -> None:
    naps = Naps()
    async with provider(llm, naps) as model:
        events = await ask(model, "hi [[fake error=429 error_on=1-2]]")
    retries = [e for e in events if isinstance(e, Retrying)]
    assert [round(r.seconds) for r in retries] == [round(s) for s in naps.seconds]
    assert len(retries) == 2
    assert "HTTP 429" in retries[0].reason
    assert text_of(events) == "the "


async def test_a_busy_server_is_given_up_after_five_retries(llm: FakeLlm) -> None:
    naps = Naps()
    async with provider(llm, naps) as model:
        error = await fail(model, "hi [[fake error=503]]")
    assert error.code == "provider_overloaded"
    assert (len(naps.seconds), len(llm.requests)) == (5, 6)


@pytest.mark.parametrize(("header", "least"), [("7", 7.0), ("0", 0.5), ("abc", 0.5)])
async def test_retry_after_is_a_lower_bound(llm: FakeLlm, header: str, least: float) -> None:
    naps = Naps()
    async with provider(llm, naps) as model:
        await ask(model, f"hi [[fake error=429 error_on=1 retry_after={header}]]")
    assert least <= naps.seconds[0] <= least * 1.25


async def test_a_wait_of_a_day_is_said_and_not_waited(llm: FakeLlm) -> None:
    naps = Naps()
    async with provider(llm, naps) as model:
        error = await fail(model, "hi [[fake error=429 retry_after=86400]]")
    assert naps.seconds == []
    assert error.retry_after == 86_400
    assert "24 hours" in error.detail


async def test_a_cancel_during_the_wait_returns_at_once(llm: FakeLlm) -> None:
    async with ModelGateway(Settings(), llm.environment) as gateway:
        stream = gateway.provider_for(None).stream(
            ModelRequest("", [ModelMessage("user", "hi [[fake error=429 retry_after=100]]")])
        )
        with anyio.fail_after(5):
            async with aclosing(stream):
                assert isinstance(await anext(stream), Retrying)
                with anyio.move_on_after(0.05) as scope:
                    await anext(stream)
        assert scope.cancelled_caught


async def test_what_came_before_a_cut_is_kept_and_nothing_is_tried_again(llm: FakeLlm) -> None:
    events: list[ModelEvent] = []
    async with provider(llm) as model:
        error = await fail(model, "hi [[fake tokens=20 error=cut cut_after=3]]", events)
    assert error.code == "provider_cut"
    assert "broke" in error.detail
    assert text_of(events) == "the lamp "
    assert len(llm.requests) == 1


async def test_a_call_that_was_cut_with_its_connection_is_never_given(llm: FakeLlm) -> None:
    call = {"index": 0, "id": "c", "function": {"name": "write_file", "arguments": '{"path":"a"}'}}
    pieces = [event(chunk({"content": "x"})), event(chunk({"tool_calls": [call]}))]
    llm.script(Scripted(pieces, cut=True), Scripted(pieces))
    async with provider(llm) as model:
        for _ in range(2):  # cut by the network; ended politely but without an end
            events: list[ModelEvent] = []
            assert (await fail(model, events=events)).code == "provider_cut"
            assert events == [TextDelta("x")]


async def test_a_cut_before_the_first_event_is_tried_again(llm: FakeLlm) -> None:
    llm.script(Scripted([b": hello\n\n"], cut=True))
    async with provider(llm) as model:
        events = await ask(model)
    assert isinstance(events[0], Retrying)
    assert text_of(events) == "the "


@pytest.mark.parametrize("end", ["cut", "hold", "done-and-hold", "no-done"])
async def test_a_complete_answer_does_not_wait_for_the_connection(llm: FakeLlm, end: str) -> None:
    pieces = [event(item) for item in HELLO]
    if end == "done-and-hold":
        pieces.append(event("[DONE]"))
    llm.script(Scripted(pieces, cut=end == "cut", hold="hold" in end))
    async with provider(llm, timeouts=Timeouts(after_finish=0.05)) as model:
        events = await ask(model)
    assert text_of(events) == "hello"
    assert ending(events) == Finished("stop")


async def test_silence_in_the_middle_is_given_up(llm: FakeLlm) -> None:
    events: list[ModelEvent] = []
    async with provider(llm, timeouts=Timeouts(idle=0.2)) as model:
        error = await fail(model, "hi [[fake tokens=9 hold_after=4]]", events)
    assert error.code == "provider_timeout"
    assert "sent nothing" in error.detail
    assert text_of(events) == "the lamp beside "


async def test_an_answer_that_drips_for_ever_is_given_up(llm: FakeLlm) -> None:
    async with provider(llm, timeouts=Timeouts(total=0.3)) as model:
        error = await fail(model, "hi [[fake tokens=5000 tps=50]]", [])
    assert error.code == "provider_timeout"
    assert "did not end" in error.detail


async def test_a_server_that_says_nothing_is_given_up_after_one_retry(llm: FakeLlm) -> None:
    async with provider(llm, timeouts=Timeouts(first_byte=0.2)) as model:
        events: list[ModelEvent] = []
        error = await fail(model, "hi [[fake error=hang]]", events)
    assert error.code == "provider_timeout"
    assert "Time-out" in error.detail
    assert len(events) == 1


async def test_leaving_the_stream_closes_the_connection(llm: FakeLlm) -> None:
    request = ModelRequest("", [ModelMessage("user", "hi [[fake tokens=9 hold_after=3]]")])
    async with provider(llm) as model:
        async with aclosing(model.stream(request)) as stream:
            await anext(stream)
        with anyio.fail_after(10):
            await anyio.to_thread.run_sync(llm.wait_for_client_to_leave, 1)


async def test_a_cancelled_run_closes_the_connection_and_the_next_one_works(llm: FakeLlm) -> None:
    async with provider(llm) as model:
        async with anyio.create_task_group() as group:
            group.start_soon(ask, model, "hi [[fake tokens=9 hold_after=3]]")
            await anyio.to_thread.run_sync(llm.wait_for_request, 1)
            group.cancel_scope.cancel()
        await anyio.to_thread.run_sync(llm.wait_for_client_to_leave, 1)
        assert text_of(await ask(model)) == "the "


async def test_an_error_inside_the_stream_is_told_by_its_own_status(llm: FakeLlm) -> None:
    begun = event(chunk({"content": "x"}))
    inside: dict[str, dict[str, Any]] = {
        "provider_overloaded": {"code": 502, "message": "upstream is overloaded"},
        "provider_rate_limit": {"type": "rate_limit_error", "message": "slow down"},
        "provider_context_overflow": {"code": "context_length_exceeded", "message": "too long"},
        "provider_auth": {"code": "invalid_api_key", "message": "no"},
    }
    async with provider(llm) as model:
        for code, error in inside.items():
            llm.script(Scripted([begun, event({"error": error})]))
            events: list[ModelEvent] = []
            failure = await fail(model, events=events)
            assert failure.code == code
            assert error["message"] in failure.detail
            assert text_of(events) == "x"


async def test_what_is_no_model_server_is_said_to_be_none(llm: FakeLlm) -> None:
    page = Scripted([b"<!doctype html><h1>Log in</h1>"], headers={"content-type": "text/html"})
    llm.script(
        page,
        json_reply({"message": "hello"}),
        json_reply([1, 2]),
        Scripted([b"data: {nonsense\n\n"]),
        Scripted([b"data: " + b"x" * 2_000_000]),
        Scripted([b"hello"], headers={"content-type": "text/plain"}),
    )
    async with provider(llm) as model:
        for words in ("web page", "no answer", "no JSON object", "no JSON", "1 MiB", "no answer"):
            error = await fail(model)
            assert error.code == "provider_bad_response"
            assert words in error.detail
            assert "base URL" in error.detail


async def test_an_endless_error_body_is_not_read_to_its_end(llm: FakeLlm) -> None:
    llm.script(Scripted([b'{"error":"' + b"x" * 100_000] * 20, status=400, hold=True))
    async with provider(llm) as model:
        error = await fail(model)
    assert error.code == "provider_bad_request"
    assert len(error.detail) < 1_000


async def test_a_redirect_is_not_followed_with_the_key(llm: FakeLlm) -> None:
    with FakeLlm() as other:
        target = f"{other.base_url}/chat/completions"
        llm.script(Scripted([], status=307, headers={"location": target}))
        async with provider(llm) as model:
            error = await fail(model)
        assert other.requests == []
    assert error.code == "provider_bad_response"
    assert target in error.detail


async def test_a_server_that_refuses_to_count_tokens_is_asked_without(llm: FakeLlm) -> None:
    refusal = {"error": {"message": "extra field: stream_options"}}
    llm.script(json_reply(refusal, status=422))
    async with provider(llm) as model:
        assert text_of(await ask(model)) == "the "
        await ask(model)
    assert ["stream_options" in r.body for r in llm.requests] == [True, False, False]


async def test_a_server_that_is_not_running_is_unreachable(llm: FakeLlm) -> None:
    async with provider(llm, OPENAI_BASE_URL="http://127.0.0.1:9/v1") as model:
        error = await fail(model, events=[])
    assert error.code == "provider_unreachable"
    assert "refused" in error.detail
    assert "running" in error.detail


async def test_a_proxy_that_is_not_running_is_blamed_and_not_the_server(llm: FakeLlm) -> None:
    far, dead = "https://192.0.2.7/v1", "http://127.0.0.1:9"
    async with provider(llm, OPENAI_BASE_URL=far, HTTPS_PROXY=dead) as model:
        error = await fail(model, events=[])
    assert error.code == "provider_unreachable"
    assert error.detail.startswith("Proxy:")


async def test_a_server_without_tls_is_no_secure_one(llm: FakeLlm) -> None:
    secure = llm.base_url.replace("http:", "https:")
    async with provider(llm, OPENAI_BASE_URL=secure) as model:
        error = await fail(model)
    assert error.code == "provider_tls"
    assert error.detail.startswith("TLS:")
