"""Which cut runs wait on: those that left nothing open but asks of the person."""

import pytest
from tests.fakes.cut_run import ANSWER, RUN, SESSION, call, fold_of

from lararium_daemon.protocol.events import (
    Event,
    PermissionRequested,
    QuestionAsked,
    RunEnded,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from lararium_daemon.protocol.ids import CallId, QuestionId, RequestId
from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.protocol.permissions import PermissionRequest, Question
from lararium_daemon.sessions.waiting import waits_for_person

TURN_ENDED = TurnEnded(RUN, 1, ANSWER, "tool_calls")
ASKED = PermissionRequested(
    PermissionRequest(
        RequestId("ask"), SESSION, RUN, CallId("asked"), "bash", "Run?", "", {}, "", "", [], ""
    )
)
QUESTION = QuestionAsked(Question(QuestionId("qst"), SESSION, RUN, CallId("asked"), [], ""))


@pytest.mark.parametrize(
    ("events", "waits"),
    [
        ([call("asked"), TURN_ENDED, ASKED], True),
        ([call("asked"), call("behind"), TURN_ENDED, ASKED], True),
        ([call("asked"), TURN_ENDED, ToolStarted(RUN, CallId("asked")), QUESTION], True),
        ([], False),
        ([call("asked"), TURN_ENDED], False),
        ([call("asked"), ASKED], False),
        ([call("asked"), TURN_ENDED, ToolStarted(RUN, CallId("asked"))], False),
        (
            [call("asked"), call("runs"), TURN_ENDED, ASKED, ToolStarted(RUN, CallId("runs"))],
            False,
        ),
        ([call("asked"), TURN_ENDED, ASKED, RunEnded(RUN, "interrupted", 0)], False),
        (
            [
                call("asked"),
                TURN_ENDED,
                ToolStarted(RUN, CallId("asked")),
                QUESTION,
                ToolEnded(RUN, CallId("asked"), "interrupted", ToolResult("")),
            ],
            False,
        ),
    ],
)
def test_only_asks_of_the_person_may_be_open(events: list[Event], waits: bool) -> None:
    assert waits_for_person(fold_of(*events)) is waits
