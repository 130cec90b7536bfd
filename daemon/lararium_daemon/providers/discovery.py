"""Looking for model servers on this machine, side by side and with short time-outs.

It asks for a list of models and nothing else, on loopback and nowhere else. A port where something
other than a model server answers is passed over in silence. What was found is offered; who uses it
decides `gateway.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import anyio
import anyio.to_thread

from lararium_daemon.providers.catalog import ModelListing, ask_models
from lararium_daemon.providers.connection import Connection, Timeouts
from lararium_daemon.providers.failures import KEPT
from lararium_daemon.providers.known_servers import LocalServer, local_servers
from lararium_daemon.providers.profiles import Profile
from lararium_daemon.providers.provider import ProviderError
from lararium_daemon.system.listeners import is_own_listener

CONNECT_SECONDS = 0.5
PROBE_SECONDS = 2.0
"""Longest look at one server."""


@dataclass(slots=True, frozen=True)
class FoundServer:
    """A server that answered."""

    server: LocalServer
    """What it is, by its own words where it has some, else by its port."""
    listing: ModelListing
    is_own: bool
    """It runs as this user."""

    @property
    def base_url(self) -> str:
        """Its address."""
        return self.server.base_url

    @property
    def is_ready(self) -> bool:
        """It has a model that can hold a session."""
        return bool(self.listing.default)

    @property
    def problem(self) -> str:
        """Why it is not ready, a sentence."""
        if self.is_ready:
            return ""
        if self.listing.problem:
            return self.listing.problem
        return f"Answers, but no model is loaded. {self.server.no_model}"

    def profile(self) -> Profile:
        """Give the profile that uses it as it is."""
        return Profile(
            name=self.server.label,
            base_url=self.base_url,
            model=self.listing.default,
            source="discovered",
        )


class Finder:
    """Looks at the usual ports, or at these `servers`."""

    def __init__(
        self, environment: Mapping[str, str], servers: Sequence[LocalServer] | None = None
    ) -> None:
        self._environment = environment
        self._servers = tuple(servers or local_servers(environment))

    async def find(self, *, own_only: bool = False) -> list[FoundServer]:
        """Give the servers that answer, in the usual ports' order. Never raises; some 2 s at most.

        `own_only`: connect to none that is not known to run as this user.
        """
        found: dict[int, FoundServer] = {}

        async def look(place: int, server: LocalServer) -> None:
            is_own = await anyio.to_thread.run_sync(is_own_listener, server.port)
            if own_only and not is_own:
                return
            listing = await self._ask(server)
            if listing is not None:
                found[place] = FoundServer(_named(server, listing), listing, is_own)

        async with anyio.create_task_group() as group:
            for place, server in enumerate(self._servers):
                group.start_soon(look, place, server)
        return [found[place] for place in sorted(found)]

    async def _ask(self, server: LocalServer) -> ModelListing | None:
        """Ask for the models; None when nothing is there that is worth a word."""
        connection = Connection(
            Profile(server.label, server.base_url),
            self._environment,
            Timeouts(connect=CONNECT_SECONDS, first_byte=PROBE_SECONDS),
        )
        try:
            return await ask_models(connection, PROBE_SECONDS)
        except ProviderError as error:
            if not server.is_own_port or error.code == "provider_unreachable":
                return None
            return ModelListing(problem=error.detail.removesuffix(KEPT).strip())
        finally:
            await connection.aclose()


def _named(server: LocalServer, listing: ModelListing) -> LocalServer:
    """Go by what the server says of itself: several programs use the same ports."""
    by_owner = {each.owner: each for each in local_servers({})}
    told = by_owner.get(listing.owner)
    if told is not None:
        return replace(told, port=server.port)
    if server.is_own_port:
        return server
    return replace(server, label=f"Server on port {server.port}")
