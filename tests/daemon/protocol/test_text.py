"""What a client sent can be written again: halves of characters, and numbers without end."""

from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from lararium_daemon.protocol.api import SessionCreateInput
from lararium_daemon.protocol.text import MAX_DEPTH, MAX_INPUT_DEPTH, is_deeper_than, whole_json


@pytest.mark.parametrize(
    ("given", "whole"),
    [
        (
            {"a\ud800": ["\udfff", {"b": "\ud83d\ude00"}]},
            {"a\ufffd": ["\ufffd", {"b": "\U0001f600"}]},
        ),
        ([2**64 - 1, -(2**63), True, None, 1.5], [2**64 - 1, -(2**63), True, None, 1.5]),
        ({"n": [2**64, -(2**63) - 1]}, {"n": [1.8446744073709552e19, -9.223372036854775808e18]}),
    ],
)
def test_what_cannot_be_written_is_replaced_and_the_rest_stays(given: Any, whole: Any) -> None:
    found = whole_json(given)
    assert found == whole
    assert orjson.loads(orjson.dumps(found)) == whole


def test_a_number_beyond_every_float_is_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        whole_json({"n": 10**400})


def test_depth_is_bounded_by_what_can_be_written() -> None:
    value: Any = "x"
    for _ in range(MAX_DEPTH):
        value = [{"a": value}] if isinstance(value, str) else [value]
    assert is_deeper_than(MAX_DEPTH, value)
    assert not is_deeper_than(MAX_DEPTH, value[0])
    orjson.dumps(value)


def test_an_input_that_is_too_deep_is_refused_however_deep() -> None:
    for depth in (MAX_INPUT_DEPTH + 1, 100_000):
        value: Any = "x"
        for _ in range(depth):
            value = [value]
        with pytest.raises(ValidationError, match="nested too deeply"):
            SessionCreateInput.model_validate({"title": value})
