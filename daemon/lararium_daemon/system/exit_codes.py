"""Exit codes of every command and process of ours, and which error ends with which."""

DONE = 0
FAILED = 1
USAGE = 2
REFUSED = 3
"""An ask was refused for want of a person."""
CODE_CHANGED = 4
"""Of a fork server: there is another version on disk, start it again."""
STOP_TIMED_OUT = 9
INTERNAL = 70
LOCK_HELD = 75
BAD_CONFIGURATION = 78
INTERRUPTED = 130

_BY_CODE = {
    "lock_held": LOCK_HELD,
    "unsafe_folder": BAD_CONFIGURATION,
    "folder_unusable": BAD_CONFIGURATION,
    "lock_unusable": BAD_CONFIGURATION,
    "not_loopback": BAD_CONFIGURATION,
}


def exit_code_of(code: str) -> int:
    """Return the exit code that belongs to an error's stable code."""
    return _BY_CODE.get(code, FAILED)
