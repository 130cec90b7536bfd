"""Four properties that no list of examples can show; 5,000 examples with LARARIUM_RELIABILITY=full.

1 what is allowed starts only the programs it names, writes nothing and opens no secret, as seen by
a tracer; 2 an allow rule lifts no deny and no ask of a rule; 3 an unknown command let in at any
place is never allowed; 4 every text gets its verdict, and soon.
"""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from time import thread_time

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.fakes.shell_scripts import scripts

from lararium_daemon.permissions.grants import SessionGrants
from lararium_daemon.permissions.judgement import JudgedCall, Judgement
from lararium_daemon.permissions.places import Places
from lararium_daemon.permissions.policy import judge
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.permissions.shell import analyse

EXAMPLES = 5_000 if os.environ.get("LARARIUM_RELIABILITY") == "full" else 500
MAX_SECONDS = 0.05
"""Of the thread's own computing time: what else the machine does must not count."""
SEARCHES = ["find", "sed", "awk", "sort", "rg", "grep", "git log", "git diff", "ls", "cat"]
RULES = RuleSet.parse(
    allow=[f"Bash({name} *)" for name in SEARCHES],
    ask=["Bash(git show)"],
    deny=["Bash(tee *)", "Bash(git push)", "Read(/out)"],
)
TRACER = ("strace", "-f", "-qq", "-s", "300", "-e")
SHELL = ("bash", "--noprofile", "--norc", "-c")
NOWHERE = Path("/no/such/project")

often = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
        HealthCheck.function_scoped_fixture,
    ],
)


def verdict(command: str, rules: RuleSet = RULES, root: Path = NOWHERE) -> Judgement:
    return judge(
        JudgedCall("bash", "Bash", "exec", command),
        rules=rules,
        grants=SessionGrants(),
        mode="default",
        root=root,
        shown=command,
        places=Places(root.parent / "home", (root.parent / "home" / "own",)),
    )


@cache
def why_no_tracer() -> str:
    """Say why the traced property cannot run, "" when it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(["strace", "-f", "true"], capture_output=True, check=False)
    return "" if tried.returncode == 0 else "ptrace is not permitted here"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with text, two secrets, and a link and a neighbour outside of it."""
    base = tmp_path_factory.mktemp("traced").resolve()
    root = base / "project"
    (root / "sub").mkdir(parents=True)
    (base / "home").mkdir()
    for name in ("a.txt", "sub/b.txt", ".env", "sub/.env", "../out", "script", "names", "tool"):
        (root / name).write_text("a b\n1 2\n", "utf-8")
    (root / "link").symlink_to(base / "out")
    (root / "tool").chmod(0o755)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(root))
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "a.txt", "sub/b.txt"],
        ["commit", "-qm", "x"],
    ):
        subprocess.run([*git, *words], check=True, env=_environment(base), capture_output=True)
    return root


def _environment(base: Path) -> dict[str, str]:
    # git's own refresh of its index is left out: it is no act of the command that is judged
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat", "GIT_CONFIG_NOSYSTEM": "1"}
    return {"PATH": os.environ["PATH"], "HOME": str(base / "home"), "LC_ALL": "C"} | quiet


_CALLS = (
    "execve,open,openat,openat2,creat,truncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,"
    "mkdirat,rmdir,link,linkat,symlink,symlinkat,chmod,fchmodat,chown,fchownat,mknod,mknodat,connect"
)
_LINE = re.compile(r"(?:\d+ +)?(?P<call>\w+)\((?P<rest>.*)\) += +(?P<result>-?\d+)")
_HELPERS = {"bash", "sh", "grep"}
"""What starts the script, and what `which` and `egrep` are written in."""


def _acts(command: str, root: Path) -> list[tuple[str, str]]:
    log = root.parent / "trace"
    subprocess.run(
        [*TRACER, f"trace={_CALLS}", "-o", str(log), *SHELL, command],
        cwd=root,
        env=_environment(root.parent),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=60,
    )
    matches = map(_LINE.match, log.read_text("utf-8", "replace").splitlines())
    return [(m["call"], m["rest"]) for m in matches if m and int(m["result"]) >= 0]


def _harm(call: str, rest: str, allowed: set[str]) -> str:
    """Say what is wrong with one thing that a command did."""
    quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', rest)
    if call == "execve":
        name = Path(quoted[0]).name
        return "" if name in allowed | _HELPERS else f"started {name}"
    if call in {"open", "openat", "openat2"}:
        path = quoted[0]
        if re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", rest) and path not in {
            "/dev/null",
            "/dev/tty",
        }:
            return f"wrote {path}"
        return f"opened {path}" if Path(path).name in {".env", "out", "link"} else ""
    return "" if call == "connect" and "AF_UNIX" in rest else f"{call} {rest}"


traced = pytest.mark.skipif(why_no_tracer() != "", reason=why_no_tracer() or "it runs")


@traced
@pytest.mark.parametrize(
    ("command", "seen"),
    [
        (": > new", "wrote new"),
        ("mkdir made", "started mkdir"),
        ("cat .env", "opened .env"),
        ("cat link", "opened link"),
        ("sort -o new a.txt", "wrote new"),
        ("find . -name a.txt -exec true ;", "started true"),
    ],
)
def test_the_tracer_sees_harm(project: Path, command: str, seen: str) -> None:
    allowed = {"cat", "sort", "find"}
    found = [_harm(*act, allowed) for act in _acts(command.replace(";", r"\;"), project)]

    assert seen in found
    for made in ("new", "made"):
        subprocess.run(["rm", "-rf", str(project / made)], check=True)


@traced
@pytest.mark.timeout(3_600)
@often
@given(scripts())
def test_what_is_allowed_does_nothing_but_read_in_the_project(project: Path, command: str) -> None:
    assume(verdict(command, root=project).verdict == "allow")
    allowed = {word.rsplit("/", 1)[-1] for argv in analyse(command).commands for word in argv[:3]}

    harm = [found for act in _acts(command, project) if (found := _harm(*act, allowed))]

    assert harm == []


@often
@given(
    scripts(), st.sampled_from(["Bash", "Bash(*)", "Bash(tee *)", "Bash(git *)", "Bash(git show)"])
)
def test_an_allow_rule_lifts_no_deny_and_no_ask_of_a_rule(command: str, rule: str) -> None:
    before = verdict(command)
    after = verdict(command, RuleSet.merged(RULES, RuleSet.parse(allow=[rule])))

    assert (before.verdict == "deny") == (after.verdict == "deny")
    if before.verdict == "ask" and before.rule is not None:
        assert (after.verdict, after.rule) == ("ask", before.rule)
    if before.verdict == "allow":
        assert after.verdict == "allow"


WORDS = [
    *(["ls", "-la", "sub"], ["cat", "a.txt"], ["grep", "-n", "'x y'", "sub/b.txt"]),
    *(["git", "log", "--oneline", "-5"], ["find", ".", "-name", "'*.py'"], ["echo", "done"]),
    *(["sort", "-rn", "a.txt"], ["sed", "-n", "1,5p", "a.txt"], ["rg", "x", "sub"], ["pwd"]),
]
OPERATORS = [
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    "|&",
    ";;",
    "$(",
    "`",
    "<(",
    ">",
    ">>",
    "<",
    "<<",
    "<<<",
]
UNKNOWN = [
    *("evil", "./evil", "python3 x", "sh", "touch x", "env ls", "xargs ls", "npm test", "cat ../x"),
    *("cat .env", "git push", "sort -o x y", "find . -delete", "sed -i p x", "exec ls", "eval ls"),
]


@often
@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
    st.sampled_from(["&&", ";", "|"]),
    st.integers(0, 20),
    st.sampled_from(OPERATORS),
    st.sampled_from(UNKNOWN),
    st.sampled_from(["", ")", "`", "\n", ";", "; ls"]),
)
def test_an_unknown_command_is_never_allowed_wherever_it_is_let_in(
    parts: list[list[str]], joiner: str, place: int, operator: str, command: str, end: str
) -> None:
    tokens = list(parts[0])
    for part in parts[1:]:
        tokens += [joiner, *part]
    assert verdict(" ".join(tokens)).verdict == "allow"
    at = min(max(place, 1), len(tokens))

    script = " ".join([*tokens[:at], operator, command + end, *tokens[at:]])

    assert verdict(script).verdict != "allow", script


texts = (
    st.text(st.characters() | st.sampled_from("\ud800\udc80\0\u200b"), max_size=400)
    | st.lists(
        st.sampled_from([*"'\"\\$`(){}[]<>|&;*?~#!=:@%+,-/ \n\t", "rm", "-rf", "git", "..", "é"]),
        max_size=300,
    ).map("".join)
    | scripts()
)


@often
@given(texts)
def test_every_text_gets_its_verdict_soon(text: str) -> None:
    seconds: list[float] = []
    for _ in range(3):
        start = thread_time()
        assert verdict(text).reason
        seconds.append(thread_time() - start)
        if seconds[-1] < MAX_SECONDS:
            break

    assert min(seconds) < MAX_SECONDS
