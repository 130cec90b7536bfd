"""The daemon's one way to models: which one is set up, what it offers, and a provider for it.

    async with ModelGateway(settings, environment) as gateway:
        provider = gateway.provider_for(session_model)

It owns the connections and the tasks that read them; both end with it.
"""

import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from lararium_daemon.protocol.api import ModelList, ModelStatus
from lararium_daemon.providers import failures
from lararium_daemon.providers.catalog import Catalog
from lararium_daemon.providers.connection import Connection, Timeouts, import_sdk
from lararium_daemon.providers.openai_chat import OpenAIChatProvider, Sleep
from lararium_daemon.providers.profiles import NO_MODEL, Profile, choose_profile
from lararium_daemon.providers.provider import Provider, ProviderError
from lararium_daemon.settings import Settings

logger = logging.getLogger(__name__)


class ModelGateway:
    """The models of one daemon. Enter it once, in the task that leaves it."""

    def __init__(
        self,
        settings: Settings,
        environment: Mapping[str, str],
        *,
        timeouts: Timeouts | None = None,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self._profile = choose_profile(settings, environment)
        self._sleep = sleep
        self._tasks: TaskGroup | None = None
        self._connection: Connection | None = None
        self._catalog: Catalog | None = None
        if self.current() is not None and self._profile is not None:
            self._connection = Connection(self._profile, environment, timeouts)
            self._catalog = Catalog(self._connection)

    async def __aenter__(self) -> Self:
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        tasks, self._tasks = self._tasks, None
        if tasks is not None:
            tasks.cancel_scope.cancel()
            await tasks.__aexit__(exc_type, exc, traceback)
        if self._connection is not None:
            await self._connection.aclose()

    async def warm_up(self) -> None:
        """Do beforehand, in a worker thread, what the first prompt would wait for. Never raises.

        Imports the SDK and, when the profile names no model, asks the server for its first one.
        """
        if self._connection is None or self._catalog is None:
            await anyio.to_thread.run_sync(import_sdk)
            return
        try:
            await self._connection.warm_up()
        except ProviderError as error:
            logger.warning("The model connection cannot be made: %s", error.detail)
            return
        profile = self._connection.profile
        if not profile.model and not profile.notice:  # what is doubtful waits for the person
            await self._catalog.listing()

    def current(self) -> Profile | None:
        """Give the usable profile, None when there is none (`status().problem` says why)."""
        return self._profile if self._profile is not None and not self._profile.problem else None

    def status(self) -> ModelStatus:
        """Say which model would answer now. Asks nobody: the name is "" until it is known."""
        profile = self._profile
        if profile is None:
            return ModelStatus(usable=False, problem=NO_MODEL)
        known = self._catalog.known.default if self._catalog else ""
        return ModelStatus(
            usable=not profile.problem,
            name=profile.model or known,
            base_url="" if profile.problem else profile.base_url,
            source=profile.source,
            problem=profile.problem,
        )

    def notices(self) -> list[str]:
        """Say what the person should know before a prompt is sent, e.g. that it is unencrypted."""
        return [self._profile.notice] if self._profile is not None and self._profile.notice else []

    async def models(self) -> ModelList:
        """List what the current server offers. Never raises; takes at most some 5 s."""
        profile = self.current()
        if profile is None or self._catalog is None:
            return ModelList(items=[], problem=self.status().problem)
        listing = await self._catalog.listing()
        return ModelList(
            items=list(listing.models),
            default=profile.model or listing.default or None,
            problem=listing.problem,
        )

    async def default_model(self) -> str:
        """Name the model that answers when nobody chose; may ask the server for its first one.

        Raises:
            ProviderError: none is set up, or the server named none.
        """
        if self._catalog is None:
            raise failures.not_configured(self.status().problem)
        return await self._catalog.default_model()

    def provider_for(self, model: str | None) -> Provider:
        """Give a provider; `model` answers requests that name none, None = the default one.

        Raises:
            ProviderError: `provider_not_configured`, with how to get a model.
        """
        if self._connection is None:
            raise failures.not_configured(self.status().problem)
        if self._tasks is None:
            raise RuntimeError("the gateway is not entered: `async with ModelGateway(…)`")

        async def chosen() -> str:
            return model or await self.default_model()

        return OpenAIChatProvider(self._connection, self._tasks, chosen, self._sleep)
