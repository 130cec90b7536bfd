import pytest
from tests.fakes.llm_server import FakeLlm

from lararium_daemon.protocol.api import ModelInfo
from lararium_daemon.protocol.events import Usage
from lararium_daemon.providers.catalog import ModelListing
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.model_catalog import enriched, known_model
from lararium_daemon.providers.model_facts import ASSUMED_WINDOW, facts_of
from lararium_daemon.providers.pricing import Pricing, pricing_of
from lararium_daemon.providers.profiles import Profile
from lararium_daemon.settings import PriceSettings, ProviderSettings, Settings

OPENAI = "https://api.openai.com/v1"
OPENROUTER = "https://openrouter.ai/api/v1"
LOCAL = "http://127.0.0.1:1234/v1"


def test_a_model_of_a_known_service_is_known_without_network() -> None:
    model = known_model(OPENAI, "gpt-4o")
    assert model is not None
    assert (model.context_window, model.calls_tools, model.images) == (128_000, True, True)
    assert known_model(OPENAI, "gpt-4o-2030-01-02") == model
    assert known_model(OPENROUTER, "openai/gpt-4o") is not None


def test_what_is_not_known_is_none() -> None:
    assert known_model(OPENAI, "no-such-model") is None
    assert known_model("https://models.example.com/v1", "gpt-4o") is None
    assert known_model(LOCAL, "gpt-4o") is None
    assert known_model("nonsense", "gpt-4o") is None


def test_a_list_is_enriched_and_what_is_unknown_stays() -> None:
    listed = (ModelInfo(name="gpt-4o"), ModelInfo(name="mine", context_window=7))
    first, second = enriched(OPENAI, listed)
    assert (first.context_window, first.calls_tools) == (128_000, True)
    assert second == listed[1]


def window_of(profile: Profile, *listed: ModelInfo) -> tuple[int | None, str]:
    facts = facts_of(profile, "gpt-4o", ModelListing(listed))
    return facts.context_window, facts.window_source


def test_the_window_is_the_profiles_then_the_catalogs_then_the_servers() -> None:
    listed = ModelInfo(name="gpt-4o", context_window=4096)
    assert window_of(Profile("P", OPENAI, context_window=9000), listed) == (9000, "profile")
    assert window_of(Profile("P", OPENAI), listed) == (128_000, "catalog")
    assert window_of(Profile("P", LOCAL), listed) == (4096, "server")
    assert window_of(Profile("P", LOCAL)) == (None, "")
    assert facts_of(Profile("P", LOCAL), "m", ModelListing()).assumed_window == ASSUMED_WINDOW


def takes_images(base_url: str, model: str) -> bool | None:
    return facts_of(Profile("P", base_url), model, ModelListing()).takes_images


def test_whether_a_model_takes_pictures_is_said_where_the_catalog_knows_it() -> None:
    assert takes_images(OPENAI, "gpt-4o") is True
    assert takes_images(OPENAI, "gpt-3.5-turbo") is False
    assert takes_images(OPENAI, "unheard-of") is None
    assert takes_images(LOCAL, "gpt-3.5-turbo") is None


@pytest.mark.anyio
async def test_the_tour_takes_no_pictures_and_an_unknown_server_may() -> None:
    provider = ProviderSettings(base_url=LOCAL, model="mine")
    async with ModelGateway(Settings(provider=provider), {}) as gateway:
        assert await gateway.takes_images("Tour/") is False
        assert await gateway.takes_images(None) is None


def cost(pricing: Pricing, read: int | None, written: int | None, cached: int | None) -> object:
    found = pricing.cost_usd(Usage(read, written, cached))
    return None if found is None else round(found, 9)


def test_a_profiles_own_price_wins() -> None:
    own = PriceSettings(input=2.0, output=10.0, cached=0.5)
    pricing = pricing_of(Profile("P", OPENAI, price=own), "gpt-4o")
    assert cost(pricing, 1_000_000, 100_000, None) == 3.0
    assert cost(pricing, 1_000_000, 0, 400_000) == 1.4
    assert cost(pricing, 100, 0, 400) == 0.00005
    free = PriceSettings(input=0, output=0)
    assert cost(pricing_of(Profile("P", OPENAI, price=free), "gpt-4o"), 9, 9, 9) == 0


def test_half_a_price_or_count_is_unknown() -> None:
    half = pricing_of(Profile("P", OPENAI, price=PriceSettings(input=2.0)), "gpt-4o")
    assert cost(half, 10, 10, None) is None
    known = pricing_of(Profile("P", OPENAI), "gpt-4o")
    assert cost(known, None, 10, None) is None
    assert cost(known, 10, None, None) is None


def test_a_known_services_price_is_found_and_others_stay_unknown() -> None:
    known = pricing_of(Profile("P", OPENAI), "gpt-4o")
    spent = known.cost_usd(Usage(1000, 100, 200))
    full = known.cost_usd(Usage(1000, 100, None))
    assert spent is not None
    assert full is not None
    assert 0 < spent < full < 0.1
    assert known.cost_usd(Usage(0, 0, 0)) == 0
    for base_url, model in (
        (OPENAI, "no-such-model"),
        (OPENAI, ""),
        ("https://models.example.com/v1", "gpt-4o"),
        (LOCAL, "gpt-4o"),
        ("", "scripted"),
    ):
        assert pricing_of(Profile("P", base_url), model) == Pricing()


@pytest.mark.anyio
async def test_the_gateway_knows_the_model_in_use_without_waiting_for_its_server(
    llm: FakeLlm,
) -> None:
    settings = Settings(provider=ProviderSettings(model="fake-model"))
    async with ModelGateway(settings, llm.environment) as gateway:
        facts = await gateway.facts("other")
        assert (facts.model, facts.context_window) == ("other", None)
        assert (await gateway.facts(None)).model == "fake-model"
