"""The hub gives its tray names, states and kinds, and nothing that a menu may not show."""

from tests.fakes.tray_desk import ATLAS, ORRERY, ask, workspace

from lararium_daemon.protocol.hub import Workspace
from lararium_desktop.hub.tray_model import model_of
from lararium_desktop.system.tray_messages import (
    TrayItem,
    TrayModel,
    TrayWorkspace,
    decode_model,
    encode_model,
)


def test_projects_and_items_become_the_model():
    busy = workspace().model_copy(
        update={"state": "needs_you", "running": 2, "waiting": 1, "pinned": True}
    )
    assert model_of([busy], [ask(allow_once=True)], [ATLAS]) == TrayModel(
        workspaces=(TrayWorkspace(ATLAS, "atlas", "needs_you", running=2, waiting=1, pinned=True),),
        items=(
            TrayItem(
                *(f"{ATLAS}.r1", ATLAS, "atlas", "needs_you"),
                waiting=True,
                title="Rate-limit",
                tool="bash",
                program="git",
                buttons=("allow_once", "deny"),
            ),
        ),
        recent=(ATLAS,),
    )


def test_what_is_asked_does_not_leave_the_hub():
    line = encode_model(model_of([workspace()], [ask()]))
    assert b"--force" not in line
    assert b"/code/" not in line


def test_two_projects_of_one_name_are_told_apart_by_their_folder():
    two = [
        Workspace(id=ATLAS, name="api", path="/work/atlas/api", state="ready"),
        Workspace(id=ORRERY, name="api", path="/home/me/orrery/api", state="ready"),
    ]
    names = [each.name for each in model_of(two, []).workspaces]
    assert names == ["api (atlas)", "api (orrery)"]


def test_a_folder_whose_name_is_no_unicode_still_reaches_the_tray():
    model = model_of([workspace(name="caf\udce9")], [])
    assert decode_model(encode_model(model)) == model
    assert model.workspaces[0].name == "caf\\udce9"
