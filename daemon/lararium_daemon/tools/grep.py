"""Tool `grep`: lines that match a regular expression, 200 at most."""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from anyio import to_thread
from pydantic import Field

from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.glob_pattern import compile_glob
from lararium_daemon.tools.matches import MAX_MATCHES, Matches, is_shown
from lararium_daemon.tools.project_path import (
    refuse_special,
    refuse_unpassable,
    resolve_path,
    show_path,
)
from lararium_daemon.tools.registry import Preview, Tool, ToolFailure, ToolInput, register
from lararium_daemon.tools.ripgrep import SEARCH_SECONDS, find_ripgrep, run_ripgrep
from lararium_daemon.tools.truncation import cut_middle
from lararium_daemon.tools.walk import walk_files

_MAX_NOTED = 3
_LINE_END = re.compile(r"\n|(?<!\\)(?:\\\\)*\\n")
_NO_CLASS = re.compile(r"\[\^[^\]]*\]")
"""A class of what is not wanted may hold a line's end."""
_BY_LINES = (
    "The search goes line by line, so a pattern with a line's end in it can match nothing. Search "
    "for one of the lines."
)


class GrepInput(ToolInput):
    """Arguments of `grep`."""

    pattern: str = Field(description="A regular expression.", min_length=1)
    path: str = Field(default=".", description="The folder or file to search in.")
    glob: str = Field(default="", description="Only files like this, e.g. `*.py`.")
    ignore_case: bool = False


@dataclass(slots=True, frozen=True)
class _Scope:
    """Where a search begins."""

    folder: Path
    only: str
    """The one file in it, "" for all."""


class Grep(Tool[GrepInput]):
    """Searches file contents."""

    name = "grep"
    description = (
        "Search file contents with a regular expression (ripgrep's). Gives path:line:text, at most "
        f"{MAX_MATCHES}. Files that .gitignore hides, .git and files that hold secrets are left "
        "out."
    )
    permission = "Read"
    effect = "read"
    input_model = GrepInput

    async def preview(self, args: GrepInput, context: ToolContext) -> Preview:
        """Find where to search."""
        refuse_unpassable(args.pattern + args.glob, "pattern")
        path = await to_thread.run_sync(resolve_path, args.path, context)
        where = show_path(path, context.root)
        title = args.pattern if where == "." else f"{args.pattern} in {where}"
        return Preview(title=title, shown=f"{path}\n{args.pattern}", path=str(path), prepared=path)

    async def run(self, args: GrepInput, preview: Preview, context: ToolContext) -> ToolResult:
        """Search."""
        scope = await to_thread.run_sync(_scope, preview.prepared)
        shown = partial(is_shown, scope.folder, may_read=context.may_read)
        if scope.only:  # it was named, so it was judged by its own name
            matches = Matches(lambda _: True, base=scope.folder)
        else:
            matches = Matches(shown, base=scope.folder)
        program = find_ripgrep(context.environment, scope.folder)
        if program is None:
            notes = await to_thread.run_sync(_walk, args, scope, matches)
        else:
            notes = await _ripgrep(program, args, scope, matches, context)
        return _result(matches, scope, context, notes)


def _scope(path: Path) -> _Scope:
    try:
        info = path.stat()
    except OSError as error:
        raise ToolFailure(f"{path} cannot be searched: {error.strerror}.", "not found") from error
    if path.is_dir():
        return _Scope(path, "")
    refuse_special(path, info.st_mode)
    return _Scope(path.parent, path.name)


async def _ripgrep(
    program: str, args: GrepInput, scope: _Scope, matches: Matches, context: ToolContext
) -> list[str]:
    """Search with ripgrep; give notes for the model."""
    options = ["--json", f"--regexp={args.pattern}"]
    if args.ignore_case:
        options.append("--ignore-case")
    if args.glob:
        options.append(f"--glob={args.glob}")
    options += ["--", f"./{scope.only}"]
    try:
        end = await run_ripgrep(
            program, options, scope.folder, context.environment, matches.read_ripgrep
        )
    except TimeoutError:
        return [f"The search was stopped after {SEARCH_SECONDS} s; give a narrower path."]
    if end.code in {0, 1} or (end.code < 0 and matches.is_cut):
        return []
    errors = [line for line in end.errors.splitlines() if line.strip()]
    if any("regex parse error" in line or "error parsing glob" in line for line in errors[:2]):
        raise ToolFailure(f"The pattern is not valid:\n{end.errors.strip()}", "invalid pattern")
    if any("is not allowed in a regex" in line for line in errors[:2]):
        raise ToolFailure(_BY_LINES, "invalid pattern")
    skipped = [line.removeprefix("rg: ") for line in errors]
    if not skipped and not matches.found:
        raise ToolFailure("The search failed without saying why.", "failed")
    return _skipped(skipped)


def _walk(args: GrepInput, scope: _Scope, matches: Matches) -> list[str]:
    """Search without ripgrep; give notes for the model."""
    if _LINE_END.search(_NO_CLASS.sub("", args.pattern)):
        raise ToolFailure(_BY_LINES, "invalid pattern")
    try:
        pattern = re.compile(args.pattern, re.IGNORECASE if args.ignore_case else 0)
    except re.error as error:
        raise ToolFailure(f"The pattern is not valid: {error}.", "invalid pattern") from error
    glob = compile_glob(args.glob) if args.glob else None
    unreadable: list[str] = []
    files = [scope.only] if scope.only else walk_files(scope.folder, unreadable=unreadable)
    for relative in files:
        if glob is None or glob.select(relative.encode("utf-8", "surrogateescape") + b"\0"):
            matches.read_file(scope.folder, relative, pattern)
        if matches.is_cut:
            break
    return _skipped([f"./{name}: cannot be read" for name in unreadable])


def _skipped(lines: list[str]) -> list[str]:
    if not lines:
        return []
    more = f" and {len(lines) - _MAX_NOTED} more" if len(lines) > _MAX_NOTED else ""
    return [f"Skipped: {'; '.join(lines[:_MAX_NOTED])}{more}"]


def _result(matches: Matches, scope: _Scope, context: ToolContext, notes: list[str]) -> ToolResult:
    found = sorted(matches.found)
    lines = [
        f"{show_path(scope.folder / match.path, context.root)}:{match.line}:{match.text}"
        for match in found
    ]
    files = len({match.path for match in found})
    if matches.is_cut:
        notes = [f"Only {MAX_MATCHES} matches are shown; narrow the search for more.", *notes]
    if matches.hidden:
        notes.append(f"{len(matches.hidden)} files with matches may not be shown.")
    if not lines:
        lines = ["No matches (files that ignore rules hide were not searched)."]
    count = f"{len(found)}{'+' if matches.is_cut else ''}"
    summary = f"{count} match{'' if count == '1' else 'es'}"
    if found:
        summary += f" in {files} file{'' if files == 1 else 's'}"
    text = cut_middle("\n".join(lines + [f"[{note}]" for note in notes]))
    return ToolResult(
        text,
        summary=summary,
        metadata={"matches": len(found), "files": files, "truncated": matches.is_cut},
    )


register(Grep())
