"""Tool `read_file`: a text file with line numbers, in pieces that fit."""

from anyio import to_thread
from pydantic import Field

from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.project_path import resolve_path, show_path
from lararium_daemon.tools.registry import Preview, Tool, ToolFailure, ToolInput, register
from lararium_daemon.tools.text_file import TextFile, read_text
from lararium_daemon.tools.truncation import MAX_RESULT_BYTES

_NOTE_BYTES = 400
"""Room for the lines that follow the content."""


class ReadFileInput(ToolInput):
    """Arguments of `read_file`."""

    path: str = Field(description="Relative to the project, or absolute.")
    start_line: int = Field(default=1, ge=1, description="The first line to read, from 1.")
    max_lines: int = Field(default=2000, ge=1, le=10_000)
    start_column: int = Field(
        default=1,
        ge=1,
        description="The first character of the first line, to go on in a long one.",
    )


class ReadFile(Tool[ReadFileInput]):
    """Reads a text file."""

    name = "read_file"
    description = (
        "Read a text file; each line begins with its number and a tab. At most 32 KiB come at "
        "once; the result says how to read on."
    )
    permission = "Read"
    effect = "read"
    input_model = ReadFileInput

    async def preview(self, args: ReadFileInput, context: ToolContext) -> Preview:
        """Find the file."""
        path = await to_thread.run_sync(resolve_path, args.path, context)
        title = show_path(path, context.root)
        return Preview(title=title, shown=str(path), path=str(path), prepared=path)

    async def run(self, args: ReadFileInput, preview: Preview, context: ToolContext) -> ToolResult:
        """Read it."""
        file = await to_thread.run_sync(read_text, preview.prepared)
        context.ledger.seen[file.path] = file.sha256
        return _show(file, args, preview.title)


def _show(file: TextFile, args: ReadFileInput, name: str) -> ToolResult:
    lines = file.text.replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines:
        facts = {"lines": 0, "bytes": 0, **file.identity}
        return ToolResult(f"{name} is empty.", summary="empty", metadata=facts)
    if args.start_line > len(lines):
        raise ToolFailure(f"{name} has {len(lines)} lines; there is no line {args.start_line}.")
    text, next_line, next_column = _piece(lines, args)
    shown = next_line - args.start_line + (next_column > 1)
    notes: list[str] = []
    is_truncated = next_line <= len(lines)
    if is_truncated:
        column = f" and start_column={next_column}" if next_column > 1 else ""
        how = f"read on with start_line={next_line}{column}"
        notes.append(f"[truncated: {name} has {len(lines)} lines; {how}]")
    if written := _written(file):
        notes.append(f"[{written}]")
    return ToolResult(
        "\n".join([text, *notes]),
        summary=f"{shown} line{'' if shown == 1 else 's'}",
        metadata={
            "lines": len(lines),
            "shown_lines": shown,
            "bytes": file.size,
            "encoding": file.encoding,
            "truncated": is_truncated,
            **file.identity,
        },
    )


def _piece(lines: list[str], args: ReadFileInput) -> tuple[str, int, int]:
    """Give the text that fits, and the line and column where it goes on."""
    room = MAX_RESULT_BYTES - _NOTE_BYTES
    shown: list[str] = []
    column = args.start_column
    last = min(len(lines), args.start_line - 1 + args.max_lines)
    for index in range(args.start_line - 1, last):
        prefix = f"{index + 1:6d}\t"
        body = lines[index][column - 1 :]
        need = len(prefix) + len(body.encode("utf-8", "replace")) + 1
        if need <= room:
            shown.append(prefix + body)
            room -= need
            column = 1
            continue
        if shown:
            return "\n".join(shown), index + 1, 1
        part = body.encode("utf-8", "replace")[: room - len(prefix) - 1].decode("utf-8", "ignore")
        return prefix + part, index + 1, column + len(part)
    return "\n".join(shown), last + 1, 1


def _written(file: TextFile) -> str:
    """Say how the file is written when that is not plain UTF-8 with LF."""
    facts = [file.encoding.upper()] if file.encoding != "utf-8" else []
    if file.mark:
        facts.append("byte order mark")
    if "\r\n" in file.text:
        facts.append("CRLF line ends" if file.is_crlf else "mixed line ends")
    return ", ".join(facts)


register(ReadFile())
