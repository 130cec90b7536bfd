"""Trying an address and a key: cheap, real, and nothing is kept of it.

The list of models first; where that proves nothing about the key, what only a good key may ask
for; and with a model named, one token of an answer.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

import anyio
import orjson

from lararium_daemon.protocol.profiles import ProfileChecked
from lararium_daemon.providers import transport_failures
from lararium_daemon.providers.catalog import LIST_SECONDS, ModelListing, ask_models
from lararium_daemon.providers.connection import Connection, Timeouts
from lararium_daemon.providers.copilot_tokens import CopilotTokens, models_profile
from lararium_daemon.providers.failures import KEPT, timed_out
from lararium_daemon.providers.known_servers import KEY_CHECKS
from lararium_daemon.providers.profiles import Profile
from lararium_daemon.providers.provider import ProviderError

ANSWER_SECONDS = 60.0
"""A local server loads a model for this long before it says a token."""
MAX_ANSWER_BYTES = 256 * 1024


async def check_profile(profile: Profile, environment: Mapping[str, str]) -> ProfileChecked:
    """Try a profile whose key has been looked up. Never raises; takes a minute at most."""
    begun = monotonic()
    listing = ModelListing()
    error: ProviderError | None = None
    if profile.problem:
        error = ProviderError("provider_not_configured", profile.problem)
    else:
        try:
            async with _opened(profile, environment) as connection:
                listing = await _list(connection)
                await _ask(connection, profile.model)
        except ProviderError as failure:
            error = failure
    return ProfileChecked(
        ok=error is None,
        models=list(listing.models),
        model=profile.model or listing.default,
        milliseconds=round((monotonic() - begun) * 1000),
        code=error.code if error else "",
        problem=without_promise(error.detail) if error else "",
        status=error.status if error else None,
        warning=profile.notice,
    )


@asynccontextmanager
async def _opened(profile: Profile, environment: Mapping[str, str]) -> AsyncGenerator[Connection]:
    if profile.kind == "copilot":
        token = await CopilotTokens(profile, environment).token()
        profile = models_profile(profile, token)
    waits = Timeouts(connect=5.0, first_byte=ANSWER_SECONDS)
    connection = Connection(profile, environment, waits)
    try:
        yield connection
    finally:
        await connection.aclose()


def without_promise(sentence: str) -> str:
    """Leave out the promise about a message: no message was sent."""
    return sentence.removesuffix(KEPT).strip()


async def _list(connection: Connection) -> ModelListing:
    """Ask for the models; a server that has no list is fine when a model is named."""
    profile = connection.profile
    try:
        listing = await ask_models(connection, LIST_SECONDS)
    except ProviderError as error:
        has_none = error.status in {404, 405, 501} or error.code == "provider_bad_response"
        if profile.model and has_none:
            return ModelListing()
        raise
    path = KEY_CHECKS.get(profile.host)
    if path and not profile.model:
        await _fetch(connection, path)
    return listing


async def _fetch(connection: Connection, path: str) -> None:
    try:
        with anyio.fail_after(LIST_SECONDS):
            async with connection.get(path):
                pass
    except TimeoutError:
        raise timed_out(connection.profile, "did not answer in time") from None


async def _ask(connection: Connection, model: str) -> None:
    """Have one token said, when a model is named."""
    if not model:
        return
    try:
        with anyio.fail_after(ANSWER_SECONDS):
            try:
                await _post(connection, model, _limit_field(connection.profile))
            except ProviderError as error:
                if "max_completion_tokens" not in error.detail:
                    raise
                await _post(connection, model, "max_completion_tokens")
    except TimeoutError:
        waited = f"did not answer in {ANSWER_SECONDS:.0f} s"
        raise timed_out(connection.profile, waited) from None


def _limit_field(profile: Profile) -> str:
    return "max_output_tokens" if profile.kind == "responses" else "max_tokens"


async def _post(connection: Connection, model: str, limit: str) -> None:
    # Copilot takes no call that is not streamed.
    body: dict[str, Any] = {"model": model, "stream": connection.profile.kind == "copilot"}
    if connection.profile.kind == "responses":
        # The least that the Responses API takes.
        path, body = "/responses", {**body, "input": "Hi", limit: 16, "store": False}
    else:
        path = "/chat/completions"
        body = {**body, "messages": [{"role": "user", "content": "Hi"}], limit: 1}
    read = 0
    async with connection.post(path, orjson.dumps(body), model) as response:
        try:
            async for piece in response.aiter_raw():
                read += len(piece)
                if read > MAX_ANSWER_BYTES:
                    return
        except transport_failures.transport_errors() as error:
            raise transport_failures.from_transport(connection.profile, error) from error
