"""One profile in use: its connection, made when first asked for, and its list of models."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from urllib.parse import urlsplit

import anyio

from lararium_daemon.providers import failures
from lararium_daemon.providers.catalog import Catalog
from lararium_daemon.providers.connection import Connection, Timeouts
from lararium_daemon.providers.keys import FoundKey
from lararium_daemon.providers.profiles import Profile
from lararium_daemon.system.listeners import is_own_listener
from lararium_daemon.system.logging import redact

FindKey = Callable[[str], Awaitable[FoundKey]]


class Endpoint:
    """A profile's server; closed by its owner."""

    def __init__(
        self,
        profile: Profile,
        environment: Mapping[str, str],
        find_key: FindKey,
        timeouts: Timeouts | None = None,
    ) -> None:
        self.profile = profile
        self.catalog = Catalog(profile, self.connection)
        self._environment = environment
        self._find_key = find_key
        self._timeouts = timeouts
        self._connection: Connection | None = None
        self._lock = anyio.Lock()
        for value in profile.headers.values():
            redact(value)

    async def connection(self) -> Connection:
        """Give the connection; looks the key up before the first one is made.

        Raises:
            ProviderError: `provider_not_configured`, the key is not to be had, or the server that
                was found on this machine is somebody else's by now.
        """
        profile = self.profile
        if profile.source == "discovered" and not is_own_listener(_port(profile.base_url)):
            raise failures.not_configured(
                f"The model server at {profile.host} has ended, or runs as another user now, so "
                f"nothing was sent to it. Start it again, or choose a model. {failures.KEPT}"
            )
        async with self._lock:
            if self._connection is None:
                self._connection = Connection(
                    await self._with_key(profile), self._environment, self._own_timeouts()
                )
            return self._connection

    async def renew(self, used: Connection) -> bool:
        """Say whether a refused key may be replaced by another; a person's own key may not."""
        del used
        return False

    async def aclose(self) -> None:
        """Close what is open."""
        if self._connection is not None:
            await self._connection.aclose()

    async def _with_key(self, profile: Profile) -> Profile:
        if profile.api_key or not profile.key_reference:
            return profile
        found = await self._find_key(profile.key_reference)
        if found.problem:
            raise failures.not_configured(f"Key of {profile.name}: {found.problem}")
        return replace(profile, api_key=found.secret)

    def _own_timeouts(self) -> Timeouts:
        usual = self._timeouts or Timeouts()
        own = self.profile.timeouts
        return replace(
            usual,
            connect=own.connect or usual.connect,
            first_byte=own.first_byte or usual.first_byte,
            idle=own.idle or usual.idle,
            total=own.total or usual.total,
        )


def _port(base_url: str) -> int:
    parts = urlsplit(base_url)
    return parts.port or (443 if parts.scheme == "https" else 80)
