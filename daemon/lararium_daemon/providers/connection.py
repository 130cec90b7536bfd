"""The connection to one model server: the vendor's SDK below its typed methods.

The SDK brings address, authentication and typed errors; its typed methods and chunk objects cost
more than the rest of a turn, so the call is its low-level `post` with the raw response. It is
imported on first use, in a worker thread. Retries are ours (`retry.py`), redirects are not
followed, an answer's error body is read up to 64 KiB, and nothing asks for compression.
"""

import gc
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from lararium_daemon.providers import server_failures, transport_failures
from lararium_daemon.providers.http_client import make_client
from lararium_daemon.providers.network import proxy_for
from lararium_daemon.providers.profiles import Profile, Secret
from lararium_daemon.providers.proxy_reader import network_environment

if TYPE_CHECKING:
    import httpx2
    import openai

CLOSE_SECONDS = 2.0
"""Longest wait for a connection to close."""


@dataclass(slots=True, frozen=True)
class Timeouts:
    """How long a call may take, in seconds."""

    connect: float = 15.0
    first_byte: float = 300.0
    """A local server reads a long prompt for minutes before it says a word."""
    idle: float = 120.0
    """Between two reads of an answer."""
    total: float = 1800.0
    """Of one answer."""
    after_finish: float = 5.0
    """For the end of a stream whose answer is complete."""


class Connection:
    """A pool of connections to one profile's server; closed by its owner (`aclose`)."""

    def __init__(
        self,
        profile: Profile,
        environment: Mapping[str, str],
        timeouts: Timeouts | None = None,
    ) -> None:
        self.profile = profile
        self.timeouts = timeouts or Timeouts()
        self._environment = environment
        self._is_proxied = False
        """Known once it is open."""
        self._client: openai.AsyncOpenAI | None = None
        self._lock = anyio.Lock()

    async def warm_up(self) -> None:
        """Import the SDK and make the client, so that the first call need not."""
        await self._open()

    async def aclose(self) -> None:
        """Close what is open."""
        client, self._client = self._client, None
        if client is not None:
            with anyio.move_on_after(CLOSE_SECONDS, shield=True):
                await client.close()

    def take_key(self, key: Secret) -> None:
        """Use this key from the next call on."""
        self.profile = replace(self.profile, api_key=key)

    @asynccontextmanager
    async def post(
        self, path: str, body: bytes, model: str, headers: Mapping[str, str] | None = None
    ) -> "AsyncGenerator[httpx2.Response]":
        """Send a call; the body of a good answer has not been read yet.

        Raises:
            ProviderError: no answer, or one that is no success.
        """
        async with self._exchange(path, body, model, headers or {}) as response:
            yield response

    @asynccontextmanager
    async def get(self, path: str) -> "AsyncGenerator[httpx2.Response]":
        """Ask for a resource, as `post` does."""
        async with self._exchange(path, None, "", {}) as response:
            yield response

    @asynccontextmanager
    async def _exchange(
        self, path: str, body: bytes | None, model: str, headers: Mapping[str, str]
    ) -> "AsyncGenerator[httpx2.Response]":
        client = await self._open()
        response = await self._send(client, path, body, model, headers)
        try:
            yield response
        finally:
            with anyio.move_on_after(CLOSE_SECONDS, shield=True):
                await response.aclose()

    async def _send(
        self,
        client: "openai.AsyncOpenAI",
        path: str,
        body: bytes | None,
        model: str,
        own_headers: Mapping[str, str],
    ) -> "httpx2.Response":
        import httpx2
        import openai

        headers: dict[str, Any] = {
            "X-Stainless-Raw-Response": "stream",
            "Accept-Encoding": "identity",
            **own_headers,
            **self.profile.headers,
        }
        if "authorization" not in map(str.lower, self.profile.headers):
            key = self.profile.api_key
            headers["Authorization"] = f"Bearer {key.reveal()}" if key else openai.Omit()
        try:
            if body is None:
                return await client.get(path, cast_to=httpx2.Response, options={"headers": headers})
            headers["Content-Type"] = "application/json"
            return await client.post(
                path, cast_to=httpx2.Response, content=body, options={"headers": headers}
            )
        except openai.APIStatusError as error:
            answer = error.response
            raise server_failures.from_status(
                self.profile, answer.status_code, answer.headers, answer.content, model
            ) from None
        except openai.APIConnectionError as error:
            raise transport_failures.from_transport(
                self.profile, error, is_proxied=self._is_proxied
            ) from error

    async def _open(self) -> "openai.AsyncOpenAI":
        async with self._lock:
            if self._client is None:
                profile = self.profile
                environment = await network_environment(
                    self._environment, profile.proxy, profile.base_url
                )
                self._is_proxied = proxy_for(profile.base_url, environment) is not None
                self._client = await anyio.to_thread.run_sync(self._make, environment)
            return self._client

    def _make(self, environment: Mapping[str, str]) -> "openai.AsyncOpenAI":
        import_sdk()
        import openai

        profile, waits = self.profile, self.timeouts
        client = openai.AsyncOpenAI(
            api_key=profile.api_key.reveal() or "none",  # "none" is never sent, see `_send`
            admin_api_key="",
            webhook_secret="",
            base_url=profile.base_url,
            http_client=make_client(
                profile.base_url,
                environment,
                connect_seconds=waits.connect,
                read_seconds=waits.first_byte,
            ),
            max_retries=0,
        )
        if "api.openai.com" not in profile.host:
            # The SDK takes them from the environment for whatever server it talks to.
            client.organization = client.project = None
        return client


def import_sdk() -> None:
    """Import the SDK; half a second of work, to be done in a worker thread.

    Where aiohttp is installed the SDK would load it for a transport that is not used here; and
    looking for garbage in what an import makes takes a quarter of its time.
    """
    if "openai" in sys.modules:
        return
    without = [name for name in ("aiohttp",) if name not in sys.modules]
    collects = gc.isenabled()
    gc.disable()
    try:
        # A module that is None there is one that cannot be found.
        sys.modules.update(dict.fromkeys(without))  # pyright: ignore[reportArgumentType,reportCallIssue]
        import openai  # noqa: F401  # pyright: ignore[reportUnusedImport] - the import is the work
    finally:
        for name in without:
            del sys.modules[name]
        if collects:
            gc.enable()
