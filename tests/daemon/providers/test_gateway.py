import json
from pathlib import Path

import anyio
import pytest
from tests.fakes.llm_server import FakeLlm
from tests.fakes.local_servers import OLLAMA, at, free_port, of_another_user
from tests.fakes.model_asker import Naps, text_of

from lararium_daemon.providers import endpoint
from lararium_daemon.providers.discovery import Finder
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.keys import KeyStore
from lararium_daemon.providers.profile_book import ModelSources
from lararium_daemon.providers.provider import (
    ModelEvent,
    ModelMessage,
    ModelRequest,
    ProviderError,
    TextDelta,
    ToolSpec,
)
from lararium_daemon.settings import ProviderSettings, Settings, load_settings

pytestmark = pytest.mark.anyio

TOOLS = [ToolSpec(name, "", {}) for name in ("read_file", "glob")]
REQUEST = ModelRequest("", [ModelMessage("user", "hi")], TOOLS)


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


def saved(folder: Path, **settings: object) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def opened(
    folder: Path,
    environment: dict[str, str] | None = None,
    finder: Finder | None = None,
    *,
    is_sample: bool = False,
) -> ModelGateway:
    """Give a gateway as a daemon has it, with settings that are read again."""
    environment = environment or {}
    return ModelGateway(
        load_settings(folder, environment=environment),
        environment,
        sources=ModelSources(folder, folder / "model.json", is_sample),
        keys=KeyStore(folder, environment, find_vault=lambda: None),
        finder=finder,
        sleep=Naps(),
    )


async def said(gateway: ModelGateway, model: str | None) -> list[ModelEvent]:
    return [event async for event in gateway.provider_for(model).stream(REQUEST)]


async def test_a_session_may_name_another_profile(llm: FakeLlm, tmp_path: Path) -> None:
    with FakeLlm(models=("other-model",)) as other:
        saved(
            tmp_path,
            profiles={
                "One": {"base_url": llm.base_url, "model": "m1"},
                "Two": {"base_url": other.base_url},
            },
        )
        async with opened(tmp_path) as gateway:
            for model in (None, "mine", "vendor/mine", "Two/", "Two/vendor/mine"):
                await said(gateway, model)
            listed = await gateway.models("Two")
            assert (listed.profile, listed.default) == ("Two", "other-model")
            assert "no profile Three" in (await gateway.models("Three")).problem
        assert [r.body["model"] for r in llm.requests] == ["m1", "mine", "vendor/mine"]
        assert [r.body["model"] for r in other.requests] == ["other-model", "vendor/mine"]


async def test_a_profile_that_changes_is_used_from_the_next_run_on(
    llm: FakeLlm, tmp_path: Path
) -> None:
    saved(tmp_path, profiles={"P": {"base_url": llm.base_url, "model": "old"}})
    llm.set(tokens=9, hold_after=3)
    async with opened(tmp_path) as gateway:
        running = gateway.provider_for(None).stream(REQUEST)
        await anext(running)
        saved(tmp_path, profiles={"P": {"base_url": llm.base_url, "model": "newer-one"}})
        assert gateway.status().name == "newer-one"
        llm.release()
        assert len([event async for event in running]) > 0
        await said(gateway, None)
    assert [r.body["model"] for r in llm.requests] == ["old", "newer-one"]


async def test_settings_that_are_broken_while_it_lives_change_nothing(
    llm: FakeLlm, tmp_path: Path
) -> None:
    saved(tmp_path, profiles={"P": {"base_url": llm.base_url, "model": "m"}})
    path = tmp_path / "settings.json"
    async with opened(tmp_path, {"OPENAI_API_KEY": "sk-elsewhere"}) as gateway:
        path.write_text('{"profiles": {', encoding="utf-8")
        assert gateway.status().profile == "P"
        assert str(path) in gateway.notices()[0]
        assert path.exists()
        saved(tmp_path, profiles={"Q": {"base_url": llm.base_url, "model": "m"}})
        assert (gateway.status().profile, gateway.notices()) == ("Q", [])


async def test_headers_and_time_outs_of_a_profile_hold(llm: FakeLlm, tmp_path: Path) -> None:
    saved(
        tmp_path,
        profiles={
            "P": {
                "base_url": llm.base_url,
                "model": "m",
                "headers": {"X-Team": "lares-and-penates"},
                "timeouts": {"first_byte": 0.2},
            }
        },
    )
    llm.set(error="401")
    async with opened(tmp_path) as gateway:
        with pytest.raises(ProviderError) as caught:
            await said(gateway, None)
        assert "Add a key to the profile P" in caught.value.detail
        assert llm.requests[0].headers["x-team"] == "lares-and-penates"
        llm.set(error="hang")
        with anyio.fail_after(10), pytest.raises(ProviderError) as caught:
            await said(gateway, None)
    assert caught.value.code == "provider_timeout"


async def test_a_key_that_is_gone_is_said_when_it_is_needed(llm: FakeLlm, tmp_path: Path) -> None:
    saved(tmp_path, profiles={"P": {"base_url": llm.base_url, "model": "m", "key": "file:P-1"}})
    async with opened(tmp_path) as gateway:
        await gateway.warm_up()
        with pytest.raises(ProviderError, match=r"Key of P: .*no such key") as caught:
            await said(gateway, None)
    assert caught.value.code == "provider_not_configured"
    assert llm.requests == []


async def test_with_nothing_set_up_a_server_of_this_user_is_used(
    llm: FakeLlm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, finder=Finder({}, [at(OLLAMA, llm)])) as gateway:
        assert not gateway.status().usable
        await gateway.prepare()
        status = gateway.status()
        assert (status.usable, status.name, status.source) == (True, "fake-model", "discovered")
        await said(gateway, None)
        monkeypatch.setattr(endpoint, "is_own_listener", of_another_user)
        with pytest.raises(ProviderError, match="nothing was sent"):
            await said(gateway, None)
    assert len(llm.requests) == 1


async def test_a_server_that_starts_later_is_found_before_the_next_run(tmp_path: Path) -> None:
    port = free_port()
    async with opened(tmp_path, finder=Finder({}, [at(OLLAMA, port)])) as gateway:
        await gateway.warm_up()
        assert not gateway.status().usable
        with FakeLlm(port=port):
            await gateway.prepare()
            assert gateway.status().usable
        await gateway.prepare()
        assert not gateway.status().usable


@pytest.mark.parametrize(
    ("settings", "environment"),
    [
        ({"discovery": False}, {}),
        ({"profiles": {"P": {"base_url": "http://127.0.0.1:9/v1"}}}, {}),
        ({"default_profile": "Gone"}, {}),
        ({}, {"OPENAI_API_KEY": "sk-x"}),
    ],
)
async def test_what_is_set_up_is_not_passed_over_for_a_server_that_was_found(
    llm: FakeLlm, tmp_path: Path, settings: dict[str, object], environment: dict[str, str]
) -> None:
    saved(tmp_path, **settings)
    finder = Finder({}, [at(OLLAMA, llm)])
    async with opened(tmp_path, environment, finder=finder) as gateway:
        await gateway.prepare()
        assert gateway.status().source != "discovered"
    assert llm.app.model_requests == 0


async def test_the_tour_answers_in_its_sample_project_and_where_it_is_named(
    llm: FakeLlm, tmp_path: Path
) -> None:
    async with opened(tmp_path, llm.environment, is_sample=True) as gateway:
        await gateway.warm_up()
        status = gateway.status()
        assert (status.usable, status.scripted, status.profile, status.name) == (
            True,
            True,
            "Tour",
            "scripted",
        )
        assert [m.name for m in (await gateway.models()).items] == ["scripted"]
        assert await gateway.default_model() == "scripted"
        assert "not an AI" in text_of(await said(gateway, None))
        assert text_of(await said(gateway, "127.0.0.1/m")) != ""
    async with opened(tmp_path, llm.environment) as gateway:
        assert "not its sample project" in text_of(await said(gateway, "Tour/scripted"))
        assert not gateway.status().scripted
