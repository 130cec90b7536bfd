from lararium_daemon.system.variables import Missing, expand, lines_of

ENVIRONMENT = {"NAME": "lar", "EMPTY": ""}


def test_variables_are_put_in_everywhere_but_in_keys() -> None:
    value = {"${NAME}": ["a ${NAME}-${NAME}", 1, None, {"deep": "${NAME}"}]}
    assert expand(value, ENVIRONMENT) == (
        {"${NAME}": ["a lar-lar", 1, None, {"deep": "lar"}]},
        [],
    )


def test_a_default_stands_for_what_is_missing_or_empty() -> None:
    assert expand("${NONE:-x}${EMPTY:-y}${NAME:-z}${NONE:-}", ENVIRONMENT) == ("xylar", [])
    assert expand("${EMPTY}", ENVIRONMENT) == ("", [])


def test_what_is_no_reference_stays() -> None:
    for text in ("$NAME", "${}", "${1A}", "${A B}", "$$", "}${"):
        assert expand(text, ENVIRONMENT) == (text, [])
    assert expand("$${NAME}", ENVIRONMENT) == ("${NAME}", [])


def test_what_is_missing_is_named_with_its_place_and_its_text_stays() -> None:
    value = {"a": [{"b": "x ${ONE} ${TWO}"}]}
    assert expand(value, ENVIRONMENT) == (
        value,
        [Missing(("a", 0, "b"), "ONE"), Missing(("a", 0, "b"), "TWO")],
    )


def test_the_lines_of_a_variable_are_found() -> None:
    text = '{\n "a": "${ONE}",\r\n "b": "${ONES} $${ONE}",\n "c": "${ONE:-x}"}'
    assert list(lines_of(text, "ONE")) == [2, 4]
