"""Why a command would be allowed, asked or denied, for a person who writes rules."""

from pathlib import Path
from typing import TypedDict

from lararium_daemon.permissions.grants import SessionGrants
from lararium_daemon.permissions.judgement import JudgedCall
from lararium_daemon.permissions.places import Places
from lararium_daemon.permissions.policy import judge
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.permissions.shell import analyse
from lararium_daemon.permissions.shell_words import DYNAMIC
from lararium_daemon.protocol.permissions import Verdict


class Explanation(TypedDict):
    """What `lar permissions explain` prints."""

    verdict: Verdict
    rule: str | None
    scope: str | None
    """Where the rule stands; None when no rule decided."""
    commands: list[list[str]]
    """Each command that was made out; `…` stands for what only the shell would know."""
    reason: str


def explain(
    command: str,
    rules: RuleSet,
    root: Path,
    places: Places | None = None,
    *,
    is_trusted: bool = False,
) -> Explanation:
    """Explain the verdict on a command in mode `default`, without any grant."""
    call = JudgedCall("bash", "Bash", "exec", command=command)
    found = judge(
        call,
        rules=rules,
        grants=SessionGrants(),
        mode="default",
        root=root,
        shown="",
        places=places,
        is_trusted=is_trusted,
    )
    return Explanation(
        verdict=found.verdict,
        rule=found.rule,
        scope=found.scope,
        commands=[
            [word.replace(DYNAMIC, "…") for word in argv] for argv in analyse(command).commands
        ],
        reason=found.reason,
    )
