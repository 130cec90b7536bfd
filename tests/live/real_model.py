"""A real model behind a real llama.cpp, and a real daemon before it: `README.md` says how to run.

Chat, streaming, a JSON schema, and a session that outgrows the model's context: the server's own
refusal, a summary, and the answer after it. Prints one line of figures for each; exits 1 when one
does not hold.
"""

import json
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from tests.bench.workshop import environment

from lararium_daemon.agent.structured import ask_structured
from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.start import start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.providers.answer_schema import AnswerSchema
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.provider import Finished, ModelMessage, ModelRequest, TextDelta
from lararium_daemon.settings import ProfileSettings, Settings
from lararium_daemon.system.paths import resolve_paths

CONTEXT_TOKENS = 2304
FILLING = "The lamp beside the hearth was lit, and the house was quiet until the morning came. "
CITY = AnswerSchema(
    "city",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}, "country": {"type": "string"}},
        "required": ["city", "country"],
        "additionalProperties": False,
    },
)

Json = dict[str, Any]


@contextmanager
def llama(python: str, weights: str) -> Generator[str]:
    """Serve the model; give its base URL."""
    command = [python, str(Path(__file__).with_name("llama_server.py")), weights]
    with subprocess.Popen(
        [*command, str(CONTEXT_TOKENS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as process:
        try:
            assert process.stdout is not None
            yield next(line.strip() for line in process.stdout if line.startswith("http://"))
        finally:
            process.terminate()


def say(what: str, **figures: object) -> None:
    """Print one line of the log."""
    told = " ".join(f"{name}={json.dumps(value)}" for name, value in figures.items())
    sys.stdout.write(f"{what}: {told}\n")
    sys.stdout.flush()


async def through_the_provider(base_url: str) -> None:
    """Chat and a schema, without a daemon."""
    settings = Settings(profiles={"Real": ProfileSettings(base_url=base_url, model="smollm2")})
    async with ModelGateway(settings, {}) as gateway:
        provider = gateway.provider_for(None)
        asked = [ModelMessage("user", "What is the capital of France?")]
        events = [event async for event in provider.stream(ModelRequest("", asked))]
        deltas = [event.text for event in events if isinstance(event, TextDelta)]
        end = events[-1]
        assert isinstance(end, Finished)
        assert end.phases is not None
        assert len(deltas) > 1
        say(
            "chat, streamed",
            deltas=len(deltas),
            input_tokens=end.input_tokens,
            output_tokens=end.output_tokens,
            first_word_s=round(end.phases.first_word or 0, 3),
            whole_s=round(end.phases.whole, 3),
            text="".join(deltas)[:60],
        )
        answer = await ask_structured(provider, asked, CITY)
        assert set(answer.value) == {"city", "country"}
        say("json_schema", value=answer.value, calls=len(answer.calls))


def through_a_daemon(base_url: str, folder: Path, surroundings: dict[str, str]) -> None:
    """A session that outgrows the context."""
    root = folder / "project"
    root.mkdir()
    paths = resolve_paths(surroundings)
    profile = {"base_url": base_url, "model": "smollm2"}
    settings = json.dumps({"profiles": {"Real": profile}, "discovery": False})
    (paths.config / "settings.json").write_text(settings, encoding="utf-8")
    started = start_daemon(root, surroundings)
    try:
        client = started.client()
        session = client.request("POST", "/api/sessions", {})["id"]
        run(client, session, "Say hello to the house.", 1)
        fill_up(client, session)
    finally:
        stop_daemon(paths.workspace(root))


def fill_up(client: DaemonClient, session: str) -> None:
    """Send long messages until the server refuses one for its length; look at what came of it."""
    for number in range(2, 8):
        events = run(client, session, f"{FILLING * 60}\nSay in one sentence who slept.", number)
        ends = [e["payload"] for e in events if e["type"] == "compaction.ended"]
        if not ends:
            continue
        reasons = [e["payload"]["reason"] for e in events if e["type"] == "compaction.started"]
        say(
            "overflow",
            message=number,
            reasons=reasons,
            turns=sum(each["type"] == "turn.started" for each in events),
            summary_chars=len(ends[-1]["summary"]),
        )
        assert reasons == ["overflow"]
        assert ends[-1]["summary"]
        assert events[-1]["payload"]["outcome"] == "completed"
        return
    raise AssertionError("the context did not overflow")


def run(client: DaemonClient, session: str, text: str, number: int) -> list[Json]:
    """Send a message; give the events of its run."""
    begun = time.perf_counter()
    body = {"client_message_id": str(number), "text": text}
    taken = client.request("POST", f"/api/sessions/{session}/messages", body)
    path = f"/api/sessions/{session}/events?after_seq={taken['seq']}&until={taken['run_id']}"
    events = [json.loads(line) for line in client.stream_lines(path, idle_seconds=300)]
    usage = [e["payload"]["usage"] for e in events if e["type"] == "usage.updated"]
    last = events[-1]["payload"]
    say(
        f"session, message {number}",
        outcome=last["outcome"],
        code=last["code"],
        input_tokens=[each["input_tokens"] for each in usage],
        seconds=round(time.perf_counter() - begun, 1),
    )
    return events


def main(python: str, weights: str) -> None:
    """Do it all against one server."""
    with (
        TemporaryDirectory() as folder,
        environment() as surroundings,
        llama(python, weights) as base_url,
    ):
        anyio.run(through_the_provider, base_url)
        through_a_daemon(base_url, Path(folder), surroundings)


if __name__ == "__main__":
    main(*sys.argv[1:3])
