"""GitHub Copilot: a login at GitHub, the tokens exchanged for it, and what they let one ask."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager

import anyio
import pytest
from tests.fakes.copilot_server import LOGIN, FakeCopilot
from tests.fakes.model_asker import Naps, ask, fail, text_of

from lararium_daemon.providers.copilot_tokens import CopilotTokens
from lararium_daemon.providers.device_login import LoginEndedError, wait_for_grant
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.github import DeviceCode, GitHub, Grant, github_problem, open_github
from lararium_daemon.providers.profiles import Profile, Secret
from lararium_daemon.providers.provider import (
    ModelMessage,
    ModelRequest,
    ModelToolCall,
    ProviderError,
)
from lararium_daemon.settings import ProfileSettings, Settings

pytestmark = pytest.mark.anyio

CODE = DeviceCode(Secret("device-1234567890"), "LAR-4711", "https://github.com/login", 900.0, 5.0)


@pytest.fixture(scope="module")
def running() -> Iterator[FakeCopilot]:
    with FakeCopilot() as server:
        yield server


@pytest.fixture
def copilot(running: FakeCopilot) -> FakeCopilot:
    running.reset()
    return running


@asynccontextmanager
async def gateway(copilot: FakeCopilot, login: str = LOGIN) -> AsyncGenerator[ModelGateway]:
    saved = ProfileSettings(kind="copilot", base_url=copilot.github_url, key="env:COPILOT_LOGIN")
    settings = Settings(profiles={"GitHub Copilot": saved})
    async with ModelGateway(settings, {"COPILOT_LOGIN": login}, sleep=Naps()) as opened:
        yield opened


@asynccontextmanager
async def github(copilot: FakeCopilot) -> AsyncGenerator[GitHub]:
    async with open_github(Profile("P", copilot.github_url, kind="copilot"), {}) as opened:
        yield opened


class Waits:
    """Answers in a row, and the waits between them."""

    def __init__(self, *grants: Grant | ProviderError) -> None:
        self.grants = list(grants)
        self.seconds: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)

    async def ask(self, device_code: Secret) -> Grant:
        assert device_code == CODE.device_code
        grant = self.grants.pop(0) if self.grants else Grant(Secret(""), "authorization_pending")
        if isinstance(grant, ProviderError):
            raise grant
        return grant


def said(error: str, interval: float | None = None) -> Grant:
    return Grant(Secret(""), error, interval)


async def test_it_asks_at_the_interval_and_slower_when_told() -> None:
    waits = Waits(
        said("authorization_pending"),
        said("slow_down"),
        said("slow_down", 30.0),
        ProviderError("provider_unreachable", "no network"),
        Grant(Secret("gho_x")),
    )
    assert await wait_for_grant(CODE, waits.ask, waits.sleep) == Secret("gho_x")
    assert waits.seconds == [5.0, 5.0, 10.0, 30.0, 60.0]


@pytest.mark.parametrize(
    ("error", "state"),
    [("expired_token", "expired"), ("access_denied", "denied"), ("unsupported", "failed")],
)
async def test_a_login_that_ends_without_a_token_says_how(error: str, state: str) -> None:
    waits = Waits(said("authorization_pending"), said(error))
    with pytest.raises(LoginEndedError) as caught:
        await wait_for_grant(CODE, waits.ask, waits.sleep)
    assert caught.value.state == state
    assert caught.value.detail


async def test_a_code_that_nobody_types_runs_out() -> None:
    waits = Waits()
    with pytest.raises(LoginEndedError) as caught:
        await wait_for_grant(CODE, waits.ask, waits.sleep)
    assert caught.value.state == "expired"
    assert sum(waits.seconds) == 900


async def test_a_code_is_fetched_and_traded_for_a_login(copilot: FakeCopilot) -> None:
    copilot.github.grants = [{"error": "authorization_pending"}, {"error": "slow_down"}]
    async with github(copilot) as opened:
        code = await opened.device_code()
        grants = [await opened.grant(code.device_code) for _ in range(3)]
    assert (code.user_code, code.interval, code.expires_in) == ("LAR-4711", 5.0, 900.0)
    assert code.verification_uri == f"{copilot.github_url}/login/device"
    assert [grant.error for grant in grants] == ["authorization_pending", "slow_down", ""]
    assert grants[2].token.reveal() == LOGIN
    fields = copilot.github.asked[0][2]
    assert fields["scope"] == "read:user"
    assert LOGIN not in repr(grants)


async def test_a_page_elsewhere_is_not_where_a_person_is_sent(copilot: FakeCopilot) -> None:
    copilot.github.device = {"verification_uri": "javascript:alert(1)", "interval": "soon"}
    async with github(copilot) as opened:
        code = await opened.device_code()
    assert code.verification_uri == f"{copilot.github_url}/login/device"
    assert (code.interval, code.expires_in) == (5.0, 900.0)


async def test_a_refused_login_names_what_github_said(copilot: FakeCopilot) -> None:
    copilot.github.device = {"device_code": "", "error": "unauthorized_client"}
    async with github(copilot) as opened:
        with pytest.raises(ProviderError, match="unauthorized_client"):
            await opened.device_code()


async def test_answers_come_with_a_token_that_was_exchanged_once(copilot: FakeCopilot) -> None:
    async with gateway(copilot) as opened:
        provider = opened.provider_for("fake-model")
        assert text_of(await ask(provider)) == "the "
        assert text_of(await ask(provider)) == "the "
    assert copilot.github.exchanged == 1
    assert [request.headers["authorization"] for request in copilot.requests] == [
        "Bearer tid=fake;exp=1;sku=test"
    ] * 2
    assert all(LOGIN not in str(request.headers) for request in copilot.requests)


async def test_who_began_a_call_is_said(copilot: FakeCopilot) -> None:
    told = [
        ModelMessage("user", "go [[fake rounds=0]]"),
        ModelMessage("assistant", "", (ModelToolCall("call_0", "x", "{}"),)),
        ModelMessage("tool", "done", tool_call_id="call_0"),
    ]
    async with gateway(copilot) as opened:
        provider = opened.provider_for("fake-model")
        await ask(provider)
        assert [event async for event in provider.stream(ModelRequest("", told))]
    assert [r.headers["x-initiator"] for r in copilot.requests] == ["user", "agent"]
    assert copilot.requests[0].headers["copilot-integration-id"]


async def test_a_token_that_is_refused_is_exchanged_anew_once(copilot: FakeCopilot) -> None:
    async with gateway(copilot) as opened:
        provider = opened.provider_for("fake-model")
        await ask(provider)
        copilot.github.valid.clear()
        assert text_of(await ask(provider)) == "the "
        copilot.set(error="401")
        failed = await fail(provider)
    assert copilot.github.exchanged == 3
    assert (failed.code, failed.status) == ("provider_auth", 401)
    assert "lar login copilot" in failed.detail


async def test_a_token_is_renewed_before_its_end(copilot: FakeCopilot) -> None:
    now = [0.0]
    profile = Profile("P", copilot.github_url, Secret(LOGIN), kind="copilot")
    tokens = CopilotTokens(profile, {}, clock=lambda: now[0])
    first = await tokens.token()
    now[0] = 1499.0
    assert await tokens.token() == first
    now[0] = 1500.0
    assert (await tokens.token()).secret != first.secret
    await tokens.refused(first.secret)  # one that came after it stays
    await tokens.token()
    assert copilot.github.exchanged == 2


async def test_callers_side_by_side_share_one_exchange(copilot: FakeCopilot) -> None:
    tokens = CopilotTokens(Profile("P", copilot.github_url, Secret(LOGIN), kind="copilot"), {})
    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(tokens.token)
    assert copilot.github.exchanged == 1


@pytest.mark.parametrize(
    ("status", "words", "code", "match"),
    [
        (401, {"message": "Bad credentials"}, "provider_auth", "login any more"),
        (403, {"message": "no Copilot seat"}, "provider_auth", "no Copilot seat"),
        (503, {}, "provider_overloaded", "HTTP 503"),
        (429, {"message": "slow"}, "provider_overloaded", "HTTP 429"),
        (200, {"token": ""}, "provider_bad_response", "no token"),
        (200, {"token": "a\nb"}, "provider_bad_response", "no header"),
    ],
)
async def test_an_exchange_that_fails_has_its_own_words(
    copilot: FakeCopilot, status: int, words: dict[str, str], code: str, match: str
) -> None:
    copilot.github.exchange = (status, dict(words))
    async with gateway(copilot) as opened:
        failed = await fail(opened.provider_for("fake-model"))
    assert failed.code == code
    assert match in failed.detail
    assert LOGIN not in failed.detail


async def test_an_address_that_is_less_safe_than_github_is_not_taken(copilot: FakeCopilot) -> None:
    given = {"token": "tid=1", "refresh_in": 60, "endpoints": {"api": "http://203.0.113.9"}}
    copilot.github.exchange = (200, given)
    async with github(copilot) as opened:
        token = await opened.copilot_token(Secret(LOGIN), 0.0)
    assert token.base_url == copilot.github_url


async def test_without_a_login_it_says_how_to_get_one(copilot: FakeCopilot) -> None:
    saved = ProfileSettings(kind="copilot", base_url=copilot.github_url)
    async with ModelGateway(Settings(profiles={"P": saved}), {}) as opened:
        failed = await fail(opened.provider_for("fake-model"))
    assert failed.code == "provider_not_configured"
    assert "lar login copilot" in failed.detail
    assert copilot.github.asked == []


async def test_its_models_are_listed_with_what_they_hold(copilot: FakeCopilot) -> None:
    async with gateway(copilot) as opened:
        listed = await opened.models()
        facts = await opened.facts("fake-model")
    assert [model.name for model in listed.items] == ["fake-model", "fake-small"]
    assert listed.items[0].context_window == facts.context_window == 64_000


def test_github_is_spoken_to_over_https_alone() -> None:
    assert github_problem("https://company.ghe.com") == ""
    assert github_problem("http://127.0.0.1:1") == ""
    assert "https" in github_problem("http://github.com")
    assert "user name" in github_problem("https://me:pw@github.com")
