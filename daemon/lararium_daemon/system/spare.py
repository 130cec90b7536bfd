"""The spare: a process that has everything a daemon needs imported, and becomes one when told.

It stands in for the fork server where a fork is not safe (macOS, Windows). One line on its
standard input names the folder, one on its standard output says that it has taken it; from there on
it is what `_guardian --workspace DIR` is. It ends when its standard input does, and declines when
the code on disk is no more what it has imported. What it finds around it is its starter's, so only
its starter may use it.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lararium_daemon.system import guardian
from lararium_daemon.system.conditions import code_stamp
from lararium_daemon.system.exit_codes import CODE_CHANGED, DONE, USAGE
from lararium_daemon.system.forked import Serve, redirect
from lararium_daemon.system.guardian_words import write_all

MAX_LINE_BYTES = 64 * 1024
TAKEN = b'{"taken": true}\n'


def main(
    arguments: Sequence[str], warm_up: Callable[[], Serve], environment: Mapping[str, str]
) -> int:
    """Run `_spare`; return the exit code.

    Args:
        arguments: What follows `_spare`: nothing.
        warm_up: Imports what a daemon needs and returns the daemon; must start no thread.
        environment: This process's, and the daemon's.
    """
    if arguments:
        sys.stderr.write("usage: _spare\n")
        return USAGE
    stamp = code_stamp()
    serve = warm_up()
    line = sys.stdin.buffer.readline(MAX_LINE_BYTES)
    if not line:
        return DONE
    try:
        workspace = Path(str(json.loads(line)["workspace"]))
    except (ValueError, KeyError, TypeError):
        sys.stderr.write('_spare wants one line: {"workspace": "DIR"}\n')
        return USAGE
    if code_stamp() != stamp:
        return CODE_CHANGED
    redirect(os.open(os.devnull, os.O_RDONLY), 0)
    write_all(1, TAKEN)
    return guardian.run(workspace, serve, environment)
