"""Past asks of a workspace, read back from the journal so that the policy can judge them again."""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
from anyio import to_thread

from lararium_daemon.permissions.judgement import JudgedCall
from lararium_daemon.permissions.rehearsal import PastAsk, Rehearsing
from lararium_daemon.protocol.rehearsal import Rehearsal
from lararium_daemon.sessions.agent_runner import AgentRunner
from lararium_daemon.storage.asks import AskRow
from lararium_daemon.storage.journal import Journal
from lararium_daemon.tools.registry import AnyTool

logger = logging.getLogger(__name__)

MAX_ASKS = 300


async def rehearse(rule: str, runner: AgentRunner, journal: Journal) -> Rehearsal:
    """Say what an allow rule would have meant for what was asked in this workspace.

    Raises:
        LarariumError: 422 `malformed_rule`.
    """
    asks = await past_asks(journal, runner.tools, runner.root)
    rules, is_trusted = runner.standing_rules(), runner.trust.is_trusted
    rehearsing = Rehearsing(rules, runner.root, is_trusted=is_trusted)
    return await to_thread.run_sync(rehearsing.rehearse, rule, asks)


async def past_asks(journal: Journal, tools: Mapping[str, AnyTool], root: Path) -> list[PastAsk]:
    """Give the newest asks, newest first; those of tools that are gone are left out."""
    rows = await journal.asks(MAX_ASKS)
    found = [_past_ask(row, tools, root) for row in rows]
    return [ask for ask in found if ask is not None]


def _past_ask(row: AskRow, tools: Mapping[str, AnyTool], root: Path) -> PastAsk | None:
    try:
        request: dict[str, Any] = orjson.loads(row.payload)["request"]
        tool = tools.get(request["tool"])
        if tool is None:
            return None
        call = _call(tool, request["input"], str(request["shown"]), root)
        return PastAsk(call, str(request["shown"]), row.at, row.session_id)
    except (ValueError, KeyError, TypeError):
        logger.warning("An ask of session %s cannot be read back", row.session_id)
        return None


def _call(tool: AnyTool, given: Mapping[str, Any], shown: str, root: Path) -> JudgedCall:
    """Give what the policy was asked then; links are followed as they lie now."""
    path = ""
    if tool.permission == "Bash":
        path = shown.partition("\n")[0]
    elif tool.permission in {"Read", "Edit"}:
        path = os.path.realpath(root / str(given.get("path", "")))
    command, address = str(given.get("command", "")), str(given.get("url", ""))
    return JudgedCall(tool.name, tool.permission, tool.effect, command, path, address)
