"""Many processes that start the same workspace's daemon at the same instant.

Run as a program: `herd.py DIR COUNT`. Each member is a process of its own; it waits behind a gate
until all are there, then starts or finds the daemon. Prints one JSON list, an answer or an error
for each member.
"""

import json
import os
import select
import sys
import time
from pathlib import Path
from typing import Any

from lararium_daemon.client.start import start_daemon
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.environment import read_environment

GATE_SECONDS = 30.0


def member(workspace: Path, gate: int) -> dict[str, Any]:
    select.select([gate], [], [], GATE_SECONDS)
    begun = time.monotonic()
    try:
        answer = start_daemon(workspace, read_environment()).to_json()
    except LarariumError as error:
        return {"error": error.code, "detail": error.detail}
    return answer | {"seconds": time.monotonic() - begun}


def main() -> None:
    workspace, count = Path(sys.argv[1]), int(sys.argv[2])
    gate, opened = os.pipe()
    answers: list[int] = []
    for _ in range(count):
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.close(opened)
            os.write(writer, json.dumps(member(workspace, gate)).encode())
            os._exit(0)
        os.close(writer)
        answers.append(reader)
    os.close(opened)
    sys.stdout.write(f"[{','.join(_read(each) for each in answers)}]")


def _read(descriptor: int) -> str:
    with os.fdopen(descriptor, "rb") as pipe:
        return pipe.read().decode() or '{"error": "died"}'


if __name__ == "__main__":
    main()
