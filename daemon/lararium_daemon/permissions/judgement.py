"""A call that is judged, and the judgement."""

from dataclasses import dataclass, field

from lararium_daemon.permissions.rules import Rule, RuleScope
from lararium_daemon.protocol.messages import Effect
from lararium_daemon.protocol.permissions import Verdict


@dataclass(slots=True, frozen=True)
class JudgedCall:
    """What the policy must know of a call; the fields are those of the tool and its preview."""

    tool_name: str
    permission: str
    """"" = the tool never asks."""
    effect: Effect
    command: str = ""
    path: str = ""
    """File tools: the real path. Shell: the folder it runs in, "" = the root."""
    address: str = ""
    """Network tools: the URL."""


@dataclass(slots=True, frozen=True)
class Judgement:
    """What holds for a call."""

    verdict: Verdict
    reason: str
    """One sentence for the person."""
    rule: str | None = None
    """The rule that decided, as it is written."""
    suggested_rules: list[str] = field(default_factory=list[str])
    """The rules that "always" would store, all of them; empty when none is safe."""
    scope: RuleScope | None = None
    """Where the rule stands."""


def ruled(verdict: Verdict, rule: Rule, reason: str = "") -> Judgement:
    """Give the judgement of a rule."""
    words = {"allow": "allows it", "ask": "says to ask", "deny": "denies it"}
    text = reason or f"The rule {rule.text} {words[verdict]}."
    return Judgement(verdict, text, rule.text, scope=rule.scope)
