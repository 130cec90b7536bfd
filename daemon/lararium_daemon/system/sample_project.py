"""The sample project of the tour: a folder of a few files that nobody will miss.

Each copy carries a marker file; only a folder with it is taken for a sample, and removed as one.
"""

import json
import shutil
import stat
from pathlib import Path

from lararium_daemon.protocol.errors import LarariumError

MARKER = ".lararium-sample"
_CONTENT = {"sample": "lararium-tour", "version": 1}
_FILES = Path(__file__).parent / "sample_files"
_SUFFIX = ".sample"
"""Keeps checkers, test runners and importers away from the files where they are stored."""
_MAX_COPIES = 1000
_MAX_MARKER_BYTES = 1024


def copy_sample_project(target: Path) -> Path:
    """Make a fresh copy at `target`, or beside it when that name is taken; give its folder.

    Raises:
        LarariumError: `sample_unwritable` when the folder cannot be made.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = _make_folder(target)
        for source in sorted(_FILES.glob(f"*{_SUFFIX}")):
            (folder / source.name.removesuffix(_SUFFIX)).write_bytes(source.read_bytes())
        # Last, so that a copy that was cut short is never taken for a whole one.
        (folder / MARKER).write_text(json.dumps(_CONTENT) + "\n", encoding="utf-8")
    except OSError as error:
        raise LarariumError(
            "sample_unwritable",
            f"The sample project could not be made at {target} ({error.strerror or error}). Choose "
            "another folder.",
            409,
        ) from error
    return folder


def is_sample_project(folder: Path) -> bool:
    """Whether the folder is such a copy."""
    marker = folder / MARKER
    try:
        info = marker.lstat()
        if not stat.S_ISREG(info.st_mode) or info.st_size > _MAX_MARKER_BYTES:
            return False
        value: object = json.loads(marker.read_bytes())
    except (OSError, ValueError):
        return False
    return value == _CONTENT


def remove_sample_project(folder: Path) -> bool:
    """Delete a copy with all that is in it by now; False (nothing deleted) when it is none."""
    if folder.is_symlink() or not is_sample_project(folder):
        return False
    shutil.rmtree(folder)
    return True


def _make_folder(target: Path) -> Path:
    for number in range(1, _MAX_COPIES):
        folder = target if number == 1 else target.with_name(f"{target.name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(0, "too many copies are there already")
