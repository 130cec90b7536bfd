"""Permission rules: `Tool` or `Tool(spec)`, in lists that allow, ask and deny.

A rule that cannot be read becomes a problem that names it. As an allow rule it then matches
nothing; as a deny or ask rule nobody knows what it forbade, so the whole set is `closed`: what it
would allow it asks instead.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lararium_daemon.permissions.domain_pattern import DomainPattern, parse_domain_pattern
from lararium_daemon.permissions.path_pattern import PathPattern, parse_path_pattern
from lararium_daemon.permissions.token_pattern import CommandPattern, parse_pattern

RuleList = Literal["allow", "ask", "deny"]
RuleScope = Literal["run", "workspace", "user"]

_RULE = re.compile(r"(?P<tool>[A-Za-z][A-Za-z0-9_-]*)(?:\((?P<spec>.*)\))?", re.DOTALL)
_SHELL = frozenset({"Bash"})
_FILES = frozenset({"Read", "Edit"})
_PLAIN = frozenset({"WebFetch", "Skill", "Agent"})
_KNOWN = _SHELL | _FILES | _PLAIN
_EVERYTHING = CommandPattern((), is_prefix=True)


@dataclass(slots=True, frozen=True)
class Rule:
    """One rule that was read."""

    text: str
    tool: str
    """The permission name."""
    scope: RuleScope
    spec: str | None = None
    command: CommandPattern | None = None
    """Of `Bash`; no words: every command."""
    domain: DomainPattern | None = None
    """Of `WebFetch`; None: every host."""
    path: PathPattern | None = None
    """Of `Read` and `Edit`; None: every path."""

    @property
    def is_everything(self) -> bool:
        """Whether it means every call of its tool, also a command nobody can analyse."""
        if self.command is not None:
            return not self.command.words
        return self.spec is None


@dataclass(slots=True, frozen=True)
class RuleSet:
    """The rules that hold for one decision."""

    allow: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()
    problems: list[str] = field(default_factory=list[str])
    """Sentences for the person, each naming an entry and where it stands."""
    closed: str = ""
    """Why nothing may be allowed without asking, "" normally."""

    @classmethod
    def parse(
        cls,
        *,
        allow: Iterable[object] = (),
        ask: Iterable[object] = (),
        deny: Iterable[object] = (),
        scope: RuleScope = "user",
        source: str = "",
    ) -> "RuleSet":
        """Read rules; never fails. `source` names the file in problems."""
        problems: list[str] = []
        lists: dict[RuleList, tuple[Rule, ...]] = {}
        closed = ""
        given: dict[RuleList, Iterable[object]] = {"allow": allow, "ask": ask, "deny": deny}
        for name, entries in given.items():
            rules: list[Rule] = []
            for number, entry in enumerate(entries, 1):
                parsed = parse_rule(entry, scope)
                if isinstance(parsed, Rule):
                    rules.append(parsed)
                    continue
                where = f"{source or scope + ' rules'}, {name} rule {number}"
                problems.append(f"{where}: {entry!r} {parsed.text}")
                if name != "allow" and parsed.is_dangerous:
                    closed = closed or f"{where} cannot be read"
            lists[name] = tuple(rules)
        return cls(lists["allow"], lists["ask"], lists["deny"], problems, closed)

    @classmethod
    def broken(cls, problem: str) -> "RuleSet":
        """Give the set of a source that could not be read at all: it allows nothing unasked."""
        return cls(problems=[problem], closed=problem)

    @classmethod
    def merged(cls, *sets: "RuleSet") -> "RuleSet":
        """Join sets; one that is closed closes all."""
        return cls(
            tuple(rule for rules in sets for rule in rules.allow),
            tuple(rule for rules in sets for rule in rules.ask),
            tuple(rule for rules in sets for rule in rules.deny),
            [problem for rules in sets for problem in rules.problems],
            next((rules.closed for rules in sets if rules.closed), ""),
        )


@dataclass(slots=True, frozen=True)
class BadRule:
    """Why a rule cannot be read."""

    text: str
    is_dangerous: bool
    """Whether ignoring it could forbid too little. Not so for a tool that does not exist."""


def parse_rule(entry: object, scope: RuleScope) -> Rule | BadRule:
    """Read one rule."""
    if not isinstance(entry, str):
        return BadRule("is no text", is_dangerous=True)
    match = _RULE.fullmatch(entry.strip())
    if match is None:
        return BadRule("is not of the form Tool or Tool(…); it matches nothing", is_dangerous=True)
    tool, spec = match["tool"], match["spec"]
    if tool not in _KNOWN and not tool.startswith("mcp__"):
        return _unknown(tool)
    if spec is not None and not spec.strip():
        return BadRule("has nothing between its brackets; it matches nothing", is_dangerous=True)
    try:
        return _build(entry.strip(), tool, spec, scope)
    except ValueError as error:
        return BadRule(f"{error}; it matches nothing", is_dangerous=True)


def match_everything(rules: Sequence[Rule], tool: str) -> Rule | None:
    """Find a rule that means every call of a tool."""
    return next((rule for rule in rules if rule.tool == tool and rule.is_everything), None)


def _build(text: str, tool: str, spec: str | None, scope: RuleScope) -> Rule:
    if tool in _SHELL:
        command = _EVERYTHING if spec is None else parse_pattern(spec)
        return Rule(text, tool, scope, spec, command)
    if tool in _FILES and spec is not None:
        return Rule(text, tool, scope, spec, path=parse_path_pattern(spec.lstrip()))
    if tool == "WebFetch" and spec is not None:
        return Rule(text, tool, scope, spec, domain=parse_domain_pattern(spec))
    return Rule(text, tool, scope, spec)


def _unknown(tool: str) -> BadRule:
    near = next((name for name in _KNOWN if name.lower() == tool.lower()), None)
    if near is not None:
        return BadRule(f"names no tool; write {near}. It matches nothing", is_dangerous=True)
    names = ", ".join(sorted(_KNOWN))
    return BadRule(
        f"names no permission of ours ({names}, mcp__…); it matches nothing", is_dangerous=False
    )
