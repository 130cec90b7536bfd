"""P10: the tools `grep` and `glob` in a folder of 50,000 files, beside ripgrep alone."""

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from tests.bench.figures import Figure, in_pairs

from lararium_daemon.protocol.ids import CallId, SessionId
from lararium_daemon.protocol.permissions import QuestionAnswer, QuestionItem
from lararium_daemon.tools.context import FileLedger, ToolContext
from lararium_daemon.tools.discovery import discover
from lararium_daemon.tools.registry import TOOLS

FOLDERS, FILES = 500, 100
REPEATS = 9
TEXT = "".join(f"line {number} of a file like many\n" for number in range(20))


def file_search() -> list[Figure]:
    """Measure it."""
    discover()
    with tempfile.TemporaryDirectory(prefix="lararium-bench-") as folder:
        root = Path(folder).resolve()
        _fill(root)
        grep, bare_grep = in_pairs(
            lambda: anyio.run(_call, root, "grep", {"pattern": "needle"}),
            lambda: _ripgrep(root, "needle", "."),
            REPEATS,
        )
        glob, bare_glob = in_pairs(
            lambda: anyio.run(_call, root, "glob", {"pattern": "**/*.py"}),
            lambda: _ripgrep(root, "--files", "--glob=*.py"),
            REPEATS,
        )
    return [
        Figure("P10", "grep in 50,000 files / rg", grep * 1000, bare_grep * 1000, "ms", 1.2),
        Figure("P10", "glob in 50,000 files / rg", glob * 1000, bare_glob * 1000, "ms", 1.2),
    ]


def _fill(root: Path) -> None:
    """Make files of which one in a hundred is a match and a tenth are Python."""
    for number in range(FOLDERS):
        folder = root / f"part{number}"
        folder.mkdir()
        for name in range(FILES):
            suffix = "py" if name % 10 == 0 else "txt"
            text = TEXT + ("needle\n" if name == 50 and number % 5 == 0 else "")
            (folder / f"file{name}.{suffix}").write_text(text, encoding="utf-8")


async def _call(root: Path, name: str, arguments: dict[str, Any]) -> float:
    tool, context = TOOLS[name], _context(root)
    begun = time.perf_counter()
    parsed = tool.parse(arguments)
    result = await tool.run(parsed, await tool.preview(parsed, context), context)
    taken = time.perf_counter() - begun
    if result.is_error:
        raise RuntimeError(result.text)
    return taken


def _context(root: Path) -> ToolContext:
    async def ask(items: list[QuestionItem]) -> list[QuestionAnswer]:
        raise RuntimeError("a search asks nothing")

    def progress(tail: bytes, total: int) -> None:
        raise RuntimeError("a search shows no progress")

    return ToolContext(
        root=root,
        session_id=SessionId("ses_bench"),
        call_id=CallId("call_bench"),
        environment=os.environ,
        spool=root,
        ledger=FileLedger(),
        ask=ask,
        progress=progress,
    )


def _ripgrep(root: Path, *arguments: str) -> float:
    argv: Sequence[str] = ("rg", "--no-config", "--hidden", "--no-require-git", *arguments)
    begun = time.perf_counter()
    subprocess.run(argv, cwd=root, stdout=subprocess.PIPE, check=True)
    return time.perf_counter() - begun
