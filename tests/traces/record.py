"""Records what a page receives of real runs: `python -m tests.traces.record`.

A real daemon with a scripted model works; a WebSocket client keeps every message as it came, and at
the end the daemon's own state. The daemon's fold and the page's reducer are both held to these
files (`test_traces.py`, `web/src/lib/events/traces.test.ts`). Record them anew when an event type
or a field is added.
"""

import json
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from tests.bench.workshop import environment
from tests.fakes.llm_server import FakeLlm
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.start import StartedDaemon, start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.paths import resolve_paths

HERE = Path(__file__).parent
LIMIT_SECONDS = 20.0
KINDS = ("event", "replay", "snapshot", "heartbeat", "resync")

Json = dict[str, Any]


@dataclass
class Page:
    """A WebSocket client of one session that keeps what it gets and can come back."""

    session_id: str
    messages: list[Json] = field(default_factory=list[Json])
    seq: int = 0
    epoch: str = ""
    _connection: ExitStack = field(default_factory=ExitStack)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def connect(self, daemon: StartedDaemon, *, afresh: bool = False) -> None:
        """Subscribe from where it is, or as one that knows nothing."""
        socket = self._connection.enter_context(
            connect(
                daemon.base_url.replace("http", "ws") + "/api/events",
                additional_headers={"Authorization": f"Bearer {daemon.token}"},
                subprotocols=[Subprotocol("lar.v1")],
                proxy=None,
                max_size=None,
            )
        )
        known = {} if afresh else {"after_seq": self.seq, "epoch": self.epoch}
        asked = {"type": "subscribe", "session_id": self.session_id, **known}
        socket.send(json.dumps(asked))
        threading.Thread(target=self._read, args=[socket], daemon=True).start()

    def leave(self) -> None:
        """Close the connection."""
        self._connection.close()

    def wait(self, found: Callable[[Json], bool], since: int = 0) -> Json:
        """Wait for a message; give it."""
        with self._changed:
            if not self._changed.wait_for(
                lambda: any(map(found, self.messages[since:])), LIMIT_SECONDS
            ):
                raise TimeoutError([m.get("event", m).get("type") for m in self.messages])
        return next(message for message in self.messages[since:] if found(message))

    def event(self, kind: str, count: int = 1) -> Json:
        """Wait until an event has come so many times; give the last one's payload."""

        def number() -> int:
            return sum(message_kind(message) == kind for message in self.messages)

        with self._changed:
            if not self._changed.wait_for(lambda: number() >= count, LIMIT_SECONDS):
                raise TimeoutError(f"{number()} of {count} {kind}")
            found = [m["event"] for m in self.messages if message_kind(m) == kind]
        return found[count - 1]["payload"]

    def _read(self, socket: ClientConnection) -> None:
        try:
            for text in socket:
                self._keep(json.loads(text))
        except ConnectionClosed:
            return

    def _keep(self, message: Json) -> None:
        if message["type"] not in KINDS:
            return
        with self._changed:
            self.messages.append(message)
            for event in [message["event"]] if "event" in message else message.get("events", []):
                self.seq, self.epoch = max(self.seq, event["seq"]), event["epoch"]
            if message["type"] == "snapshot":
                self.seq, self.epoch = message["seq"], message["epoch"]
            self._changed.notify_all()


def message_kind(message: Json) -> str:
    """The event's type of a live event; else the message's own."""
    return message["event"]["type"] if message["type"] == "event" else message["type"]


@dataclass
class Stage:
    """One session of a real daemon, with a page that looks on."""

    folder: Path
    variables: Mapping[str, str]
    llm: FakeLlm
    daemon: StartedDaemon
    page: Page

    @property
    def client(self) -> DaemonClient:
        return self.daemon.client()

    def call(self, method: str, path: str, body: Json | None = None) -> Json:
        """Speak to the daemon about the session."""
        return self.client.request(method, f"/api/sessions/{self.page.session_id}{path}", body)

    def post(self, text: str) -> Json:
        """Send a message."""
        message = {"client_message_id": uuid.uuid4().hex, "text": text}
        return self.call("POST", "/messages", message)

    def run(self, text: str, count: int = 1) -> None:
        """Send a message and wait for the session's `count`th end of a run."""
        self.post(text)
        self.page.event("run.ended", count)

    def decide(self, request: Json, decision: str) -> None:
        """Answer an ask."""
        body = {"decision": decision, "shown_sha256": request["shown_sha256"], "reason": "So."}
        self.client.request("POST", f"/api/permissions/requests/{request['id']}/decision", body)

    def kill(self) -> None:
        """Kill the daemon and start it again."""
        psutil.Process(self.daemon.pid).kill()
        self.daemon = start_daemon(self.folder, self.variables)


def text(stage: Stage) -> None:
    said = "Ein Fuß, naïve, 日本語, 👩‍👩‍👧 and 🔥 — and\\n\\nthe end."
    stage.run(f"[[fake reasoning=12 tps=60 text='{said}']]")
    stage.run("Again. [[fake tokens=120 chunk=3]]", 2)


def tools(stage: Stage) -> None:
    stage.call("PATCH", "", {"mode": "yolo"})
    loud = "for i in 1 2 3; do echo line $i; sleep 0.2; done; printf 'ä\\033[31mred\\033[0m\\n'"
    stage.run(f'[[fake rounds=1 tool=shell command="{loud}" text="Ran."]]')
    stage.run("[[fake rounds=1 calls=3 tool=shell command='exit 3']]", 2)
    stage.run("[[fake rounds=1 tool=no_such_tool]]", 3)
    stage.run("[[fake rounds=1 tool=read error=badjson error_on=99]]", 4)


def files(stage: Stage) -> None:
    stage.call("PATCH", "", {"mode": "accept-edits"})
    stage.run("[[fake rounds=1 tool=write path=notes/a.md content='one\ntwo\n']]")
    change = json.dumps({"path": "notes/a.md", "old_text": "one", "new_text": "eins"})
    stage.run(f"[[fake rounds=1 tool=edit_file args='{change}']]", 2)
    stage.run("[[fake rounds=1 calls=2 tool=read path=notes/a.md]]", 3)


def asks(stage: Stage) -> None:
    for number, decision in enumerate(("allow", "deny"), 1):
        stage.post(f"[[fake rounds=1 tool=shell command='touch made-{number}; rm -f made-9']]")
        stage.decide(stage.page.event("permission.requested", number)["request"], decision)
        stage.page.event("run.ended", number)
    stage.post("[[fake rounds=1 tool=shell command='rm -rf somewhere']]")
    stage.page.event("permission.requested", 3)
    stage.call("POST", "/interrupt", {})
    stage.page.event("run.ended", 3)


def question(stage: Stage) -> None:
    options = [{"label": "Tea", "description": "hot"}, {"label": "Water"}]
    asked = json.dumps({"questions": [{"question": "What to drink?", "options": options}]})
    stage.post(f"[[fake rounds=1 tool=ask_user args='{asked}']]")
    item = stage.page.event("question.asked")["question"]
    answer = {"answers": [{"selected": ["Tea"], "text": "with milk"}]}
    stage.client.request("POST", f"/api/questions/{item['id']}/answer", answer)
    stage.page.event("run.ended")


def queue(stage: Stage) -> None:
    stage.post("First. [[fake tokens=20 hold_after=6]]")
    stage.page.event("part.delta")
    stage.post("Second.")
    third = stage.post("Third.")
    stage.post("Fourth.")
    stage.call("DELETE", f"/queue/{third['message_id']}")
    stage.page.event("message.removed")
    stage.llm.release()
    stage.page.event("run.ended", 3)


def interrupt(stage: Stage) -> None:
    stage.post("[[fake tokens=40 tps=80 hold_after=12]]")
    stage.page.event("part.delta", 3)
    stage.call("POST", "/interrupt", {})
    stage.page.event("run.ended")
    stage.run("Go on. [[fake tokens=3]]", 2)


def crash(stage: Stage) -> None:
    stage.call("PATCH", "", {"mode": "yolo"})
    stage.post("[[fake rounds=1 tool=shell command='echo before; sleep 60']]")
    stage.page.event("tool.progress")
    stage.kill()
    stage.page.connect(stage.daemon)
    stage.page.wait(lambda m: m["type"] == "snapshot" and m["epoch"] == stage.daemon.guid)
    stage.run("Go on.")


def away(stage: Stage) -> None:
    stage.run("[[fake tokens=30]]")
    stage.page.leave()
    stage.post("Nobody looks. [[fake tokens=200 chunk=5]]")
    deadline = time.monotonic() + LIMIT_SECONDS
    while stage.call("GET", "")["activity"] != "idle" and time.monotonic() < deadline:
        time.sleep(0.01)
    stage.page.connect(stage.daemon)
    stage.page.wait(lambda message: message["type"] == "replay")
    stage.run("And now. [[fake tokens=30 tps=200]]", 2)


def failures(stage: Stage) -> None:
    stage.run("[[fake error=503 error_on=1 retry_after=0 tokens=3]]")
    stage.run("[[fake error=401]]", 2)
    stage.run("[[fake error=empty]]", 3)
    stage.run("[[fake tokens=30 error=cut cut_after=8]]", 4)


def settings(stage: Stage) -> None:
    stage.call("PATCH", "", {"title": "Named", "pinned": True})
    stage.call("PATCH", "", {"mode": "plan", "model": "fake-small"})
    stage.run("[[fake rounds=1 tool=write path=b.md content=x]]")
    stage.call("PATCH", "", {"archived": True})
    stage.page.event("session.updated", 3)


def compaction(stage: Stage) -> None:
    stage.run("Remember the lamp.")
    stage.run("And now? [[fake error=context error_on=2 text='The lamp is lit.']]", 2)
    stage.call("POST", "/compaction/undo", {})
    stage.page.event("compaction.undone")
    stage.run("[[fake error=context error_on=5 text='Once more.']]", 3)


def spend(stage: Stage) -> None:
    for number, label in enumerate(("Continue", "Stop"), 1):
        stage.post("[[fake rounds=1 tool=read path=README.md]]")
        item = stage.page.event("question.asked", number)["question"]
        answer = {"answers": [{"selected": [label]}]}
        stage.client.request("POST", f"/api/questions/{item['id']}/answer", answer)
        stage.page.event("run.ended", number)


def subagent(stage: Stage) -> None:
    task = json.dumps({"description": "Look around", "prompt": "What is here?", "read_only": True})
    stage.run(f"[[fake rounds=1 calls=2 tool=task args='{task}']]")


def todo(stage: Stage) -> None:
    first = json.dumps({"steps": ["Read", {"text": "Write", "state": "in_progress"}]})
    stage.run(f"[[fake rounds=1 tool=todo args='{first}']]")
    stage.kill()
    stage.page.connect(stage.daemon)
    stage.page.wait(lambda m: m["type"] == "snapshot" and m["epoch"] == stage.daemon.guid)
    then = json.dumps({"steps": [{"text": "Read", "state": "done"}]})
    stage.run(f"[[fake rounds=1 tool=todo args='{then}']]", 2)


def spawned(stage: Stage) -> None:
    subagent(stage)
    stage.page.leave()
    ended = stage.page.event("tool.ended")
    stage.page = Page(ended["result"]["metadata"]["session_id"], epoch=stage.daemon.guid)
    stage.page.connect(stage.daemon)
    stage.page.wait(lambda message: message["type"] == "replay")


SCENES = (
    text, tools, files, asks, question, queue, interrupt, crash, away, failures, settings,
    compaction, spend, subagent, spawned, todo,
)  # fmt: skip
SETTINGS: Mapping[str, Json] = {
    "spend": {
        "profiles": {
            "Fake": {
                "base_url": "${OPENAI_BASE_URL}",
                "key": "env:OPENAI_API_KEY",
                "model": "fake-model",
                "price": {"input": 1000, "output": 1000},
            }
        },
        "agent": {"spend": {"session": 0.01}},
    }
}
"""What a scene's daemon is set to, where it is not set to the defaults."""


def record(scene: Callable[[Stage], None]) -> Json:
    """Play a scene; give its trace."""
    with FakeLlm() as llm, environment(llm) as variables:
        folder = Path(variables["HOME"]) / "project"
        folder.mkdir()
        (folder / "README.md").write_text("# Read me\n", encoding="utf-8")
        if given := SETTINGS.get(scene.__name__):
            config = resolve_paths(variables).config
            config.mkdir(parents=True, exist_ok=True)
            (config / "settings.json").write_text(json.dumps(given), encoding="utf-8")
        daemon = start_daemon(folder, variables)
        try:
            session = daemon.client().request("POST", "/api/sessions", {"title": scene.__name__})
            stage = Stage(folder, variables, llm, daemon, Page(session["id"]))
            stage.page.connect(daemon)
            stage.page.wait(lambda message: message["type"] == "snapshot")
            scene(stage)
            trace = {"messages": _settled(stage.page, stage.daemon), "state": _state(stage)}
            return json.loads(json.dumps(trace).replace(variables["HOME"], "/home/ana"))
        finally:
            stop_daemon(resolve_paths(variables).workspace(folder))


def _state(stage: Stage) -> Json:
    """Give the daemon's own state, as a page sees it that knows nothing."""
    looker = Page(stage.page.session_id)
    looker.connect(stage.daemon, afresh=True)
    try:
        return looker.wait(lambda message: message["type"] == "snapshot")["state"]
    finally:
        looker.leave()


def _settled(page: Page, daemon: StartedDaemon) -> list[Json]:
    """Give the page's messages once nothing more is on its way."""
    last = daemon.client().request("GET", f"/api/sessions/{page.session_id}")
    assert last["activity"] == "idle"
    messages = list(page.messages)
    page.leave()
    return messages


def main() -> None:
    """Record every scene, or those named."""
    for scene in SCENES:
        if not sys.argv[1:] or scene.__name__ in sys.argv[1:]:
            path = HERE / f"{scene.__name__}.json"
            path.write_text(as_lines(record(scene)), encoding="utf-8")
            sys.stdout.write(f"{path.name}: {path.stat().st_size} bytes\n")


def as_lines(trace: Json) -> str:
    """Write a trace so that a change of it can be read: one message a line."""
    messages = ",\n".join(json.dumps(each, ensure_ascii=False) for each in trace["messages"])
    state = json.dumps(trace["state"], ensure_ascii=False)
    return f'{{"messages": [\n{messages}\n],\n"state": {state}}}\n'


if __name__ == "__main__":
    main()
