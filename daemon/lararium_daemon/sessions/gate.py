"""A session's gate: the pure policy before a call, the person's desk when it must ask.

Grants of a session live here, in memory: they end with the daemon.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from lararium_daemon.agent.ports import Answers, Resolution, Ruling
from lararium_daemon.permissions.broker import Broker
from lararium_daemon.permissions.confinement import ask_facts, program_names
from lararium_daemon.permissions.domain_pattern import host_of
from lararium_daemon.permissions.grants import SessionGrants
from lararium_daemon.permissions.judgement import JudgedCall
from lararium_daemon.permissions.policy import judge
from lararium_daemon.permissions.questions import QuestionDesk
from lararium_daemon.permissions.rule_store import RuleStore
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.protocol.confined import may_allow_once
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.ids import RequestId
from lararium_daemon.protocol.permissions import Mode, PermissionRequest, Question
from lararium_daemon.tools.registry import AnyTool, Preview

logger = logging.getLogger(__name__)

_WITHDRAWN = "The run was stopped before an answer came."


@dataclass(slots=True)
class Desks:
    """Where asks and questions of all sessions wait, and where "always" is stored."""

    broker: Broker
    questions: QuestionDesk
    rules: RuleStore


class SessionGate:
    """Judges the calls of one run and brings its asks to the person.

    Args:
        desks: where asks wait.
        rules: gives the rules that hold now, the run's own included.
        mode: gives the session's mode now; a person may change it while the run goes on.
        grants: what the person allowed for the session.
        root: the workspace.
        is_trusted: whether the person trusts the folder now.
    """

    def __init__(
        self,
        desks: Desks,
        rules: Callable[[], RuleSet],
        mode: Callable[[], Mode],
        grants: SessionGrants,
        root: Path,
        is_trusted: Callable[[], bool],
    ) -> None:
        self._desks = desks
        self._rules = rules
        self._mode = mode
        self._grants = grants
        self._root = root
        self._is_trusted = is_trusted
        self._asked: dict[RequestId, tuple[AnyTool, Preview]] = {}

    def judge(self, tool: AnyTool, preview: Preview) -> Ruling:
        """Decide by rules, grants and mode."""
        call = JudgedCall(
            tool.name,
            tool.permission,
            tool.effect,
            preview.command,
            preview.path,
            preview.address,
        )
        found = judge(
            call,
            rules=self._rules(),
            grants=self._grants,
            mode=self._mode(),
            root=self._root,
            shown=preview.shown,
            is_trusted=self._is_trusted(),
        )
        if found.verdict != "ask":
            is_granted = self._grants.covers_shown(tool.permission, preview.shown)
            is_explicit = found.rule is not None or self._mode() == "yolo" or is_granted
            return Ruling(found.verdict, found.reason, is_explicit=is_explicit)
        return Ruling(
            found.verdict,
            found.reason,
            found.suggested_rules,
            program=program_names(call),
            allow_once=may_allow_once(ask_facts(call, found, self._root)),
        )

    def open_request(self, request: PermissionRequest, tool: AnyTool, preview: Preview) -> None:
        """Make a request answerable."""
        self._asked[request.id] = (tool, preview)
        self._desks.broker.open(request)

    async def resolution(self, request: PermissionRequest) -> Resolution:
        """Wait for the person and remember what they granted."""
        end = await self._desks.broker.wait(request.id)
        given = Resolution(end.decision, end.scope, end.by, end.reason)
        if given.decision == "allow" and given.scope == "session":
            tool, preview = self._asked[request.id]
            host = host_of(preview.address)
            self._grants.add(tool.permission, shown=preview.shown, path=preview.path, host=host)
        elif given.decision == "allow" and given.scope == "always":
            return self._store(request, given)
        return given

    def open_question(self, question: Question) -> None:
        """Make a question answerable."""
        self._desks.questions.open(question)

    async def answers(self, question: Question) -> Answers:
        """Wait for the person."""
        end = await self._desks.questions.wait(question.id)
        return Answers(end.answers, end.by)

    def committed(self, ask: PermissionRequest | Question) -> None:
        """Let the answer's sender know."""
        if isinstance(ask, Question):
            self._desks.questions.committed(ask.id)
        else:
            self._asked.pop(ask.id, None)
            self._desks.broker.committed(ask.id)

    def withdraw(self, ask: PermissionRequest | Question) -> None:
        """Close an ask of a run that was stopped."""
        if isinstance(ask, Question):
            self._desks.questions.withdraw(ask.id, "interrupt")
        else:
            self._asked.pop(ask.id, None)
            self._desks.broker.withdraw(ask.id, "interrupt", _WITHDRAWN)

    def _store(self, request: PermissionRequest, given: Resolution) -> Resolution:
        """Store the rule of "always"; what cannot be stored still counts once."""
        try:
            self._desks.rules.add_allow(request.suggested_rules)
        except (LarariumError, OSError) as error:
            logger.warning("The rule was not stored: %s", error)
            return replace(given, scope="once", reason=f"It was allowed once. {error}")
        return given
