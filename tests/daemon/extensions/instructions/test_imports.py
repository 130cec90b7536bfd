"""Finding imports in Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.extensions.instructions.imports import find_imports


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("@b.md", ["b.md"]),
        ("See @docs/a.md, and (@b.md).", ["docs/a.md", "b.md"]),
        ("- @a.md\n- @b.md", ["a.md", "b.md"]),
        ("@a\\ b.md", ["a b.md"]),
        ("@~/notes.md @/etc/x @../x.md", ["~/notes.md", "/etc/x", "../x.md"]),
        ("mail me@x.io or @name", ["name"]),
        ("`@code.md` and ``@a `b` @c.md`` @d.md", ["d.md"]),
        ("`@open.md and @b.md", ["b.md"]),
        ("a `span\nover @a.md lines` @b.md", ["b.md"]),
        ("a ` tick\n\n@b.md ` c", ["b.md"]),
        ("```\n@fence.md\n```\n@b.md", ["b.md"]),
        ("~~~~ md\n@a.md\n~~~\n@b.md\n~~~~\n@c.md", ["c.md"]),
        ("- ```sh\n  @a.md\n  ```\n- @b.md", ["b.md"]),
        ("```\n@never closed.md", []),
        ("<!-- @a.md\n -->@x @b.md", ["b.md"]),
        ("", []),
        ("@ @. @@", []),
    ],
)
def test_imports_are_found_in_prose_only(text: str, targets: list[str]) -> None:
    found = find_imports(text)

    assert [each.target for each in found] == targets
    for each in found:
        assert text[each.start] == "@"


@given(st.text(st.sampled_from("@a.`~\n -*<>!\\ "), max_size=60))
def test_any_text_is_taken(text: str) -> None:
    for found in find_imports(text):
        assert 0 <= found.start < found.end <= len(text)
