"""Texts of notifications: cut at whole characters, with nothing hidden in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.protocol.text import utf16_length
from lararium_desktop.system.notifications.short_text import cut, escape_markup, legible

FAMILY = "👩\u200d👩\u200d👧"
THUMB = "👍🏽"
FLAG = "🇪🇺"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("t" * 63, "t" * 63),
        ("t" * 64, "t" * 62 + "…"),
        ("", ""),
        ("a\x00b\r\nc\td", "a b c d"),
        ("  spaces \u2003 between ", "spaces between"),
        ("😀" * 600, "😀" * 31 + "…"),
        (FAMILY * 20, FAMILY * 7 + "…"),
        (THUMB * 40, THUMB * 15 + "…"),
        (FLAG * 40, FLAG * 15 + "…"),
        ("e\u0301" * 40, "e\u0301" * 31 + "…"),
        ("words that end at a space here                and go on and on and on", None),
    ],
)
def test_a_title_is_cut_at_a_whole_character(text: str, shown: str | None) -> None:
    found = cut(text, 63)
    assert utf16_length(found) <= 63
    if shown is not None:
        assert found == shown
    assert not found.removesuffix("…").endswith(" ")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pay\u202egpj.exe", "pay\\u202egpj.exe"),
        ("\u2066left\u2069", "\\u2066left\\u2069"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("soft\u00adhyphen", "soft\\u00adhyphen"),
        ("\u05e9\u05dc and \u0633\u0644", "\u05e9\u05dc and \u0633\u0644"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("half \ud83d a pair", "half \ufffd a pair"),
        ("line\u2028and\u2029paragraph", "line and paragraph"),
        ('done" & (do shell script "touch p") --', 'done" & (do shell script "touch p") --'),
        ("`$(touch p)`\\", "`$(touch p)`\\"),
    ],
)
def test_what_would_hide_or_turn_is_written_out_and_the_rest_is_left(text: str, shown: str) -> None:
    assert legible(text) == shown


@given(st.text(), st.integers(min_value=1, max_value=300))
def test_any_text_fits_and_can_be_sent(text: str, units: int) -> None:
    found = cut(text, units)
    assert utf16_length(found) <= units
    assert "\x00" not in found
    found.encode()


def test_a_text_of_any_length_is_cut_at_once() -> None:
    assert len(cut("x" * 50_000_000, 255)) == 255


def test_markup_is_shown_not_obeyed() -> None:
    assert escape_markup("<b>5 < 6 & 7</b>") == "&lt;b&gt;5 &lt; 6 &amp; 7&lt;/b&gt;"
