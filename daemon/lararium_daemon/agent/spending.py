"""Spend caps: a run that reaches one pauses and asks the person whether it may spend more.

A cap counts what is known. A model without a known price spends nothing here; that is said once a
session when a cap is set. The caps of a run and of its session are folds of the session; what the
day has cost over all sessions is asked of the journal.
"""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from lararium_daemon.agent.asks import Asks
from lararium_daemon.agent.ports import Recorder, RunPlan
from lararium_daemon.agent.staging import Staging
from lararium_daemon.protocol.events import Event, Notice, SpendRaised
from lararium_daemon.protocol.ids import CallId
from lararium_daemon.protocol.permissions import (
    QuestionAnswer,
    QuestionItem,
    QuestionOption,
    SpendLimit,
    SpendScope,
)

CONTINUE = "Continue"
STOP = "Stop"
UNPRICED = "spend_unpriced"
_OF: dict[SpendScope, str] = {"run": "This run", "session": "This session", "day": "Today"}
_NOBODY = "Nobody is here to say whether it may spend more."


@dataclass(slots=True, frozen=True)
class SpendCaps:
    """US dollars that may be spent before the person is asked; None = without asking."""

    run: float | None = None
    session: float | None = None
    day: float | None = None
    """Of all sessions of the workspace since local midnight."""

    @property
    def is_set(self) -> bool:
        """Whether there is any."""
        return not (self.run is None and self.session is None and self.day is None)


@dataclass(slots=True, frozen=True)
class DaySpend:
    """What a day has cost, in US dollars."""

    spent_usd: float = 0.0
    cap_usd: float | None = None
    """The cap that the person raised today; None = as the settings say."""


async def _free_day() -> DaySpend:
    return DaySpend()


@dataclass(slots=True, frozen=True)
class SpendRules:
    """The caps that hold, and where to learn what the day has cost."""

    caps: SpendCaps = SpendCaps()
    day: Callable[[], Awaitable[DaySpend]] = _free_day


class Spending:
    """Holds one run, with its subagents, to the spend caps."""

    def __init__(
        self, rules: SpendRules, plan: RunPlan, recorder: Recorder, staging: Staging, asks: Asks
    ) -> None:
        self._rules = rules
        self._plan = plan
        self._recorder = recorder
        self._staging = staging
        self._asks = asks
        self._one_at_a_time = anyio.Lock()
        self.stopped = ""
        """Why the run is to stop, one sentence; "" while it may go on."""
        self.refused = 0
        """Asks that nobody was there to answer."""

    async def may_go_on(self) -> bool:
        """Ask the person for each cap that is reached; wait, without limit, for the answer."""
        if not self._rules.caps.is_set:
            return True
        async with self._one_at_a_time:
            await self._staging.commit()  # the last call's cost counts
            while not self.stopped and (limit := self._left_open() or await self._reached()):
                await self._ask(limit)
        return not self.stopped

    def note_unpriced(self) -> list[Event]:
        """Give what is to be said of a call whose cost is unknown; nothing the second time."""
        said = any(notice.code == UNPRICED for notice in self._recorder.state.notices)
        if said or not self._rules.caps.is_set:
            return []
        text = "The price of this model is not known, so its calls do not count for a spend cap."
        return [Notice("info", UNPRICED, text, self._plan.run_id)]

    async def _ask(self, limit: SpendLimit) -> None:
        said = f"{_OF[limit.scope]} has cost {_usd(limit.spent_usd)}"
        said += f"; the cap is {_usd(limit.cap_usd)}."
        if self._plan.headless:
            self.refused += 1
            self.stopped = f"{said} {_NOBODY}"
            return
        item = QuestionItem(
            f"{said} Go on?",
            [
                QuestionOption(CONTINUE, f"Raises the cap to {_usd(limit.next_cap_usd)}."),
                QuestionOption(STOP, "Ends the run. What was done is kept."),
            ],
        )
        raised = SpendRaised(self._plan.run_id, limit.scope, limit.next_cap_usd)

        def effect(answers: list[QuestionAnswer]) -> list[Event]:
            return [raised] if _is_continue(answers) else []

        answers = await self._asks.question(CallId(""), [item], spend=limit, effect=effect)
        if not _is_continue(answers):
            self.stopped = said

    def _left_open(self) -> SpendLimit | None:
        """Give what a restart left asked: its card stays the same."""
        return next((q.spend for q in self._recorder.state.questions if q.spend), None)

    async def _reached(self) -> SpendLimit | None:
        caps, state, run = self._rules.caps, self._recorder.state, self._recorder.state.run
        if run is not None and (limit := _limit("run", caps.run, run.spend_cap_usd, run.cost_usd)):
            return limit
        limit = _limit("session", caps.session, state.spend_cap_usd, state.cost_usd)
        if limit is not None or caps.day is None:
            return limit
        day = await self._rules.day()
        return _limit("day", caps.day, day.cap_usd, day.spent_usd)


def _limit(
    scope: SpendScope, step: float | None, raised: float | None, spent: float
) -> SpendLimit | None:
    """Give the cap that is reached; it is raised by whole steps, as few as make room."""
    if step is None:
        return None
    cap = max(step, raised or 0.0)
    if spent < cap:
        return None
    steps = math.floor((spent - cap) / step) + 1
    return SpendLimit(scope, cap, spent, round(cap + steps * step, 6))


def _is_continue(answers: list[QuestionAnswer]) -> bool:
    return any(CONTINUE in answer.selected for answer in answers)


def _usd(amount: float) -> str:
    """Write an amount so that small ones can be told apart."""
    return f"${amount:.2f}" if amount >= 0.1 else f"${amount:.4f}"
