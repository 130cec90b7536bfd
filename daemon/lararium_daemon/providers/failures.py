"""What a failed model call tells the person.

Every sentence names the layer (network, DNS, TLS, proxy, model server), the status where there is
one, and the next step, and ends with the promise that holds: the session keeps the message.
Transport: `transport_failures.py`; what servers say: `server_failures.py`.
"""

from lararium_daemon.providers.profiles import Profile
from lararium_daemon.providers.provider import ProviderError

KEPT = "Your message is kept."
MAX_QUOTE = 300

_SHORT = {
    "provider_rate_limit": "the model server limits the rate of requests",
    "provider_overloaded": "the model server fails or is overloaded",
    "provider_unreachable": "no connection to the model server",
    "provider_cut": "the connection to the model server broke",
    "provider_timeout": "the model server did not answer in time",
}


def failure(
    profile: Profile,
    code: str,
    sentence: str,
    *,
    status: int | None = None,
    retry_after: float | None = None,
) -> ProviderError:
    """Make the error of a failed call; the key is masked in what the server said."""
    detail = f"{profile.redact(sentence)} {KEPT}"
    return ProviderError(code, detail, status=status, retry_after=retry_after)


def cut(profile: Profile, reason: str = "") -> ProviderError:
    """Name an answer that ended before its end."""
    why = f" ({reason})" if reason else ""
    return failure(
        profile,
        "provider_cut",
        f"Network: the connection to {profile.host} broke in the middle of the answer{why}. What "
        "came is kept and no tool of the cut part was run. Send again to go on.",
    )


def timed_out(profile: Profile, what: str) -> ProviderError:
    """Name a wait that was given up; `what` goes on from "The model server at … "."""
    return failure(
        profile,
        "provider_timeout",
        f"Time-out: the model server at {profile.host} {what}. It may be loading a model or be "
        "overloaded; send again, or choose another model.",
    )


def bad_response(profile: Profile, what: str, *, status: int | None = None) -> ProviderError:
    """Name an answer that is none; `what` goes on from "The model server at … "."""
    return failure(
        profile,
        "provider_bad_response",
        f"The model server at {profile.host} {what}. Check that the base URL belongs to an "
        "OpenAI-compatible server, mostly it ends in /v1, then send again.",
        status=status,
    )


def not_configured(sentence: str) -> ProviderError:
    """Make the failure of a call without a usable profile."""
    return ProviderError("provider_not_configured", sentence)


def retry_reason(error: ProviderError) -> str:
    """Say in a few words why a call is tried again."""
    status = f" (HTTP {error.status})" if error.status else ""
    return _SHORT.get(error.code, error.code) + status


def fallback_reason(error: ProviderError) -> str:
    """Say in a few words why another profile is asked."""
    if error.code == "provider_quota":
        return f"the account has no quota left{f' (HTTP {error.status})' if error.status else ''}"
    return retry_reason(error)


def shorten(text: str) -> str:
    """Give a server's or a library's words as one line of bearable length."""
    flat = " ".join(text.split())
    return flat if len(flat) <= MAX_QUOTE else flat[: MAX_QUOTE - 1] + "…"
