"""What is asked of GitHub itself: device codes, access tokens, and Copilot's short-lived tokens.

Calls and nothing more: who waits between two is in `device_login.py`, who keeps a token in
`copilot_tokens.py`. Only HTTPS is spoken, save to this machine.

Source: https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
(device flow), https://www.rfc-editor.org/rfc/rfc8628.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import anyio.to_thread
import orjson

from lararium_daemon import __version__
from lararium_daemon.providers import failures, transport_failures
from lararium_daemon.providers.address import address_problem, is_loopback_url
from lararium_daemon.providers.failures import failure
from lararium_daemon.providers.http_client import make_client
from lararium_daemon.providers.network import proxy_for
from lararium_daemon.providers.profiles import Profile, Secret, key_problem
from lararium_daemon.providers.proxy_reader import network_environment
from lararium_daemon.providers.server_failures import read_words
from lararium_daemon.system.logging import redact

if TYPE_CHECKING:
    import httpx2

CLIENT_ID = "Iv1.b507a08c87ecfe98"
"""Names the application to GitHub: Copilot's own, the only one whose tokens it exchanges. Public,
as every client id of a device flow is."""
COPILOT_HEADERS: Mapping[str, str] = {
    "Editor-Version": f"Lararium/{__version__}",
    "Editor-Plugin-Version": f"lararium/{__version__}",
    "Copilot-Integration-Id": "vscode-chat",
    "User-Agent": f"Lararium/{__version__}",
}
"""Copilot refuses a call that does not say which editor makes it."""
ANSWER_SECONDS = 20.0
CONNECT_SECONDS = 10.0
MAX_ANSWER_BYTES = 256 * 1024
USUAL_INTERVAL_SECONDS = 5.0
_SCOPE = "read:user"
_GRANT = "urn:ietf:params:oauth:grant-type:device_code"

Json = dict[str, Any]


@dataclass(slots=True, frozen=True)
class DeviceCode:
    """What GitHub gave for one login."""

    device_code: Secret
    user_code: str
    """The person types it at `verification_uri`."""
    verification_uri: str
    expires_in: float
    interval: float
    """Seconds between two questions."""


@dataclass(slots=True, frozen=True)
class Grant:
    """The answer to "has the person agreed?"."""

    token: Secret
    """Empty until they have."""
    error: str = ""
    """GitHub's word, e.g. `authorization_pending`; "" with a token."""
    interval: float | None = None
    """How long to wait from now on, when GitHub said so."""


@dataclass(slots=True, frozen=True)
class CopilotToken:
    """What lets one ask Copilot's models for some minutes."""

    secret: Secret
    base_url: str
    good_for: float
    """Seconds until it should be exchanged anew."""


def github_problem(base_url: str) -> str:
    """Say why this cannot be the address of a GitHub, "" when it can."""
    problem = address_problem(base_url, "the GitHub address")
    if problem:
        return problem
    if not base_url.startswith("https:") and not is_loopback_url(base_url):
        return "GitHub is spoken to over https:// alone. Correct the address. " + failures.KEPT
    return ""


class GitHub:
    """One GitHub; `open_github` makes it."""

    def __init__(self, profile: Profile, client: "httpx2.AsyncClient", *, is_proxied: bool) -> None:
        self._profile = profile
        self._client = client
        self._is_proxied = is_proxied

    async def device_code(self) -> DeviceCode:
        """Begin a login.

        Raises:
            ProviderError: GitHub gave no code.
        """
        fields = {"client_id": CLIENT_ID, "scope": _SCOPE}
        answer = await self._post("/login/device/code", fields)
        device, user = answer.get("device_code"), answer.get("user_code")
        if not (isinstance(device, str) and device and isinstance(user, str) and user):
            raise failures.bad_response(self._profile, f"gave no code for a login{_said(answer)}")
        redact(device)
        return DeviceCode(
            Secret(device),
            user,
            self._verification(answer.get("verification_uri")),
            _seconds(answer.get("expires_in"), 900.0),
            _seconds(answer.get("interval"), USUAL_INTERVAL_SECONDS),
        )

    async def grant(self, device_code: Secret) -> Grant:
        """Ask whether the person has agreed.

        Raises:
            ProviderError: GitHub did not answer.
        """
        fields = {
            "client_id": CLIENT_ID,
            "device_code": device_code.reveal(),
            "grant_type": _GRANT,
        }
        answer = await self._post("/login/oauth/access_token", fields)
        token = answer.get("access_token")
        if isinstance(token, str) and token and not key_problem(token, "GitHub's answer"):
            redact(token)
            return Grant(Secret(token))
        interval = answer.get("interval")
        seconds = _seconds(interval, 0.0) if interval is not None else None
        return Grant(Secret(""), str(answer.get("error") or "no_token"), seconds or None)

    async def copilot_token(self, login: Secret, now: float) -> CopilotToken:
        """Exchange the login for a token of Copilot's; `now` in seconds since 1970.

        Raises:
            ProviderError: `provider_auth` when the login does not hold, or has no Copilot.
        """
        address = f"{_api_of(self._profile.base_url)}/copilot_internal/v2/token"
        headers = {**COPILOT_HEADERS, "Authorization": f"token {login.reveal()}"}
        status, answer = await self._send("GET", address, headers)
        token = answer.get("token")
        if status != 200 or not isinstance(token, str) or not token:
            raise self._refused(status, answer)
        if key_problem(token, "GitHub's answer"):
            raise failures.bad_response(self._profile, "gave a token that no header can carry")
        redact(token)
        left = _seconds(answer.get("expires_at"), 0.0) - now
        return CopilotToken(
            Secret(token),
            self._models_address(answer.get("endpoints")),
            _seconds(answer.get("refresh_in"), max(left - 300.0, 60.0)),
        )

    def _refused(self, status: int, answer: Json) -> Exception:
        words = read_words(orjson.dumps(answer)).message
        said = f"HTTP {status}{f': {words}' if words else ''}"
        host = self._profile.host
        if status in {401, 404}:
            sentence = f"{host} does not take this login any more ({said}). "
            sentence += self._profile.key_advice
        elif status == 403:
            sentence = (
                f"{host} says that this account may not use Copilot ({said}). Check its "
                "subscription at GitHub, or log in with another account."
            )
        else:
            code = "provider_overloaded" if status >= 500 or status == 429 else ""
            sentence = f"{host} gave no token for Copilot ({said}). Wait a moment and send again."
            return failure(self._profile, code or "provider_bad_response", sentence, status=status)
        return failure(self._profile, "provider_auth", sentence, status=status)

    def _models_address(self, endpoints: Any) -> str:
        """Give where the models are; GitHub names it, and it must be as safe as GitHub is."""
        given = cast("Json", endpoints).get("api") if isinstance(endpoints, dict) else None
        base_url = self._profile.base_url
        is_here = is_loopback_url(base_url)
        if isinstance(given, str) and not address_problem(given, "GitHub's answer"):
            address = given.rstrip("/")
            if address.startswith("https:") or (is_here and is_loopback_url(address)):
                return address
        if is_here:
            return base_url
        host = urlsplit(base_url).netloc
        return (
            f"https://{'api.githubcopilot.com' if host == 'github.com' else f'copilot-api.{host}'}"
        )

    def _verification(self, given: Any) -> str:
        base_url = self._profile.base_url
        is_safe = isinstance(given, str) and not github_problem(given)
        if is_safe and (given.startswith("https:") or is_loopback_url(base_url)):
            return given
        return f"{base_url}/login/device"

    async def _post(self, path: str, fields: Mapping[str, str]) -> Json:
        headers = {"User-Agent": COPILOT_HEADERS["User-Agent"]}
        _, answer = await self._send("POST", f"{self._profile.base_url}{path}", headers, fields)
        return answer

    async def _send(
        self, method: str, url: str, headers: Mapping[str, str], fields: Any = None
    ) -> tuple[int, Json]:
        request = self._client.build_request(
            method, url, headers={"Accept": "application/json", **headers}, data=fields
        )
        body = b""
        try:
            response = await self._client.send(request, stream=True)
            try:
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > MAX_ANSWER_BYTES:
                        raise failures.bad_response(self._profile, "gave an endless answer")
            finally:
                await response.aclose()
        except transport_failures.transport_errors() as error:
            raise transport_failures.from_transport(
                self._profile, error, is_proxied=self._is_proxied
            ) from error
        try:
            answer: Any = orjson.loads(body)
        except orjson.JSONDecodeError:
            answer = {}
        return response.status_code, cast("Json", answer) if isinstance(answer, dict) else {}


@asynccontextmanager
async def open_github(profile: Profile, environment: Mapping[str, str]) -> AsyncGenerator[GitHub]:
    """Open the GitHub at the profile's address, for a call or a login.

    Raises:
        ProviderError: the proxy or the certificates cannot be used.
    """
    environment = await network_environment(environment, profile.proxy, profile.base_url)

    def make() -> "httpx2.AsyncClient":
        return make_client(
            profile.base_url,
            environment,
            connect_seconds=CONNECT_SECONDS,
            read_seconds=ANSWER_SECONDS,
        )

    client = await anyio.to_thread.run_sync(make)
    is_proxied = proxy_for(profile.base_url, environment) is not None
    try:
        yield GitHub(profile, client, is_proxied=is_proxied)
    finally:
        with anyio.move_on_after(2, shield=True):
            await client.aclose()


def _api_of(base_url: str) -> str:
    parts = urlsplit(base_url)
    return base_url if is_loopback_url(base_url) else f"https://api.{parts.netloc}"


def _seconds(given: Any, usual: float) -> float:
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return float(given) if is_number and 0 < given < 1e12 else usual


def _said(answer: Json) -> str:
    error = answer.get("error_description") or answer.get("error")
    return f" ({failures.shorten(str(error))})" if error else ""
