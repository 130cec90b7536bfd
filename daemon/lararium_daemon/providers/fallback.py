"""Another profile for when one does not answer: visibly, and never because of a key.

What may pass by itself but did not (overload, limits, an empty account, no connection) is passed on
to the next profile, after the retries have ended and only before anything was shown. Whoever took
over stays for the rest of the run: waiting out the same failure before each answer helps nobody.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from lararium_daemon.providers import failures
from lararium_daemon.providers.failures import KEPT
from lararium_daemon.providers.provider import (
    FellBack,
    ModelEvent,
    ModelRequest,
    Provider,
    ProviderError,
    Retrying,
)

PASSED_ON = frozenset({
    "provider_overloaded",
    "provider_rate_limit",
    "provider_quota",
    "provider_unreachable",
    "provider_timeout",
    "provider_cut",
})


@dataclass(slots=True, frozen=True)
class Candidate:
    """A profile that may answer."""

    profile: str
    open: Callable[[], Awaitable[Provider]]
    """Raises ProviderError when the profile cannot be used."""


class FallbackProvider:
    """A `Provider` that goes down a row of profiles; there are two at least."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._candidates = candidates
        self._at = 0
        self._provider: Provider | None = None

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Call the first model that answers."""
        earlier: list[str] = []
        while True:
            candidate = self._candidates[self._at]
            has_begun = False
            try:
                if self._provider is None:
                    self._provider = await candidate.open()
                async with aclosing(self._provider.stream(request)) as events:
                    async for event in events:
                        has_begun = has_begun or not isinstance(event, Retrying)
                        yield event
                return  # noqa: TRY300 - the loop goes on after a failure alone
            except ProviderError as error:
                is_last = self._at + 1 == len(self._candidates)
                if has_begun or is_last or error.code not in PASSED_ON:
                    raise _with_earlier(error, earlier) from None
                reason = failures.fallback_reason(error)
            earlier.append(f"{candidate.profile}: {reason}")
            self._at, self._provider = self._at + 1, None
            yield FellBack(candidate.profile, self._candidates[self._at].profile, reason)


def _with_earlier(error: ProviderError, earlier: Sequence[str]) -> ProviderError:
    """Say what failed before, so that a person sees why this server was asked at all."""
    if not earlier:
        return error
    before = f"Before that, {'; '.join(earlier)}."
    detail = f"{error.detail.removesuffix(KEPT).strip()} {before} {KEPT}"
    return ProviderError(error.code, detail, status=error.status, retry_after=error.retry_after)
