from pathlib import Path

import anyio
import pytest
from tests.fakes.llm_server import FakeLlm

from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.provider import ModelMessage, ModelRequest, ProviderError, TextDelta
from lararium_daemon.settings import ProviderSettings, Settings

pytestmark = pytest.mark.anyio

REQUEST = ModelRequest("", [ModelMessage("user", "hi")])


async def test_without_a_model_nothing_fails_until_one_is_asked_for() -> None:
    async with ModelGateway(Settings(), {}) as gateway:
        await gateway.warm_up()
        status = gateway.status()
        assert (gateway.current(), status.usable, gateway.notices()) == (None, False, [])
        assert "OPENAI_API_KEY" in status.problem
        assert "kept" in status.problem
        assert (await gateway.models()).problem == status.problem
        with pytest.raises(ProviderError) as caught:
            gateway.provider_for(None)
        assert (caught.value.code, caught.value.detail) == (
            "provider_not_configured",
            status.problem,
        )
        with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
            await gateway.default_model()


async def test_a_profile_with_a_problem_is_not_used() -> None:
    async with ModelGateway(Settings(), {"OPENAI_BASE_URL": "nonsense"}) as gateway:
        assert gateway.current() is None
        assert "OPENAI_BASE_URL" in gateway.status().problem
        with pytest.raises(ProviderError, match="OPENAI_BASE_URL"):
            gateway.provider_for("m")


async def test_a_server_without_a_chosen_model_is_asked_for_its_first_one(llm: FakeLlm) -> None:
    async with ModelGateway(Settings(), llm.environment) as gateway:
        assert (gateway.status().usable, gateway.status().name) == (True, "")
        provider = gateway.provider_for(None)
        events = [event async for event in provider.stream(REQUEST)]
        assert events[0] == TextDelta("the ")
        assert gateway.status().name == "fake-model"
        assert await gateway.default_model() == "fake-model"
    assert [r.body["model"] for r in llm.requests] == ["fake-model"]


async def test_the_model_of_the_request_wins_over_the_session_and_that_over_the_settings(
    llm: FakeLlm,
) -> None:
    settings = Settings(provider=ProviderSettings(model="of-settings"))
    named = ModelRequest("of-request", REQUEST.messages)
    async with ModelGateway(settings, llm.environment) as gateway:
        for model, request in (("of-session", named), ("of-session", REQUEST), (None, REQUEST)):
            assert [e async for e in gateway.provider_for(model).stream(request)]
        assert gateway.status().name == "of-settings"
    models = [r.body["model"] for r in llm.requests]
    assert models == ["of-request", "of-session", "of-settings"]
    assert llm.app.model_requests == 0


async def test_the_list_of_models_is_asked_for_once(llm: FakeLlm) -> None:
    async with ModelGateway(Settings(), llm.environment) as gateway:
        await gateway.warm_up()
        assert gateway.status().name == "fake-model"
        await gateway.models()
        models = await gateway.models()
    assert [m.name for m in models.items] == ["fake-model", "fake-small"]
    assert (models.default, models.problem) == ("fake-model", "")
    assert llm.app.model_requests == 1


async def test_a_list_that_cannot_be_had_is_a_sentence_and_no_failure() -> None:
    with FakeLlm(api_key="sk-right") as llm:
        environment = llm.environment | {"OPENAI_API_KEY": "sk-wrong"}
        async with ModelGateway(Settings(), environment) as gateway:
            models = await gateway.models()
            assert models.items == []
            assert "HTTP 401" in models.problem
            assert "sk-wrong" not in models.problem
            with pytest.raises(ProviderError, match="HTTP 401"):
                await anext(gateway.provider_for(None).stream(REQUEST))


async def test_a_server_with_no_models_says_what_to_do() -> None:
    with FakeLlm(models=()) as llm:
        async with ModelGateway(Settings(), llm.environment) as gateway:
            with pytest.raises(ProviderError, match="offers no model"):
                await anext(gateway.provider_for(None).stream(REQUEST))


async def test_a_doubtful_server_is_not_asked_before_the_person_has_read_so() -> None:
    environment = {"OPENAI_BASE_URL": "http://192.0.2.7/v1", "OPENAI_API_KEY": "sk-x"}
    async with ModelGateway(Settings(), environment) as gateway:
        await gateway.warm_up()  # a look at the network would fail the test
        assert "without encryption" in gateway.notices()[0]


async def test_a_proxy_that_cannot_be_used_does_not_stop_the_daemon() -> None:
    environment = {"OPENAI_BASE_URL": "https://192.0.2.7/v1", "HTTPS_PROXY": "socks5://127.0.0.1:9"}
    async with ModelGateway(Settings(), environment) as gateway:
        await gateway.warm_up()
        with pytest.raises(ProviderError) as caught:
            await anext(gateway.provider_for("m").stream(REQUEST))
    assert caught.value.detail.startswith("Proxy:")


async def test_certificates_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    environment = {"OPENAI_BASE_URL": "https://127.0.0.1:9", "SSL_CERT_FILE": str(tmp_path / "no")}
    async with ModelGateway(Settings(), environment) as gateway:
        await gateway.warm_up()
        with pytest.raises(ProviderError, match="SSL_CERT_FILE"):
            await anext(gateway.provider_for("m").stream(REQUEST))


async def test_leaving_the_gateway_ends_what_is_running(llm: FakeLlm) -> None:
    llm.set(tokens=9, hold_after=3)
    with anyio.fail_after(10):
        async with ModelGateway(Settings(), llm.environment) as gateway:
            stream = gateway.provider_for("m").stream(REQUEST)
            await anext(stream)
        await anyio.to_thread.run_sync(llm.wait_for_client_to_leave, 1)
        with pytest.raises(ProviderError):
            await anext(stream)


async def test_a_gateway_must_be_entered(llm: FakeLlm) -> None:
    gateway = ModelGateway(Settings(), llm.environment)
    with pytest.raises(RuntimeError, match="async with"):
        gateway.provider_for(None)
