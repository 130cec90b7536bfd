"""GitHub Copilot in use: GitHub gives its models' address and token, and changes them."""

from lararium_daemon.providers.connection import Connection
from lararium_daemon.providers.copilot_tokens import CopilotTokens, models_profile
from lararium_daemon.providers.endpoint import Endpoint


class CopilotEndpoint(Endpoint):
    """A profile of kind `copilot`: its address is GitHub's, its key the login there."""

    _tokens: CopilotTokens | None = None
    _retired: tuple[Connection, ...] = ()
    """To addresses that GitHub named before; answers may still come over them."""

    async def connection(self) -> Connection:
        """Give the connection to the models, with a token that holds.

        Raises:
            ProviderError: there is no login, or GitHub gives no token for it.
        """
        async with self._lock:
            if self._tokens is None:
                profile = await self._with_key(self.profile)
                self._tokens = CopilotTokens(profile, self._environment)
            token = await self._tokens.token()
            if self._connection is not None:
                if self._connection.profile.base_url == token.base_url:
                    self._connection.take_key(token.secret)
                    return self._connection
                self._retired = (*self._retired, self._connection)
            profile = models_profile(self.profile, token)
            self._connection = Connection(profile, self._environment, self._own_timeouts())
            return self._connection

    async def renew(self, used: Connection) -> bool:
        """Let the next `connection` have another token than the one that was refused."""
        if self._tokens is None:
            return False
        await self._tokens.refused(used.profile.api_key)
        return True

    async def aclose(self) -> None:
        """Close what is open."""
        for connection in self._retired:
            await connection.aclose()
        await super().aclose()
