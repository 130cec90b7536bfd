"""A profile that takes over from one that does not answer."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import TypeVar

import pytest
from tests.fakes.llm_server import FakeLlm
from tests.fakes.local_servers import free_port
from tests.fakes.model_asker import Naps, ask, fail, text_of

from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.provider import FellBack, Finished, ModelEvent, Provider, Retrying
from lararium_daemon.settings import ProfileSettings, Settings

pytestmark = pytest.mark.anyio


@pytest.fixture
def spare() -> Iterator[FakeLlm]:
    with FakeLlm(models=("spare-model",)) as server:
        yield server


def saved(base_url: str, fallback: str = "", key: str = "") -> ProfileSettings:
    return ProfileSettings(base_url=base_url, fallback=fallback, key=key)


@asynccontextmanager
async def answering(**profiles: ProfileSettings) -> AsyncGenerator[Provider]:
    settings = Settings(profiles=profiles)
    async with ModelGateway(settings, {}, sleep=Naps()) as gateway:
        yield gateway.provider_for(None)


T = TypeVar("T")


def of_kind(events: list[ModelEvent], kind: type[T]) -> list[T]:
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.parametrize(
    ("error", "retries", "reason"),
    [
        ("503", 5, "the model server fails or is overloaded (HTTP 503)"),
        ("429", 5, "the model server limits the rate of requests (HTTP 429)"),
        ("quota", 0, "the account has no quota left (HTTP 429)"),
    ],
)
async def test_after_its_retries_the_next_profile_answers_and_is_named(
    llm: FakeLlm, spare: FakeLlm, error: str, retries: int, reason: str
) -> None:
    llm.set(error=error)
    async with answering(First=saved(llm.base_url, "Spare"), Spare=saved(spare.base_url)) as model:
        events = await ask(model)
    assert len(of_kind(events, Retrying)) == retries
    assert of_kind(events, FellBack) == [FellBack("First", "Spare", reason)]
    assert text_of(events) == "the "
    assert of_kind(events, Finished)[0].model == "Spare/spare-model"


async def test_a_server_that_is_not_there_is_replaced_and_not_asked_again_in_this_run(
    spare: FakeLlm,
) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}/v1"
    async with answering(First=saved(nowhere, "Spare"), Spare=saved(spare.base_url)) as model:
        first = await ask(model)
        second = await ask(model)
    assert [each.left for each in of_kind(first, FellBack)] == ["First"]
    assert [type(event) for event in second][-1] is Finished
    assert of_kind(second, FellBack) == []


@pytest.mark.parametrize("error", ["401", "403", "400", "context"])
async def test_what_the_person_has_to_know_is_not_hidden_by_another_model(
    llm: FakeLlm, spare: FakeLlm, error: str
) -> None:
    llm.set(error=error)
    async with answering(First=saved(llm.base_url, "Spare"), Spare=saved(spare.base_url)) as model:
        await fail(model)
    assert spare.requests == []


async def test_a_cut_answer_is_not_begun_again_elsewhere(llm: FakeLlm, spare: FakeLlm) -> None:
    llm.set(tokens=20, error="cut", cut_after=5)
    async with answering(First=saved(llm.base_url, "Spare"), Spare=saved(spare.base_url)) as model:
        failed = await fail(model)
    assert failed.code == "provider_cut"
    assert spare.requests == []


async def test_when_none_answers_the_last_failure_names_those_before(
    llm: FakeLlm, spare: FakeLlm
) -> None:
    llm.set(error="503")
    spare.set(error="401")
    async with answering(First=saved(llm.base_url, "Spare"), Spare=saved(spare.base_url)) as model:
        failed = await fail(model)
    assert failed.code == "provider_auth"
    assert "Before that, First: the model server fails or is overloaded" in failed.detail
    assert failed.detail.endswith("Your message is kept.")


async def test_a_circle_ends_and_a_missing_one_is_named(llm: FakeLlm, spare: FakeLlm) -> None:
    llm.set(error="quota")
    spare.set(error="quota")
    async with answering(A=saved(llm.base_url, "B"), B=saved(spare.base_url, "A")) as model:
        assert (await fail(model)).code == "provider_quota"
    assert (len(llm.requests), len(spare.requests)) == (1, 1)
    settings = Settings(profiles={"A": saved(llm.base_url, "Gone")})
    async with ModelGateway(settings, {}) as gateway:
        assert "Gone, which is not there" in " ".join(gateway.notices())


async def test_how_long_the_parts_of_a_call_took_is_told(llm: FakeLlm) -> None:
    llm.set(tokens=3, error="503", error_on="1")
    async with answering(A=saved(llm.base_url)) as model:
        end = of_kind(await ask(model), Finished)[0]
    phases = end.phases
    assert phases is not None
    assert phases.first_word is not None
    assert 0 < phases.answered <= phases.first_word <= phases.whole
    assert phases.retries == 1
    assert end.model == "A/fake-model"
