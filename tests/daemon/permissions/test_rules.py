"""Reading rules."""

import pytest

from lararium_daemon.permissions.rules import RuleSet


@pytest.mark.parametrize(
    "entry",
    [
        *("Bash(ls", "Bash()", "Bash( )", "Bash(a; b)", "Bash('a)", "Bash(a\\)", "bash(ls)", ""),
        *(7, "read", "Bash(ls)x", "Read(/)", "Read(!a)", "Bash(a $(b))", "Edit(a[[]b)"),
    ],
)
def test_a_malformed_rule_is_named_and_matches_nothing(entry: object) -> None:
    rules = RuleSet.parse(allow=["Bash(ok)", entry], source="rules.json")

    assert [rule.text for rule in rules.allow] == ["Bash(ok)"]
    assert len(rules.problems) == 1
    assert "rules.json, allow rule 2" in rules.problems[0]
    assert repr(entry) in rules.problems[0]
    assert rules.closed == ""


def test_a_malformed_rule_that_forbids_closes_the_set() -> None:
    rules = RuleSet.parse(ask=["Bash(rm"], source="rules.json")

    assert rules.closed == "rules.json, ask rule 1 cannot be read"
    assert RuleSet.parse(deny=["Bash(rm"]).closed
    assert RuleSet.merged(RuleSet.parse(allow=["Bash"]), rules).closed


def test_a_rule_for_an_unknown_tool_only_warns() -> None:
    rules = RuleSet.parse(deny=["Frobnicate", "Write"])

    assert len(rules.problems) == 2
    assert rules.closed == ""


@pytest.mark.parametrize(
    ("rule", "argv", "named"),
    [
        ("Bash(git log *)", ["git", "log"], 2),
        ("Bash(git log *)", ["git", "log", "-1"], 2),
        ("Bash(git log:*)", ["git", "log", "-1"], 2),
        ("Bash(git log)", ["git", "log", "-1"], None),
        ("Bash(npm run test*)", ["npm", "run", "test:unit"], 3),
        ("Bash(git log '*')", ["git", "log", "x"], None),
        ("Bash(git log '*')", ["git", "log", "*"], 3),
        ('Bash(a \\* "b c")', ["a", "*", "b c"], 3),
        ("Bash(* --version)", ["node", "--version"], 2),
        ("Bash(* --version)", ["./node", "--version"], None),
        ("Bash(./run *)", ["./run", "x"], 1),
        ("Bash(gitx *)", ["git"], None),
        ("Bash(*)", ["anything"], 0),
        ("Bash", ["anything"], 0),
    ],
)
def test_a_shell_rule_matches_words(rule: str, argv: list[str], named: int | None) -> None:
    parsed = RuleSet.parse(allow=[rule])

    assert parsed.problems == []
    assert parsed.allow[0].command is not None
    assert parsed.allow[0].command.matched_words(argv) == named


def test_merging_keeps_order_and_problems() -> None:
    merged = RuleSet.merged(
        RuleSet.parse(allow=["Bash(a)", "x"], scope="run"), RuleSet.parse(allow=["Bash(b)"])
    )

    assert [(rule.text, rule.scope) for rule in merged.allow] == [
        ("Bash(a)", "run"),
        ("Bash(b)", "user"),
    ]
    assert len(merged.problems) == 1
