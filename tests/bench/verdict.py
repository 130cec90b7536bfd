"""P11: how long the policy takes to judge a command, for every day's ones and for the worst."""

import time
from pathlib import Path

from tests.bench.figures import Figure, median

from lararium_daemon.permissions.grants import SessionGrants
from lararium_daemon.permissions.judgement import JudgedCall
from lararium_daemon.permissions.places import Places
from lararium_daemon.permissions.policy import judge
from lararium_daemon.permissions.rules import RuleSet

TABLES = Path(__file__).resolve().parents[1] / "daemon" / "permissions"
ROOT = Path("/no/such/project")
PLACES = Places(Path("/no/such/home"), (Path("/no/such/home/own"),))
RULES = RuleSet.parse(
    allow=[f"Bash({name} *)" for name in ("git log", "npm run", "rg", "pytest")],
    deny=["Bash(rm -rf *)", "Bash(git push *)"],
)
REPEATS = 5
WORST = (
    "echo " + "x" * 100_000,
    "ls " + "a b " * 25_000,
    "ls; " * 20_000,
    "echo " + "$(" * 5_000,
    "{" * 5_000 + "a,b" + "}" * 5_000,
    "cat " + "<<A " * 5_000,
    "a" + "|a" * 20_000,
    "\0\ud800" * 20_000,
)


def verdict() -> list[Figure]:
    """Measure it."""
    usual = [_least(command) for command in _commands()]
    worst = [_least(command) for command in WORST]
    return [
        Figure("P11", "verdict, median of the tables' commands", median(usual), None, "ms", 1.0),
        Figure("P11", "verdict, the slowest of the tables", max(usual), None, "ms", 50.0),
        Figure("P11", "verdict, the slowest of huge and broken texts", max(worst), None, "ms", 50),
    ]


def _commands() -> list[str]:
    return [
        line.split("\t", 1)[1].encode().decode("unicode_escape")
        for name in ("verdicts.tsv", "attacks.tsv")
        for line in (TABLES / name).read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]


def _least(command: str) -> float:
    """Give the milliseconds of one verdict; what else the machine does counts only upwards."""
    return min(_once(command) for _ in range(REPEATS)) * 1000


def _once(command: str) -> float:
    begun = time.perf_counter()
    call = JudgedCall("bash", "Bash", "exec", command)
    judge(
        call,
        rules=RULES,
        grants=SessionGrants(),
        mode="default",
        root=ROOT,
        shown=command,
        places=PLACES,
    )
    return time.perf_counter() - begun
