"""Planted secrets: nothing that a daemon writes, answers, starts or says holds one of them."""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.fakes.guard_rows import HOST, JSON, Header
from tests.fakes.llm_server import FakeLlm
from tests.fakes.raw_http import Answer, send
from tests.fakes.real_daemon import RealDaemon, real_daemon
from tests.reliability.scale import report

from lararium_daemon.client.http import DaemonClient

ENVIRONMENT_KEY = "sk-canary-of-the-environment-5Zp1"
OTHER_VARIABLE = "canary-of-another-variable-x8Qe"
SAVED_KEY = "sk-canary-that-was-saved-77hB"
CHECKED_KEY = "sk-canary-that-was-tried-0kLm"
HEADER_VALUE = "canary-of-a-header-4fWq"
HOMES = {"token", "keys.json", "settings.json"}
"""Files that hold a secret on purpose: the daemon's token, and what the person saved."""


@dataclass
class Vault:
    """What must not leak, and everything that was answered."""

    daemon: RealDaemon
    llm: FakeLlm
    canaries: dict[str, str]
    answers: list[bytes] = field(default_factory=list[bytes])

    def ask(self, method: str, path: str, body: Any = None, *extra: Header) -> Answer:
        bearer = ("Authorization", f"Bearer {self.daemon.token}")
        return self.send(method, path, body, bearer, *extra)

    def send(self, method: str, path: str, body: Any, *headers: Header) -> Answer:
        host = (HOST[0], HOST[1].format(port=self.daemon.port))
        data = b"" if body is None else json.dumps(body).encode()
        kind = [JSON] if data else []
        answer = send(self.daemon.port, method, path, [host, *kind, *headers], data)
        self.answers.append(answer.body)
        self.answers.append(repr(answer.headers).encode())
        return answer

    def run(self, prompt: str, model: str | None = None) -> str:
        """Run a prompt to its end and give the session."""
        body = {"mode": "yolo", "model": model}
        session = str(self.ask("POST", "/api/sessions", body).json["id"])
        said = {"client_message_id": prompt, "text": prompt}
        run = self.ask("POST", f"/api/sessions/{session}/messages", said).json["run_id"]
        client = DaemonClient(self.daemon.base_url, self.daemon.token)
        lines = client.stream_lines(f"/api/sessions/{session}/events?after_seq=0&until={run}")
        self.answers.extend(lines)
        return session


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    with FakeLlm() as llm:
        monkeypatch.setenv("OPENAI_API_KEY", ENVIRONMENT_KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", llm.base_url)
        monkeypatch.setenv("GITHUB_TOKEN", OTHER_VARIABLE)
        with real_daemon(tmp_path / "project", log_level="debug") as daemon:
            yield Vault(daemon, llm, {"token": daemon.token})


def test_no_planted_secret_is_written_answered_or_handed_on(
    vault: Vault, lararium_home: Path
) -> None:
    plant(vault)
    use(vault)
    ask_wrongly(vault)
    canaries = [
        *vault.canaries.values(),
        ENVIRONMENT_KEY,
        OTHER_VARIABLE,
        SAVED_KEY,
        CHECKED_KEY,
        HEADER_VALUE,
    ]
    looked_at = list(everything(vault, lararium_home))
    found = [
        (place, canary)
        for place, content in looked_at
        for canary in canaries
        if canary.encode() in content
    ]
    assert found == []
    for control in (b"PATH=", b"credential_invalid", b"refused the key"):  # it did happen
        assert any(control in content for _, content in looked_at), control
    report(f"{len(canaries)} planted secrets, {len(looked_at)} places: 0 hits")


def plant(vault: Vault) -> None:
    """Give the daemon a key to keep, another to try, tickets and a page's session key."""
    profile = {
        "name": "Saved",
        "base_url": vault.llm.base_url,
        "key": SAVED_KEY,
        "consent_file": True,
        "headers": {"X-Org": HEADER_VALUE},
        "model": "fake-model",
    }
    assert vault.ask("POST", "/api/profiles", profile).status == 201
    tried = {"base_url": vault.llm.base_url, "key": CHECKED_KEY}
    assert vault.ask("POST", "/api/profiles/check", tried).status == 200
    tickets = [vault.ask("POST", "/api/auth/tickets", {"purpose": "ui"}) for _ in range(2)]
    for place, answer in enumerate(tickets):
        vault.canaries[f"ticket {place}"] = answer.json["ticket"]
    spent = {"ticket": vault.canaries["ticket 0"]}
    exchanged = vault.send("POST", "/api/auth/exchange", spent)
    vault.canaries["session key"] = exchanged.json["session_key"]
    vault.answers.clear()  # these answers are where the secrets are handed over


def use(vault: Vault) -> None:
    """Run tools that print their environment, with each key, and a model that refuses it."""
    shown = "Show it. [[fake rounds=1 tool=shell command=env]]"
    sessions = [vault.run(shown), vault.run(shown + " ", "Saved/fake-model")]
    vault.llm.set(error="401")
    sessions.append(vault.run("Fail.", "Saved/fake-model"))
    for session in sessions:
        vault.ask("GET", f"/api/sessions/{session}/export")
        vault.ask("GET", f"/api/sessions/{session}/messages")
    read = ("status", "profiles", "models", "models/discovered", "tools", "attention", "sessions")
    for path in read:
        assert vault.ask("GET", f"/api/{path}").status == 200


def ask_wrongly(vault: Vault) -> None:
    """Send each secret where it does not belong."""
    for secret in [*vault.canaries.values(), SAVED_KEY]:
        vault.ask("GET", f"/api/sessions?token={secret}&ticket={secret}&after={secret}")
        vault.send("GET", f"/api/none?token={secret}", None)
        vault.send("GET", "/api/status", None, ("Authorization", f"Basic {secret}"))
        vault.send("GET", "/api/status", None, ("Cookie", f"session={secret}"))
        vault.send("GET", "/api/events", None, ("Sec-WebSocket-Protocol", f"ticket.{secret}"))
        vault.send("POST", "/api/auth/exchange", {"ticket": secret + "x"})
    again = vault.send("POST", "/api/auth/exchange", {"ticket": vault.canaries["ticket 0"]})
    assert again.status == 401


def everything(vault: Vault, home: Path) -> Iterator[tuple[str, bytes]]:
    """Give what the daemon has left, said and started, each with its name."""
    for path in sorted(home.rglob("*")):
        if path.is_file() and path.name not in HOMES:
            yield str(path), path.read_bytes()
    for number, answer in enumerate(vault.answers):
        yield f"answer {number}", answer
    for request in vault.llm.requests:
        yield "what the model was told", json.dumps(request.body).encode()
    pid = vault.ask("GET", "/api/status").json["pid"]
    daemon = psutil.Process(pid)
    for process in [daemon, *daemon.parents()[:2], *daemon.children(recursive=True)]:
        with suppress(psutil.Error):
            yield f"command line of {process.pid}", " ".join(process.cmdline()).encode()
    own = {process.pid for process in daemon.children(recursive=True)}
    for number in own:
        with suppress(OSError):
            yield f"environment of {number}", Path(f"/proc/{number}/environ").read_bytes()
    started = Path(f"/proc/{pid}/environ").read_bytes() if os.name == "posix" else b""
    for name, secret in vault.canaries.items():  # what it inherited is the person's own
        assert secret.encode() not in started, name
