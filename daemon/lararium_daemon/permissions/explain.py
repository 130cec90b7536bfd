"""Why a command would be allowed, asked or denied, for a person who writes rules."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from lararium_daemon.permissions.grants import SessionGrants
from lararium_daemon.permissions.judgement import JudgedCall, Judgement
from lararium_daemon.permissions.places import Places
from lararium_daemon.permissions.policy import judge
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.permissions.shell import analyse
from lararium_daemon.permissions.shell_words import DYNAMIC
from lararium_daemon.protocol.permissions import Verdict

MAX_PARTS = 20


class Part(TypedDict):
    """One command of several, judged as if it stood alone."""

    command: str
    verdict: Verdict
    rule: str | None
    reason: str


class Explanation(TypedDict):
    """What `lar permissions explain` prints."""

    verdict: Verdict
    rule: str | None
    scope: str | None
    """Where the rule stands; None when no rule decided."""
    commands: list[list[str]]
    """Each command that was made out; `…` stands for what only the shell would know."""
    reason: str
    parts: list[Part]
    """Only for several plain commands, at most 20 of them."""


@dataclass(slots=True, frozen=True)
class _Explaining:
    """What commands are judged by."""

    rules: RuleSet
    root: Path
    folder: str
    places: Places | None
    is_trusted: bool

    def judge(self, command: str) -> Judgement:
        return judge(
            JudgedCall("bash", "Bash", "exec", command=command, path=self.folder),
            rules=self.rules,
            grants=SessionGrants(),
            mode="default",
            root=self.root,
            shown="",
            places=self.places,
            is_trusted=self.is_trusted,
        )

    def part(self, command: str) -> Part:
        found = self.judge(command)
        return Part(command=command, verdict=found.verdict, rule=found.rule, reason=found.reason)


def explain(
    command: str,
    rules: RuleSet,
    root: Path,
    places: Places | None = None,
    *,
    folder: str = "",
    is_trusted: bool = False,
) -> Explanation:
    """Explain the verdict on a command in mode `default`, without any grant."""
    explaining = _Explaining(rules, root, folder, places, is_trusted)
    found = explaining.judge(command)
    analysis = analyse(command)
    several = analysis.commands[:MAX_PARTS] if analysis.plain else ()
    return Explanation(
        verdict=found.verdict,
        rule=found.rule,
        scope=found.scope,
        commands=[[word.replace(DYNAMIC, "…") for word in argv] for argv in analysis.commands],
        reason=found.reason,
        parts=[explaining.part(shlex.join(argv)) for argv in several] if len(several) > 1 else [],
    )
