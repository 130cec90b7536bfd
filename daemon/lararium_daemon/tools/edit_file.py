"""Tool `edit_file`: an exact piece of a file, replaced."""

from anyio import to_thread
from pydantic import Field

from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.edit_match import replace_text
from lararium_daemon.tools.file_change import apply_change, preview_change
from lararium_daemon.tools.project_path import resolve_path, show_path
from lararium_daemon.tools.registry import Preview, Tool, ToolInput, register
from lararium_daemon.tools.text_file import read_text


class EditFileInput(ToolInput):
    """Arguments of `edit_file`."""

    path: str = Field(description="Relative to the project, or absolute.")
    old_string: str = Field(
        description="The exact text to replace, with its indentation, without line numbers. "
        "It must be in the file once, unless replace_all is set."
    )
    new_string: str = Field(description="The text in its place, taken literally.")
    replace_all: bool = Field(default=False, description="Replace every occurrence.")


class EditFile(Tool[EditFileInput]):
    """Replaces text in a file."""

    name = "edit_file"
    description = (
        "Replace an exact piece of text in a file. Read the file first. Line ends, encoding and "
        "all that is not replaced stay as they are."
    )
    permission = "Edit"
    effect = "write"
    input_model = EditFileInput

    async def preview(self, args: EditFileInput, context: ToolContext) -> Preview:
        """Find the text and work out the change."""
        return await to_thread.run_sync(_preview, args, context)

    async def run(self, args: EditFileInput, preview: Preview, context: ToolContext) -> ToolResult:
        """Write the change."""
        return await apply_change(preview, context)


def _preview(args: EditFileInput, context: ToolContext) -> Preview:
    path = resolve_path(args.path, context)
    file = read_text(path)
    name = show_path(path, context.root)
    replaced = replace_text(
        file, args.old_string, args.new_string, everywhere=args.replace_all, name=name
    )
    notes: list[str] = []
    if replaced.count > 1:
        notes.append(f"{replaced.count} places were changed.")
    if context.ledger.seen.get(path, file.sha256) != file.sha256:
        # The text to replace was still there and unique, so what is new in the file survives.
        notes.append("The file had changed since you read it; read it again before you rely on it.")
    data = file.encode(replaced.text)
    return preview_change(path, file, replaced.text, data, context, note=" ".join(notes))


register(EditFile())
