"""Does to a session what runs do, one thing at a time, for tests of replay."""

from dataclasses import dataclass, field

from lararium_daemon.protocol.events import (
    MessageAppended,
    MessageRemoved,
    PartAppended,
    PartDelta,
    RunEnded,
    RunStarted,
    TodoUpdated,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from lararium_daemon.protocol.ids import CallId, MessageId, PartId, RunId
from lararium_daemon.protocol.messages import Message, TextPart, ToolCallPart, ToolResult
from lararium_daemon.protocol.text import utf16_length
from lararium_daemon.protocol.todo import TodoStep
from lararium_daemon.sessions.session import Session

NO_MESSAGE, NO_PART = MessageId(""), PartId("")
AT = "2026-11-30T12:00:00.000Z"


@dataclass
class SessionWriter:
    """Grows a session; every id it makes is new."""

    session: Session
    number: int = 0
    message_id: MessageId = NO_MESSAGE
    part_id: PartId = NO_PART
    text: str = ""
    durable: int = 0
    calls: list[CallId] = field(default_factory=list[CallId])

    async def run(self) -> None:
        """End the run that goes on and begin another."""
        await self.rest()
        self.number += 1
        run_id = RunId(f"run_{self.number}")
        asked = Message(MessageId(f"msg_a{self.number}"), "user", AT, run_id)
        self.message_id = MessageId(f"msg_b{self.number}")
        await self.session.commit([
            MessageAppended(asked),
            RunStarted(run_id, asked.message_id, "m", "default"),
            MessageAppended(Message(self.message_id, "assistant", AT, run_id)),
        ])
        self._open_text()

    def delta(self, text: str) -> None:
        offset = utf16_length(self.text)
        self.session.emit(PartDelta(self.message_id, self.part_id, "text", offset, text))
        self.text += text

    async def flush(self) -> None:
        rest = self.text.encode("utf-16-le")[self.durable * 2 :].decode("utf-16-le")
        if rest:
            part = TextPart(self.part_id, rest)
            await self.session.commit([PartAppended(self.message_id, part, self.durable)])
            self.durable = utf16_length(self.text)

    async def call(self) -> None:
        await self.flush()
        self.number += 1
        call_id = CallId(f"call_{self.number}")
        part = ToolCallPart(PartId(f"prt_c{self.number}"), call_id, "bash", {})
        await self.session.commit([
            PartAppended(self.message_id, part),
            ToolStarted(RunId("run"), call_id),
        ])
        self.calls.append(call_id)
        self._open_text()

    async def todo(self) -> None:
        self.number += 1
        steps = [TodoStep(f"Step {self.number}", "in_progress")]
        event = TodoUpdated(RunId("run"), CallId(f"call_{self.number}"), steps)
        await self.session.commit([event])

    def progress(self, text: str) -> None:
        for call_id in self.calls:
            part_id = PartId(call_id.replace("call_", "prt_c"))
            self.session.emit(ToolProgress(call_id, part_id, 0, text, len(text)))

    async def result(self) -> None:
        if self.calls:
            call_id = self.calls.pop(0)
            await self.session.commit([
                ToolEnded(RunId("run"), call_id, "completed", ToolResult("ok"))
            ])

    async def queue(self) -> None:
        """Let a message wait for its run."""
        self.number += 1
        message_id = MessageId(f"msg_q{self.number}")
        text = TextPart(PartId(f"prt_q{self.number}"), f"wait {self.number}")
        message = Message(message_id, "user", AT, None, f"client_{self.number}", [text])
        await self.session.commit([MessageAppended(message)])

    async def unqueue(self) -> None:
        """Take the oldest message that waits back."""
        for message_id in list(self.session.fold.transcript.queued)[:1]:
            await self.session.commit([MessageRemoved(message_id)])

    async def rest(self) -> None:
        """End everything that is open."""
        await self.flush()
        for _ in list(self.calls):
            await self.result()
        run = self.session.state.run
        if run is not None and run.outcome is None:
            await self.session.commit([RunEnded(run.run_id, "completed", 0)])

    async def take(self) -> None:
        """Begin a run with the oldest message that waits, or with a new one."""
        queued = list(self.session.fold.transcript.queued)
        if not queued:
            return await self.run()
        await self.rest()
        self.number += 1
        run_id = RunId(f"run_{self.number}")
        self.message_id = MessageId(f"msg_b{self.number}")
        await self.session.commit([
            RunStarted(run_id, queued[0], "m", "default"),
            TurnStarted(run_id, 1, self.message_id),
            MessageAppended(Message(self.message_id, "assistant", AT, run_id)),
            TurnEnded(run_id, 1, self.message_id, "stop", cut=self.number % 3 == 0),
        ])
        return self._open_text()

    async def move(self, session: Session) -> None:
        """Go on with the session as it is after a restart: what was not durable is gone."""
        self.session = session
        self.calls.clear()
        self.text, self.durable = "", 0
        await self.run()

    def _open_text(self) -> None:
        self.number += 1
        self.part_id = PartId(f"prt_t{self.number}")
        self.text = ""
        self.durable = 0
