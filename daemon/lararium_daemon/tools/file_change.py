"""A change of one file: worked out for the preview, judged by it, carried out later.

Between the two a person may think for hours, so carrying out checks again that the path still leads
to the same file and that the file is still the one the preview was made from.
"""

import os
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.messages import FileDiff, ToolResult
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.diff import file_diff
from lararium_daemon.tools.project_path import show_path
from lararium_daemon.tools.registry import Preview, ToolFailure
from lararium_daemon.tools.text_file import (
    ABSENT,
    TextFile,
    file_identity,
    hash_bytes,
    read_bytes,
    replace_file,
)

_REMEMBERED_WRITES = 5_000
_last_writers: OrderedDict[Path, tuple[str, SessionId]] = OrderedDict()
"""Who wrote a file last and with what hash, so that a clash can name the session."""


@dataclass(slots=True, frozen=True)
class FileChange:
    """A change that is worked out."""

    path: Path
    """Real."""
    before_sha256: str
    """`absent` when there is no file yet."""
    data: bytes
    note: str = ""
    """For the model, with the result."""


def preview_change(
    path: Path, before: TextFile | None, after: str, data: bytes, context: ToolContext, *, note: str
) -> Preview:
    """Describe a change; `after` is the new text with its line ends, `data` its bytes."""
    shown_path = show_path(path, context.root)
    diff = file_diff(shown_path, before.text if before else "", after)
    before_sha256 = before.sha256 if before else ABSENT
    return Preview(
        title=shown_path,
        shown=f"{shown_path}\n{diff.unified}",
        path=str(path),
        before_sha256=before_sha256,
        after_sha256=hash_bytes(data),
        diff=diff,
        prepared=FileChange(path, before_sha256, data, note),
    )


async def apply_change(preview: Preview, context: ToolContext) -> ToolResult:
    """Carry out a previewed change.

    Raises:
        ToolFailure: the file is not the one of the preview any more, or cannot be written.
    """
    change = preview.prepared
    if not isinstance(change, FileChange) or preview.diff is None:
        raise TypeError("the preview is not one of a file change")
    await to_thread.run_sync(_apply, change)
    after = hash_bytes(change.data)
    context.ledger.seen[change.path] = after
    _remember(change.path, after, context.session_id)
    return _result(preview.title, change, preview.diff)


def refuse_stale(file: TextFile, context: ToolContext) -> None:
    """Refuse to overwrite a file that the session has not read as it is now.

    Raises:
        ToolFailure: it says whether it was never read or has changed, and who changed it.
    """
    seen = context.ledger.seen.get(file.path)
    if seen == file.sha256:
        return
    name = show_path(file.path, context.root)
    if seen is None:
        raise ToolFailure(
            f"{name} exists and you have not read it. Nothing was written; read it first, then "
            "write or edit it.",
            "not read",
        )
    raise ToolFailure(
        f"{name} has changed since you read it{_writer(file, context)}. Nothing was written; read "
        "it again and keep what is new in it.",
        "changed meanwhile",
    )


def _apply(change: FileChange) -> None:
    if Path(os.path.realpath(change.path)) != change.path:
        raise ToolFailure(f"{change.path} leads elsewhere now. Nothing was written.", "moved")
    try:
        current = hash_bytes(read_bytes(change.path))
    except ToolFailure:
        current = ABSENT if not os.path.lexists(change.path) else ""
    if current != change.before_sha256:
        raise ToolFailure(
            f"{change.path} changed between the preview and the write. Nothing was written; read "
            "it and try again.",
            "changed meanwhile",
        )
    try:
        replace_file(change.path, change.data)
    except OSError as error:
        raise ToolFailure(
            f"{change.path} cannot be written: {error.strerror}. It is as it was.", "not written"
        ) from error


def _remember(path: Path, sha256: str, session_id: SessionId) -> None:
    _last_writers[path] = (sha256, session_id)
    _last_writers.move_to_end(path)
    while len(_last_writers) > _REMEMBERED_WRITES:
        _last_writers.popitem(last=False)


def _writer(file: TextFile, context: ToolContext) -> str:
    sha256, session_id = _last_writers.get(file.path, ("", context.session_id))
    if sha256 == file.sha256 and session_id != context.session_id:
        return f"; session {session_id} wrote it"
    return ""


def _result(name: str, change: FileChange, diff: FileDiff) -> ToolResult:
    is_new = change.before_sha256 == ABSENT
    summary = f"{diff.added} added, {diff.removed} removed"
    if is_new:
        summary = f"created, {diff.added} line{'' if diff.added == 1 else 's'}"
    verb = "Created" if is_new else "Changed"
    text = f"{verb} {name}: {diff.added} lines added, {diff.removed} removed."
    return ToolResult(
        f"{text} {change.note}".strip(),
        summary=summary,
        metadata={
            "created": is_new,
            "added": diff.added,
            "removed": diff.removed,
            "bytes": len(change.data),
            **file_identity(change.path, hash_bytes(change.data)),
        },
        diff=diff,
    )
