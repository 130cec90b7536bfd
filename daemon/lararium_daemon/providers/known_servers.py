"""Model servers that everybody knows: programs on their usual ports, services by their keys."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from urllib.parse import urlsplit

from lararium_daemon.protocol.profiles import FoundKind
from lararium_daemon.providers.profiles import OPENAI_BASE_URL


@dataclass(slots=True, frozen=True)
class LocalServer:
    """A program that serves models on this machine."""

    kind: FoundKind
    label: str
    port: int
    owner: str
    """What it writes into `owned_by` of its models."""
    is_own_port: bool
    """The port is this program's alone: what answers otherwise there is worth a word."""
    no_model: str
    """What to do when it serves no model."""

    @property
    def base_url(self) -> str:
        """Its OpenAI-compatible address."""
        return f"http://127.0.0.1:{self.port}/v1"


LOCAL_SERVERS = (
    LocalServer(
        "ollama",
        "Ollama",
        11434,
        "library",
        is_own_port=True,
        no_model="Pull one, for example with `ollama pull qwen3`, then look again.",
    ),
    LocalServer(
        "lm-studio",
        "LM Studio",
        1234,
        "organization_owner",
        is_own_port=True,
        no_model="Load one there, then look again.",
    ),
    LocalServer(
        "llama.cpp",
        "llama.cpp",
        8080,
        "llamacpp",
        is_own_port=False,
        no_model="Start it with a model, then look again.",
    ),
    LocalServer(
        "vllm",
        "vLLM",
        8000,
        "vllm",
        is_own_port=False,
        no_model="Start it with a model, then look again.",
    ),
)


@dataclass(slots=True, frozen=True)
class Service:
    """A service whose key people have in their environment."""

    name: str
    variable: str
    base_url: str
    """Its OpenAI-compatible address."""


OPENAI = Service("OpenAI", "OPENAI_API_KEY", OPENAI_BASE_URL)
SERVICES = (
    Service("Anthropic", "ANTHROPIC_API_KEY", "https://api.anthropic.com/v1"),
    Service("OpenRouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
    Service(
        "Google Gemini",
        "GEMINI_API_KEY",
        "https://generativelanguage.googleapis.com/v1beta/openai",
    ),
    Service("Mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1"),
    Service("Groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1"),
    Service("DeepSeek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1"),
    Service("xAI", "XAI_API_KEY", "https://api.x.ai/v1"),
    Service("Together", "TOGETHER_API_KEY", "https://api.together.xyz/v1"),
    Service("Fireworks", "FIREWORKS_API_KEY", "https://api.fireworks.ai/inference/v1"),
    Service("Cerebras", "CEREBRAS_API_KEY", "https://api.cerebras.ai/v1"),
)

KEY_CHECKS = {"openrouter.ai": "/key"}
"""Hosts that list their models to anybody → what only a good key may ask for."""


def local_servers(environment: Mapping[str, str]) -> tuple[LocalServer, ...]:
    """Give the programs; Ollama where `OLLAMA_HOST` says, if that is this machine."""
    port = _own_port(environment.get("OLLAMA_HOST", ""))
    if port is None:
        return LOCAL_SERVERS
    return (replace(LOCAL_SERVERS[0], port=port), *LOCAL_SERVERS[1:])


def home_of_key(variable: str, environment: Mapping[str, str]) -> str:
    """Give the address that a variable's key belongs to, "" when it is not known."""
    if variable == OPENAI.variable:
        return environment.get("OPENAI_BASE_URL", "").strip() or OPENAI.base_url
    return next((each.base_url for each in SERVICES if each.variable == variable), "")


def _own_port(address: str) -> int | None:
    """Read `host`, `host:port`, `:port` or a URL; None when it is another machine, or nothing."""
    address = address.strip().rstrip("/")
    if not address:
        return None
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        port = parts.port or LOCAL_SERVERS[0].port
    except ValueError:
        return None
    host = parts.hostname or "127.0.0.1"
    if host == "localhost":
        return port
    try:
        number = ip_address(host)
    except ValueError:
        return None
    return port if number.is_loopback or number.is_unspecified else None
