import sys

import anyio
import pytest
from tests.fakes.llm_server import FakeLlm
from tests.fakes.local_servers import (
    LLAMA,
    LM_STUDIO,
    OLLAMA,
    VLLM,
    answering,
    at,
    free_port,
    http,
    of_another_user,
)

from lararium_daemon.providers import discovery
from lararium_daemon.providers.discovery import Finder, FoundServer
from lararium_daemon.providers.known_servers import (
    LOCAL_SERVERS,
    LocalServer,
    home_of_key,
    local_servers,
)

pytestmark = pytest.mark.anyio


async def find(*servers: LocalServer, own_only: bool = False) -> list[FoundServer]:
    with anyio.fail_after(10):
        return await Finder({}, servers).find(own_only=own_only)


async def test_a_server_is_found_with_its_models(llm: FakeLlm) -> None:
    found = await find(at(OLLAMA, free_port()), at(LM_STUDIO, llm))
    assert [server.server.label for server in found] == ["LM Studio"]
    assert [model.name for model in found[0].listing.models] == ["fake-model", "fake-small"]
    assert (found[0].is_ready, found[0].problem) == (True, "")
    profile = found[0].profile()
    assert (profile.base_url, profile.model) == (llm.base_url, "fake-model")
    assert profile.source == "discovered"
    assert llm.requests == []


async def test_servers_come_in_the_order_of_their_ports_whoever_answers_first(
    llm: FakeLlm,
) -> None:
    with FakeLlm() as other:
        found = await find(at(OLLAMA, llm), at(LM_STUDIO, other))
    assert [server.server.kind for server in found] == ["ollama", "lm-studio"]


async def test_a_server_says_itself_what_it_is() -> None:
    body = '{"data": [{"id": "qwen", "owned_by": "vllm"}]}'
    with answering(http(body)) as port:
        found = await find(at(LLAMA, port))
    assert (found[0].server.kind, found[0].server.label) == ("vllm", "vLLM")
    assert found[0].base_url == f"http://127.0.0.1:{port}/v1"


async def test_a_server_on_a_port_of_many_programs_is_called_by_its_port(llm: FakeLlm) -> None:
    server = at(VLLM, llm)
    found = await find(server)
    assert found[0].server.label == f"Server on port {server.port}"


async def test_one_without_a_model_says_what_to_do() -> None:
    with answering(http('{"object": "list", "data": []}')) as port:
        found = await find(at(LM_STUDIO, port))
    assert not found[0].is_ready
    assert found[0].problem == ("Answers, but no model is loaded. Load one there, then look again.")


NO_MODEL_SERVERS = [
    http("<html>My shop</html>", kind="text/html"),
    http("{}"),
    http("no", "404 Not Found"),
    http('{"error": "who are you"}', "401 Unauthorized"),
    http("", "302 Found"),
    b"SSH-2.0-OpenSSH_9.2\r\n",
    b"",
]


@pytest.mark.parametrize("reply", NO_MODEL_SERVERS)
async def test_what_is_no_model_server_is_passed_over_on_a_port_of_many(reply: bytes) -> None:
    with answering(reply) as port:
        assert await find(at(LLAMA, port)) == []
        assert await find(at(VLLM, port)) == []


async def test_on_a_port_of_its_own_a_server_that_answers_otherwise_is_told() -> None:
    with answering(http('{"error": "who are you"}', "401 Unauthorized")) as port:
        found = await find(at(OLLAMA, port))
    assert not found[0].is_ready
    assert "HTTP 401" in found[0].problem
    assert "message" not in found[0].problem


async def test_servers_that_never_answer_cost_one_time_out_together(
    monkeypatch: pytest.MonkeyPatch, llm: FakeLlm
) -> None:
    monkeypatch.setattr(discovery, "PROBE_SECONDS", 0.3)
    with (
        answering(b"", then_close=False) as mute,
        answering(b"HTTP/1.1 200 OK\r\n", then_close=False) as half,
    ):
        found = await find(at(OLLAMA, mute), at(LM_STUDIO, llm), at(LLAMA, half), at(VLLM, mute))
    assert [server.server.kind for server in found] == ["ollama", "lm-studio"]
    assert "did not" in found[0].problem


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose a listener is")
async def test_a_listener_of_this_user_is_known_as_own(
    llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await find(at(OLLAMA, llm)))[0].is_own
    assert len(await find(at(OLLAMA, llm), own_only=True)) == 1
    asked = llm.app.model_requests
    monkeypatch.setattr(discovery, "is_own_listener", of_another_user)
    assert not (await find(at(OLLAMA, llm)))[0].is_own
    assert await find(at(OLLAMA, llm), own_only=True) == []
    assert llm.app.model_requests == asked + 1


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("", 11434),
        ("127.0.0.1", 11434),
        ("0.0.0.0", 11434),
        ("127.0.0.1:4000", 4000),
        (":4000", 4000),
        ("http://localhost:4000/", 4000),
        ("[::1]:4000", 4000),
        ("192.168.1.9:4000", 11434),
        ("gpu.example.com", 11434),
        ("127.0.0.1:port", 11434),
        ("http://[", 11434),
    ],
)
def test_ollama_is_looked_for_where_its_variable_says_if_that_is_here(host: str, port: int) -> None:
    servers = local_servers({"OLLAMA_HOST": host})
    assert [server.port for server in servers] == [port, 1234, 8080, 8000]
    assert len(LOCAL_SERVERS) == 4


def test_a_key_has_one_home() -> None:
    assert home_of_key("OPENROUTER_API_KEY", {}) == "https://openrouter.ai/api/v1"
    assert home_of_key("OPENAI_API_KEY", {}) == "https://api.openai.com/v1"
    assert home_of_key("OPENAI_API_KEY", {"OPENAI_BASE_URL": "http://x/v1"}) == "http://x/v1"
    assert home_of_key("AWS_SECRET_ACCESS_KEY", {}) == ""
