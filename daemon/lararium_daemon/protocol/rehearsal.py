"""What a rule would have meant: asked before it is stored."""

from pydantic import Field

from lararium_daemon.protocol.api import Input, Output
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.permissions import Verdict


class RehearseInput(Input):
    """Ask what an allow rule would have meant for what was asked in this workspace so far."""

    rule: str = Field(min_length=1, max_length=10_000)


class RehearsedAsk(Output):
    """A past ask."""

    shown: str
    """Exactly what the person was shown then."""
    at: str
    """When it was asked last."""
    session_id: SessionId
    times: int
    """How often exactly this was asked."""


class NearMiss(Output):
    """A past ask that resembles the rule and would still be asked."""

    ask: RehearsedAsk
    reason: str
    """Why, in one sentence."""


class RehearsedExample(Output):
    """A command made from a covered one, to see where the rule ends."""

    command: str
    verdict: Verdict
    reason: str


class Rehearsal(Output):
    """What an allow rule would have meant."""

    rule: str
    examined: int
    """How many past asks were looked at; asking stops at the newest few hundred."""
    covered: list[RehearsedAsk]
    """What would not have been asked, newest first."""
    near: list[NearMiss]
    """Newest first, at most ten."""
    examples: list[RehearsedExample]
    """Only for a rule on commands that covers one."""
