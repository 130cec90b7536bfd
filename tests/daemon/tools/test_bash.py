"""Running commands."""

import contextlib
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from tests.daemon.tools.conftest import ToolBench, environment_of

from lararium_daemon.protocol.ids import CallId
from lararium_daemon.tools.truncation import MAX_RESULT_BYTES

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(os.name != "posix", reason="commands run on POSIX"),
]


async def until(claim: Callable[[], bool]) -> None:
    """Wait until something holds, five seconds at most."""
    with anyio.fail_after(5):
        while not claim():  # noqa: ASYNC110 - the processes of another program tell nobody
            await anyio.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def test_output_and_exit_code_come_back(bench: ToolBench) -> None:
    result = await bench.call("bash", command="echo out; echo err >&2; exit 3")

    assert result.text == "out\nerr\n[exit 3]"
    assert (result.is_error, result.summary) == (True, "exit 3")
    assert {**result.metadata, "seconds": 0} == {
        "exit_code": 3,
        "seconds": 0,
        "bytes": 8,
        "lines": 2,
        "timed_out": False,
    }
    assert bench.spool.read_bytes() == b"out\nerr\n"


async def test_success_is_no_error(bench: ToolBench) -> None:
    result = await bench.call("bash", command="true")

    assert (result.is_error, result.summary, result.text) == (False, "exit 0", "(no output)")


async def test_the_preview_shows_folder_and_whole_command(bench: ToolBench) -> None:
    preview = await bench.preview("bash", command="echo a\necho b")

    assert preview.title == "echo a"
    assert preview.shown == f"{bench.root}\necho a\necho b"
    assert (preview.command, preview.path) == ("echo a\necho b", str(bench.root))


@pytest.mark.parametrize(
    "child",
    ["sleep 60", "(while :; do echo x; sleep 0.05; done)", "sleep 60 >/dev/null", "yes"],
)
async def test_a_background_child_does_not_hold_the_call(bench: ToolBench, child: str) -> None:
    with anyio.fail_after(5):
        result = await bench.call("bash", command=f"{child} & echo $! > pid; echo ok", timeout=20)

    assert "ok" in result.text
    assert result.metadata["exit_code"] == 0
    with contextlib.suppress(ProcessLookupError):
        os.killpg(os.getpgid(int((bench.root / "pid").read_text("utf-8"))), signal.SIGKILL)


async def test_a_timeout_ends_the_whole_tree(bench: ToolBench) -> None:
    script = "bash -c 'sleep 300 & echo $! > pid; setsid sleep 301 & echo $! > pid2; wait'"
    command = f"echo begun; {script}; touch late"

    with anyio.fail_after(10):
        result = await bench.call("bash", command=command, timeout=1)

    assert result.metadata["timed_out"] is True
    assert result.is_error
    # Between the two bash may report how its child ended.
    assert result.text.startswith("begun\n")
    assert result.text.endswith("[timed out after 1 s; it was ended with all it started]")
    for name in ("pid", "pid2"):
        pid = int((bench.root / name).read_text("utf-8"))
        await until(lambda pid=pid: not is_running(pid))
    assert not (bench.root / "late").exists()


async def test_cancelling_ends_everything_it_started(bench: ToolBench) -> None:
    command = "setsid sleep 302 & echo $! > pid; trap '' TERM; sleep 303"
    pid_file = bench.root / "pid"

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: bench.call("bash", command=command))
            await until(lambda: pid_file.exists() and pid_file.read_text("utf-8").strip() != "")
            tasks.cancel_scope.cancel()

    assert not is_running(int(pid_file.read_text("utf-8")))


async def test_nothing_can_be_asked_on_stdin_or_the_terminal(bench: ToolBench) -> None:
    with anyio.fail_after(5):
        first = await bench.call("bash", command="read -p name: x; echo got=$x")
        second = await bench.call("bash", command="read x < /dev/tty; echo rc=$?")

    assert "got=\n" in first.text or first.text.endswith("got=")
    assert "rc=1" in second.text


async def test_on_request_it_writes_to_a_terminal_that_nobody_can_type_into(
    bench: ToolBench,
) -> None:
    command = (
        "test -t 0; echo in=$?; test -t 1 && test -t 2 && echo out=terminal; "
        "printf '\\x1b[31mred\\x1b[0m\\n'; python3 -c 'import os; print(os.get_terminal_size(1))'; "
        "read -p name: x; read x < /dev/tty; echo rc=$?"
    )
    with anyio.fail_after(5):
        plain = await bench.call("bash", command="test -t 1; echo $?")
        result = await bench.call("bash", command=command, terminal=True)

    assert plain.text == "1\n"
    assert result.text.startswith("in=1\nout=terminal\nred\n")
    assert "columns=120, lines=40" in result.text
    assert result.text.endswith("rc=1\n")
    assert b"\r" not in bench.spool.read_bytes()


async def test_a_loud_or_endless_program_on_a_terminal_is_read_and_ended(bench: ToolBench) -> None:
    with anyio.fail_after(20):
        loud = await bench.call("bash", command="seq 1 200000; exit 4", terminal=True)
        child = await bench.call("bash", command="sleep 60 & echo ok", terminal=True)
        late = await bench.call("bash", command="echo on; sleep 60", terminal=True, timeout=0.5)

    assert (loud.metadata["lines"], loud.metadata["exit_code"]) == (200_000, 4)
    assert "\n199999\n200000\n" in loud.text
    assert (child.text, child.metadata["exit_code"]) == ("ok\n", 0)
    assert late.text.startswith("on\n")
    assert late.metadata["timed_out"] is True


CTTY = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(os.open(sys.argv[1], os.O_RDWR), termios.TIOCSCTTY, 0)
os.close(os.open("/dev/tty", os.O_RDWR))  # there is one now
pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
os.execv(sys.executable, [*pytest, *sys.argv[2:]])
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a terminal as Linux has it")
async def test_not_even_the_terminal_of_the_daemon_can_be_asked(tmp_path: Path) -> None:
    master, slave = os.openpty()
    os.write(master, b"typed by a person\n")
    command = [sys.executable, "-c", CTTY, os.ttyname(slave), __file__]
    asked = ["-k", "nothing_can_be_asked", f"--basetemp={tmp_path / 'inner'}"]
    with anyio.fail_after(30):
        done = await anyio.run_process([*command, *asked], check=False)
    os.set_blocking(slave, False)
    assert b"1 passed" in done.stdout
    assert os.read(slave, 100) == b"typed by a person\n"
    os.close(master)
    os.close(slave)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("terminal", [False, True])
async def test_git_opens_no_editor_and_no_pager(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, terminal: bool
) -> None:
    evil = tmp_path / "waits"
    evil.write_text('#!/bin/sh\ntouch "$0.ran"\nexec sleep 60\n', "utf-8")
    evil.chmod(0o755)
    for name in ("EDITOR", "VISUAL", "GIT_EDITOR", "PAGER", "GIT_PAGER", "GIT_SEQUENCE_EDITOR"):
        monkeypatch.setenv(name, str(evil))
    bench.environment = environment_of({}) | {"HOME": bench.environment["HOME"]}
    identity = "git -c user.name=a -c user.email=a@b"
    with anyio.fail_after(20):
        made = await bench.call(
            "bash",
            command="git init -q . && for i in $(seq 30); do "
            f"{identity} commit -q --allow-empty -m $i || exit 9; done",
        )
        commit = await bench.call(
            "bash", command=f"{identity} commit --allow-empty", terminal=terminal
        )
        log = await bench.call("bash", command="git log --oneline", terminal=terminal)

    assert made.metadata["exit_code"] == 0
    assert commit.metadata["exit_code"] != 0
    assert log.metadata["lines"] == 30
    assert not evil.with_name("waits.ran").exists()


async def test_secrets_are_not_in_its_environment(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-1")
    monkeypatch.setenv("LARARIUM_TOKEN", "t0k")
    monkeypatch.setenv("MY_APP_MODE", "dev")
    bench.environment = environment_of({})

    result = await bench.call("bash", command="env")

    assert "MY_APP_MODE=dev" in result.text
    assert "PATH=" in result.text
    assert "HOME=" in result.text
    assert "sk-test-1" not in result.text
    assert "t0k" not in result.text


async def test_nothing_of_the_environment_changes_what_the_command_says(
    bench: ToolBench,
) -> None:
    (bench.root / "evil").write_text("echo evil\n", "utf-8")
    bench.environment |= {
        "BASH_ENV": str(bench.root / "evil"),
        "BASH_FUNC_ls%%": "() { echo evil; }",
        "CDPATH": "/",
    }

    result = await bench.call("bash", command="ls; cd tmp 2>&1")

    assert result.text == "evil\nbash: line 1: cd: tmp: No such file or directory\n[exit 1]"


async def test_every_process_of_a_call_carries_its_mark(bench: ToolBench) -> None:
    result = await bench.call("bash", command="bash -c 'echo $LARARIUM_CALL'")

    assert CallId(result.text.strip()) == bench.context().call_id


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("cat <<'EOF'\nline\nEOF", "line\n"),
        ("false # note", "(no output)\n[exit 1]"),
        ("echo a \\", "a \\\n"),
        ("-x", "bash: line 1: -x: command not found\n[exit 127]"),
        ("echo nul > nullable.txt; cat nullable.txt", "nul\n"),
    ],
)
async def test_the_command_is_run_as_it_is(bench: ToolBench, command: str, text: str) -> None:
    assert (await bench.call("bash", command=command)).text == text


async def test_a_folder_that_is_gone_is_said_and_the_next_call_runs(bench: ToolBench) -> None:
    (bench.root / "d").mkdir()
    await bench.call("bash", command="rm -rf ../d", cwd="d")

    problem = await bench.fails("bash", command="echo hi", cwd="d")
    result = await bench.call("bash", command="echo hi")

    assert "is not there any more" in problem
    assert str(bench.root) in problem
    assert result.text == "hi\n"


async def test_a_project_that_is_gone_is_said(bench: ToolBench) -> None:
    bench.root.rmdir()

    assert "is not there any more" in await bench.fails("bash", command="echo hi")


async def test_long_output_keeps_head_and_tail(bench: ToolBench) -> None:
    result = await bench.call("bash", command="seq 1 200000")

    assert len(result.text.encode()) <= MAX_RESULT_BYTES
    assert result.text.startswith("1\n2\n")
    assert result.text.endswith("199999\n200000\n")
    assert "bytes left out" in result.text
    assert result.metadata["lines"] == 200_000
    assert bench.spool.stat().st_size == result.metadata["bytes"]


async def test_output_beyond_the_cap_is_counted_and_dropped(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lararium_daemon.tools.spool.MAX_SPOOL_BYTES", 1_000_000)

    result = await bench.call("bash", command="yes | head -c 30000000; echo; echo end")

    assert result.metadata["bytes"] == 30_000_005
    assert bench.spool.stat().st_size == 1_000_000
    assert "29,000,005 bytes of output were counted but not kept" in result.text
    assert "\nend\n" in result.text


async def test_binary_output_is_described(bench: ToolBench) -> None:
    result = await bench.call("bash", command="head -c 20000 /dev/zero; echo text")

    assert result.text.startswith("[binary output, 20,005 bytes; the first 256 in hex]\n00 00")
    assert result.metadata["exit_code"] == 0


FLOODS = {
    "lines": "yes | head -c 100000000",
    "one endless line": "head -c 100000000 /dev/zero | tr '\\0' x",
    "colours": "yes $'\\x1b[31m' | tr -d '\\n' | head -c 20000000",
    "random bytes": "head -c 20000000 /dev/urandom",
    "a clipboard that never ends": "printf '\\x1b]52;c;'; yes | tr -d '\\n' | head -c 20000000",
    "repeat": "for i in $(seq 9999); do printf 'x\\x1b[2147483647b'; done",
    "half characters": "yes $'\\xf0\\x9f' | tr -d '\\n' | head -c 20000000",
    "progress": "for i in $(seq 9999); do printf '%d%%\\r' $i; done; echo done",
}


@pytest.mark.parametrize("flood", FLOODS)
async def test_whatever_floods_in_the_result_is_short_plain_text(
    bench: ToolBench, flood: str
) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    result = await bench.call("bash", command=FLOODS[flood])

    assert result.metadata["exit_code"] == 0
    assert len(result.text.encode()) <= MAX_RESULT_BYTES
    assert not set(result.text) & {"\x1b", "\x07", "\r", "\0"}
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 50 * 1024  # KiB, on Linux; far less than what came


async def test_live_output_comes_in_pieces_of_4_kib_at_most(bench: ToolBench) -> None:
    command = "echo first; sleep 0.4; seq 1 5000; sleep 0.4"

    await bench.call("bash", command=command)

    assert bench.shown[0] == (b"first\n", 6)
    assert bench.shown[-1][0].endswith(b"5000\n")
    assert all(len(tail) <= 4096 for tail, _ in bench.shown)
    assert len(bench.shown) <= 4


async def test_a_loud_command_does_not_starve_the_loop(bench: ToolBench) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await anyio.lowlevel.checkpoint()
            ticks += 1

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(tick)
        await bench.call("bash", command="yes | head -c 100000000")
        tasks.cancel_scope.cancel()

    # At most 1 MiB is read at once, so others get their turn a hundred times at least.
    assert ticks > 50


@pytest.mark.parametrize("given", [0, 601, "soon"])
async def test_a_timeout_out_of_range_is_refused(bench: ToolBench, given: object) -> None:
    assert "timeout" in await bench.fails("bash", command="true", timeout=given)


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
async def test_what_no_program_can_be_given_is_refused(bench: ToolBench, text: str) -> None:
    for name in ("bash", "grep", "glob"):
        assert await bench.fails(name, command=text, pattern=text)
