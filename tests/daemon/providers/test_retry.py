from datetime import UTC, datetime

import pytest

from lararium_daemon.providers.provider import ProviderError
from lararium_daemon.providers.retry import parse_retry_after, wait_before_retry

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


def limited(retry_after: float | None) -> ProviderError:
    return ProviderError("provider_rate_limit", "…", status=429, retry_after=retry_after)


def test_back_off_doubles_and_ends_after_five_retries() -> None:
    waits = [wait_before_retry(limited(None), n, 0.0) for n in range(7)]
    assert waits == [0.5, 1.0, 2.0, 4.0, 8.0, None, None]


def test_chance_only_ever_lengthens_a_wait() -> None:
    assert wait_before_retry(limited(7), 0, 0.0) == 7.0
    assert wait_before_retry(limited(7), 0, 1.0) == 8.75


def test_zero_means_the_usual_back_off() -> None:
    assert wait_before_retry(limited(0), 1, 0.0) == 1.0


def test_a_wait_of_a_day_is_not_waited() -> None:
    assert wait_before_retry(limited(86_400), 0, 0.0) is None


@pytest.mark.parametrize(
    ("code", "retries"),
    [
        ("provider_rate_limit", 5),
        ("provider_overloaded", 5),
        ("provider_unreachable", 2),
        ("provider_cut", 2),
        ("provider_timeout", 1),
        ("provider_auth", 0),
        ("provider_quota", 0),
        ("provider_bad_request", 0),
        ("provider_bad_response", 0),
        ("provider_context_overflow", 0),
        ("provider_tls", 0),
        ("provider_not_configured", 0),
    ],
)
def test_only_what_may_pass_by_itself_is_retried(code: str, retries: int) -> None:
    error = ProviderError(code, "…")
    waits = [wait_before_retry(error, n, 0.0) for n in range(9)]
    assert sum(wait is not None for wait in waits) == retries


@pytest.mark.parametrize(
    ("milliseconds", "text", "seconds"),
    [
        ("", "7", 7.0),
        ("", "0", 0.0),
        ("", "1.5", 1.5),
        ("250", "7", 0.25),
        ("", "Mon, 30 Nov 2026 12:00:07 GMT", 7.0),
        ("", "Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("", "Mon, 30 Nov 2026 12:00:07", 7.0),
        ("", "abc", None),
        ("", "", None),
        ("", "-5", None),
        ("", "nan", None),
        ("", "inf", None),
        ("abc", "86400", 86_400.0),
    ],
)
def test_retry_after_is_read_in_all_its_shapes(
    milliseconds: str, text: str, seconds: float | None
) -> None:
    assert parse_retry_after(milliseconds, text, NOW) == seconds
