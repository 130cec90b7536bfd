"""A tray without a desktop: what the hub keeps as its child, told by its arguments what to do.

`python small_tray.py LOG [STEP…]`: each model is written to LOG, a line; then the steps are taken,
one for each model that comes: a JSON list is said, or ends it where it holds "exit"; `exit` ends
with a failure, `hang` reads no more.
"""

import json
import sys
import time
from pathlib import Path


def main(log: Path, steps: list[str]) -> int:
    for line in sys.stdin:
        with log.open("a", encoding="utf-8") as file:
            file.write(line)
        step = steps.pop(0) if steps else ""
        if step == "exit":
            return 3
        if step == "hang":
            time.sleep(600)
        for said in json.loads(step or "[]"):
            if said == "exit":
                return 0
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
