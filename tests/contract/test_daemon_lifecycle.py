"""`lar daemon …` and `lar paths` as other programs use them: the real command, the real daemon."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.find import find_daemon
from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.paths import WorkspacePaths
from lararium_daemon.system.process_table import process_rows, start_time

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes as Linux has them")

Lar = Callable[..., subprocess.CompletedProcess[str]]
LAR = (sys.executable, "-P", "-m", "lararium_daemon")
SECONDS = 60


@pytest.fixture
def lar(workspace: Path, paths: WorkspacePaths) -> Iterator[Lar]:
    """Run `lar` inside the workspace."""

    def lar(*arguments: str, cwd: Path = workspace, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*LAR, *arguments],
            cwd=cwd,
            env=os.environ | env,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )

    yield lar
    stop_daemon(paths)


def test_start_status_stop_and_their_exit_codes(
    lar: Lar, workspace: Path, paths: WorkspacePaths
) -> None:
    assert lar("daemon", "stop", "--json").returncode == 0
    assert lar("daemon", "status", "--json").returncode == 1

    first = lar("daemon", "start", "--json")
    assert (first.returncode, first.stderr) == (0, "")
    started: dict[str, Any] = json.loads(first.stdout)
    assert started == {
        "workspace_id": paths.workspace_id,
        "base_url": started["base_url"],
        "pid": started["pid"],
        "guid": started["guid"],
        "token_file": str(paths.token),
        "already_running": False,
    }
    again = json.loads(lar("daemon", "start", "--workspace", str(workspace), "--json").stdout)
    assert again == started | {"already_running": True}

    status = lar("daemon", "status", "--json")
    assert status.returncode == 0
    assert json.loads(status.stdout)["guid"] == started["guid"]

    assert lar("daemon", "stop", "--json").returncode == 0
    assert start_time(started["pid"]) is None
    assert not paths.daemon_json.exists()
    assert lar("daemon", "status").returncode == 1


def test_loopback_works_behind_a_dead_proxy_and_without_the_token_nothing_does(
    lar: Lar, paths: WorkspacePaths
) -> None:
    dead = "http://127.0.0.1:9"
    proxies = {"HTTP_PROXY": dead, "HTTPS_PROXY": dead, "ALL_PROXY": dead}
    started = json.loads(lar("daemon", "start", "--json", **proxies).stdout)
    token = paths.token.read_text(encoding="ascii")
    client = DaemonClient(started["base_url"], token)
    assert client.request("GET", "/api/status")["pid"] == started["pid"]
    with pytest.raises(ClientError) as refusal:
        DaemonClient(started["base_url"], None).request("GET", "/api/status")
    assert refusal.value.status == 401
    assert lar("daemon", "status", **proxies).returncode == 0


def test_secrets_stand_in_no_command_line_environment_of_ours_or_log(
    lar: Lar, paths: WorkspacePaths, lararium_home: Path
) -> None:
    started = json.loads(lar("daemon", "start", "--json", OPENAI_API_KEY="sk-planted-1").stdout)
    token = paths.token.read_bytes()
    environment = Path(f"/proc/{started['pid']}/environ").read_bytes()
    assert token not in environment
    lines = [_command_line(row.pid) for row in process_rows()]
    assert not [line for line in lines if token in line or b"sk-planted-1" in line]
    files = [path for path in lararium_home.rglob("*") if path.is_file()]
    assert [path for path in files if token in path.read_bytes()] == [paths.token]
    assert not [path for path in files if b"sk-planted-1" in path.read_bytes()]


def test_everything_below_the_home_is_private_under_any_umask(
    lar: Lar, lararium_home: Path
) -> None:
    before = os.umask(0)
    try:
        assert lar("daemon", "start").returncode == 0
    finally:
        os.umask(before)
    everything = [lararium_home / "state", *(lararium_home / "state").rglob("*")]
    assert [path for path in everything if path.stat().st_mode & 0o077] == []


def test_a_killed_daemon_is_seen_and_started_again(lar: Lar, paths: WorkspacePaths) -> None:
    first = json.loads(lar("daemon", "start", "--json").stdout)
    os.kill(first["pid"], signal.SIGKILL)
    assert lar("daemon", "status", "--json").returncode == 1
    second = json.loads(lar("daemon", "start", "--json").stdout)
    assert not second["already_running"]
    assert second["guid"] != first["guid"]


def test_a_link_and_a_detour_lead_to_the_same_daemon(
    lar: Lar, workspace: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(workspace)
    spellings = [str(workspace), str(link), f"{workspace}/", f"{workspace}/../proj"]
    answers = [lar("daemon", "start", "--workspace", path, "--json") for path in spellings]
    assert len({json.loads(answer.stdout)["guid"] for answer in answers}) == 1


def test_serving_keeps_the_terminal_says_where_and_ends_on_interrupt(
    lar: Lar, workspace: Path, paths: WorkspacePaths
) -> None:
    with subprocess.Popen(
        [*LAR, "daemon", "serve"], cwd=workspace, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdout is not None
        ready = json.loads(server.stdout.readline())["ready"]
        found = find_daemon(paths)
        assert found is not None
        assert found.base_url == ready["base_url"]
        second = lar("daemon", "serve")
        assert (second.returncode, json.loads(second.stdout)["error"]["code"]) == (75, "lock_held")
        assert json.loads(lar("daemon", "start", "--json").stdout)["already_running"]
        server.send_signal(signal.SIGINT)
        assert server.wait(SECONDS) == 0
    assert not paths.daemon_json.exists()


@pytest.mark.parametrize(
    ("name", "code"), [("missing", "no_such_folder"), ("file", "not_a_folder")]
)
def test_a_folder_that_cannot_be_is_said_before_a_daemon_starts(
    lar: Lar, tmp_path: Path, lararium_home: Path, name: str, code: str
) -> None:
    (tmp_path / "file").touch()
    target = tmp_path / name
    for command in ("start", "status", "stop", "serve"):
        done = lar("daemon", command, "--workspace", str(target), "--json")
        assert done.returncode == 1
        assert json.loads(done.stderr)["error"]["code"] == code
    assert not lararium_home.exists()


def test_an_unsafe_home_is_bad_configuration(lar: Lar, lararium_home: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    lararium_home.mkdir()
    (lararium_home / "state").symlink_to(trap)
    done = lar("daemon", "start", "--json")
    assert done.returncode == 78
    assert json.loads(done.stderr)["error"]["code"] == "unsafe_folder"
    assert list(trap.iterdir()) == []


def test_paths_names_every_folder_and_makes_none(
    lar: Lar, workspace: Path, lararium_home: Path, paths: WorkspacePaths
) -> None:
    done = lar("paths", "--json")
    facts = json.loads(done.stdout)
    assert done.returncode == 0
    assert {name: facts[name] for name in ("config", "data", "state", "cache")} == {
        name: str(lararium_home / name) for name in ("config", "data", "state", "cache")
    }
    assert facts["workspace"] == str(workspace)
    assert facts["workspace_state"] == str(paths.state_dir)
    assert not lararium_home.exists()


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
