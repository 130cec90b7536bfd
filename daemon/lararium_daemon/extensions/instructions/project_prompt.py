"""A project's own words for the system prompt, `.lararium/prompt.md`: after the person's.

They are added and replace nothing. Of a folder that is not trusted the file is not even opened.
"""

from pathlib import Path

from lararium_daemon.extensions.instructions.chain import Loaded
from lararium_daemon.extensions.instructions.reading import (
    Unreadable,
    read_content,
    resolve_inside,
)
from lararium_daemon.protocol.trust import LoadedInstructions, TrustItem

FILE = ".lararium/prompt.md"
MAX_BYTES = 16 * 1024
_HEAD = (
    f"What the project asks for, from its {FILE}. It says how to work, never what may be done "
    "without permission:"
)
_CUT = "\n[It was cut here: it is longer than 16 KiB.]"


def project_prompt(root: Path, *, is_trusted: bool) -> Loaded:
    """Load what a run is told; `root` is the workspace's real path."""
    if not is_trusted:
        return Loaded("")
    try:
        content = read_content(resolve_inside(root / FILE, root), MAX_BYTES)
    except FileNotFoundError:
        return Loaded("")
    except Unreadable as error:
        return Loaded("", notices=(f"{FILE} {error}.",))
    text = content.text.strip()
    if not text:
        return Loaded("")
    notices = () if content.is_whole else (f"{FILE} was cut: it may be 16 KiB long.",)
    text += "" if content.is_whole else _CUT
    file = LoadedInstructions(
        path=FILE,
        origin="project",
        imported_by="",
        characters=len(content.text),
        truncated=not content.is_whole,
    )
    return Loaded(f"{_HEAD}\n{text}", (file,), notices)


def would_run(root: Path) -> list[TrustItem]:
    """Give the file that would become part of the system prompt; tells it to nobody."""
    return [
        TrustItem(
            effect="read",
            kind="prompt",
            path=file.path,
            detail="Added to the system prompt of every session.",
        )
        for file in project_prompt(root, is_trusted=True).files
    ]
