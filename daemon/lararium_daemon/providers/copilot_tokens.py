"""Copilot's short-lived token: exchanged for the login, kept in memory, renewed before its end."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

import anyio

from lararium_daemon.providers.github import COPILOT_HEADERS, CopilotToken, open_github
from lararium_daemon.providers.profiles import Profile, Secret
from lararium_daemon.providers.provider import ProviderError

logger = logging.getLogger(__name__)


def models_profile(profile: Profile, token: CopilotToken) -> Profile:
    """Give the profile as Copilot's models see it: their address, the token, who asks."""
    headers = {**COPILOT_HEADERS, **profile.headers}
    return replace(profile, base_url=token.base_url, api_key=token.secret, headers=headers)


class CopilotTokens:
    """The tokens of one profile, whose `api_key` is the login at GitHub."""

    def __init__(
        self,
        profile: Profile,
        environment: Mapping[str, str],
        clock: Callable[[], float] = anyio.current_time,
    ) -> None:
        self._profile = profile
        self._environment = environment
        self._clock = clock
        self._lock = anyio.Lock()
        self._token: CopilotToken | None = None
        self._good_until = 0.0

    async def token(self) -> CopilotToken:
        """Give a token that still holds; exchanges the login when there is none.

        Raises:
            ProviderError: GitHub gave none.
        """
        async with self._lock:
            if self._token is None or self._clock() >= self._good_until:
                self._token = await self._exchange()
                self._good_until = self._clock() + self._token.good_for
            return self._token

    async def refused(self, secret: Secret) -> None:
        """Forget a token that Copilot did not take; one that came after it stays."""
        async with self._lock:
            if self._token is not None and self._token.secret == secret:
                self._token = None

    async def _exchange(self) -> CopilotToken:
        login = self._profile.api_key
        if not login:
            advice = self._profile.key_advice
            raise ProviderError("provider_not_configured", f"Copilot needs a login. {advice}")
        async with open_github(self._profile, self._environment) as github:
            token = await github.copilot_token(login, time.time())
        logger.info("Copilot's token was renewed; it holds for %.0f s", token.good_for)
        return token
