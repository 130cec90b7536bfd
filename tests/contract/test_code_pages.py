"""A machine whose locale is not UTF-8: files, their names, arguments and answers are all the same.

The command is started as a terminal there would start it; the daemon inherits all of it.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.crash_stage import call, model_says
from tests.fakes.llm_server import FakeLlm

from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locales as POSIX has them")

TEXT = "naïve 日本 😀"
NAME = "été 日本 😀.txt"
COMMAND = [sys.executable, "-P", "-m", "lararium_daemon"]


@pytest.fixture(params=["C", "latin-1"])
def old_machine(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Variables of a machine with an old locale, where Python may not choose UTF-8 by itself."""
    variables = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    if request.param == "C":
        return variables | {"LC_ALL": "C"}
    locale = tmp_path / "locales" / "latin"
    locale.parent.mkdir()
    program = shutil.which("localedef")
    if program is not None:
        command = [program, "-i", "de_DE", "-f", "ISO-8859-1", str(locale)]
        subprocess.run(command, capture_output=True, timeout=60, check=False)
    if not (locale / "LC_CTYPE").exists():
        pytest.skip("no such locale can be made here")
    return variables | {"LC_ALL": "latin", "LOCPATH": str(locale.parent)}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "Größe 日本"
    folder.mkdir()
    (folder / NAME).write_text(f"{TEXT}\nende\n", encoding="utf-8")
    yield folder
    stop_daemon(resolve_paths(read_environment()).workspace(folder))


def test_text_and_names_stay_whole(
    old_machine: dict[str, str], project: Path, llm: FakeLlm
) -> None:
    llm.script(
        model_says("", call("read_file", path=NAME), call("grep", pattern="日本")),
        model_says("", call("edit_file", path=NAME, old_string="ende", new_string=f"Ende {TEXT}")),
        model_says("", call("write_file", path=f"neu {NAME}", content=TEXT)),
        model_says("", call("glob", pattern="*é*.txt")),
        model_says("", call("bash", command=f"cat '{NAME}'")),
        model_says(TEXT),
    )
    environment = {**os.environ, **llm.environment, **old_machine}

    def lar(*arguments: str, stdin: str = "") -> str:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=project,
            env=environment,
            input=stdin.encode(),
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr.decode()) == (0, "")
        return done.stdout.decode()

    say = "import sys; print(sys.getfilesystemencoding(), sys.stdout.encoding)"
    spoken = subprocess.check_output([sys.executable, "-c", say], env=environment, timeout=60)
    assert b"utf" not in spoken.lower()  # it is such a machine

    out = lar("run", "--json", "--mode", "yolo", f"lies {TEXT}")

    events = [json.loads(line) for line in out.splitlines()]
    results = [e["payload"]["result"] for e in events if e["type"] == "tool.ended"]
    assert [result["is_error"] for result in results] == [False] * 6
    assert results[0]["text"].startswith(f"     1\t{TEXT}\n")
    assert results[1]["text"] == f"{NAME}:1:{TEXT}"
    assert results[4]["text"].split("\n") == sorted([NAME, f"neu {NAME}"])
    assert results[5]["text"] == f"{TEXT}\nEnde {TEXT}\n"
    assert events[-1]["payload"]["text"] == TEXT
    assert (project / NAME).read_text("utf-8") == f"{TEXT}\nEnde {TEXT}\n"
    assert (project / f"neu {NAME}").read_bytes() == TEXT.encode()
    asked = str(llm.requests[-1].body["messages"])
    assert f"lies {TEXT}" in asked
    assert "\ufffd" not in out + asked

    llm.script(model_says(TEXT))
    assert lar("run", "-", stdin=f"noch {TEXT}") == f"{TEXT}\n"
    assert llm.requests[-1].body["messages"][-1]["content"] == f"noch {TEXT}"
