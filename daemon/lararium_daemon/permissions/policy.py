"""The pure policy: what holds for a call, from rules, grants, mode and place.

Order, first match wins: our own files → deny rules → plan mode → session grants → protected and
secret files → ask rules → allow rules → mode. A rule set that could not be read fully (`closed`)
turns every allow but a session grant into an ask.
"""

import os
from dataclasses import replace
from pathlib import Path

from lararium_daemon.permissions.domain_pattern import host_of
from lararium_daemon.permissions.grants import SessionGrants
from lararium_daemon.permissions.judgement import JudgedCall, Judgement, ruled
from lararium_daemon.permissions.path_pattern import escape_path
from lararium_daemon.permissions.places import (
    Places,
    current_places,
    is_own,
    is_within,
    why_protected,
    why_secret,
)
from lararium_daemon.permissions.reach import Surroundings
from lararium_daemon.permissions.rules import Rule, RuleSet
from lararium_daemon.permissions.shell_policy import ShellCall, judge_command
from lararium_daemon.protocol.permissions import Mode

__all__ = ["JudgedCall", "Judgement", "judge", "may_read"]


def judge(
    call: JudgedCall,
    *,
    rules: RuleSet,
    grants: SessionGrants,
    mode: Mode,
    root: Path,
    shown: str,
    places: Places | None = None,
    is_trusted: bool = False,
) -> Judgement:
    """Judge a call. `root` is the workspace's real path, `shown` what the person would approve.

    Without `places` they are worked out from this process's environment. `is_trusted`: the person
    trusts the folder, so what its repository configures counts as theirs.
    """
    if not call.permission:
        return Judgement("allow", "It needs no permission.")
    if "\0" in call.path:
        return Judgement("deny", "No path can hold a NUL character.")
    places = places or current_places()
    is_granted = grants.covers_shown(call.permission, shown)
    if call.permission == "Bash":
        folder = Path(os.path.realpath(root / call.path))
        around = Surroundings(root, places, (folder,), is_trusted)
        found = judge_command(ShellCall(call.command, rules, mode, around, is_granted))
    elif call.permission in {"Read", "Edit"}:
        is_granted = is_granted or (call.permission == "Edit" and grants.covers_edit(call.path))
        found = _judge_file(call, rules, mode, root, places, is_granted=is_granted)
    else:
        host = host_of(call.address)
        is_granted = is_granted or (call.permission == "WebFetch" and grants.covers_host(host))
        found = _judge_other(call, host, rules, mode, is_granted=is_granted)
    if found.verdict == "allow" and rules.closed and not is_granted:
        return Judgement("ask", f"{rules.closed}, so nothing is allowed unasked.")
    return found


def may_read(path: Path, *, rules: RuleSet, root: Path, places: Places | None = None) -> bool:
    """Tell whether a search may show a file it comes across: not one that reading would ask for."""
    places = places or current_places()
    if is_own(path, places) or why_secret(path, root):
        return False
    return _forbidding((*rules.deny, *rules.ask), "Read", path, root, places) is None


def _judge_file(
    call: JudgedCall, rules: RuleSet, mode: Mode, root: Path, places: Places, *, is_granted: bool
) -> Judgement:
    path = Path(call.path)
    is_edit = call.permission == "Edit"
    if is_own(path, places):
        return Judgement("deny", "It is one of Lararium's own files, which no tool may touch.")
    if rule := _forbidding(rules.deny, call.permission, path, root, places):
        return ruled("deny", rule)
    if is_edit and mode == "plan":
        return Judgement("deny", "Plan mode only reads.")
    protected = why_protected(path, root, places) if is_edit else why_secret(path, root)
    if is_granted and not (is_edit and protected):
        return Judgement("allow", "You allowed it for the session.")
    if protected:
        return Judgement("ask", f"{protected[0].upper()}{protected[1:]}.")
    if rule := _forbidding(rules.ask, call.permission, path, root, places):
        return ruled("ask", rule)
    for rule in rules.allow:
        if rule.tool == call.permission and (
            rule.path is None or rule.path.allows(path, root, places.home)
        ):
            return ruled("allow", rule)
    return _file_by_mode(path, mode, root, is_edit=is_edit)


def _file_by_mode(path: Path, mode: Mode, root: Path, *, is_edit: bool) -> Judgement:
    is_inside = is_within(path, root)
    if mode == "yolo":
        return Judgement("allow", "This session allows every file.")
    if is_inside and not is_edit:
        return Judgement("allow", "Reading inside the project is allowed.")
    if is_inside and mode == "accept-edits":
        return Judgement("allow", "This session accepts edits inside the project.")
    if not is_inside:
        return Judgement("ask", f"{path} lies outside the project.")
    suggested = f"Edit({escape_path(path.relative_to(root).as_posix())})"
    return Judgement("ask", "No rule allows this edit.", suggested_rules=[suggested])


def _forbidding(
    rules: tuple[Rule, ...], permission: str, path: Path, root: Path, places: Places
) -> Rule | None:
    """Find the first rule that forbids; what may not be read may not be edited either."""
    for rule in rules:
        is_meant = rule.tool == permission or (rule.tool == "Read" and permission == "Edit")
        if is_meant and (rule.path is None or rule.path.forbids(path, root, places.home)):
            return rule
    return None


def _judge_other(
    call: JudgedCall, host: str, rules: RuleSet, mode: Mode, *, is_granted: bool
) -> Judgement:
    is_subagent = call.permission == "Agent"
    for verdict, entries in (("deny", rules.deny), ("ask", rules.ask), ("allow", rules.allow)):
        if verdict == "ask" and mode == "plan" and call.effect != "read" and not is_subagent:
            return Judgement("deny", "Plan mode only reads.")
        if verdict == "ask" and is_granted:
            return Judgement("allow", "You allowed it for the session.")
        for rule in entries:
            if _means(rule, call, host, forbids=verdict != "allow"):
                return replace(
                    ruled("ask", rule), verdict=verdict, reason=f"By the rule {rule.text}."
                )
    if mode == "yolo":
        return Judgement("allow", "This session allows every tool.")
    if is_subagent:
        return Judgement("allow", "A subagent is judged by each of its own calls.")
    if call.permission == "WebFetch" and host:
        suggested = [f"WebFetch(domain:{host})"]
        return Judgement("ask", f"No rule allows pages of {host}.", suggested_rules=suggested)
    return Judgement("ask", "No rule allows this tool.")


def _means(rule: Rule, call: JudgedCall, host: str, *, forbids: bool) -> bool:
    if not _is_named(rule.tool, call.permission):
        return False
    if rule.domain is None:
        return rule.spec is None
    return rule.domain.forbids(host) if forbids else rule.domain.allows(host)


def _is_named(name: str, permission: str) -> bool:
    """Tell whether a rule's name means a permission; `mcp__server` means all its tools."""
    return permission == name or (
        name.startswith("mcp__") and name.count("__") == 1 and permission.startswith(f"{name}__")
    )
