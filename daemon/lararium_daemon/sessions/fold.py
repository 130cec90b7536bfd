"""From events to a session's state: the one place that knows what an event does.

Pure and without time: the same events give the same state, whether they come one by one from a
run, from the journal at start or over the wire. The page's reducer does the same in TypeScript.
"""

from typing import assert_never

from lararium_daemon.protocol.events import (
    CompactionEnded,
    CompactionStarted,
    CompactionUndone,
    Envelope,
    Event,
    MessageAppended,
    MessageRemoved,
    Notice,
    PartAppended,
    PartDelta,
    PermissionRequested,
    PermissionResolved,
    QuestionAsked,
    QuestionResolved,
    RunEnded,
    RunStarted,
    SessionSpawned,
    SessionUpdated,
    SpendRaised,
    TodoUpdated,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageUpdated,
    VolatileEvent,
)
from lararium_daemon.protocol.ids import CallId, MessageId, SessionId
from lararium_daemon.protocol.messages import Message, TextPart, ThinkingPart
from lararium_daemon.protocol.state import Compaction, NoticeState, RunState, SessionState
from lararium_daemon.protocol.stream import SessionCounts
from lararium_daemon.protocol.text import utf16_length
from lararium_daemon.sessions.transcript import Transcript


class Fold:
    """A session's state with what it takes to grow it: indexes, and what a run left open."""

    def __init__(self, state: SessionState) -> None:
        self.state = state
        self.transcript = Transcript(state.messages)
        self.intents: dict[CallId, ToolStarted] = {}
        """Calls that were started and have not ended, oldest first."""
        self.progress: dict[CallId, ToolProgress] = {}
        """What each running call showed last."""
        self.open_turn: TurnStarted | None = None
        self.clients: dict[str, tuple[MessageId, int]] = {}
        """Message id and seq by the client's own id, also of messages that were removed."""

    @property
    def is_running(self) -> bool:
        """Whether a run has started and not ended."""
        run = self.state.run
        return run is not None and run.outcome is None

    def apply(self, envelope: Envelope) -> bool:
        """Fold an event in; False when text before a delta is missing.

        A durable event that was folded already changes nothing.
        """
        event = envelope.payload
        if isinstance(event, PartDelta | ToolProgress):
            return self.apply_volatile(event)
        if envelope.seq > self.state.seq:
            self.apply_durable(event, envelope.seq, envelope.at)
        return True

    def apply_volatile(self, event: VolatileEvent) -> bool:
        """Fold a volatile event in; False when text before it is missing."""
        if isinstance(event, PartDelta):
            return self.transcript.grow(event)
        if event.call_id in self.intents:
            self.progress[event.call_id] = event
            self.state.progress[event.call_id] = event.tail
        return True

    def apply_durable(self, event: Event, seq: int, at: str) -> None:
        """Fold a durable event in."""
        self.state.seq = seq
        match event:
            case SessionUpdated():
                self._update(event, at)
            case SessionSpawned():
                self.state.parent_id = event.parent_id
            case MessageAppended():
                self._append(event.message, seq, at)
            case MessageRemoved():
                self.transcript.remove(event.message_id)
            case PartAppended():
                self.transcript.put(event)
            case Notice():
                self._note(event, seq, at)
            case CompactionStarted() | CompactionEnded() | CompactionUndone():
                self._compact(event, at)
            case TodoUpdated():
                self.state.todo = list(event.steps)
            case PartDelta() | ToolProgress():
                self.apply_volatile(event)
            case _:
                self._apply_to_run(event, at)

    def _apply_to_run(
        self,
        event: RunStarted
        | RunEnded
        | TurnStarted
        | TurnEnded
        | ToolStarted
        | ToolEnded
        | UsageUpdated
        | SpendRaised
        | PermissionRequested
        | PermissionResolved
        | QuestionAsked
        | QuestionResolved,
        at: str,
    ) -> None:
        match event:
            case RunStarted():
                self._start_run(event, at)
            case RunEnded():
                self._end_run(event, at)
            case TurnStarted():
                self._start_turn(event)
            case TurnEnded():
                self._end_turn(event)
            case ToolStarted():
                self._start_call(event, at)
            case ToolEnded():
                self._end_call(event, at)
            case UsageUpdated() | SpendRaised():
                self._spend(event)
            case _:
                self._apply_to_asks(event, at)

    def _apply_to_asks(
        self,
        event: PermissionRequested | PermissionResolved | QuestionAsked | QuestionResolved,
        at: str,
    ) -> None:
        state = self.state
        match event:
            case PermissionRequested():
                state.requests.append(event.request)
                state.updated_at = at
            case PermissionResolved():
                state.requests[:] = [r for r in state.requests if r.id != event.request_id]
                if event.by == "headless" and event.decision == "deny" and state.run is not None:
                    state.run.refused += 1
            case QuestionAsked():
                state.questions.append(event.question)
                state.updated_at = at
            case QuestionResolved():
                state.questions[:] = [q for q in state.questions if q.id != event.question_id]
            case _:
                assert_never(event)

    def _spend(self, event: UsageUpdated | SpendRaised) -> None:
        state, run = self.state, self.state.run
        if isinstance(event, SpendRaised):
            if event.scope == "session":
                state.spend_cap_usd = event.cap_usd
            elif event.scope == "run" and run is not None:
                run.spend_cap_usd = event.cap_usd
            return
        if event.purpose == "turn":
            state.usage = event.usage
            state.context_window = event.context_window
        state.cost_usd += event.cost_usd or 0.0
        if run is not None and run.run_id == event.run_id:
            run.cost_usd += event.cost_usd or 0.0

    def _compact(
        self, event: CompactionStarted | CompactionEnded | CompactionUndone, at: str
    ) -> None:
        state = self.state
        state.is_compacting = isinstance(event, CompactionStarted)
        if isinstance(event, CompactionUndone):
            del state.compactions[-1:]
        elif isinstance(event, CompactionEnded) and event.until_message_id is not None:
            state.compactions.append(Compaction(at, event.until_message_id, event.summary))

    def _update(self, event: SessionUpdated, at: str) -> None:
        state = self.state
        state.title = event.title
        state.mode = event.mode
        state.model = event.model
        state.archived = event.archived
        state.pinned = event.pinned
        state.created_at = state.created_at or at
        state.updated_at = state.updated_at or at

    def _append(self, message: Message, seq: int, at: str) -> None:
        self.transcript.append(message)
        if message.client_message_id is not None:
            self.clients[message.client_message_id] = (message.message_id, seq)
        if message.role == "user":
            self.state.updated_at = at

    def _note(self, event: Notice, seq: int, at: str) -> None:
        after = self.transcript.last_id
        self.state.notices.append(NoticeState(seq, at, event.level, event.code, event.text, after))

    def _start_run(self, event: RunStarted, at: str) -> None:
        message = self.transcript.take(event.message_id)
        if message is not None:
            message.run_id = event.run_id
        self.state.run = RunState(event.run_id, event.message_id, event.model, event.mode, at)
        self.state.updated_at = at

    def _end_run(self, event: RunEnded, at: str) -> None:
        self.state.is_compacting = False
        run = self.state.run
        if run is None or run.run_id != event.run_id:
            return
        run.ended_at = at
        run.outcome = event.outcome
        run.refused = event.refused
        run.code = event.code
        run.detail = event.detail
        self.state.runs.append(run)
        self.state.updated_at = at

    def _start_turn(self, event: TurnStarted) -> None:
        self.open_turn = event
        if self.state.run is not None:
            self.state.run.turn = event.turn

    def _end_turn(self, event: TurnEnded) -> None:
        self.open_turn = None
        message = self.transcript.message(event.message_id)
        if message is not None:
            self.transcript.touch(message.message_id)
            message.cut = event.cut
            message.reasoning = event.reasoning

    def _start_call(self, event: ToolStarted, at: str) -> None:
        self.intents[event.call_id] = event
        call = self.transcript.calls.get(event.call_id)
        if call is not None:
            self.transcript.touch_call(call.call_id)
            call.state = "running"
            call.started_at = at

    def _end_call(self, event: ToolEnded, at: str) -> None:
        self.intents.pop(event.call_id, None)
        self.progress.pop(event.call_id, None)
        self.state.progress.pop(event.call_id, None)
        call = self.transcript.calls.get(event.call_id)
        if call is not None:
            self.transcript.touch_call(call.call_id)
            call.state = event.state
            call.result = event.result
            call.ended_at = at

    def counts(self) -> SessionCounts:
        """Give what a client's fold must agree with."""
        texts = self.transcript
        return SessionCounts(
            seq=self.state.seq,
            messages=len(self.state.messages),
            parts=texts.parts,
            chars=texts.chars,
        )


def fresh(session_id: SessionId) -> Fold:
    """Give the fold of a session before its first event."""
    return Fold(SessionState(session_id))


def count(state: SessionState) -> SessionCounts:
    """Count a state from scratch, as a client does that was given a snapshot."""
    parts = [part for message in state.messages for part in message.parts]
    texts = [part.text for part in parts if isinstance(part, TextPart | ThinkingPart)]
    return SessionCounts(
        seq=state.seq,
        messages=len(state.messages),
        parts=len(parts),
        chars=sum(utf16_length(text) for text in texts),
    )
