"""*Allow once* is offered outside the app for what is harmless by its kind, and nothing else."""

from dataclasses import replace
from itertools import product

import pytest

from lararium_daemon.protocol.confined import AskFacts, buttons, may_allow_once

EDIT = AskFacts("Edit", is_parsed=True, is_risky=False, is_inside=True, is_protected=False)


@pytest.mark.parametrize(
    ("facts", "allowed"),
    [
        (EDIT, True),
        (replace(EDIT, is_parsed=False), False),
        (replace(EDIT, is_risky=True), False),
        (replace(EDIT, is_inside=False), False),
        (replace(EDIT, is_protected=True), False),
        (replace(EDIT, is_protected=True, in_sandbox=True), False),
        (replace(EDIT, permission="Bash"), False),
        (replace(EDIT, permission="Bash", in_sandbox=True), True),
        (replace(EDIT, permission="Bash", in_sandbox=True, is_risky=True), False),
        (replace(EDIT, permission="Bash", in_sandbox=True, is_parsed=False), False),
        (replace(EDIT, permission="Read"), False),
        (replace(EDIT, permission="WebFetch"), False),
        (replace(EDIT, permission="mcp__files__write", in_sandbox=True), False),
        (replace(EDIT, permission=""), False),
    ],
)
def test_allow_once_is_for_confined_requests_alone(facts: AskFacts, allowed: bool) -> None:
    assert may_allow_once(facts) is allowed


def test_no_command_may_be_allowed_unseen_without_a_sandbox() -> None:
    for parsed, risky, inside, protected in product((True, False), repeat=4):
        facts = AskFacts("Bash", parsed, risky, inside, protected, in_sandbox=False)
        assert not may_allow_once(facts)


@pytest.mark.parametrize(
    ("allow_once", "is_remote", "offered"),
    [
        (True, False, ("allow_once", "deny")),
        (False, False, ("review", "deny")),
        (True, True, ("review",)),
        (False, True, ("review",)),
    ],
)
def test_the_buttons_follow_the_rule(
    allow_once: bool, is_remote: bool, offered: tuple[str, ...]
) -> None:
    assert buttons(allow_once=allow_once, is_remote=is_remote) == offered
