"""Makes a freshly forked process as good as one that was started anew.

What a program has from its starter is taken from the request instead: environment, folder, mask
for new files, time zone and locale. What the parent had for itself is put back: session, signals,
seeds, standard files. Descriptors are the caller's affair: only it knows who owns which.

Linux only.
"""

import locale
import os
import random
import signal
import time

from lararium_daemon.system.environment import replace_environment
from lararium_daemon.system.fork_request import Surroundings
from lararium_daemon.system.forked import redirect

_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def renew(surroundings: Surroundings, *, output: int) -> None:
    """Renew this process; `output` becomes its standard output and is closed.

    Standard error stays the parent's. Call it in the child, before anything else runs there. The
    parent has called `renew_signals` and has since then changed SIGCHLD alone.

    Raises:
        OSError: the folder cannot be entered.
    """
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.umask(surroundings.umask)
    os.chdir(surroundings.folder)
    replace_environment(surroundings.environment)
    time.tzset()
    _renew_locale()
    random.seed()
    redirect(os.open(os.devnull, os.O_RDONLY), 0)
    redirect(output, 1)


def renew_signals() -> None:
    """Give every signal what a new interpreter gives it, whatever the starter had made of it.

    For the parent, once: in each child it would write a quarter of a megabyte.
    """
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if number in _IGNORED_BY_PYTHON:
            action = signal.SIG_IGN
        elif number == signal.SIGINT:
            action = signal.default_int_handler
        else:
            action = signal.SIG_DFL
        signal.signal(number, action)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _renew_locale() -> None:
    """Take the new environment's locale for characters, as an interpreter does at its start."""
    try:
        locale.setlocale(locale.LC_CTYPE, "")
    except locale.Error:  # one that this machine does not have
        locale.setlocale(locale.LC_CTYPE, "C")
