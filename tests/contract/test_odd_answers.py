"""What real servers were seen to send, told to a real daemon: what runs, and what is told back.

The scripted server refuses a history in which a call has no result of its own or arguments that
are no JSON, so that a run which ends well was told to it in order.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.fakes.crash_stage import call, model_says, wait_until
from tests.fakes.llm_server import FakeLlm
from tests.fakes.llm_wire import Scripted, chunk, event, json_reply, stream_of
from tests.fakes.real_daemon import RealDaemon, real_daemon

Json = dict[str, Any]
READ_A, READ_B = '{"path": "a"}', '{"path": "b"}'
CUT = '{"path":"new.md","content":"# Ti'
LARES, PENATES = ("completed", "     1\tlares 那🌍"), ("completed", "     1\tpenates")


@dataclass
class Told:
    """A run, as the daemon told of it."""

    events: list[Json]
    asked: list[Json]
    """The requests to the model, as chat completions."""

    def of(self, kind: str) -> list[Json]:
        return [e["payload"] for e in self.events if e["type"] == kind]

    @property
    def results(self) -> list[tuple[str, str]]:
        return [(p["state"], p["result"]["text"]) for p in self.of("tool.ended")]

    @property
    def told(self) -> list[tuple[str, str, str]]:
        """Each call as it is told to the model: its tool, its arguments, its result."""
        messages: list[Json] = self.asked[-1]["messages"]
        calls: list[Json] = [c for m in messages for c in m.get("tool_calls", [])]
        results = {m["tool_call_id"]: m["content"] for m in messages if m["role"] == "tool"}
        assert len(results) == len(calls)
        return [
            (c["function"]["name"], c["function"]["arguments"], results[c["id"]]) for c in calls
        ]


class Stage:
    """A project, its daemon and its model."""

    def __init__(self, daemon: RealDaemon, llm: FakeLlm, root: Path) -> None:
        self.daemon = daemon
        self.llm = llm
        self.root = root

    def run(self, *replies: Scripted, text: str = "go", session: str = "") -> Told:
        """Let the model answer so, and give the run."""
        (self.root / "new.md").unlink(missing_ok=True)
        self.llm.reset()
        self.llm.script(*replies)
        with self.client() as client:
            session = session or self.session(client)
            body = {"client_message_id": text, "text": text}
            taken = client.post(f"/sessions/{session}/messages", json=body).json()
            address = f"/sessions/{session}/events?after_seq=0&until={taken['run_id']}"
            with client.stream("GET", address) as answer:
                events = [json.loads(line) for line in answer.iter_lines() if line]
        mine = [e for e in events if e["payload"].get("run_id") == taken["run_id"]]
        return Told(mine, [request.asked for request in self.llm.requests])

    def client(self) -> httpx.Client:
        bearer = {"Authorization": f"Bearer {self.daemon.token}"}
        base = f"{self.daemon.base_url}/api"
        return httpx.Client(base_url=base, headers=bearer, timeout=30, trust_env=False)

    def session(self, client: httpx.Client, mode: str = "accept-edits") -> str:
        return client.post("/sessions", json={"mode": mode}).json()["id"]


def piece(arguments: str | Json | None = None, name: str = "", **fields: Any) -> Json:
    """Give one item of `tool_calls`."""
    function: Json = {"name": name} if name else {}
    if arguments is not None:
        function["arguments"] = arguments
    return {**fields, "function": function}


def streamed(*deltas: list[Json], finish: str | None = "tool_calls") -> Scripted:
    chunks = [chunk({"content": None, "tool_calls": items}) for items in deltas]
    return stream_of(*chunks, chunk(finish=finish))


def one_read(finish: str | None) -> Scripted:
    return streamed([piece(READ_A, "read_file", index=0, id="c1")], finish=finish)


def slowly(reply: Scripted) -> Scripted:
    return Scripted([bytes([byte]) for part in reply.pieces for byte in part])


PINGS = b": PROCESSING\n\n:\n\nevent: ping\n\n"
WHOLE = {"id": "c1", "function": {"name": "read_file", "arguments": {"path": "a"}}}
RIGHT: dict[str, tuple[Scripted, list[tuple[str, str]]]] = {
    "later pieces without index": (
        streamed([piece('{"pa', "read_file", index=0, id="c1")], [piece('th":"a"}')]),
        [LARES],
    ),
    "a new id under the same index": (
        streamed(
            [piece(READ_A, "read_file", index=0, id="c1")],
            [piece(READ_B, "read_file", index=0, id="c2")],
        ),
        [LARES, PENATES],
    ),
    "an empty id in later pieces": (
        streamed(
            [piece('{"pa', "read_file", index=0, id="c1")],
            [piece('th":"a"}', index=0, id="", type="function")],
        ),
        [LARES],
    ),
    "pieces of the first call after the second was opened": (
        streamed(
            [
                piece("", "read_file", index=0, id="c1"),
                piece("", "grep", index=1, id="c2"),
            ],
            [piece(READ_A, index=0)],
            [piece('{"pattern": "penates"}', index=1)],
        ),
        [LARES, ("completed", "b:1:penates")],
    ),
    "a name in every piece": (
        streamed(*([piece(part, "read_file", index=0, id="c1")] for part in ('{"path"', ':"a"}'))),
        [LARES],
    ),
    "a name in two pieces": (
        streamed(
            [piece("", "read_", index=0, id="c1")],
            [piece(READ_A, "file", index=0)],
        ),
        [LARES],
    ),
    "two calls with one id": (
        streamed([
            piece(READ_A, "read_file", index=0, id="x1"),
            piece(READ_B, "read_file", index=1, id="x1"),
        ]),
        [LARES, PENATES],
    ),
    "arguments as an object, not streamed": (
        json_reply({
            "choices": [{"message": {"tool_calls": [WHOLE]}, "finish_reason": "tool_calls"}]
        }),
        [LARES],
    ),
    "comments, pings and no space after the colon": (
        Scripted([PINGS, *(part.replace(b"data: ", b"data:") for part in one_read("stop").pieces)]),
        [LARES],
    ),
    "one byte in each read": (slowly(one_read("tool_calls")), [LARES]),
    **{
        f"a call that finishes with {finish}": (one_read(finish), [LARES])
        for finish in ("stop", None, "function_call", "end_turn", "length")
    },
}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One daemon for all of them, with a home of its own; each run has its own session."""
    base = tmp_path_factory.mktemp("odd")
    root = base / "project"
    root.mkdir()
    (root / "a").write_text("lares 那🌍\n", encoding="utf-8")
    (root / "b").write_text("penates\n", encoding="utf-8")
    with FakeLlm() as llm, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LARARIUM_HOME", str(base / "home"))
        profile = {"base_url": llm.base_url, "model": "fake-model"}
        with real_daemon(root, profiles={"P": profile}) as daemon:
            yield Stage(daemon, llm, root)


@pytest.mark.parametrize("name", RIGHT)
def test_odd_answers_run_each_call_once_and_are_told_back_in_order(stage: Stage, name: str) -> None:
    reply, right = RIGHT[name]

    run = stage.run(reply, model_says("done 那🌍"))

    assert sorted(run.results) == sorted(right)  # reads run side by side
    assert Counter(e["type"] for e in run.events)["tool.started"] == len(right)
    assert [result for _, _, result in run.told] == [text for _, text in right]
    assert len(run.asked) == 2
    [end] = run.of("run.ended")
    assert (end["outcome"], end["text"]) == ("completed", "done 那🌍")
    journal = stage.daemon.places.journal
    kept = b"".join(path.read_bytes() for path in journal.parent.glob(f"{journal.name}*"))
    assert "done 那🌍".encode() in kept
    assert "done \ufffd".encode() not in kept


UNREADABLE: dict[str, tuple[str, str | None, str]] = {
    "glued objects": (READ_A + READ_B + READ_A, "tool_calls", "several JSON objects"),
    "cut by the output limit": (CUT, "length", "truncated"),
    "cut, and called complete": (CUT, "tool_calls", "cut off"),
    "cut, and called stopped": (CUT, "stop", "cut off"),
    "malformed": ('{"mode": fast", }', "tool_calls", "invalid JSON"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_arguments_that_cannot_be_read_run_nothing_and_the_next_request_is_valid(
    stage: Stage, name: str
) -> None:
    arguments, finish, words = UNREADABLE[name]
    asked = streamed([piece(arguments, "write_file", index=0, id="c1")], finish=finish)

    run = stage.run(asked, model_says("sorry"))

    [(state, text)] = run.results
    assert (state, words in text) == ("error", True), text
    assert ("limit" in text) == (finish == "length"), text
    assert run.of("tool.started") == []
    assert not (stage.root / "new.md").exists()
    assert run.told == [("write_file", "{}", text)]
    assert run.of("run.ended")[0]["outcome"] == "completed"


@pytest.mark.parametrize("last", [{"choices": []}, {"choices": None}, {}])
def test_a_usage_chunk_of_any_shape_ends_the_turn(stage: Stage, last: Json) -> None:
    usage = {"usage": {"prompt_tokens": 3, "completion_tokens": 1}}

    run = stage.run(stream_of(chunk({"content": "hi"}), chunk(finish="stop"), last | usage))

    [end] = run.of("run.ended")
    assert (end["outcome"], end["text"]) == ("completed", "hi")
    [used] = run.of("usage.updated")
    assert (used["usage"]["input_tokens"], used["usage"]["output_tokens"]) == (3, 1)


def test_calls_that_are_promised_and_never_come_end_the_run_soon(stage: Stage) -> None:
    nothing = stream_of(chunk({"content": ""}), chunk(finish="tool_calls"))

    run = stage.run(*[nothing] * 9)

    assert len(run.asked) <= 3
    assert "empty_answer" in [notice["code"] for notice in run.of("notice")]
    assert run.of("run.ended")[0]["code"] == "provider_empty_answer"


def test_an_id_that_comes_again_in_each_turn_is_a_call_of_its_own(stage: Stage) -> None:
    run = stage.run(
        *(model_says("", call("read_file", path=path)) for path in ("a", "b", "a")),
        model_says("done"),
    )

    assert run.results == [LARES, PENATES, LARES]
    assert [json.loads(arguments)["path"] for _, arguments, _ in run.told] == ["a", "b", "a"]
    assert [result for _, _, result in run.told] == [text for _, text in run.results]


def test_half_a_character_from_a_model_or_a_tool_is_never_told_back(stage: Stage) -> None:
    half = event('{"choices": [{"delta": {"content": "x \\ud83d"}}]}')
    asked = b'{"index": 0, "id": "c", "function": {"name": "write_file", "arguments": '
    asked += b'"{\\"path\\": \\"new.md\\", \\"content\\": \\"a\\\\ud99c\\"}"}}'
    wanted = event(b'{"choices": [{"delta": {"tool_calls": [%s]}}]}'.decode() % asked.decode())
    shout = f"head -c {32 * 1024 - 3} /dev/zero | tr '\\0' x; printf '🌍'; printf '\\xf0\\x9f'"
    with stage.client() as client:
        session = stage.session(client, "yolo")

        run = stage.run(
            Scripted([half, wanted, event(chunk(finish="tool_calls")), event("[DONE]")]),
            model_says("", call("bash", command=shout)),
            model_says("done"),
            session=session,
        )
        written = (stage.root / "new.md").read_bytes()
        more = stage.run(model_says("more"), text="more", session=session)
        stage.llm.script(model_says("notes"))
        client.post(f"/sessions/{session}/compact").raise_for_status()
        last = stage.run(model_says("last"), text="last", session=session)

    assert written == "a\ufffd".encode()
    assert [state for state, _ in run.results] == ["completed"] * 2
    assert "xx🌍" in run.results[1][1]
    assert len(more.told) == 2
    for each in (run, more, last):
        assert each.of("run.ended")[0]["outcome"] == "completed"
        json.dumps(each.asked, ensure_ascii=False).encode()  # raises for half a character


def test_a_call_that_the_person_interrupted_is_told_with_its_one_result(stage: Stage) -> None:
    (stage.root / "begun").unlink(missing_ok=True)
    with stage.client() as client:
        session = stage.session(client, "yolo")
        stage.llm.reset()
        stage.llm.script(model_says("", call("bash", command="echo on >> begun; sleep 300")))
        body = {"client_message_id": "1", "text": "go"}
        client.post(f"/sessions/{session}/messages", json=body).raise_for_status()
        wait_until((stage.root / "begun").exists)
        client.post(f"/sessions/{session}/interrupt").raise_for_status()

        run = stage.run(model_says("done"), text="continue", session=session)

    [(tool, _, result)] = run.told
    assert (tool, "Interrupted" in result) == ("bash", True)
    assert run.results == []
    assert (stage.root / "begun").read_text("utf-8") == "on\n"
    assert run.of("run.ended")[0]["outcome"] == "completed"
