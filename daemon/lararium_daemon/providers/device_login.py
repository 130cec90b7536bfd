"""The wait of a device login: asking GitHub, patiently, until the person has agreed.

Pure of HTTP: `ask` is one question. It obeys the interval, slows down when told, and ends with the
code's life.

Source: https://www.rfc-editor.org/rfc/rfc8628, section 3.5.
"""

from collections.abc import Awaitable, Callable

import anyio

from lararium_daemon.protocol.profiles import LoginState
from lararium_daemon.providers.github import DeviceCode, Grant
from lararium_daemon.providers.profiles import Secret
from lararium_daemon.providers.provider import ProviderError

SLOWER_SECONDS = 5.0
LONGEST_INTERVAL_SECONDS = 60.0
_ENDS: dict[str, tuple[LoginState, str]] = {
    "expired_token": ("expired", "The code was not used in time. Begin again for a new one."),
    "access_denied": ("denied", "The login was refused at GitHub. Nothing was saved."),
}
_WAITS = ("authorization_pending", "slow_down")

Sleep = Callable[[float], Awaitable[None]]


class LoginEndedError(Exception):
    """A login ended without a token; `state` says how, `detail` is for the person."""

    def __init__(self, state: LoginState, detail: str) -> None:
        super().__init__(detail)
        self.state: LoginState = state
        self.detail = detail


async def wait_for_grant(
    code: DeviceCode,
    ask: Callable[[Secret], Awaitable[Grant]],
    sleep: Sleep = anyio.sleep,
) -> Secret:
    """Ask until there is a token.

    Raises:
        LoginEndedError: it was refused, or ran out.
    """
    interval, waited = code.interval, 0.0
    while waited + interval <= code.expires_in:
        await sleep(interval)
        waited += interval
        try:
            grant = await ask(code.device_code)
        except ProviderError:  # the network may come back before the code runs out
            interval = min(interval * 2, LONGEST_INTERVAL_SECONDS)
            continue
        if grant.token:
            return grant.token
        if grant.error in _ENDS:
            raise LoginEndedError(*_ENDS[grant.error])
        if grant.error not in _WAITS:
            words = f"GitHub ended the login ({grant.error}). Begin again."
            raise LoginEndedError("failed", words)
        if grant.error == "slow_down":
            interval = max(grant.interval or 0.0, interval + SLOWER_SECONDS)
    raise LoginEndedError(*_ENDS["expired_token"])
