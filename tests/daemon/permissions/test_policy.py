"""The policy for files and for tools of other kinds."""

from collections.abc import Sequence

import pytest
from tests.daemon.permissions.conftest import Bench

from lararium_daemon.permissions.judgement import JudgedCall, Judgement
from lararium_daemon.permissions.policy import judge, may_read
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.protocol.permissions import Mode, Verdict


@pytest.mark.parametrize(
    ("mode", "inside", "outside"),
    [
        ("default", "ask", "ask"),
        ("accept-edits", "allow", "ask"),
        ("plan", "deny", "deny"),
        ("yolo", "allow", "allow"),
    ],
)
def test_edits_by_mode(bench: Bench, mode: Mode, inside: Verdict, outside: Verdict) -> None:
    assert bench.file("Edit", bench.root / "a", mode=mode).verdict == inside
    assert bench.file("Edit", bench.home / "a", mode=mode).verdict == outside


@pytest.mark.parametrize(
    ("mode", "outside"),
    [("default", "ask"), ("accept-edits", "ask"), ("plan", "ask"), ("yolo", "allow")],
)
def test_reads_by_mode(bench: Bench, mode: Mode, outside: Verdict) -> None:
    assert bench.file("Read", bench.root / "a", mode=mode).verdict == "allow"
    assert bench.file("Read", bench.home / "a", mode=mode).verdict == outside


@pytest.mark.parametrize("name", [".env", "sub/.ENV.local", "server.pem", "id_rsa", ".npmrc"])
def test_secrets_ask_before_they_are_read(bench: Bench, name: str) -> None:
    assert bench.file("Read", bench.root / name, mode="yolo", allow=["Read"]).verdict == "ask"


@pytest.mark.parametrize("name", [".env.example", "id_rsa.pub", "identity.py", "monkey.py"])
def test_names_that_only_resemble_a_secret_are_read(bench: Bench, name: str) -> None:
    assert bench.file("Read", bench.root / name).verdict == "allow"


@pytest.mark.parametrize(
    "name",
    [
        ".git/hooks/pre-commit",
        ".GIT/config",
        ".git./config",
        ".g\u200cit/config",
        "GIT~1/config",
        "sub/.git/config",
        ".claude/settings.json",
        "AGENTS.md",
        "sub/claude.md",
        ".github/workflows/ci.yml",
        ".vscode/tasks.json",
        ".envrc",
        ".husky/pre-push",
    ],
)
def test_protected_files_ask_before_they_are_changed_in_every_mode(bench: Bench, name: str) -> None:
    for mode in ("default", "accept-edits", "yolo"):
        found = bench.file("Edit", bench.root / name, mode=mode, allow=["Edit"])
        assert found.verdict == "ask", mode


@pytest.mark.parametrize("path", ["/etc/hosts", "/usr/lib/x", "/var/spool/cron/root"])
def test_system_files_ask_in_yolo(bench: Bench, path: str) -> None:
    assert bench.file("Edit", bench.root / path, mode="yolo").verdict == "ask"


def test_keys_in_the_home_folder_ask_in_yolo(bench: Bench) -> None:
    key = bench.home / ".ssh" / "authorized_keys"

    assert bench.file("Edit", key, mode="yolo").verdict == "ask"
    assert bench.file("Read", key, mode="yolo").verdict == "ask"


def test_our_own_files_are_denied_in_every_mode(bench: Bench) -> None:
    own = bench.home / "lararium-state" / "x" / "token"

    assert bench.file("Read", own, mode="yolo", allow=["Read"]).verdict == "deny"
    assert bench.file("Edit", own, mode="yolo", allow=["Edit"]).verdict == "deny"


@pytest.mark.parametrize(
    ("rule", "name", "expected"),
    [
        ("Edit(/src/**)", "src/a/b", "allow"),
        ("Edit(/src)", "src/a", "allow"),
        ("Edit(/src/**)", "sub/src/a", "ask"),
        ("Edit(*.md)", "sub/a.md", "allow"),
        ("Edit(*.md)", "sub/A.MD", "ask"),
        ("Edit", "x", "allow"),
        ("Read(/src/**)", "src/a", "ask"),
    ],
)
def test_allow_rules_of_files(bench: Bench, rule: str, name: str, expected: str) -> None:
    assert bench.file("Edit", bench.root / name, allow=[rule]).verdict == expected


def test_rules_reach_outside_by_home_and_by_absolute_path(bench: Bench) -> None:
    notes = bench.home / "notes" / "a"

    assert bench.file("Edit", notes, allow=["Edit(~/notes/**)"]).verdict == "allow"
    assert bench.file("Edit", notes, allow=[f"Edit(/{notes})"]).verdict == "allow"
    assert bench.file("Edit", notes, allow=["Edit(notes/**)"]).verdict == "ask"


@pytest.mark.parametrize("rule", ["Edit(/SRC/**)", "Edit(a.txt)", "Read(/src)", "Edit"])
def test_deny_rules_ignore_case_and_go_before_everything(bench: Bench, rule: str) -> None:
    path = bench.root / "src" / "a.txt"
    bench.grants.add("Edit", shown="x", path=str(path))

    found = bench.file("Edit", path, allow=["Edit"], deny=[rule], mode="yolo")

    assert (found.verdict, found.rule) == ("deny", rule)


def test_an_ask_rule_goes_before_an_allow_rule(bench: Bench) -> None:
    found = bench.file("Edit", bench.root / "a", allow=["Edit(/a)"], ask=["Edit"])

    assert (found.verdict, found.rule) == ("ask", "Edit")


def test_a_session_grant_covers_the_file_but_not_a_protected_one(bench: Bench) -> None:
    for name in ("a", ".envrc"):
        bench.grants.add("Edit", shown="other diff", path=str(bench.root / name))

    assert bench.file("Edit", bench.root / "a").verdict == "allow"
    assert bench.file("Edit", bench.root / "b").verdict == "ask"
    assert bench.file("Edit", bench.root / ".envrc").verdict == "ask"


@pytest.mark.parametrize("name", ["src/a b.py", "app/[id]/x*.ts", "#a", "a ", "!b", "a\\b"])
def test_the_suggested_rule_means_this_file_only(bench: Bench, name: str) -> None:
    found = bench.file("Edit", bench.root / name)

    assert len(found.suggested_rules) == 1
    assert bench.file("Edit", bench.root / name, allow=found.suggested_rules).verdict == "allow"
    for other in ("src/b", "app/i/x.ts", "a", "b"):
        again = bench.file("Edit", bench.root / other, allow=found.suggested_rules)
        assert again.verdict == "ask", other


def test_nothing_is_suggested_outside_the_project(bench: Bench) -> None:
    assert bench.file("Edit", bench.home / "a").suggested_rules == []


def test_a_set_that_cannot_be_read_fully_allows_nothing_unasked(bench: Bench) -> None:
    rules = RuleSet.merged(RuleSet.parse(allow=["WebFetch"]), RuleSet.broken("x is broken"))

    found = bench.other("WebFetch", rules=rules, mode="yolo")

    assert (found.verdict, found.reason) == ("ask", "x is broken, so nothing is allowed unasked.")


def test_a_tool_without_permission_name_never_asks(bench: Bench) -> None:
    assert bench.other("", rules=RuleSet.broken("x")).verdict == "allow"


@pytest.mark.parametrize(
    ("rule", "permission", "expected"),
    [
        ("mcp__files", "mcp__files__read", "allow"),
        ("mcp__files__read", "mcp__files__read", "allow"),
        ("mcp__files__read", "mcp__files__write", "ask"),
        ("mcp__file", "mcp__files__read", "ask"),
        ("Bash", "mcp__x__Bash", "ask"),
    ],
)
def test_rules_of_other_tools(bench: Bench, rule: str, permission: str, expected: str) -> None:
    assert bench.other(permission, rules=RuleSet.parse(allow=[rule])).verdict == expected


def test_other_tools_by_mode(bench: Bench) -> None:
    assert bench.other("WebFetch", mode="yolo").verdict == "allow"
    assert bench.other("WebFetch", mode="plan").verdict == "deny"
    denied = bench.other("WebFetch", rules=RuleSet.parse(deny=["WebFetch"]), mode="yolo")
    assert denied.verdict == "deny"


def test_a_search_shows_no_secret_and_nothing_a_rule_forbids(bench: Bench) -> None:
    rules = RuleSet.parse(deny=["Read(/private/**)"], ask=["Read(*.log)"])

    def shown(name: str) -> bool:
        return may_read(bench.root / name, rules=rules, root=bench.root, places=bench.places)

    assert shown("a.py")
    assert not shown(".env")
    assert not shown("private/a")
    assert not shown("x/a.LOG")


def page(
    bench: Bench,
    address: str,
    mode: Mode = "default",
    *,
    allow: Sequence[str] = (),
    ask: Sequence[str] = (),
    deny: Sequence[str] = (),
) -> Judgement:
    return judge(
        JudgedCall("web_fetch", "WebFetch", "read", address=address),
        rules=RuleSet.parse(allow=allow, ask=ask, deny=deny),
        grants=bench.grants,
        mode=mode,
        root=bench.root,
        shown=address,
        places=bench.places,
    )


@pytest.mark.parametrize(
    ("rule", "address", "allowed", "denied"),
    [
        ("WebFetch(domain:example.com)", "https://example.com/a", True, True),
        ("WebFetch(domain:Example.COM.)", "http://EXAMPLE.com:8080/", True, True),
        ("WebFetch(domain:example.com)", "https://www.example.com/", False, True),
        ("WebFetch(domain:*.example.com)", "https://www.example.com/", True, True),
        ("WebFetch(domain:*.example.com)", "https://example.com/", False, True),
        ("WebFetch(domain:example.com)", "https://badexample.com/", False, False),
        ("WebFetch(domain:example.com)", "https://example.com.evil.org/", False, False),
        ("WebFetch(domain:example.com)", "https://evil.org/?example.com", False, False),
        ("WebFetch(domain:bücher.example)", "https://xn--bcher-kva.example/", True, True),
        ("WebFetch", "https://example.com/", True, True),
    ],
)
def test_rules_on_pages_compare_hosts(
    bench: Bench, rule: str, address: str, allowed: bool, denied: bool
) -> None:
    assert (page(bench, address, allow=[rule]).verdict == "allow") == allowed
    assert (page(bench, address, deny=[rule], mode="yolo").verdict == "deny") == denied


@pytest.mark.parametrize("spec", ["example.com", "domain:", "domain:*", "domain:a b", "host:a.b"])
def test_a_rule_on_pages_that_names_no_host_matches_nothing(spec: str) -> None:
    assert len(RuleSet.parse(allow=[f"WebFetch({spec})"]).problems) == 1


@pytest.mark.parametrize(
    ("mode", "verdict"),
    [("default", "ask"), ("accept-edits", "ask"), ("plan", "ask"), ("yolo", "allow")],
)
def test_pages_by_mode(bench: Bench, mode: Mode, verdict: Verdict) -> None:
    assert page(bench, "https://a.example/", mode=mode).verdict == verdict


def test_always_means_the_host_and_so_does_the_session(bench: Bench) -> None:
    found = page(bench, "https://a.example/x")
    assert found.suggested_rules == ["WebFetch(domain:a.example)"]
    assert page(bench, "https://a.example/y", allow=found.suggested_rules).verdict == "allow"

    bench.grants.add("WebFetch", shown="https://a.example/x", host="a.example")

    assert page(bench, "https://a.example/y").verdict == "allow"
    assert page(bench, "https://b.example/y").verdict == "ask"
    assert page(bench, "https://a.example/y", ask=["WebFetch"]).verdict == "allow"
    assert page(bench, "https://a.example/y", deny=["WebFetch"]).verdict == "deny"


@pytest.mark.parametrize("permission", ["Read", "Edit"])
def test_a_path_that_no_file_can_have_is_denied_and_breaks_nothing(
    bench: Bench, permission: str
) -> None:
    denied = bench.file(permission, bench.root / "a\0b", mode="yolo")
    assert (denied.verdict, denied.reason) == ("deny", "No path can hold a NUL character.")
