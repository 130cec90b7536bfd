"""The policy for commands.

Order: our own files → deny rules → plan mode → session grant → protected → ask rules → allow rules
and the read-only set → mode. An allow rule counts only for plain commands, each of which needs its
own or must be known to only read.
"""

import os
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from lararium_daemon.permissions.forbidding import Hit, find_forbidding, find_named
from lararium_daemon.permissions.judgement import Judgement, ruled
from lararium_daemon.permissions.places import is_own, is_within
from lararium_daemon.permissions.programs import (
    EXECUTING_BUILTINS,
    INTERPRETERS,
    PLAIN_RUNNERS,
    RISKY,
    WRAPPERS,
    program_name,
)
from lararium_daemon.permissions.reach import (
    MAX_ARGUMENTS,
    Surroundings,
    find_denied,
    find_own,
    why_out_of_reach,
    why_protected_write,
    why_target_asks,
)
from lararium_daemon.permissions.read_only.reading import (
    why_any_repository_asks,
    why_not_read_only,
)
from lararium_daemon.permissions.rules import Rule, RuleSet, match_everything, parse_rule
from lararium_daemon.permissions.screening import why_screened
from lararium_daemon.permissions.shell import ShellAnalysis, analyse
from lararium_daemon.permissions.sweeping import why_follows_out, why_sweeps_secret
from lararium_daemon.permissions.wrapped import Argv, unwrap
from lararium_daemon.protocol.permissions import Mode

ONLY_READS = "It only reads inside the project."
_MAX_SUGGESTIONS = 5
_MAX_COMMANDS = 60
_MAX_SHOWN = 200


@dataclass(slots=True, frozen=True)
class ShellCall:
    """A command and what holds where it would run."""

    command: str
    rules: RuleSet
    mode: Mode
    around: Surroundings
    is_granted: bool
    """The person allowed exactly this for the session."""


def judge_command(call: ShellCall) -> Judgement:
    """Judge a command line."""
    analysis = analyse(call.command)
    denying = find_forbidding(call.rules.deny, analysis.commands)
    return (
        _denied(call, analysis, denying)
        or _granted(call)
        or _protected(call, analysis)
        or _asked(call, analysis, denying)
        or _allowed(call, analysis)
    )


def _denied(
    call: ShellCall, analysis: ShellAnalysis, denying: tuple[Rule, Hit] | None
) -> Judgement | None:
    own = call.around.places.own
    commands = analysis.commands[:_MAX_COMMANDS]
    files = [("", word.text) for word in (*analysis.targets, *analysis.sources)]
    if (
        is_own(call.around.folders[0], call.around.places)
        or any(_names(call.command, folder) for folder in own)
        or find_own([*commands, *files], call.around)
    ):
        return Judgement("deny", "It reaches Lararium's own files, which no tool may touch.")
    if rule := match_everything(call.rules.deny, "Bash"):
        return ruled("deny", rule)
    if denying is not None and denying[1] == "matched":
        return ruled("deny", denying[0])
    if rule := find_denied([*commands, *files], call.rules, call.around):
        return ruled("deny", rule)
    if call.mode == "plan" and not _only_reads(call, analysis):
        return Judgement("deny", "Plan mode only reads; a command could do more.")
    return None


def _only_reads(call: ShellCall, analysis: ShellAnalysis) -> bool:
    if not analysis.plain or len(analysis.simple) > _MAX_COMMANDS or _moves_git(analysis):
        return False
    around = call.around
    for argv in analysis.commands:
        if not _reads(argv, around):
            return False
        around = _after(argv, around)
    return True


def _reads(argv: Argv, around: Surroundings) -> bool:
    inner = unwrap(argv)
    return why_not_read_only(argv, around) == "" or (inner is not None and _reads(inner, around))


def _granted(call: ShellCall) -> Judgement | None:
    if not call.is_granted:
        return None
    return Judgement("allow", "You allowed exactly this for the session.")


def _protected(call: ShellCall, analysis: ShellAnalysis) -> Judgement | None:
    if len(analysis.simple) > _MAX_COMMANDS:
        return Judgement("ask", f"It holds more than {_MAX_COMMANDS} commands.")
    if any(len(command.words) > MAX_ARGUMENTS for command in analysis.simple):
        return Judgement("ask", f"It has more than {MAX_ARGUMENTS} arguments.")
    for word in analysis.targets:
        if reason := why_target_asks(word.text, call.around):
            return Judgement("ask", f"It writes to {reason}.")
    for argv in analysis.commands:
        if reason := why_protected_write(argv, call.around):
            return Judgement("ask", f"It may change {reason}.")
    if not is_within(call.around.folders[0], call.around.root) and call.mode != "yolo":
        return Judgement("ask", f"It runs in {call.around.folders[0]}, outside the project.")
    return None


def _asked(
    call: ShellCall, analysis: ShellAnalysis, denying: tuple[Rule, Hit] | None
) -> Judgement | None:
    if denying is not None:
        return ruled("ask", denying[0], f"The rule {denying[0].text} may mean this.")
    if not analysis.plain:
        words = set(re.findall(r"[\w.+-]+", call.command))
        if rule := find_named(call.rules.deny, words):
            reason = f"It holds {analysis.reason}, and the rule {rule.text} may mean it."
            return ruled("ask", rule, reason)
    if rule := match_everything(call.rules.ask, "Bash"):
        return ruled("ask", rule)
    if hit := find_forbidding(call.rules.ask, analysis.commands):
        return ruled("ask", hit[0])
    return None


def _allowed(call: ShellCall, analysis: ShellAnalysis) -> Judgement:
    if rule := match_everything(call.rules.allow, "Bash"):
        return ruled("allow", rule)
    if call.mode == "yolo":
        return Judgement("allow", "This session allows every command.")
    if not analysis.plain:
        reason = f"It holds {analysis.reason}, so no rule can allow it."
        if analysis.reason == "no command":
            reason = "It holds no command."
        return Judgement("ask", reason)
    return _by_allow_rules(call, analysis)


def _by_allow_rules(call: ShellCall, analysis: ShellAnalysis) -> Judgement:
    around = call.around
    first: Rule | None = None
    missing: list[tuple[Argv, str, Surroundings]] = []
    for argv in analysis.commands:
        rule, objection = _find_allowing(call.rules, argv, around)
        if rule is None and objection is None and argv[:1] == ("cd",) and _moves_git(analysis):
            objection = "git would obey that folder's settings"
        if objection is not None:
            missing.append((argv, objection, around))
        first = first or rule
        around = _after(argv, around)
    if not missing:
        return ruled("allow", first) if first else Judgement("allow", ONLY_READS)
    argv, reason, _ = missing[0]
    shown = shlex.join(argv)
    shown = f"{shown[:_MAX_SHOWN]}…" if len(shown) > _MAX_SHOWN else shown
    text = f"{shown}: {reason}." if reason else f"No rule allows {shown}."
    suggested = [_suggest(argv, around) for argv, _, around in missing[: _MAX_SUGGESTIONS + 1]]
    if len(missing) > _MAX_SUGGESTIONS or None in suggested:
        suggested = []
    return Judgement("ask", text, suggested_rules=list(dict.fromkeys(filter(None, suggested))))


def _moves_git(analysis: ShellAnalysis) -> bool:
    """Tell whether git may run in a folder that the command line itself goes to."""
    programs: set[str] = set()
    for argv in analysis.commands:
        while inner := unwrap(argv):
            argv = inner
        programs.add(program_name(argv))
    return {"cd", "git"} <= programs


def _find_allowing(
    rules: RuleSet, argv: Argv, around: Surroundings
) -> tuple[Rule | None, str | None]:
    """Find the rule that allows one command, and what speaks against it.

    No rule and None: it only reads and needs none. No rule and "": nothing is known of it.
    """
    reason = ""
    for rule in rules.allow:
        named = rule.command.matched_words(argv) if rule.command else None
        if named is None:
            continue
        objection = _objection(argv, named, around)
        if not objection:
            return rule, None
        reason = reason or objection
    reading = why_not_read_only(argv, around)
    if reading == "":
        return None, None
    inner = unwrap(argv)
    if inner is not None:
        return _find_allowing(rules, inner, around)
    return None, reason or reading or ""


def _objection(argv: Argv, named: int, around: Surroundings) -> str:
    """Say why a rule's trailing `*` does not reach this far."""
    name = program_name(argv)
    if name == "cd" and (len(argv) != 2 or argv[1] in {"", "-"}):
        return "it goes to a folder that is not named"
    if name == "git" and (reason := why_any_repository_asks(around)):
        return reason
    if named == len(argv):
        return ""
    if name in EXECUTING_BUILTINS:
        return f"{name} can change what the shell does"
    if name in PLAIN_RUNNERS and not _names_inner(argv, named):
        return f"{name} runs another program"
    return (
        why_screened(argv, named)
        or why_out_of_reach(argv, named, around)
        or why_sweeps_secret(argv, named, around)
        or why_follows_out(argv, named, around)
    )


def _names_inner(argv: Argv, named: int) -> bool:
    """Tell whether the rule itself names the program that a wrapper runs."""
    inner = unwrap(argv)
    if inner is not None:
        return named > len(argv) - len(inner)
    return named > 1 and not re.match(r"-|\w+=|\d", argv[named - 1])


def _after(argv: Argv, around: Surroundings) -> Surroundings:
    """Follow `cd`: what comes later may run in the old folder or in the new one."""
    if argv[:1] != ("cd",) or len(argv) != 2:
        return around
    moved = [Path(os.path.realpath(folder / argv[1])) for folder in around.folders]
    folders = tuple(dict.fromkeys([*around.folders, *moved]))
    return replace(around, folders=folders)


def _suggest(argv: Argv, around: Surroundings) -> str | None:
    """Give the rule that allows exactly this command, None when it would not be safe."""
    name = program_name(argv)
    if (
        "/" in argv[0]
        or name in WRAPPERS
        or name in RISKY
        or name in EXECUTING_BUILTINS
        or name == "cd"
        or INTERPRETERS.fullmatch(name)
        or why_screened(argv, 1)
        or why_out_of_reach(argv, 1, around)
    ):
        return None
    text = f"Bash({shlex.join(argv)})"
    rule = parse_rule(text, "workspace")
    if isinstance(rule, Rule) and rule.command and rule.command.matched_words(argv) == len(argv):
        return text
    return None


def _names(command: str, folder: Path) -> bool:
    return re.search(rf"{re.escape(str(folder))}(?![\w.-])", command) is not None
