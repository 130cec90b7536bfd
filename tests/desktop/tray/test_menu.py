"""The tray's menu: what waits, the projects, and a quit that says what it ends."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.protocol.ids import WorkspaceId
from lararium_desktop.system.tray_messages import (
    TrayAction,
    TrayItem,
    TrayModel,
    TrayWorkspace,
    parse_action,
)
from lararium_desktop.tray.menu import MOST_ITEMS, MOST_WORKSPACES, Entry, Line, Separator, menu_of

ATLAS, ORRERY, TIDE = (WorkspaceId(letter * 16) for letter in "abc")


def ask(number: int = 1, *, allow_once: bool = False) -> TrayItem:
    return TrayItem(
        id=f"{ATLAS}:r{number}",
        workspace_id=ATLAS,
        workspace_name="atlas-api",
        kind="needs_you",
        waiting=True,
        title="Rate-limit by API key",
        tool="bash",
        program="git",
        buttons=("allow_once", "deny") if allow_once else ("review", "deny"),
    )


def outline(lines: tuple[Line, ...]) -> list[object]:
    """Give the menu as plain data: texts with their facts and actions, `-` for a separator."""
    return [_plain(line) for line in lines]


def _plain(line: Line) -> object:
    if isinstance(line, Separator):
        return "-"
    text = f"{line.text} · {line.fact}" if line.fact else line.text
    if line.entries:
        return (text, outline(line.entries))
    return (text, line.action.id) if line.action else text


def every_entry(lines: tuple[Line, ...]) -> Iterator[Entry]:
    for line in lines:
        if isinstance(line, Entry):
            yield line
            yield from every_entry(line.entries)


def test_without_projects_the_app_can_be_opened_and_quit():
    assert outline(menu_of(TrayModel())) == [
        ("Open Lararium", "show"),
        "-",
        ("Quit Lararium", "quit"),
    ]


def test_the_whole_menu_of_a_busy_desk():
    model = TrayModel(
        workspaces=(
            TrayWorkspace(ATLAS, "atlas-api", "needs_you", running=1, waiting=2),
            TrayWorkspace(ORRERY, "orrery", "busy", running=1),
            TrayWorkspace(TIDE, "tidepool-web", "asleep"),
        ),
        items=(
            ask(),
            TrayItem("q1", ATLAS, "atlas-api", "question", waiting=True, title="Upgrade notes"),
            TrayItem("f1", TIDE, "tidepool-web", "finished", waiting=False),
        ),
    )
    assert outline(menu_of(model)) == [
        "Needs you",
        (
            "atlas-api: run git",
            [
                "Rate-limit by API key",
                "-",
                ("Review…", f"open_item:{ATLAS}:r1"),
                ("Deny", f"deny:{ATLAS}:r1"),
            ],
        ),
        ("atlas-api: question", ["Upgrade notes", "-", ("Answer…", "open_item:q1")]),
        "-",
        ("atlas-api · 1 run, 2 need you", f"open_workspace:{ATLAS}"),
        ("orrery · running", f"open_workspace:{ORRERY}"),
        ("tidepool-web · asleep", f"open_workspace:{TIDE}"),
        "-",
        (
            "New session in",
            [
                ("atlas-api", f"new_session:{ATLAS}"),
                ("orrery", f"new_session:{ORRERY}"),
                ("tidepool-web", f"new_session:{TIDE}"),
            ],
        ),
        ("Open Lararium", "show"),
        "-",
        (
            "Quit…",
            [
                "atlas-api · 1 run, 2 need you",
                "orrery · running",
                "-",
                ("Quit, leave daemons running", "quit"),
                ("Quit and stop 2 runs", "quit_and_stop"),
            ],
        ),
    ]


def test_allow_once_is_offered_only_where_the_item_says_so():
    [_, entry, *_] = menu_of(TrayModel(items=(ask(allow_once=True),)))
    assert isinstance(entry, Entry)
    assert outline(entry.entries)[2:] == [
        ("Allow once", f"allow_once:{ATLAS}:r1"),
        ("Deny", f"deny:{ATLAS}:r1"),
        "-",
        ("Open session", f"open_item:{ATLAS}:r1"),
    ]


def test_an_item_of_a_remote_project_is_only_reviewed():
    remote = TrayItem("i", ATLAS, "far", "needs_you", waiting=True, buttons=("review",))
    [_, entry, *_] = menu_of(TrayModel(items=(remote,)))
    assert isinstance(entry, Entry)
    assert outline(entry.entries) == [("Review…", "open_item:i")]


def test_more_items_than_a_menu_holds_are_counted():
    lines = menu_of(TrayModel(items=tuple(ask(number) for number in range(MOST_ITEMS + 3))))
    assert outline(lines)[MOST_ITEMS + 1] == ("3 more…", "show")


def test_many_projects_keep_the_persons_order_and_show_the_pressing_ones():
    workspaces = tuple(
        TrayWorkspace(
            WorkspaceId(f"{number:016x}"),
            f"p{number}",
            "crashed" if number == 17 else "stopped",
            waiting=1 if number == 19 else 0,
            pinned=number == 12,
        )
        for number in range(20)
    )
    recent = (workspaces[15].id, workspaces[3].id)
    lines = menu_of(TrayModel(workspaces, recent=recent))
    top = [line.text for line in lines[:MOST_WORKSPACES] if isinstance(line, Entry)]
    assert top == ["p0", "p1", "p2", "p3", "p12", "p15", "p17", "p19"]
    everything = lines[MOST_WORKSPACES]
    assert isinstance(everything, Entry)
    assert everything.text == "All projects"
    assert len(everything.entries) == 20


def test_a_project_whose_folder_is_missing_gets_no_new_session():
    model = TrayModel((TrayWorkspace(ATLAS, "gone", "missing"),))
    assert [entry.text for entry in every_entry(menu_of(model))] == [
        "gone",
        "Open Lararium",
        "Quit Lararium",
    ]


def test_one_run_is_one_run():
    model = TrayModel((TrayWorkspace(ATLAS, "atlas", "busy", running=1),))
    assert "Quit and stop 1 run" in [entry.text for entry in every_entry(menu_of(model))]


names = st.text(max_size=80)
workspaces = st.builds(
    TrayWorkspace,
    id=st.text("0123456789abcdef", min_size=16, max_size=16).map(WorkspaceId),
    name=names,
    state=st.sampled_from([
        "missing",
        "stopped",
        "ready",
        "busy",
        "needs_you",
        "crashed",
        "asleep",
    ]),
    running=st.integers(0, 3),
    waiting=st.integers(0, 3),
    unread=st.integers(0, 3),
    pinned=st.booleans(),
)
items = st.builds(
    TrayItem,
    id=st.text(max_size=40),
    workspace_id=st.just(ATLAS),
    workspace_name=names,
    kind=st.sampled_from(["needs_you", "question", "failed", "finished", "crashed"]),
    waiting=st.booleans(),
    title=names,
    tool=st.sampled_from(["bash", "edit_file", ""]),
    program=names,
    buttons=st.sampled_from([(), ("review",), ("review", "deny"), ("allow_once", "deny")]),
)
models = st.builds(
    TrayModel,
    workspaces=st.lists(workspaces, max_size=30, unique_by=lambda one: one.id).map(tuple),
    items=st.lists(items, max_size=20).map(tuple),
)


@given(models)
def test_whatever_there_is_the_menu_opens_and_quits_and_fits_the_screen(model: TrayModel):
    lines = menu_of(model)
    actions = [entry.action.verb for entry in every_entry(lines) if entry.action]
    assert "show" in actions
    assert "quit" in actions
    assert len(lines) <= 40
    assert sum(entry.is_default for entry in every_entry(lines)) == 1
    assert not isinstance(lines[0], Separator)
    assert not isinstance(lines[-1], Separator)


@given(models)
def test_nothing_is_allowed_unseen_that_does_not_say_it_may_be(model: TrayModel):
    may = {item.id for item in model.items if item.waiting and "allow_once" in item.buttons}
    offered = {
        entry.action.target
        for entry in every_entry(menu_of(model))
        if entry.action and entry.action.verb == "allow_once"
    }
    assert offered <= may


@given(models)
def test_runs_are_ended_only_by_an_entry_that_says_how_many(model: TrayModel):
    runs = sum(workspace.runs for workspace in model.workspaces)
    stops = [
        entry.text
        for entry in every_entry(menu_of(model))
        if entry.action and entry.action.verb == "quit_and_stop"
    ]
    assert stops == ([f"Quit and stop {runs} run{'' if runs == 1 else 's'}"] if runs else [])


@given(models)
def test_every_action_is_read_back_from_its_id(model: TrayModel):
    for entry in every_entry(menu_of(model)):
        if entry.action is not None:
            assert parse_action(entry.action.id) == entry.action


def test_an_unknown_action_is_none():
    assert parse_action("format_disk:c") is None
    assert parse_action("") is None
    assert parse_action("deny:w:r:1") == TrayAction("deny", "w:r:1")
