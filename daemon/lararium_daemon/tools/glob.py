"""Tool `glob`: files by the pattern of their path, 500 at most."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread
from pydantic import Field

from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.listing import Target, list_files, split_target
from lararium_daemon.tools.project_path import refuse_unpassable, resolve_path, show_path
from lararium_daemon.tools.registry import Preview, Tool, ToolFailure, ToolInput, register
from lararium_daemon.tools.truncation import cut_middle

MAX_FILES = 500


class GlobInput(ToolInput):
    """Arguments of `glob`."""

    pattern: str = Field(description="E.g. `src/**/*.ts`; without `/` in any folder.", min_length=1)
    path: str = Field(default=".", description="The folder the pattern begins in.")


@dataclass(slots=True, frozen=True)
class _Place:
    """Where the pattern's wildcards begin."""

    folder: Path
    """Real."""
    pattern: str


class Glob(Tool[GlobInput]):
    """Finds files by name."""

    name = "glob"
    description = (
        "Find files by a pattern of their path: `*` in a name, `**` across folders, `{a,b}`. At "
        f"most {MAX_FILES}, sorted. Files that .gitignore hides are left out unless named exactly."
    )
    permission = "Read"
    effect = "read"
    input_model = GlobInput

    async def preview(self, args: GlobInput, context: ToolContext) -> Preview:
        """Find where the pattern begins."""
        refuse_unpassable(args.pattern, "pattern")
        place = await to_thread.run_sync(_place, args, context)
        base = "" if args.path in {"", "."} else f" in {args.path}"
        return Preview(
            title=f"{args.pattern}{base}",
            shown=f"{place.folder}\n{args.pattern}",
            path=str(place.folder),
            prepared=place,
        )

    async def run(self, args: GlobInput, preview: Preview, context: ToolContext) -> ToolResult:
        """List the files."""
        place: _Place = preview.prepared
        if not place.pattern:
            return _show(place.folder, ["."], context, [])
        files = await list_files(place.folder, place.pattern, context, respect_ignores=True)
        notes: list[str] = []
        if not files and place.folder != context.root:
            # The folder itself may be one that ignore rules hide; it was named, so it counts.
            files = await list_files(place.folder, place.pattern, context, respect_ignores=False)
            notes = ["ignore rules hide these files"] if files else []
        return _show(place.folder, files, context, notes)


def _place(args: GlobInput, context: ToolContext) -> _Place:
    base = resolve_path(args.path or ".", context)
    if not base.is_dir():
        raise ToolFailure(f"{args.path} is no folder.", "no folder")
    pattern = args.pattern
    if pattern.startswith("~"):
        home = context.environment.get("HOME", "")
        pattern = home + pattern[1:] if pattern.startswith("~/") and home else pattern
    target: Target = split_target(base, pattern)
    folder = resolve_path(str(target.folder), context)
    if target.pattern and not folder.is_dir():
        return _Place(base, args.pattern)
    return _Place(folder, target.pattern)


def _show(folder: Path, names: list[str], context: ToolContext, notes: list[str]) -> ToolResult:
    shown = [name for name in names[:MAX_FILES] if context.may_read(folder / name)]
    base = show_path(folder, context.root)
    lines = [_quoted(os.path.normpath(f"{base}/{name}")) for name in shown]
    if len(names) > MAX_FILES:
        notes = [f"{MAX_FILES} of {len(names)} files are shown; narrow the pattern", *notes]
    if not lines:
        lines = ["No files (those that ignore rules hide were not looked at)."]
    count = len(shown)
    return ToolResult(
        cut_middle("\n".join(lines + [f"[{note}]" for note in notes])),
        summary=f"{count} file{'' if count == 1 else 's'}",
        metadata={"files": count, "truncated": len(names) > MAX_FILES},
    )


def _quoted(name: str) -> str:
    """Give a name as it is, or in quotes when it would not stay on its line."""
    return name if name.isprintable() else json.dumps(name, ensure_ascii=False)


register(Glob())
