"""The guide's example of the agent's Python interface runs, and says what it says."""

import re
import subprocess
import sys
from pathlib import Path

GUIDE = Path(__file__).parents[3] / "docs" / "agent.md"


def test_the_example_of_the_guide_runs(tmp_path: Path) -> None:
    [example] = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    script = tmp_path / "example.py"
    script.write_text(example, encoding="utf-8")

    ran = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "It says: Keep the hearth.\n", "")
