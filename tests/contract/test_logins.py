"""Logging in to GitHub Copilot, over HTTP and with `lar login copilot`."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.fakes.api_daemon import ApiDaemon, api_daemon
from tests.fakes.copilot_server import LOGIN, FakeCopilot
from tests.fakes.memory_vault import MemoryVault
from tests.fakes.terminal import lar

from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.keys import KeyStore
from lararium_daemon.providers.login_desk import LoginDesk
from lararium_daemon.providers.profile_book import ModelSources
from lararium_daemon.providers.profile_desk import ProfileDesk
from lararium_daemon.settings import load_settings

Json = dict[str, Any]
PENDING = {"error": "authorization_pending"}


@pytest.fixture(scope="module")
def running() -> Iterator[FakeCopilot]:
    with FakeCopilot() as server:
        yield server


@pytest.fixture
def copilot(running: FakeCopilot) -> FakeCopilot:
    running.reset()
    running.github.device = {"interval": 0.1, "expires_in": 30}
    return running


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiDaemon]:
    with api_daemon(tmp_path_factory.mktemp("daemon")) as served:
        yield served


@pytest.fixture
def vault() -> MemoryVault:
    return MemoryVault()


@pytest.fixture
def http(daemon: ApiDaemon, tmp_path: Path, vault: MemoryVault) -> Iterator[httpx.Client]:
    with ExitStack() as opened:
        desk = _desk(daemon, tmp_path, lambda: vault, opened)
        daemon.services.logins, daemon.services.profiles = desk
        yield opened.enter_context(daemon.client())


def _desk(
    daemon: ApiDaemon,
    config: Path,
    find_vault: Callable[[], MemoryVault | None],
    opened: ExitStack,
) -> tuple[LoginDesk, ProfileDesk]:
    gateway = ModelGateway(
        load_settings(config),
        {},
        sources=ModelSources(config, config / "model.json"),
        keys=KeyStore(config, {}, find_vault=find_vault),
    )
    opened.enter_context(daemon.portal.wrap_async_context_manager(gateway))
    return LoginDesk(gateway), ProfileDesk(gateway)


def begin(http: httpx.Client, copilot: FakeCopilot, expected: int = 201, **body: Any) -> Json:
    given = {"github_url": copilot.github_url, **body}
    answer = http.post("/logins", json=given)
    assert answer.status_code == expected, answer.text
    return answer.json()


def ended(http: httpx.Client, login: Json) -> Json:
    end = time.monotonic() + 10
    while login["state"] == "waiting":
        assert time.monotonic() < end, "the login did not end"
        login = http.get(f"/logins/{login['id']}").json()
    assert LOGIN not in json.dumps(login)
    return login


def test_a_login_ends_as_a_profile_that_answers(
    http: httpx.Client, copilot: FakeCopilot, vault: MemoryVault, tmp_path: Path
) -> None:
    copilot.github.grants = [PENDING]
    login = begin(http, copilot, make_default="user")
    assert (login["state"], login["user_code"]) == ("waiting", "LAR-4711")
    assert login["verification_uri"] == f"{copilot.github_url}/login/device"
    assert ended(http, login)["state"] == "done"
    profile = http.get("/profiles").json()["items"][0]
    assert (profile["name"], profile["kind"]) == ("GitHub Copilot", "copilot")
    assert (profile["key_place"], profile["key_hint"]) == ("keyring", "…9fQa")
    assert list(vault.kept.values()) == [LOGIN]
    assert LOGIN not in (tmp_path / "settings.json").read_text("utf-8")
    listed = http.get("/models").json()
    assert (listed["profile"], listed["default"]) == ("GitHub Copilot", "fake-model")
    checked = http.post("/profiles/check", json={"name": "GitHub Copilot", "model": "fake-model"})
    assert (checked.json()["ok"], checked.json()["problem"]) == (True, "")


def test_logging_in_again_replaces_the_login(
    http: httpx.Client, copilot: FakeCopilot, vault: MemoryVault
) -> None:
    assert ended(http, begin(http, copilot))["state"] == "done"
    copilot.github.grants = [{"access_token": "gho_another_login"}]
    assert ended(http, begin(http, copilot))["state"] == "done"
    assert list(vault.kept.values()) == ["gho_another_login"]
    assert len([p for p in http.get("/profiles").json()["items"] if p["kind"] == "copilot"]) == 1


@pytest.mark.parametrize(
    ("error", "state"), [("access_denied", "denied"), ("expired_token", "expired")]
)
def test_a_login_that_fails_saves_nothing(
    http: httpx.Client, copilot: FakeCopilot, vault: MemoryVault, error: str, state: str
) -> None:
    copilot.github.grants = [{"error": error}]
    end = ended(http, begin(http, copilot))
    assert (end["state"], bool(end["problem"])) == (state, True)
    assert vault.kept == {}
    assert [p["kind"] for p in http.get("/profiles").json()["items"]] == ["tour"]


def test_a_login_can_be_stopped(http: httpx.Client, copilot: FakeCopilot) -> None:
    copilot.github.grants = [PENDING] * 1000
    login = begin(http, copilot)
    assert http.delete(f"/logins/{login['id']}").json()["state"] == "cancelled"
    assert http.get(f"/logins/{login['id']}").json()["state"] == "cancelled"
    assert http.get("/logins/login_0").json()["code"] == "unknown_login"


def test_what_could_not_be_saved_is_refused_before_the_person_goes_to_github(
    daemon: ApiDaemon, copilot: FakeCopilot, tmp_path: Path
) -> None:
    with ExitStack() as opened:
        daemon.services.logins, desk = _desk(daemon, tmp_path, lambda: None, opened)
        daemon.services.profiles = desk
        http = opened.enter_context(daemon.client())
        assert begin(http, copilot, 409)["code"] == "consent_needed"
        http.post("/profiles", json={"name": "Taken", "base_url": "http://127.0.0.1:1/v1"})
        assert begin(http, copilot, 409, name="taken")["code"] == "profile_exists"
        given = {"github_url": "http://github.com"}
        assert http.post("/logins", json=given).json()["code"] == "invalid_profile"
        assert copilot.github.asked == []
        assert ended(http, begin(http, copilot, consent_file=True))["state"] == "done"
        kept = json.loads((tmp_path / "keys.json").read_bytes())
    assert LOGIN in json.dumps(kept)
    assert (tmp_path / "keys.json").stat().st_mode & 0o777 == 0o600


def test_logging_in_needs_the_scope_of_settings(daemon: ApiDaemon, copilot: FakeCopilot) -> None:
    with daemon.client("read", "prompt", "approve") as http:
        assert begin(http, copilot, 403)["code"] == "missing_scope"
        assert http.get("/logins/login_0").status_code == 403


def test_a_github_that_is_not_there_is_named(http: httpx.Client) -> None:
    answer = http.post("/logins", json={"github_url": "http://127.0.0.1:9"})
    assert answer.status_code == 502
    assert answer.json()["code"] == "provider_unreachable"
    assert "127.0.0.1:9" in answer.json()["detail"]


def test_lar_login_shows_the_code_and_waits_for_the_person(
    project: Path, copilot: FakeCopilot
) -> None:
    refused = lar(project, "login", "copilot", "--github", copilot.github_url)
    assert refused.returncode == 1
    assert "keys.json" in refused.stderr
    done = lar(project, "login", "copilot", "--github", copilot.github_url, "--file", "--default")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [
        f"Open {copilot.github_url}/login/device and type the code LAR-4711",
        "Logged in. The profile GitHub Copilot is saved.",
    ]
    copilot.github.grants = [{"error": "access_denied"}]
    denied = lar(project, "login", "copilot", "--github", copilot.github_url, "--file", "--json")
    lines = [json.loads(line) for line in denied.stdout.splitlines()]
    assert [line["state"] for line in lines] == ["waiting", "denied"]
    assert denied.returncode == 1
