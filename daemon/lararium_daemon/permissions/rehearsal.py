"""What an allow rule would have meant for past asks: a rule is easier to judge by what it does.

Pure: each ask is judged twice by the policy, without the rule and with it, in mode `default` and
without grants.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lararium_daemon.permissions.grants import SessionGrants
from lararium_daemon.permissions.judgement import JudgedCall, Judgement
from lararium_daemon.permissions.places import Places
from lararium_daemon.permissions.policy import judge
from lararium_daemon.permissions.programs import program_name
from lararium_daemon.permissions.rules import Rule, RuleSet, parse_rule
from lararium_daemon.permissions.shell import analyse
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.rehearsal import (
    NearMiss,
    Rehearsal,
    RehearsedAsk,
    RehearsedExample,
)

MAX_NEAR = 10


@dataclass(slots=True, frozen=True)
class PastAsk:
    """An ask of the past: what was to be judged, and what the person saw."""

    call: JudgedCall
    shown: str
    at: str
    session_id: SessionId


@dataclass(slots=True, frozen=True)
class Rehearsing:
    """What a rule is held against."""

    rules: RuleSet
    """The rules that hold now."""
    root: Path
    is_trusted: bool = False
    places: Places | None = None

    def rehearse(self, text: str, asks: Sequence[PastAsk]) -> Rehearsal:
        """Say what an allow rule would have meant for these asks, newest first.

        Raises:
            LarariumError: 422 `malformed_rule`.
        """
        rule = parse_rule(text, "workspace")
        if not isinstance(rule, Rule):
            raise LarariumError("malformed_rule", f"{text!r} {rule.text}.", 422)
        covered: list[tuple[PastAsk, RehearsedAsk]] = []
        near: list[NearMiss] = []
        for past, ask in _distinct(asks):
            if self._judge(past.call).verdict != "ask":
                continue
            found = self._judge(past.call, rule)
            if found.verdict == "allow":
                covered.append((past, ask))
            elif len(near) < MAX_NEAR and _resembles(rule, past.call):
                near.append(NearMiss(ask=ask, reason=found.reason))
        return Rehearsal(
            rule=rule.text,
            examined=len(asks),
            covered=[ask for _, ask in covered],
            near=near,
            examples=self._examples(rule, covered[0][0].call) if covered else [],
        )

    def _judge(self, call: JudgedCall, rule: Rule | None = None) -> Judgement:
        extra = RuleSet(allow=(rule,)) if rule else RuleSet()
        return judge(
            call,
            rules=RuleSet.merged(self.rules, extra),
            grants=SessionGrants(),
            mode="default",
            root=self.root,
            shown="",
            places=self.places,
            is_trusted=self.is_trusted,
        )

    def _examples(self, rule: Rule, call: JudgedCall) -> list[RehearsedExample]:
        """Judge what resembles a covered command and is another one."""
        if rule.command is None:
            return []
        examples: list[RehearsedExample] = []
        for command in _neighbours(call.command):
            judged = JudgedCall(call.tool_name, "Bash", "exec", command, call.path)
            found = self._judge(judged, rule)
            examples.append(
                RehearsedExample(command=command, verdict=found.verdict, reason=found.reason)
            )
        return examples


def _distinct(asks: Sequence[PastAsk]) -> Iterator[tuple[PastAsk, RehearsedAsk]]:
    """Give each ask once, as it was asked last, with how often it was."""
    times: dict[str, int] = {}
    for ask in asks:
        times[ask.shown] = times.get(ask.shown, 0) + 1
    seen: set[str] = set()
    for ask in asks:
        if ask.shown not in seen:
            seen.add(ask.shown)
            yield (
                ask,
                RehearsedAsk(
                    shown=ask.shown, at=ask.at, session_id=ask.session_id, times=times[ask.shown]
                ),
            )


def _resembles(rule: Rule, call: JudgedCall) -> bool:
    """Tell whether a person could think that the rule means this call."""
    if rule.tool != call.permission:
        return False
    if rule.command is None or not rule.command.words:
        return True
    first = rule.command.words[0]
    return any(first.matches(program_name(argv)) for argv in analyse(call.command).commands)


def _neighbours(command: str) -> list[str]:
    return [f"{command} --more", f"{command}; id", f"{command} > out.txt", f"X=1 {command}"]
