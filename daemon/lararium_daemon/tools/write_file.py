"""Tool `write_file`: a whole file, new or in place of one that was read."""

import os
from pathlib import Path

from anyio import to_thread
from pydantic import Field

from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.file_change import apply_change, preview_change, refuse_stale
from lararium_daemon.tools.project_path import refuse_reserved, resolve_path
from lararium_daemon.tools.registry import Preview, Tool, ToolInput, register
from lararium_daemon.tools.text_file import TextFile, encode_text, read_text


class WriteFileInput(ToolInput):
    """Arguments of `write_file`."""

    path: str = Field(description="Relative to the project, or absolute.")
    content: str = Field(description="The whole content.")


class WriteFile(Tool[WriteFileInput]):
    """Makes or overwrites a text file."""

    name = "write_file"
    description = (
        "Write a whole text file. Missing folders are made. An existing file must have been read "
        "first; its encoding and line ends are kept. To change a part of a file use edit_file."
    )
    permission = "Edit"
    effect = "write"
    input_model = WriteFileInput

    async def preview(self, args: WriteFileInput, context: ToolContext) -> Preview:
        """Compare with the file as it is."""
        return await to_thread.run_sync(_preview, args, context)

    async def run(self, args: WriteFileInput, preview: Preview, context: ToolContext) -> ToolResult:
        """Write it."""
        return await apply_change(preview, context)


def _preview(args: WriteFileInput, context: ToolContext) -> Preview:
    path = resolve_path(args.path, context)
    before = _existing(path)
    if before is None:
        refuse_reserved(path)
        data = encode_text(args.content, "utf-8", b"")
        return preview_change(path, None, args.content, data, context, note="")
    text = args.content.removeprefix("\ufeff")
    if before.is_crlf:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    if before.size and text != before.text:
        refuse_stale(before, context)
    return preview_change(path, before, text, before.encode(text), context, note=_note(before))


def _existing(path: Path) -> TextFile | None:
    return read_text(path) if os.path.lexists(path) else None


def _note(before: TextFile) -> str:
    if before.is_crlf:
        return "It was written with CRLF line ends, as it had before."
    return f"It was written in {before.encoding}, as before." if before.encoding != "utf-8" else ""


register(WriteFile())
