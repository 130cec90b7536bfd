"""Model profiles over HTTP: found, checked, saved, chosen, and keys that never come out."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.fakes.api_daemon import ApiDaemon, api_daemon
from tests.fakes.llm_server import FakeLlm
from tests.fakes.local_servers import (
    LM_STUDIO,
    OLLAMA,
    answering,
    at,
    free_port,
    http,
    of_another_user,
)
from tests.fakes.memory_vault import MemoryVault

from lararium_daemon.providers import discovery
from lararium_daemon.providers.connection import import_sdk
from lararium_daemon.providers.discovery import Finder
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.keys import KeyStore
from lararium_daemon.providers.known_servers import LocalServer
from lararium_daemon.providers.profile_book import ModelSources
from lararium_daemon.providers.profile_desk import ProfileDesk
from lararium_daemon.providers.vault import Vault
from lararium_daemon.settings import Settings, load_settings

KEY = "sk-right-key-9fQa"
Json = dict[str, Any]


@dataclass
class Desk:
    """A daemon's profiles, and where they lie."""

    http: httpx.Client
    config: Path
    daemon: ApiDaemon
    opened: ExitStack = field(default_factory=ExitStack)
    gateway: ModelGateway = field(default_factory=lambda: ModelGateway(Settings(), {}))

    def use(
        self,
        vault: Vault | None = None,
        servers: tuple[LocalServer, ...] = (),
        **environment: str,
    ) -> "Desk":
        """Begin anew, as a daemon that starts in this environment."""
        self.close()
        gateway = ModelGateway(
            load_settings(self.config),
            environment,
            sources=ModelSources(self.config, self.config / "model.json"),
            keys=KeyStore(self.config, environment, find_vault=lambda: vault),
            finder=Finder(environment, servers) if servers else None,
        )
        self.gateway = gateway
        self.opened.enter_context(self.daemon.portal.wrap_async_context_manager(gateway))
        self.daemon.services.profiles = ProfileDesk(gateway)
        return self

    def close(self) -> None:
        self.opened.close()

    def get(self, path: str) -> Json:
        return self._sent(self.http.get(path), 200)

    def post(self, path: str, expected: int = 201, **body: Any) -> Json:
        return self._sent(self.http.post(path, json=body), expected)

    def patch(self, name: str, expected: int = 200, **body: Any) -> Json:
        return self._sent(self.http.patch(f"/profiles/{name}", json=body), expected)

    def choose(self, expected: int = 200, **body: Any) -> Json:
        return self._sent(self.http.put("/models/default", json=body), expected)

    def check(self, **body: Any) -> Json:
        return self.post("/profiles/check", 200, **body)

    def _sent(self, answer: httpx.Response, expected: int) -> Json:
        assert answer.status_code == expected, answer.text
        assert KEY not in answer.text
        return answer.json()

    @property
    def file(self) -> Json:
        return json.loads((self.config / "settings.json").read_bytes())


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiDaemon]:
    import_sdk()  # as a daemon does when it has started
    with api_daemon(tmp_path_factory.mktemp("daemon")) as running:
        yield running


@pytest.fixture
def desk(daemon: ApiDaemon, tmp_path: Path) -> Iterator[Desk]:
    with daemon.client() as client:
        desk = Desk(client, tmp_path, daemon).use()
        yield desk
        desk.close()


@pytest.fixture(scope="module")
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(api_key=KEY) as server:
        yield server


def test_a_profile_is_saved_listed_and_used(desk: Desk, llm: FakeLlm) -> None:
    vault = MemoryVault()
    desk.use(vault)
    saved = desk.post("/profiles", name="Work", base_url=f"{llm.base_url}/", key=KEY)
    assert saved == {
        "name": "Work",
        "kind": "chat",
        "base_url": llm.base_url,
        "model": "",
        "context_window": None,
        "headers": [],
        "price": None,
        "fallback": "",
        "key_place": "keyring",
        "key_variable": "",
        "key_hint": "…9fQa",
        "source": "settings",
        "is_default": False,
        "is_workspace_default": False,
        "in_use": True,
        "problem": "",
    }
    assert desk.gateway.status().name == "fake-model"
    listed = desk.get("/profiles")
    assert [item["name"] for item in listed["items"]] == ["Work", "Tour"]
    assert (listed["default"], listed["workspace"], listed["keyring"]) == (
        None,
        None,
        "Test keyring",
    )
    models = desk.get("/models")
    assert ([m["name"] for m in models["items"]], models["default"], models["profile"]) == (
        ["fake-model", "fake-small"],
        "fake-model",
        "Work",
    )
    assert KEY not in (desk.config / "settings.json").read_text(encoding="utf-8")
    assert list(vault.kept.values()) == [KEY]
    assert desk.use(vault).get("/models")["default"] == "fake-model"


def test_a_profile_falls_back_on_one_that_is_there(desk: Desk, llm: FakeLlm) -> None:
    given: Json = {"name": "Work", "base_url": llm.base_url}
    for wrong in ("Work", "Gone", "Tour"):
        assert desk.post("/profiles", 422, **given, fallback=wrong)["code"] == "invalid_profile"
    desk.post("/profiles", name="Spare", base_url=llm.base_url)
    assert desk.post("/profiles", **given, fallback="Spare")["fallback"] == "Spare"
    assert desk.file["profiles"]["Work"]["fallback"] == "Spare"
    assert desk.patch("Work", 422, fallback="Work")["code"] == "invalid_profile"
    assert desk.patch("Work", fallback="")["fallback"] == ""


def test_without_a_keyring_a_key_needs_consent_to_a_file(desk: Desk, llm: FakeLlm) -> None:
    given: Json = {"name": "Work", "base_url": llm.base_url, "key": KEY}
    problem = desk.post("/profiles", 409, **given)
    assert problem["code"] == "consent_needed"
    assert str(desk.config / "keys.json") in problem["detail"]
    assert not (desk.config / "settings.json").exists()
    saved = desk.post("/profiles", **given, consent_file=True)
    assert (saved["key_place"], saved["key_hint"]) == ("file", "…9fQa")
    assert desk.get("/profiles")["keyring"] == ""
    assert desk.use().get("/models")["default"] == "fake-model"


def test_a_key_of_the_environment_is_referred_to(desk: Desk, llm: FakeLlm) -> None:
    desk.use(WORK_KEY=KEY)
    saved = desk.post("/profiles", name="Work", base_url=llm.base_url, key_variable="WORK_KEY")
    assert (saved["key_place"], saved["key_variable"], saved["key_hint"]) == (
        "environment",
        "WORK_KEY",
        "…9fQa",
    )
    assert desk.file["profiles"]["Work"] == {"base_url": llm.base_url, "key": "env:WORK_KEY"}
    assert desk.get("/models")["problem"] == ""
    gone = desk.use().get("/profiles")["items"][0]
    assert "WORK_KEY is not set" in gone["problem"]
    assert "WORK_KEY is not set" in desk.get("/models")["problem"]


@pytest.mark.parametrize(
    "body",
    [
        {"name": "a/b", "base_url": "https://x.example"},
        {"name": " a", "base_url": "https://x.example"},
        {"name": "", "base_url": "https://x.example"},
        {"name": "x" * 41, "base_url": "https://x.example"},
        {"name": "P"},
        {"name": "P", "base_url": "ftp://x.example"},
        {"name": "P", "base_url": "https://user:pass@x.example"},
        {"name": "P", "base_url": "https://x.example", "kind": "other"},
        {"name": "P", "base_url": "https://x.example", "key": "a", "key_variable": "B"},
        {"name": "P", "base_url": "https://x.example", "key": "a\nb"},
        {"name": "P", "base_url": "https://x.example", "key_variable": "A B"},
        {"name": "P", "base_url": "https://x.example", "headers": {"X-A": "a\r\nB: c"}},
        {"name": "P", "base_url": "https://x.example", "headers": {"X A": "a"}},
        {"name": "P", "base_url": "https://x.example", "context_window": 7},
        {"name": "P", "base_url": "https://x.example", "more": 1},
    ],
)
def test_what_cannot_be_saved_is_refused_and_leaves_nothing(desk: Desk, body: Json) -> None:
    desk.use(MemoryVault())
    desk.post("/profiles", 422, **body)
    assert not (desk.config / "settings.json").exists()


def test_a_name_is_taken_once_whatever_its_case(desk: Desk) -> None:
    desk.post("/profiles", name="Work", base_url="https://x.example/v1", model="m")
    for name in ("Work", "WORK", "tour"):
        problem = desk.post("/profiles", 409, name=name, base_url="https://y.example/v1")
        assert problem["code"] == "profile_exists"


def test_a_profile_is_changed_and_its_old_key_forgotten(desk: Desk, llm: FakeLlm) -> None:
    vault = MemoryVault()
    desk.use(vault)
    desk.post("/profiles", name="Work", base_url=llm.base_url, key="sk-wrong-key", model="m")
    assert "refused the key" in desk.get("/models")["problem"]
    changed = desk.patch(
        "Work", key=KEY, context_window=65536, headers={"X-Org": "lares"}, price={"input": 1.5}
    )
    assert (changed["key_hint"], changed["context_window"]) == ("…9fQa", 65536)
    assert (changed["model"], changed["headers"]) == ("m", ["X-Org"])
    assert changed["price"] == {"input": 1.5, "output": None, "cached": None}
    assert list(vault.kept.values()) == [KEY]
    assert desk.get("/models")["problem"] == ""
    changed = desk.patch("Work", key="", model="", context_window=0, headers={})
    assert (changed["key_place"], changed["model"], changed["context_window"]) == ("none", "", None)
    assert (changed["headers"], vault.kept) == ([], {})
    assert desk.patch("Nobody", 404, model="m")["code"] == "unknown_profile"
    assert desk.patch("Tour", 409, model="m")["code"] == "profile_not_saved"


def test_a_kept_key_does_not_move_to_another_server(desk: Desk, llm: FakeLlm) -> None:
    desk.use(MemoryVault())
    desk.post("/profiles", name="Work", base_url="https://x.example/v1", key=KEY, model="m")
    problem = desk.patch("Work", 422, base_url=llm.base_url)
    assert "belongs to https://x.example/v1" in problem["detail"]
    assert desk.patch("Work", base_url="https://x.example/v2")["key_hint"] == "…9fQa"
    assert desk.patch("Work", base_url=llm.base_url, key="")["key_place"] == "none"


def test_a_profile_is_removed_with_its_key_and_as_the_default(desk: Desk) -> None:
    vault = MemoryVault()
    desk.use(vault)
    desk.post(
        "/profiles",
        name="Work",
        base_url="https://x.example",
        model="m",
        key=KEY,
        make_default="user",
    )
    desk.choose(scope="workspace", profile="Work")
    assert desk.file["default_profile"] == "Work"
    answer = desk.http.delete("/profiles/Work")
    assert (answer.status_code, answer.json()) == (200, {"name": "Work", "key_removed": True})
    assert (desk.file, vault.kept) == ({}, {})
    listed = desk.get("/profiles")
    assert (listed["default"], listed["workspace"]) == (None, None)
    assert desk.http.delete("/profiles/Work").status_code == 404


def test_what_new_sessions_use_is_chosen_for_all_or_for_this_workspace(desk: Desk) -> None:
    for name in ("A", "B", "C"):
        desk.post("/profiles", name=name, base_url=f"https://{name.lower()}.example", model="m")

    def in_use() -> str:
        return next(each["name"] for each in desk.get("/profiles")["items"] if each["in_use"])

    assert in_use() == "A"
    assert desk.choose(scope="user", profile="B", model="b2")["default"] == "B"
    assert (in_use(), desk.file["profiles"]["B"]["model"]) == ("B", "b2")
    assert desk.choose(scope="workspace", profile="C", model="c2")["workspace"] == "C"
    assert in_use() == "C"
    assert json.loads((desk.config / "model.json").read_bytes()) == {"profile": "C", "model": "c2"}
    desk.choose(scope="workspace", profile=None)
    desk.choose(scope="user", profile=None)
    assert in_use() == "A"
    assert desk.choose(404, scope="user", profile="D")["code"] == "unknown_profile"


def test_a_check_tells_a_good_key_from_a_bad_one_and_keeps_nothing(
    desk: Desk, llm: FakeLlm
) -> None:
    good = desk.check(base_url=llm.base_url, key=KEY)
    assert (good["ok"], good["code"], good["problem"], good["status"]) == (True, "", "", None)
    assert ([m["name"] for m in good["models"]], good["model"]) == (
        ["fake-model", "fake-small"],
        "fake-model",
    )
    assert good["milliseconds"] >= 0
    bad = desk.check(base_url=llm.base_url, key="sk-wrong-key")
    assert (bad["ok"], bad["code"], bad["status"]) == (False, "provider_auth", 401)
    assert "refused the key (HTTP 401" in bad["problem"]
    assert "sk-wrong-key" not in bad["problem"]
    assert "message" not in bad["problem"]
    assert "wants a key" in desk.check(base_url=llm.base_url)["problem"]
    assert list(desk.config.iterdir()) == []


def test_a_check_with_a_model_has_one_token_said(desk: Desk, llm: FakeLlm) -> None:
    before = len(llm.requests)
    assert desk.check(base_url=llm.base_url, key=KEY, model="fake-small")["ok"]
    body = llm.requests[before].body
    assert (body["model"], body["max_tokens"], body["stream"]) == ("fake-small", 1, False)
    llm.set(error="404")
    try:
        failed = desk.check(base_url=llm.base_url, key=KEY, model="nonesuch")
    finally:
        llm.reset()
    assert (failed["ok"], failed["status"]) == (False, 404)
    assert "nonesuch" in failed["problem"]
    assert len(failed["models"]) == 2


@pytest.mark.parametrize(
    ("address", "code", "words"),
    [
        ("nonsense", "provider_not_configured", "no http or https address"),
        ("", "provider_not_configured", "needs an address"),
        ("http://127.0.0.1:{free}/v1", "provider_unreachable", "connection refused"),
        ("http://127.0.0.1:{page}/v1", "provider_bad_response", "no list of models"),
    ],
)
def test_a_check_says_what_is_wrong_with_an_address(
    desk: Desk, address: str, code: str, words: str
) -> None:
    with answering(http("<html>", kind="text/html")) as page:
        checked = desk.check(base_url=address.format(free=free_port(), page=page), key=KEY)
    assert (checked["ok"], checked["code"]) == (False, code)
    assert words in checked["problem"]


def test_an_address_without_encryption_is_warned_of(desk: Desk) -> None:
    dead = f"http://127.0.0.1:{free_port()}"
    desk.use(HTTP_PROXY=dead)
    checked = desk.check(base_url="http://192.0.2.7/v1", key=KEY)
    assert "the key travel to 192.0.2.7 without encryption" in checked["warning"]
    assert checked["problem"].startswith("Proxy:")


def test_a_key_that_was_not_typed_in_goes_to_its_own_server_only(desk: Desk, llm: FakeLlm) -> None:
    desk.use(MemoryVault(), OPENROUTER_API_KEY=KEY, AWS_SECRET_ACCESS_KEY=KEY, OPENAI_API_KEY=KEY)
    desk.post("/profiles", name="Work", base_url=llm.base_url, key=KEY)
    assert desk.check(name="Work")["ok"]
    asked = llm.app.model_requests
    with FakeLlm(api_key=KEY) as other:
        moved = desk.check(name="Work", base_url=other.base_url)
        assert f"belongs to {llm.base_url}" in moved["problem"]
        for variable in ("OPENROUTER_API_KEY", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY"):
            checked = desk.check(base_url=other.base_url, key_variable=variable)
            assert variable in checked["problem"]
            assert not checked["ok"]
        assert other.app.model_requests == 0
    assert llm.app.model_requests == asked
    desk.use(OPENAI_BASE_URL=llm.base_url, OPENAI_API_KEY=KEY)
    assert desk.check(base_url=llm.base_url, key_variable="OPENAI_API_KEY")["ok"]
    assert desk.post("/profiles/check", 404, name="Nobody")["code"] == "unknown_profile"


def test_what_is_found_is_offered_in_order_and_the_tour_last(desk: Desk) -> None:
    with FakeLlm() as ollama, answering(http('{"data": []}')) as lm_studio:
        servers = (at(OLLAMA, ollama), at(LM_STUDIO, lm_studio))
        desk.use(
            servers=servers,
            OPENAI_API_KEY=f"sk-openai-{KEY}",
            OPENROUTER_API_KEY=KEY,
            MISTRAL_API_KEY="sk-“odd”",
        )
        items = desk.get("/models/discovered")["items"]
    assert [item["id"] for item in items] == [
        "ollama",
        "lm-studio",
        "environment:OPENAI_API_KEY",
        "environment:OPENROUTER_API_KEY",
        "environment:MISTRAL_API_KEY",
        "tour",
    ]
    assert [item["ready"] for item in items] == [True, False, True, True, False, True]
    assert [item["in_use"] for item in items] == [False, False, True, False, False, False]
    assert items[0]["model"] == "fake-model"
    assert "no model is loaded" in items[1]["problem"]
    assert (items[2]["key_hint"], items[2]["base_url"]) == ("…9fQa", "https://api.openai.com/v1")
    assert (items[3]["key_variable"], items[3]["profile_name"]) == (
        "OPENROUTER_API_KEY",
        "OpenRouter",
    )
    assert (items[5]["profile_kind"], items[5]["label"]) == (
        "tour",
        "Tour (scripted, offline, no AI)",
    )


def test_a_found_server_of_this_user_is_used_and_one_of_another_only_offered(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeLlm() as ollama:
        desk.use(servers=(at(OLLAMA, ollama),))
        monkeypatch.setattr(discovery, "is_own_listener", of_another_user)
        item = desk.get("/models/discovered")["items"][0]
        assert (item["ready"], item["own_listener"], item["in_use"]) == (True, False, False)
        assert desk.get("/models")["items"] == []
        monkeypatch.undo()
        item = desk.get("/models/discovered")["items"][0]
        assert (item["own_listener"], item["in_use"], item["saved_as"]) == (True, True, None)
        assert desk.get("/models")["profile"] == "Ollama"
        saved = desk.post("/profiles", name=item["profile_name"], base_url=item["base_url"])
        assert saved["in_use"]
        item = desk.get("/models/discovered")["items"][0]
        assert (item["in_use"], item["saved_as"]) == (True, "Ollama")


def test_keys_and_profiles_are_for_admins_and_what_is_found_for_readers(desk: Desk) -> None:
    with desk.daemon.client("read") as reader:
        assert reader.get("/models").status_code == 200
        assert reader.get("/models/discovered").status_code == 200
        answers = [
            reader.get("/profiles"),
            reader.post("/profiles", json={"name": "P"}),
            reader.post("/profiles/check", json={}),
            reader.patch("/profiles/P", json={}),
            reader.delete("/profiles/P"),
            reader.put("/models/default", json={"scope": "user", "profile": None}),
        ]
    assert {answer.json()["code"] for answer in answers} == {"missing_scope"}


def test_settings_that_cannot_be_read_are_not_written_over(desk: Desk) -> None:
    desk.use(vault := MemoryVault())
    (desk.config / "settings.json").write_text("{", encoding="utf-8")
    problem = desk.post(
        "/profiles", 409, name="P", base_url="https://x.example", key="sk-not-saved"
    )
    assert problem["code"] == "settings_unreadable"
    assert vault.kept == {}
