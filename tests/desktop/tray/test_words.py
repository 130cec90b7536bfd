"""Names from folders and models are shown as text in the tray, and states in words."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.protocol.hub import WorkspaceState
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.protocol.inbox import InboxKind
from lararium_desktop.system.tray_messages import TrayItem, TrayModel, TrayWorkspace
from lararium_desktop.tray.icons import Face
from lararium_desktop.tray.words import face_of, item_words, shown, state_words, tooltip

ATLAS = WorkspaceId("a" * 16)
ISOLATES = "\u2068\u2069"


def workspace(
    state: WorkspaceState = "ready", *, running: int = 0, waiting: int = 0, unread: int = 0
) -> TrayWorkspace:
    return TrayWorkspace(ATLAS, "atlas", state, running, waiting, unread)


def item(kind: InboxKind = "needs_you", *, tool: str = "", program: str = "") -> TrayItem:
    waiting = kind in {"needs_you", "question"}
    return TrayItem("i1", ATLAS, "atlas", kind, waiting, "Title", tool, program)


@given(st.text(max_size=200), st.integers(min_value=2, max_value=60))
def test_whatever_a_name_holds_it_is_one_short_line_without_anything_hidden(text: str, most: int):
    line = shown(text, most)
    bare = line.strip(ISOLATES)
    assert len(bare) <= most
    assert "\n" not in line
    assert "\t" not in line
    hidden = [char for char in bare if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Cn", "Co"}]
    assert set(hidden) <= {"\u200d"}
    line.encode()


@given(st.text(max_size=60))
def test_every_isolate_that_is_opened_is_closed(text: str):
    line = shown(text, 40)
    assert line.count("\u2068") == line.count("\u2069")
    assert line.startswith("\u2068") == line.endswith("\u2069")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("atlas", "atlas"),
        ("--help", "--help"),
        ("-", "-"),
        ("my_project & <b>co</b>", "my_project & <b>co</b>"),
        ("two\nlines\tand  more", "two lines and more"),
        ("evil\u202etxt.exe", "evil\\u202etxt.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("bell\x07", "bell\\u0007"),
        ("lone\udcff", "lone\\udcff"),
        ("\u05d0\u05d1 x", "\u2068\u05d0\u05d1 x\u2069"),
        ("👨\u200d👩\u200d👧 family", "👨\u200d👩\u200d👧 family"),
        ("a\u200db", "a\\u200db"),
        ("", ""),
    ],
)
def test_a_name_is_shown_as_text(text: str, line: str):
    assert shown(text, 32) == line


def test_a_long_name_is_cut_with_an_ellipsis_at_a_whole_character():
    assert shown("x" * 40, 10) == "x" * 9 + "…"
    assert shown("e\u0301" * 10, 10) == "e\u0301" * 4 + "…"
    assert shown("one two three", 9) == "one two…"


@pytest.mark.parametrize(
    ("given_workspace", "words"),
    [
        (workspace("needs_you", running=1, waiting=1), "1 run, 1 needs you"),
        (workspace("needs_you", waiting=2), "2 need you"),
        (workspace("busy", running=1), "running"),
        (workspace("busy", running=2), "2 runs"),
        (workspace("busy"), "running"),
        (workspace("ready", unread=1), "finished"),
        (workspace("ready"), "idle"),
        (workspace("asleep"), "asleep"),
        (workspace("stopped"), "stopped"),
        (workspace("starting"), "starting"),
        (workspace("crashed", running=1), "crashed"),
        (workspace("missing"), "folder missing"),
        (workspace("unresponsive"), "does not answer"),
    ],
)
def test_a_project_says_what_waits_and_runs_first(given_workspace: TrayWorkspace, words: str):
    assert state_words(given_workspace) == words


@pytest.mark.parametrize(
    ("given_item", "words"),
    [
        (item("question"), "question"),
        (item(tool="bash", program="git"), "run git"),
        (item(tool="bash"), "run a command"),
        (item(tool="edit_file"), "change a file"),
        (item(tool="read_file"), "read a file"),
        (item(tool="web_fetch"), "read a web page"),
        (item(tool="mcp__linear__create"), "use mcp__linear__create"),
        (item(), "needs you"),
    ],
)
def test_an_item_says_its_kind_and_no_arguments(given_item: TrayItem, words: str):
    assert item_words(given_item) == words


@pytest.mark.parametrize(
    ("model", "text", "face"),
    [
        (TrayModel(), "Lararium", Face("idle")),
        (TrayModel((workspace(),)), "Lararium", Face("idle")),
        (TrayModel((workspace("busy", running=2),)), "Lararium: 2 running", Face("running")),
        (
            TrayModel((workspace("needs_you", running=2, waiting=1),), (item(),)),
            "Lararium: 2 running, 1 needs you",
            Face("needs_you", 1),
        ),
        (
            TrayModel((workspace("needs_you", running=1, waiting=3),)),
            "Lararium: 1 running, 3 need you",
            Face("needs_you", 3),
        ),
        (
            TrayModel((workspace("crashed"), workspace("busy", running=1))),
            "Lararium: 1 running, 1 crashed",
            Face("error"),
        ),
        (TrayModel((workspace(),), (item("failed"),)), "Lararium: 1 failed", Face("error")),
        (TrayModel((workspace(unread=1),), (item("finished"),)), "Lararium", Face("idle")),
    ],
)
def test_tooltip_and_icon_say_the_same(model: TrayModel, text: str, face: Face):
    assert (tooltip(model), face_of(model)) == (text, face)
