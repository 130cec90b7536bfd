"""What the person chose for one workspace: a profile, and perhaps a model of it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lararium_daemon.system.atomic import write_private

FILE_NAME = "model.json"
_MAX_FILE_BYTES = 64 * 1024


@dataclass(slots=True, frozen=True)
class WorkspaceChoice:
    """Empty when nothing was chosen."""

    profile: str = ""
    model: str = ""


def read_choice(path: Path) -> WorkspaceChoice:
    """Read the choice; a file that is missing is none, one that is broken names nothing that is.

    A broken file must not send prompts to another server than the one chosen.
    """
    try:
        with path.open("rb") as file:
            value = json.loads(file.read(_MAX_FILE_BYTES))
        fields = cast("dict[str, Any]", value)
        return WorkspaceChoice(str(fields["profile"]), str(fields.get("model") or ""))
    except FileNotFoundError:
        return WorkspaceChoice()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return WorkspaceChoice(f"(unreadable: {path})")


def write_choice(path: Path, choice: WorkspaceChoice) -> None:
    """Keep the choice; an empty one removes the file."""
    if not choice.profile:
        path.unlink(missing_ok=True)
        return
    data = {"profile": choice.profile, "model": choice.model}
    write_private(path, json.dumps(data).encode() + b"\n")
