"""What a session has read is told by its own results."""

from pathlib import Path

from lararium_daemon.protocol.ids import CallId, MessageId, PartId, SessionId
from lararium_daemon.protocol.messages import Message, Part, ToolCallPart, ToolResult
from lararium_daemon.protocol.state import SessionState
from lararium_daemon.sessions.file_ledger import ledger_of


def call(number: int, **metadata: object) -> Part:
    name = str(number)
    result = ToolResult("ok", metadata=metadata)
    return ToolCallPart(PartId(name), CallId(name), "read_file", {}, "completed", result=result)


def test_the_last_result_of_a_file_says_what_it_was() -> None:
    parts = [
        call(1, real_path="/w/a", sha256="old"),
        call(2, lines=3),
        call(3, real_path="/w/b", sha256="b"),
        call(4, real_path="/w/a", sha256="new"),
        ToolCallPart(PartId("5"), CallId("5"), "read_file", {}),
    ]
    state = SessionState(
        SessionId("s"), messages=[Message(MessageId("m"), "assistant", "", parts=parts)]
    )

    assert ledger_of(state).seen == {Path("/w/a"): "new", Path("/w/b"): "b"}
