"""A session's gate: what it says of a call beyond the policy's verdict."""

from pathlib import Path

import pytest
from tests.daemon.tools.conftest import ToolBench
from tests.daemon.tools.conftest import bench as bench

from lararium_daemon.permissions.broker import Broker
from lararium_daemon.permissions.grants import SessionGrants
from lararium_daemon.permissions.questions import QuestionDesk
from lararium_daemon.permissions.rule_store import RuleStore
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.protocol.permissions import Mode
from lararium_daemon.sessions.gate import Desks, SessionGate
from lararium_daemon.tools.discovery import discover
from lararium_daemon.tools.registry import TOOLS, Preview


def gate(root: Path, mode: Mode, grants: SessionGrants, *allow: str) -> SessionGate:
    rules = RuleSet.parse(allow=allow, scope="user", source="test")
    desks = Desks(Broker(), QuestionDesk(), RuleStore(root / "rules.json"))
    return SessionGate(desks, lambda: rules, lambda: mode, grants, root, lambda: False)


@pytest.mark.parametrize(
    ("mode", "rule", "granted", "is_explicit"),
    [
        ("default", "", "", False),
        ("accept-edits", "", "", False),
        ("yolo", "", "", True),
        ("default", "Bash(ls *)", "", True),
        ("default", "", ".\nls -l", True),
    ],
)
def test_what_the_person_allowed_in_so_many_words_is_told_apart_from_the_mode(
    tmp_path: Path, mode: Mode, rule: str, granted: str, is_explicit: bool
) -> None:
    discover()
    grants = SessionGrants()
    if granted:
        grants.add("Bash", shown=granted)
    preview = Preview("ls -l", shown=".\nls -l", command="ls -l")

    ruling = gate(tmp_path, mode, grants, *([rule] if rule else [])).judge(TOOLS["bash"], preview)

    assert (ruling.verdict, ruling.is_explicit) == ("allow", is_explicit)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("tool", "arguments", "target"),
    [
        ("read_file", {"path": "k/id"}, "id"),
        ("read_file", {"path": "sub/../k/id"}, "id"),
        ("write_file", {"path": "k/authorized_keys", "content": "x"}, "authorized_keys"),
        ("write_file", {"path": "new", "content": "x"}, "not-there"),
        ("edit_file", {"path": "k/id", "old_string": "secret", "new_string": "x"}, "id"),
        ("grep", {"pattern": "secret", "path": "k"}, ""),
        ("glob", {"pattern": "k/*"}, ""),
        ("glob", {"pattern": "*", "path": "k"}, ""),
    ],
)
async def test_a_file_tool_is_judged_by_where_its_links_lead(
    bench: ToolBench, tool: str, arguments: dict[str, str], target: str
) -> None:
    keys = bench.root.parent / "elsewhere" / ".ssh"
    keys.mkdir(parents=True)
    (keys / "id").write_text("secret", "utf-8")
    (bench.root / "sub").mkdir()
    (bench.root / "k").symlink_to(keys)
    (bench.root / "new").symlink_to(keys / "not-there")

    preview = await bench.preview(tool, **arguments)
    usual = gate(bench.root, "accept-edits", SessionGrants()).judge(TOOLS[tool], preview)
    forbidding = RuleSet.parse(allow=["Read", "Edit"], deny=[f"Read(/{keys})"])
    desks = Desks(Broker(), QuestionDesk(), RuleStore(bench.root.parent / "rules.json"))
    strict = SessionGate(
        desks, lambda: forbidding, lambda: "yolo", SessionGrants(), bench.root, lambda: False
    )

    assert preview.path == str(keys / target)
    assert preview.shown.startswith(str(keys))
    assert usual.verdict == "ask"
    assert strict.judge(TOOLS[tool], preview).verdict == "deny"
    assert sorted(path.name for path in keys.iterdir()) == ["id"]
