"""The system prompt: built in, or in the person's own words."""

from pathlib import Path

from lararium_daemon.agent.context import OwnPrompt, system_prompt

ROOT = Path("/w")


def test_own_words_come_after_the_built_in_ones_and_before_instructions() -> None:
    own = OwnPrompt(append="Answer in {haiku}.", project="Use {tabs}.")
    text = system_prompt(ROOT, "default", "INSTRUCTIONS", own)
    parts = ("Workspace: /w", "Answer in {haiku}.", "Use {tabs}.", "INSTRUCTIONS")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_own_words_may_replace_the_built_in_ones_but_not_the_rule_of_plan_mode() -> None:
    text = system_prompt(ROOT, "plan", own=OwnPrompt(replace="You work in {root}. {x}"))
    assert text.startswith("You work in /w. {x}")
    assert "agent of Lararium" not in text
    assert "plan mode" in text
