"""The same major version works both ways; what is younger goes only to who knows it."""

from typing import get_args

import pytest

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.versions import (
    SINCE_MINOR,
    ApiVersion,
    Feature,
    check_knows,
    check_major,
    is_older,
)
from lararium_daemon.protocol.version import API_MAJOR, API_MINOR


@pytest.mark.parametrize("minor", [0, API_MINOR, API_MINOR + 7])
def test_every_minor_of_the_same_major_is_understood(minor: int) -> None:
    check_major(ApiVersion(API_MAJOR, minor), "0.0.1")


@pytest.mark.parametrize("major", [0, API_MAJOR + 1])
def test_another_major_is_said_with_what_to_do(major: int) -> None:
    with pytest.raises(ClientError, match="lar daemon stop") as problem:
        check_major(ApiVersion(major, 99), "9.9.9")
    assert (problem.value.code, problem.value.status) == ("other_api_version", 409)
    assert "9.9.9" in problem.value.detail


def test_the_table_holds_every_feature_and_none_of_the_future() -> None:
    assert set(SINCE_MINOR) == set(get_args(Feature))
    assert all(0 < minor <= API_MINOR for minor in SINCE_MINOR.values())


@pytest.mark.parametrize("feature", get_args(Feature))
def test_a_feature_is_known_from_its_minor_on(feature: Feature) -> None:
    since = SINCE_MINOR[feature]
    assert not ApiVersion(API_MAJOR, since - 1).knows(feature)
    assert ApiVersion(API_MAJOR, since).knows(feature)
    assert ApiVersion(API_MAJOR, since + 5).knows(feature)
    assert not ApiVersion(API_MAJOR + 1, since).knows(feature)
    with pytest.raises(ClientError) as problem:
        check_knows(ApiVersion(API_MAJOR, since - 1), feature, "0.0.1")
    assert problem.value.code == "older_daemon"


def test_an_older_version_is_told_by_its_numbers_and_what_is_none_is_left_alone() -> None:
    assert is_older("0.1.9", "0.2.0")
    assert is_older("0.9", "0.10")
    assert not is_older("0.2.0", "0.2.0")
    assert not is_older("1.0.0", "0.2.0")
    assert not is_older("", "0.2.0")
    assert not is_older("unknown", "0.2.0")
