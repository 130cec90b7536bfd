"""What holds for every command, whatever it is."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lararium_daemon.permissions.grants import SessionGrants
from lararium_daemon.permissions.judgement import JudgedCall, Judgement
from lararium_daemon.permissions.places import Places
from lararium_daemon.permissions.policy import judge
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.permissions.shell_policy import ONLY_READS
from lararium_daemon.permissions.token_pattern import PatternError, parse_pattern
from lararium_daemon.protocol.permissions import Mode

ROOT = Path("/no/such/project")
PLACES = Places(Path("/no/such/home"), (Path("/no/such/home/own"),))
ALLOWED = [
    *("git status", "git log -1", "ls sub", "cat a.txt", "grep -rn 'x y' sub", "npm test -- a"),
    *("CI=1 npm test", "echo done", "ls >/dev/null 2>&1"),
]
ALLOW = [f"Bash({name} *)" for name in ("git status", "git log", "ls", "cat", "grep", "npm test")]
RULES = RuleSet.parse(allow=[*ALLOW, "Bash(echo *)"], deny=["Bash(rm -rf *)", "Read(~/.ssh)"])


def shell(command: str, rules: RuleSet = RULES, mode: Mode = "default") -> Judgement:
    return judge(
        JudgedCall("bash", "Bash", "exec", command),
        rules=rules,
        grants=SessionGrants(),
        mode=mode,
        root=ROOT,
        shown=command,
        places=PLACES,
    )


scripts = st.lists(st.sampled_from(ALLOWED), min_size=1, max_size=4)
joiners = st.sampled_from([" && ", " || ", "; ", " | ", "\n"])
anything = st.text(st.characters() | st.sampled_from("\ud800\udc80\0\u200b"), max_size=200)
shelly = st.lists(
    st.sampled_from([*"'\"\\$`(){}[]<>|&;*?~#!=: \n\t", "rm", "-rf", "git", "ls", "/", "..", "é"])
).map("".join)


@given(scripts, joiners)
def test_allowed_commands_joined_are_allowed(parts: list[str], joiner: str) -> None:
    assert shell(joiner.join(parts)).verdict == "allow"


@given(
    scripts,
    st.integers(0, 4),
    st.sampled_from([";", "&&", "||", "|", "&", "\n", "|&", ";;", " $(", " `", " <(", ">", " <<"]),
    st.sampled_from(["evil", "python x", "sh", "git push", "cat /etc/passwd", "touch x"]),
    st.sampled_from(["", ")", "`", "\n", " "]),
)
def test_a_command_let_in_anywhere_is_never_allowed(
    parts: list[str], place: int, operator: str, command: str, end: str
) -> None:
    parts.insert(min(place, len(parts)), f"ls {operator}{command}{end}")

    assert shell("; ".join(parts)).verdict != "allow"


@given(anything | shelly, st.sampled_from(["default", "accept-edits", "plan", "yolo"]))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_every_text_gets_a_verdict(text: str, mode: Mode) -> None:
    assert shell(text, mode=mode).reason


@given(anything | shelly)
def test_without_an_allow_rule_only_reading_is_allowed(text: str) -> None:
    found = shell(text, RuleSet.parse(deny=["Bash(x *)"]))

    assert found.verdict != "allow" or found.reason == ONLY_READS


@given(shelly, st.sampled_from(["Bash(git *)", "Bash", "Bash(ls)"]))
def test_an_allow_rule_never_lifts_a_deny(text: str, rule: str) -> None:
    before = shell(text).verdict
    after = shell(text, RuleSet.merged(RULES, RuleSet.parse(allow=[rule]))).verdict

    assert (before == "deny") == (after == "deny")


@given(anything)
def test_every_path_gets_a_verdict(text: str) -> None:
    call = JudgedCall("x", "Edit", "write", path=f"{ROOT}/{text}")

    judge(
        call, rules=RULES, grants=SessionGrants(), mode="yolo", root=ROOT, shown="", places=PLACES
    )


@given(anything | shelly)
def test_every_rule_is_read_or_named(text: str) -> None:
    for rule in (text, f"Bash({text})", f"Read({text})", f"Edit({text})"):
        rules = RuleSet.parse(allow=[rule])
        assert len(rules.allow) + len(rules.problems) == 1


@given(shelly)
def test_a_pattern_is_never_wider_than_its_words(text: str) -> None:
    try:
        pattern = parse_pattern(text)
    except PatternError:
        return
    if pattern.words:
        assert pattern.matched_words(["something-else"]) is None or pattern.words[0].glob
