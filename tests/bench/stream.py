"""P6: text from a model's wire to a WebSocket client, beside a bare read of the same stream."""

import asyncio
import time
from dataclasses import dataclass

import aiohttp
import orjson
from tests.bench.figures import Figure, in_pairs, percentile
from tests.bench.workshop import LlmProcess, Workshop, llm_process, workshop
from tests.fakes.llm_server import FakeLlm

TOKENS = 20_000
PACED_TOKENS = 500
TOKENS_A_SECOND = 100
REPEATS = 5


@dataclass
class Read:
    """What a client of the daemon saw of one answer."""

    seconds: float
    """From the prompt to the run's end."""
    arrivals: list[tuple[float, int]]
    """When text came, and how many words there were then."""


def stream() -> list[Figure]:
    """Measure an unpaced stream."""
    with llm_process() as llm, workshop(llm) as shop:
        session = shop.session()
        prompt = f"go [[fake tokens={TOKENS} batch=64]]"
        ours, floor = in_pairs(
            lambda: asyncio.run(follow(shop, session, prompt)).seconds,
            lambda: asyncio.run(_bare_read(llm, TOKENS)),
            REPEATS,
        )
    what = "20,000 chunks from the wire to a WebSocket client / bare aiohttp + orjson"
    return [Figure("P6", what, ours, floor, "s", 5.0)]


def paced_stream() -> list[Figure]:
    """Measure what the daemon adds to each piece of a stream of 100 words a second."""
    with FakeLlm() as llm, workshop(llm) as shop:
        session = shop.session()
        asyncio.run(follow(shop, session, "warm up"))
        prompt = f"go [[fake tokens={PACED_TOKENS} tps={TOKENS_A_SECOND}]]"
        read = asyncio.run(follow(shop, session, prompt))
    begun = llm.requests[-1].begun
    delays = [
        (at - begun - (words + 1) / TOKENS_A_SECOND) * 1000 for at, words in read.arrivals if words
    ]
    return [
        Figure("P6", "first delta after its byte", delays[0], None, "ms", 100.0),
        Figure("P6", "paced 100 a second, added delay p99", percentile(delays, 99), None, "ms", 30),
    ]


async def follow(shop: Workshop, session_id: str, prompt: str) -> Read:
    """Prompt, and read the answer as a page does."""
    headers = {"Authorization": f"Bearer {shop.daemon.token}"}
    url = shop.daemon.base_url.replace("http", "ws") + "/api/events"
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.ws_connect(url, protocols=["lar.v1"], max_msg_size=0) as socket,
    ):
        await socket.send_json({"type": "subscribe", "session_id": session_id})
        await socket.receive()
        begun = time.perf_counter()
        await asyncio.to_thread(shop.post, session_id, prompt)
        arrivals: list[tuple[float, int]] = []
        words = 0
        async for message in socket:
            content = orjson.loads(message.data)
            event = content.get("event", {})
            if event.get("type") == "part.delta":
                words += len(event["payload"]["text"].split())
                arrivals.append((time.perf_counter(), words))
            elif event.get("type") == "run.ended":
                return Read(time.perf_counter() - begun, arrivals)
    raise RuntimeError("the daemon closed the socket")


async def _bare_read(llm: LlmProcess, tokens: int) -> float:
    """Read the same stream with nothing in between."""
    body = {
        "model": "fake-model",
        "stream": True,
        "messages": [{"role": "user", "content": f"go [[fake tokens={tokens} batch=64]]"}],
    }
    headers = {"Authorization": "Bearer sk-fake"}
    begun = time.perf_counter()
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.post(f"{llm.base_url}/chat/completions", json=body) as response,
    ):
        text: list[str] = []
        async for line in response.content:
            if line.startswith(b"data: {"):
                delta = orjson.loads(line[6:])["choices"][0]["delta"]
                text.append(delta.get("content") or "")
    if len("".join(text).split()) != tokens:
        raise RuntimeError("the stream was not whole")
    return time.perf_counter() - begun
