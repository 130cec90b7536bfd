"""Why a model call got no answer, or not all of it: told by the causes of the exception."""

import os
import socket
import ssl
from collections.abc import Iterator
from typing import cast

import anyio

from lararium_daemon.providers import failures
from lararium_daemon.providers.failures import failure, shorten
from lararium_daemon.providers.profiles import Profile
from lararium_daemon.providers.provider import ProviderError


def from_transport(
    profile: Profile, error: BaseException, *, is_proxied: bool = False
) -> ProviderError:
    """Name the failure of a call that got no answer."""
    causes = list(_causes(error))
    names = {type(cause).__name__ for cause in causes}
    tls = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if tls is not None:
        return _tls(profile, tls)
    if "ProxyError" in names or (is_proxied and names & {"ConnectError", "ConnectTimeout"}):
        return failure(
            profile,
            "provider_unreachable",
            f"Proxy: the proxy of the environment, the desktop or the settings made no connection "
            f"to {profile.host} ({error_words(error)}). Check HTTPS_PROXY, the desktop's setting "
            "and `proxy` in the settings, or except the host there.",
        )
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return failure(
            profile,
            "provider_unreachable",
            f"DNS: the name {profile.host} was not found. Check the address and the network, then "
            "send again.",
        )
    if names & {"ConnectTimeout", "PoolTimeout"}:
        return failure(
            profile,
            "provider_timeout",
            f"Network: {profile.host} did not take the connection in time. Check the network, a "
            "firewall and the address, then send again.",
        )
    if any(name.endswith("Timeout") for name in names):
        return failures.timed_out(profile, "did not answer in time")
    hint = "Is the model server running?" if profile.is_local else "Check the network."
    kind = "no connection to" if "ConnectError" in names else "no answer from"
    return failure(
        profile,
        "provider_unreachable",
        f"Network: {kind} {profile.host} ({error_words(error)}). {hint} Then send again.",
    )


def _tls(profile: Profile, error: ssl.SSLError) -> ProviderError:
    # Python's own errors have both; a trust store of the system makes its own, with a text alone.
    reason = getattr(error, "verify_message", "") or getattr(error, "reason", "") or str(error)
    return failure(
        profile,
        "provider_tls",
        f"TLS: no secure connection to {profile.host} ({reason}). Check the address and the "
        "clock; behind a company proxy set SSL_CERT_FILE to its certificate and restart.",
    )


def error_words(error: BaseException) -> str:
    """Give the innermost reason of an error in a few words."""
    for cause in reversed(list(_causes(error))):
        # The number says it in the system's words; asyncio's text names the socket call.
        if isinstance(cause, OSError) and cause.errno and cause.errno > 0:
            words = os.strerror(cause.errno)
            return words[0].lower() + words[1:]
    for cause in reversed(list(_causes(error))):
        if str(cause):
            return shorten(str(cause))
    return type(error).__name__


def transport_errors() -> tuple[type[Exception], ...]:
    """Give what reading a response may raise; TLS ends reach us unmapped."""
    import httpx2

    return (httpx2.HTTPError, httpx2.StreamError, ssl.SSLError, anyio.EndOfStream, OSError)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Give the error and what lies under it, outermost first; groups are opened."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        cause = waiting.pop(0)
        if cause is None or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        if isinstance(cause, BaseExceptionGroup):
            waiting.extend(cast("BaseExceptionGroup[BaseException]", cause).exceptions)
        waiting.append(cause.__cause__ or cause.__context__)
