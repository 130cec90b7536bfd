"""A run in memory that can be left open anywhere."""

from lararium_daemon.protocol.events import (
    Event,
    MessageAppended,
    PartAppended,
    PartDelta,
    RunStarted,
    TurnStarted,
)
from lararium_daemon.protocol.ids import CallId, MessageId, PartId, RunId, SessionId
from lararium_daemon.protocol.messages import Message, TextPart, ToolCallPart
from lararium_daemon.sessions.fold import Fold, fresh

SESSION = SessionId("ses_1")
RUN = RunId("run_1")
ANSWER = MessageId("msg_2")
AT = "2026-11-30T12:00:00.000Z"


def fold_of(*events: Event) -> Fold:
    """Fold a run up to its first answer, and then `events`."""
    fold = fresh(SESSION)
    asked = Message(MessageId("msg_1"), "user", AT, RUN, None, [TextPart(PartId("p"), "Hi")])
    head: list[Event] = [
        MessageAppended(asked),
        RunStarted(RUN, asked.message_id, "m", "default"),
        TurnStarted(RUN, 1, ANSWER),
        MessageAppended(Message(ANSWER, "assistant", AT, RUN)),
    ]
    for event in (*head, *events):
        if isinstance(event, PartDelta):
            assert fold.apply_volatile(event)
        else:
            fold.apply_durable(event, fold.state.seq + 1, AT)
    return fold


def call(name: str) -> PartAppended:
    """Give the event of a call of this name."""
    part = ToolCallPart(PartId(f"prt_{name}"), CallId(name), "bash", {}, title=name)
    return PartAppended(ANSWER, part)
