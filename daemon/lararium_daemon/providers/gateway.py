"""The daemon's one way to models: which one is set up, what it offers, and a provider for it.

    async with ModelGateway(settings, environment) as gateway:
        provider = gateway.provider_for(session_model)

It owns the connections and the tasks that read them; both end with it. Profiles that are saved
while it lives are seen at the next question: it looks at the settings file each time.
"""

import logging
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import Any, Self

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from lararium_daemon.protocol.api import ModelList, ModelStatus
from lararium_daemon.protocol.events import Usage
from lararium_daemon.providers import failures
from lararium_daemon.providers.chat_wire import ChatWire
from lararium_daemon.providers.choice import Choice, choose, fallbacks
from lararium_daemon.providers.connection import Timeouts, import_sdk
from lararium_daemon.providers.copilot_endpoint import CopilotEndpoint
from lararium_daemon.providers.copilot_wire import CopilotWire
from lararium_daemon.providers.discovery import Finder, FoundServer
from lararium_daemon.providers.endpoint import Endpoint
from lararium_daemon.providers.fallback import Candidate, FallbackProvider
from lararium_daemon.providers.http_provider import HttpProvider, Sleep
from lararium_daemon.providers.keys import KeyStore
from lararium_daemon.providers.model_catalog import enriched
from lararium_daemon.providers.model_facts import ModelFacts, facts_of
from lararium_daemon.providers.pricing import Pricing, pricing_of
from lararium_daemon.providers.profile_book import ModelSources, ProfileBook
from lararium_daemon.providers.profiles import NO_MODEL, Profile
from lararium_daemon.providers.provider import Provider, ProviderError
from lararium_daemon.providers.responses_wire import ResponsesWire
from lararium_daemon.providers.shown_images import ImageProvider, ReadImage
from lararium_daemon.providers.tour import TourProvider, tour_models
from lararium_daemon.settings import Settings

LEARN_SECONDS = 5.0
"""How long saving a profile waits for the name of its server's first model."""

_WIRES = {"chat": ChatWire, "responses": ResponsesWire, "copilot": CopilotWire}
"""By a profile's kind."""

logger = logging.getLogger(__name__)


class ModelGateway:
    """The models of one daemon. Enter it once, in the task that leaves it."""

    def __init__(
        self,
        settings: Settings,
        environment: Mapping[str, str],
        *,
        sources: ModelSources | None = None,
        keys: KeyStore | None = None,
        finder: Finder | None = None,
        timeouts: Timeouts | None = None,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self.environment = environment
        self.book = ProfileBook(settings, environment, sources)
        self.keys = keys or KeyStore(sources.config if sources else None, environment)
        self.finder = finder
        self._timeouts = timeouts
        self._sleep = sleep
        self._tasks: TaskGroup | None = None
        self._endpoints: dict[str, Endpoint] = {}
        self._prices: dict[str, tuple[Profile, Pricing]] = {}
        """Of every model that was asked, as `profile/model`."""
        self._retired: list[Endpoint] = []
        """Of profiles that have changed; runs may still be using them."""

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
        for endpoint in [*self._endpoints.values(), *self._retired]:
            await endpoint.aclose()

    async def warm_up(self) -> None:
        """Do beforehand what the first prompt would wait for. Never raises.

        Imports the SDK in a worker thread and, when the profile names no model, asks the server for
        its first one. With nothing set up it looks for a server of this user.
        """
        await anyio.to_thread.run_sync(import_sdk)
        await self.prepare()
        choice = self.choice(None)
        profile = choice.profile
        if profile is None or choice.problem or profile.kind == "tour":
            return
        endpoint = self.endpoint(profile)
        try:
            await (await endpoint.connection()).warm_up()
        except ProviderError as error:
            logger.warning("The model connection cannot be made: %s", error.detail)
            return
        if not choice.model and not profile.notice:  # what is doubtful waits for the person
            await endpoint.catalog.listing()
        await self.facts(None)

    async def prepare(self) -> None:
        """With nothing set up, take a server that this user runs on this machine. Never raises."""
        if self.finder is not None and self.book.wants_discovery():
            self.note_found(await self.finder.find(own_only=True))

    async def learn_model(self) -> None:
        """Ask which model answers now when nobody named one; waits a moment. Never raises."""
        choice = self.choice(None)
        profile = choice.profile
        if profile is None or choice.problem or choice.model or profile.notice:
            return
        with anyio.move_on_after(LEARN_SECONDS):
            await self.endpoint(profile).catalog.listing()

    def note_found(self, servers: list[FoundServer]) -> None:
        """Remember what may be used without a click: the first that is ready and this user's."""
        own = (server.profile() for server in servers if server.is_own and server.is_ready)
        self.book.found = next(own, None)

    def choice(self, model: str | None) -> Choice:
        """Choose what answers a session that names `model`."""
        return choose(self.book.read(), model)

    def current(self) -> Profile | None:
        """Give the usable profile, None when there is none (`status().problem` says why)."""
        choice = self.choice(None)
        return None if choice.problem else choice.profile

    def status(self) -> ModelStatus:
        """Say which model would answer now. Asks nobody: the name is "" until it is known."""
        choice = self.choice(None)
        profile = choice.profile
        if profile is None:
            return ModelStatus(usable=False, problem=choice.problem)
        endpoint = self._endpoints.get(profile.name)
        known = endpoint.catalog.known.default if endpoint else ""
        return ModelStatus(
            usable=not choice.problem,
            name=choice.model or known,
            base_url="" if choice.problem else profile.base_url,
            source=profile.source,
            profile=profile.name,
            scripted=profile.kind == "tour",
            problem=choice.problem,
        )

    def notices(self) -> list[str]:
        """Say what the person should know before a prompt is sent, e.g. that it is unencrypted."""
        profile = self.choice(None).profile
        own = [profile.notice] if profile is not None and profile.notice else []
        return [*own, *self.book.read().lost_fallbacks(), *self.book.notices]

    async def models(self, profile_name: str | None = None) -> ModelList:
        """List what a profile's server offers, the current one's when none is named.

        Never raises; takes at most some 5 s.
        """
        choice = self.choice(f"{profile_name}/" if profile_name else None)
        profile = choice.profile
        if profile_name and (profile is None or profile.name != profile_name):
            return ModelList(items=[], problem=f"There is no profile {profile_name}.")
        if profile is None or choice.problem:
            return ModelList(items=[], problem=choice.problem)
        if profile.kind == "tour":
            return tour_models(profile)
        listing = await self.endpoint(profile).catalog.listing()
        items = await anyio.to_thread.run_sync(enriched, profile.base_url, listing.models)
        return ModelList(
            items=items,
            default=choice.model or listing.default or None,
            problem=listing.problem,
            profile=profile.name,
        )

    async def default_model(self) -> str:
        """Name the model that answers when nobody chose; may ask the server for its first one.

        Raises:
            ProviderError: none is set up, or the server named none.
        """
        choice = self.choice(None)
        if choice.profile is None or choice.problem:
            raise failures.not_configured(choice.problem or NO_MODEL)
        if choice.model:
            return choice.model
        return await self.endpoint(choice.profile).catalog.default_model()

    async def facts(self, model: str | None) -> ModelFacts:
        """Say what is known of the model of a session that names `model`. Never raises.

        Asks no server: what its list says counts once it was heard, and is fetched beside.
        """
        choice = self.choice(model)
        profile = choice.profile
        if profile is None or profile.kind == "tour":
            return ModelFacts(choice.model)
        return await self._facts(profile, choice.model)

    async def _facts(self, profile: Profile, model: str) -> ModelFacts:
        catalog = self.endpoint(profile).catalog
        name = model or catalog.known.default
        if not catalog.is_asked and not profile.notice and self._tasks is not None:
            self._tasks.start_soon(catalog.listing)
        if profile.is_local:  # nothing to load: snapshots say nothing of this machine
            return facts_of(profile, name, catalog.known)
        return await anyio.to_thread.run_sync(facts_of, profile, name, catalog.known)

    async def takes_images(self, model: str | None) -> bool | None:
        """Say whether the model of a session takes pictures; None = nobody knows. Never raises."""
        profile = self.choice(model).profile
        if profile is not None and profile.kind == "tour":
            return False
        return (await self.facts(model)).takes_images

    def cost_usd(self, usage: Usage) -> float | None:
        """Say what a call cost by the prices of the model that answered it; None = unknown."""
        profile_and_prices = self._prices.get(usage.model)
        return profile_and_prices[1].cost_usd(usage) if profile_and_prices else None

    async def _learn_price(self, profile: Profile, model: str) -> None:
        name = f"{profile.name}/{model}"
        if name not in self._prices or self._prices[name][0] != profile:
            self._prices[name] = profile, await anyio.to_thread.run_sync(pricing_of, profile, model)

    def provider_for(self, model: str | None, read_image: ReadImage = lambda _: None) -> Provider:
        """Give a provider for a session that names `model`: `profile/model`, a model, or None.

        `read_image` gives the session's pictures.

        Raises:
            ProviderError: `provider_not_configured`, with how to get a model.
        """
        choice = self.choice(model)
        profile = choice.profile
        if profile is None or choice.problem:
            raise failures.not_configured(choice.problem or NO_MODEL)
        if self._tasks is None:
            raise RuntimeError("the gateway is not entered: `async with ModelGateway(…)`")
        if profile.kind == "tour":
            return TourProvider(is_sample=self.book.read().is_sample, sleep=self._sleep)
        after = fallbacks(self.book.read(), profile)
        if not after:
            return self._http_provider(profile, choice.model, self._tasks, read_image)
        row = [choice, *(Choice(each, each.model, each.problem) for each in after)]
        return FallbackProvider([self._candidate(each, self._tasks, read_image) for each in row])

    def _candidate(self, choice: Choice, tasks: TaskGroup, read_image: ReadImage) -> Candidate:
        profile = choice.profile
        if profile is None:
            raise ValueError("a profile was chosen before this")

        async def opened() -> Provider:
            if choice.problem:
                raise failures.not_configured(choice.problem)
            return self._http_provider(profile, choice.model, tasks, read_image)

        return Candidate(profile.name, opened)

    def _http_provider(
        self, profile: Profile, model: str, tasks: TaskGroup, read_image: ReadImage
    ) -> Provider:
        endpoint = self.endpoint(profile)

        async def chosen() -> str:
            name = model or await endpoint.catalog.default_model()
            await self._learn_price(profile, name)
            return name

        wire = _WIRES[profile.kind]()
        asks = HttpProvider(wire, endpoint.connection, tasks, chosen, self._sleep, endpoint.renew)

        async def takes_images() -> bool | None:
            return (await self._facts(profile, model)).takes_images

        return ImageProvider(asks, takes_images, read_image)

    def spawn(self, job: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a job that lives as long as the daemon; it must not raise."""
        if self._tasks is None:
            raise RuntimeError("the gateway is not entered: `async with ModelGateway(…)`")
        self._tasks.start_soon(job)

    def endpoint(self, profile: Profile) -> Endpoint:
        """Give the profile's endpoint; one whose profile has changed is replaced."""
        endpoint = self._endpoints.get(profile.name)
        if endpoint is None or endpoint.profile != profile:
            if endpoint is not None:
                self._retired.append(endpoint)
            make = CopilotEndpoint if profile.kind == "copilot" else Endpoint
            endpoint = make(profile, self.environment, self.keys.find, self._timeouts)
            self._endpoints[profile.name] = endpoint
        return endpoint
