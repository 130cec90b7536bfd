"""Logins in progress: begun by the person, awaited beside all else, saved when they end well.

A login lives in memory alone: after a restart it is begun again.
"""

import secrets
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio

from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.profiles import LoginInfo, LoginInput, LoginState
from lararium_daemon.providers.device_login import LoginEndedError, Sleep, wait_for_grant
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.github import DeviceCode, open_github
from lararium_daemon.providers.profile_check import without_promise
from lararium_daemon.providers.profile_desk import ProfileDesk
from lararium_daemon.providers.profiles import GITHUB_URL, Profile
from lararium_daemon.providers.provider import ProviderError

MAX_LOGINS = 8
"""Waiting or ended; the oldest is forgotten."""


@dataclass(slots=True)
class _Login:
    given: LoginInput
    code: DeviceCode
    expires_at: str
    state: LoginState = "waiting"
    problem: str = ""
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)


class LoginDesk:
    """The logins of one daemon."""

    def __init__(self, gateway: ModelGateway, sleep: Sleep = anyio.sleep) -> None:
        self._gateway = gateway
        self._desk = ProfileDesk(gateway)
        self._sleep = sleep
        self._logins: dict[str, _Login] = {}

    async def begin(self, given: LoginInput) -> LoginInfo:
        """Get a code, and wait beside for the person to agree.

        Raises:
            LarariumError: as `ProfileDesk.refuse_login`, or with a provider's code (502): GitHub
                gave none.
        """
        await self._desk.refuse_login(given)
        address = given.github_url.strip().rstrip("/") or GITHUB_URL
        proxy = self._gateway.book.read().proxy
        profile = Profile(given.name, address, kind="copilot", proxy=proxy)
        try:
            async with open_github(profile, self._gateway.environment) as github:
                code = await github.device_code()
        except ProviderError as error:
            raise LarariumError(error.code, without_promise(error.detail), 502) from None
        expires = datetime.now(UTC) + timedelta(seconds=code.expires_in)
        login = _Login(given, code, expires.isoformat().replace("+00:00", "Z"))
        login_id = f"login_{secrets.token_hex(8)}"
        self._logins[login_id] = login
        while len(self._logins) > MAX_LOGINS:
            self._end(self._logins.pop(next(iter(self._logins))), "cancelled")
        self._gateway.spawn(self._job(profile, login))
        return _info(login_id, login)

    def find(self, login_id: str) -> LoginInfo:
        """Say how a login stands.

        Raises:
            LarariumError: 404 `unknown_login`.
        """
        return _info(login_id, self._login(login_id))

    def cancel(self, login_id: str) -> LoginInfo:
        """Wait no longer; one that has ended stays as it is."""
        login = self._login(login_id)
        self._end(login, "cancelled")
        return _info(login_id, login)

    def _login(self, login_id: str) -> _Login:
        login = self._logins.get(login_id)
        if login is None:
            raise LarariumError("unknown_login", "There is no such login. Begin a new one.", 404)
        return login

    def _end(self, login: _Login, state: LoginState, problem: str = "") -> None:
        if login.state == "waiting":
            login.state, login.problem = state, problem
            login.scope.cancel()

    def _job(self, profile: Profile, login: _Login) -> Callable[[], Coroutine[Any, Any, None]]:
        async def wait() -> None:
            with login.scope:
                try:
                    await self._wait(profile, login)
                except LoginEndedError as end:
                    self._end(login, end.state, end.detail)
                except ProviderError as error:
                    self._end(login, "failed", without_promise(error.detail))
                except LarariumError as error:
                    self._end(login, "failed", error.detail)

        return wait

    async def _wait(self, profile: Profile, login: _Login) -> None:
        async with open_github(profile, self._gateway.environment) as github:
            token = await wait_for_grant(login.code, github.grant, self._sleep)
        with anyio.CancelScope(shield=True):  # the person has agreed: a late cancel changes nothing
            await self._desk.keep_login(login.given, token.reveal())
            login.state = "done"


def _info(login_id: str, login: _Login) -> LoginInfo:
    return LoginInfo(
        id=login_id,
        state=login.state,
        user_code=login.code.user_code,
        verification_uri=login.code.verification_uri,
        expires_at=login.expires_at,
        profile=login.given.name,
        problem=login.problem,
    )
