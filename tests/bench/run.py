"""Measure Lararium against what it stands on: `python3 dev.py bench [NAME…] [--write]`.

Every measure runs ours and its floor in turn (A B A B) in this one call and gives medians and
their ratio; a wall time alone says nothing of another machine. `--write` puts the table into
docs/PERFORMANCE.md.
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

from tests.bench.figures import Figure  # noqa: E402
from tests.bench.idle_memory import idle_memory  # noqa: E402
from tests.bench.start import cold_start  # noqa: E402
from tests.bench.stream import paced_stream, stream  # noqa: E402
from tests.bench.tool_round import tool_round  # noqa: E402

MEASURES: dict[str, Callable[[], list[Figure]]] = {
    "start": cold_start,
    "memory": idle_memory,
    "round": tool_round,
    "stream": stream,
    "paced": paced_stream,
}
DOCUMENT = ROOT / "docs" / "PERFORMANCE.md"
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
    table = "\n".join([_machine(), "", *_head(), *(figure.row() for figure in figures)])
    print(f"\n{table}")
    if args.write:
        text = DOCUMENT.read_text(encoding="utf-8")
        block = f"<!-- figures -->\n{table}\n<!-- /figures -->"
        DOCUMENT.write_text(TABLE.sub(lambda _: block, text), encoding="utf-8")
    return 0 if all(figure.is_met for figure in figures) else 1


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
