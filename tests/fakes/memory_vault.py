"""A keyring in memory, which can be made to refuse or to never answer."""

import threading
from dataclasses import dataclass, field

from lararium_daemon.providers.vault import VaultError


@dataclass
class MemoryVault:
    """Keeps secrets by account."""

    kept: dict[str, str] = field(default_factory=dict[str, str])
    refuses: str = ""
    """Why it refuses everything; "" when it does not."""
    is_stuck: bool = False
    answers: threading.Event = field(default_factory=threading.Event)
    """Lets stuck calls go on."""
    reads: int = 0
    name: str = "Test keyring"

    def get(self, account: str) -> str | None:
        self.reads += 1
        self._wait()
        return self.kept.get(account)

    def set(self, account: str, secret: str) -> None:
        self._wait()
        self.kept[account] = secret

    def delete(self, account: str) -> None:
        self._wait()
        if account not in self.kept:
            raise VaultError("no such secret")
        del self.kept[account]

    def _wait(self) -> None:
        if self.is_stuck:
            self.answers.wait(20)
        if self.refuses:
            raise VaultError(self.refuses)
