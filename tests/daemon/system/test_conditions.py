"""Whether two starters would make the same process."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from lararium_daemon.system.conditions import (
    code_stamp,
    own_conditions,
    read_at_start,
    umask_now,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="they are compared on Linux")

SAY = (
    "import json, sys; from lararium_daemon.system.conditions import own_conditions;"
    "from lararium_daemon.system.environment import read_environment;"
    "print(json.dumps(own_conditions(read_environment()).to_json()))"
)


def of_a_child(prefix: list[str], **variables: str) -> dict[str, object]:
    done = subprocess.run(
        [*prefix, sys.executable, "-c", SAY],
        env=os.environ | variables,
        capture_output=True,
        check=True,
        timeout=20,
    )
    return json.loads(done.stdout)


def test_they_pass_through_json_unchanged_and_are_the_same_in_a_child() -> None:
    own = own_conditions(os.environ).to_json()
    assert json.loads(json.dumps(own)) == own
    assert of_a_child([]) == own


@pytest.mark.parametrize(
    ("prefix", "variables", "differing"),
    [
        (["nice", "-n", "3"], {}, {"niceness"}),
        (["prlimit", "--nofile=256:256"], {}, {"limits"}),
        ([], {"PYTHONHASHSEED": "7"}, {"read_at_start"}),
        ([], {"LD_LIBRARY_PATH": "/nowhere"}, {"read_at_start"}),
        ([], {"PYTHONUTF8": "0", "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"}, None),
    ],
)
def test_what_a_process_cannot_change_afterwards_tells_them_apart(
    prefix: list[str], variables: dict[str, str], differing: set[str] | None
) -> None:
    own = own_conditions(os.environ).to_json()
    other = of_a_child(prefix, **variables)
    found = {name for name in own if own[name] != other[name]}
    assert found == differing if differing else "encoding" in found


def test_only_variables_that_are_read_once_count() -> None:
    environment = {"PATH": "/bin", "PYTHONPATH": "x", "LD_PRELOAD": "y", "OPENAI_API_KEY": "k"}
    assert read_at_start(environment) == {"LD_PRELOAD": "y", "PYTHONPATH": "x"}


def test_the_stamp_changes_with_any_source_and_with_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    source = tmp_path / "part" / "one.py"
    source.write_text("a = 1\n", encoding="utf-8")
    first = code_stamp(tmp_path)
    (tmp_path / "part" / "one.pyc").touch()
    assert code_stamp(tmp_path) == first
    os.utime(source, ns=(1, 1))
    second = code_stamp(tmp_path)
    (tmp_path / "part" / "two.py").touch()
    third = code_stamp(tmp_path)
    source.unlink()
    assert len({first, second, third, code_stamp(tmp_path)}) == 4


def test_the_mask_is_read_without_being_changed() -> None:
    before = os.umask(0o027)
    try:
        assert umask_now() == 0o027
    finally:
        assert os.umask(before) == 0o027


def test_the_limits_are_those_of_this_process() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert [soft, hard] in own_conditions(os.environ).limits
