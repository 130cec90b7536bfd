"""A workspace to judge in, and one way to judge."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lararium_daemon.permissions.grants import SessionGrants
from lararium_daemon.permissions.judgement import JudgedCall, Judgement
from lararium_daemon.permissions.places import Places
from lararium_daemon.permissions.policy import judge
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.protocol.permissions import Mode


@dataclass
class Bench:
    """Judges calls in a workspace."""

    root: Path
    home: Path
    grants: SessionGrants = field(default_factory=SessionGrants)
    is_trusted: bool = False

    @property
    def places(self) -> Places:
        return Places(self.home, (self.home / "lararium-state",))

    def shell(
        self,
        command: str,
        *,
        allow: Iterable[str] = (),
        ask: Iterable[str] = (),
        deny: Iterable[str] = (),
        mode: Mode = "default",
        cwd: Path | None = None,
    ) -> Judgement:
        call = JudgedCall("bash", "Bash", "exec", command, str(cwd) if cwd else "")
        rules = RuleSet.parse(allow=allow, ask=ask, deny=deny)
        return self._judge(call, rules, mode, f"{cwd or self.root}\n{command}")

    def file(
        self,
        permission: str,
        path: Path,
        *,
        allow: Iterable[str] = (),
        ask: Iterable[str] = (),
        deny: Iterable[str] = (),
        mode: Mode = "default",
    ) -> Judgement:
        effect = "write" if permission == "Edit" else "read"
        call = JudgedCall("x", permission, effect, path=str(path))
        rules = RuleSet.parse(allow=allow, ask=ask, deny=deny)
        return self._judge(call, rules, mode, f"{path}\ndiff")

    def other(
        self, permission: str, *, rules: RuleSet | None = None, mode: Mode = "default"
    ) -> Judgement:
        call = JudgedCall("x", permission, "exec")
        return self._judge(call, rules or RuleSet(), mode, "x")

    def _judge(self, call: JudgedCall, rules: RuleSet, mode: Mode, shown: str) -> Judgement:
        return judge(
            call,
            rules=rules,
            grants=self.grants,
            mode=mode,
            root=self.root,
            shown=shown,
            places=self.places,
            is_trusted=self.is_trusted,
        )


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root, home = tmp_path / "work", tmp_path / "home"
    (root / "sub").mkdir(parents=True)
    home.mkdir()
    return Bench(root.resolve(), home.resolve())


Judge = Callable[..., Judgement]
