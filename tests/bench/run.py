"""Measure Lararium against what it stands on: `python3 dev.py bench [NAME…] [--write]`.

Every measure runs ours and its floor in turn (A B A B) in this one call and gives medians and
their ratio; a wall time alone says nothing of another machine. `--write` puts the table into
docs/PERFORMANCE.md; rows of other measures stay.
"""

import argparse
import os
import platform
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.attention import attention  # noqa: E402
from tests.bench.commit import commit  # noqa: E402
from tests.bench.figures import Figure  # noqa: E402
from tests.bench.file_search import file_search  # noqa: E402
from tests.bench.idle_memory import five_daemons, idle_cpu, idle_memory  # noqa: E402
from tests.bench.one_shot import one_shot  # noqa: E402
from tests.bench.session_open import session_open  # noqa: E402
from tests.bench.shell_idle import shell_idle  # noqa: E402
from tests.bench.slow_client import slow_client  # noqa: E402
from tests.bench.start import cold_start, first_turn, warm_start  # noqa: E402
from tests.bench.stream import paced_stream, stream  # noqa: E402
from tests.bench.switch import switch  # noqa: E402
from tests.bench.tool_round import tool_round  # noqa: E402
from tests.bench.verdict import verdict  # noqa: E402
from tests.bench.window import window_start  # noqa: E402
from tests.bench.workspace_list import workspace_list  # noqa: E402

MEASURES: dict[str, Callable[[], list[Figure]]] = {
    "warm": warm_start,
    "start": cold_start,
    "turn": first_turn,
    "memory": idle_memory,
    "five": five_daemons,
    "idle": idle_cpu,
    "round": tool_round,
    "stream": stream,
    "paced": paced_stream,
    "run": one_shot,
    "open": session_open,
    "commit": commit,
    "search": file_search,
    "verdict": verdict,
    "slow": slow_client,
    "shell": shell_idle,
    "window": window_start,
    "switch": switch,
    "attention": attention,
    "list": workspace_list,
}
DOCUMENT = ROOT / "docs" / "PERFORMANCE.md"
ROW = re.compile(r"\| P\d+ ")
TABLE = re.compile(r"<!-- figures -->.*<!-- /figures -->", re.DOTALL)


def main() -> int:
    """Run the measures that were named, or all; 0 when every target is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*MEASURES, []], metavar="NAME")
    parser.add_argument("--write", action="store_true", help="write docs/PERFORMANCE.md")
    args = parser.parse_args()
    figures: list[Figure] = []
    for name in args.names or MEASURES:
        print(f"measuring {name} …", flush=True)
        figures += MEASURES[name]()
        print(figures[-1].row(), flush=True)
    rows = [figure.row() for figure in figures]
    print("\n".join(["", _machine(), "", *_head(), *rows]))
    if args.write:
        text = DOCUMENT.read_text(encoding="utf-8")
        table = "\n".join([_machine(), "", *_head(), *_merged(text, rows)])
        block = f"<!-- figures -->\n{table}\n<!-- /figures -->"
        DOCUMENT.write_text(TABLE.sub(lambda _: block, text), encoding="utf-8")
    return 0 if all(figure.is_met for figure in figures) else 1


def _merged(text: str, rows: list[str]) -> list[str]:
    """Give the rows with those of the document that were not measured now, by id."""
    found = TABLE.search(text)
    old = [line for line in found[0].splitlines() if ROW.match(line)] if found else []
    new = {_name(row): row for row in rows}
    kept = [row for row in old if _name(row) not in new]
    return sorted([*kept, *rows], key=lambda row: int(row[3 : row.index(" ", 3)]))


def _name(row: str) -> str:
    """Give a row's id and what it measures, without the figures in it."""
    return re.sub(r"[\d.]+ ms each", "", "|".join(row.split("|")[1:3]))


def _machine() -> str:
    when = datetime.now(UTC).date().isoformat()
    return (
        f"{when}, {platform.system()} {platform.release()}, {platform.machine()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}"
    )


def _head() -> list[str]:
    return ["| id | measure | ours | beside it | ratio | target |", "|---|---|---|---|---|---|"]


if __name__ == "__main__":
    sys.exit(main())
