import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.providers.arguments import (
    GLUED,
    NO_OBJECT,
    OVER_LIMIT,
    TRUNCATED,
    arguments_text,
    parse_arguments,
)

WHOLE = '{"path": "a.md", "n": [1, -2.5e3, true, null], "content": "# Ti\\u00e9 \\"x\\"\\n那🌍"}'

json_objects = st.dictionaries(
    st.text(),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**63 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


@pytest.mark.parametrize("text", ["", "  ", "null", "{}"])
def test_no_arguments_are_an_empty_object(text: str) -> None:
    assert parse_arguments(text, hit_output_limit=False).value == {}


def test_an_object_encoded_twice_is_read() -> None:
    assert parse_arguments(json.dumps('{"a": 1}'), hit_output_limit=False).value == {"a": 1}


def test_line_breaks_inside_a_string_are_read() -> None:
    assert parse_arguments('{"a": "x\ny"}', hit_output_limit=False).value == {"a": "x\ny"}


def test_a_lone_surrogate_becomes_a_character_that_can_be_stored() -> None:
    value = parse_arguments('{"a": "\\ud99c"}', hit_output_limit=False).value
    assert value == {"a": "\ufffd"}


@pytest.mark.parametrize("length", range(1, len(WHOLE)))
def test_every_cut_is_called_truncated_and_never_repaired(length: int) -> None:
    parsed = parse_arguments(WHOLE[:length], hit_output_limit=False)
    assert (parsed.value, parsed.error) == (None, TRUNCATED)


@given(json_objects, st.data())
def test_any_cut_of_any_object_is_called_truncated(
    value: dict[str, object], data: st.DataObject
) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assert parse_arguments(cut, hit_output_limit=False).error == TRUNCATED
    assert parse_arguments(text, hit_output_limit=True).value == json.loads(text)


@pytest.mark.parametrize("text", ['{"path":"a.md","content":"# Ti', "", '{"a": fast'])
def test_a_call_that_the_output_limit_cut_says_so(text: str) -> None:
    parsed = parse_arguments(text, hit_output_limit=True)
    assert (parsed.value, parsed.error) == (None, OVER_LIMIT)


@pytest.mark.parametrize(
    "text",
    ['{"mode": fast", }', '{"a": 1,}', "{'a': 1}", '{"a": NaN}', '{"a": 1]', '{"a": "\\x"}  ', "x"],
)
def test_malformed_text_is_never_blamed_on_the_output_limit(text: str) -> None:
    parsed = parse_arguments(text, hit_output_limit=False)
    assert parsed.value is None
    assert "invalid JSON" in parsed.error
    assert "output limit" not in parsed.error
    assert "cut" not in parsed.error


@pytest.mark.parametrize("text", ["[1]", "3", "true", '"text"'])
def test_what_is_no_object_is_refused(text: str) -> None:
    parsed = parse_arguments(text, hit_output_limit=False)
    assert parsed.value is None
    assert parsed.error == NO_OBJECT or "invalid JSON" in parsed.error


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ({"path": "a\ud99c"}, {"path": "a\ufffd"}),
        ({"a": [1, None, "那🌍"]}, {"a": [1, None, "那🌍"]}),
        ('{"a": 1}', {"a": 1}),
        (None, {}),
        ({"a": float("nan")}, None),
        ({"a": 10**30}, None),
        ([1], None),
    ],
)
def test_arguments_that_are_no_text_are_made_one(
    value: object, read: dict[str, object] | None
) -> None:
    assert parse_arguments(arguments_text(value), hit_output_limit=False).value == read


def test_arguments_nested_without_end_are_refused_as_such() -> None:
    value: dict[str, object] = {}
    for _ in range(100_000):
        value = {"a": value}

    parsed = parse_arguments(arguments_text(value), hit_output_limit=False)

    assert (parsed.value, "invalid JSON" in parsed.error) == (None, True)


def test_glued_objects_are_refused_as_such() -> None:
    text = '{"path":"a"}{"path":"b"} {"path":"c"}'
    assert parse_arguments(text, hit_output_limit=False).error == GLUED


@pytest.mark.parametrize(
    "number", ["9223372036854775808", "[" * 101 + "]" * 101, "-1" + "0" * 30, "1e999", "Infinity"]
)
def test_what_could_not_be_stored_as_it_is_is_refused(number: str) -> None:
    parsed = parse_arguments(f'{{"a": {number}}}', hit_output_limit=False)
    assert parsed.value is None
    assert "invalid JSON" in parsed.error


@pytest.mark.parametrize("text", ['{"a":' * 100_000, "[" * 100_000, '{"a":' + "9" * 10_000 + "}"])
def test_nesting_and_numbers_without_end_are_refused_without_harm(text: str) -> None:
    assert parse_arguments(text, hit_output_limit=False).value is None
