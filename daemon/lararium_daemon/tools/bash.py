"""Tool `bash`: a command, with live output, a time limit and nothing left behind when it is cut."""

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.tools.call_process import Finished, Launch, run_process
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.output import model_text
from lararium_daemon.tools.project_path import refuse_unpassable, resolve_path
from lararium_daemon.tools.registry import Preview, Tool, ToolFailure, ToolInput, register
from lararium_daemon.tools.spool import Spool

_CHANGES_BASH = frozenset(
    {"BASH_ENV", "ENV", "CDPATH", "GLOBIGNORE", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND"}
    | {"BASH_XTRACEFD", "IFS"}
)
"""Variables by which a command line would mean something else than it says."""
_MAX_TITLE = 200


class BashInput(ToolInput):
    """Arguments of `bash`."""

    command: str = Field(description="The command line.", min_length=1)
    timeout: float = Field(
        default=120, gt=0, le=600, description="Seconds until it is ended; at most 600."
    )
    cwd: str = Field(default="", description="The folder to run in; the project when empty.")
    terminal: bool = Field(
        default=False, description="Let it write to a terminal, for a program that insists on one."
    )


class Bash(Tool[BashInput]):
    """Runs a shell command."""

    name = "bash"
    description = (
        "Run a command with bash in the project's folder. Each call is a new shell without a "
        "terminal: stdin is empty, `cd` and variables do not last. You see the first and the last "
        "of long output. A background process must send its output to a file, and lives on only "
        "when the call ends before its timeout."
    )
    permission = "Bash"
    effect = "exec"
    input_model = BashInput

    async def preview(self, args: BashInput, context: ToolContext) -> Preview:
        """Show folder and command."""
        refuse_unpassable(args.command, "command")
        folder = resolve_path(args.cwd, context) if args.cwd.strip() else context.root
        return Preview(
            title=args.command.strip().split("\n", 1)[0][:_MAX_TITLE],
            shown=f"{folder}\n{args.command}",
            command=args.command,
            path=str(folder),
            prepared=folder,
        )

    async def run(self, args: BashInput, preview: Preview, context: ToolContext) -> ToolResult:
        """Run it."""
        launch = _launch(args, preview.prepared, context)
        with Spool(context.spool) as spool:
            try:
                finished = await run_process(launch, spool, context.progress)
            except FileNotFoundError as error:
                raise ToolFailure("bash was not found on PATH. Nothing was run.") from error
            return _result(spool, finished, args.timeout)


def _launch(args: BashInput, folder: Path, context: ToolContext) -> Launch:
    if not folder.is_dir():
        raise ToolFailure(_no_folder(folder, context), "no folder")
    if args.terminal and os.name != "posix":
        raise ToolFailure("There is no terminal for commands here. Nothing was run.", "terminal")
    return Launch(
        ["bash", "--noprofile", "--norc", "-c", "--", args.command],
        folder,
        _shell_environment(context.environment),
        context.call_id,
        args.timeout,
        args.terminal,
    )


def _result(spool: Spool, finished: Finished, timeout: float) -> ToolResult:
    code = finished.exit_code
    text = model_text(spool)
    notes: list[str] = []
    if spool.dropped:
        notes.append(f"[{spool.dropped:,} bytes of output were counted but not kept]")
    if code is None:
        notes.append(f"[timed out after {timeout:g} s; it was ended with all it started]")
        summary = f"timed out after {timeout:g} s"
    else:
        summary = f"exit {code}" if code >= 0 else f"signal {-code}"
        if code:
            notes.append(f"[{summary}]")
    if not text.strip():
        notes.insert(0, "(no output)")
        text = ""
    elif text.endswith("\n") and notes:
        text = text[:-1]
    return ToolResult(
        "\n".join([text, *notes] if text else notes),
        is_error=code != 0,
        summary=summary,
        metadata={
            "exit_code": code,
            "seconds": round(finished.seconds, 3),
            "bytes": spool.total,
            "lines": spool.lines,
            "timed_out": finished.timed_out,
        },
    )


def _shell_environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name not in _CHANGES_BASH and not name.startswith("BASH_FUNC_")
    }


def _no_folder(folder: Path, context: ToolContext) -> str:
    if folder == context.root:
        return f"The project's folder {folder} is not there any more. Nothing was run."
    what = "is no folder" if os.path.lexists(folder) else "is not there any more"
    return f"{folder} {what}. Nothing was run; leave out cwd to run in {context.root}."


register(Bash())
