"""What a run may spend and what it has spent; its subagents spend from the same purse."""

from collections.abc import Callable

from lararium_daemon.agent.budget import Budget
from lararium_daemon.agent.ports import RunPlan
from lararium_daemon.agent.spending import Spending
from lararium_daemon.agent.staging import Staging
from lararium_daemon.protocol.events import CallPurpose, Usage, UsageUpdated

Cost = Callable[[Usage], float | None]
"""Gives what a model call cost in dollars; None = unknown."""


class Purse:
    """Budget and spend caps of one run, and the count of its model calls.

    Args:
        plan: of the run.
        staging: where usage is staged for the next commit.
        spending: the spend caps; a subagent's are its parent's.
        cost: what a call costs.
        window: tokens the model can hold; None = unknown.
        parent: of a subagent, the purse of the run it works for.
    """

    def __init__(
        self,
        plan: RunPlan,
        staging: Staging,
        spending: Spending,
        cost: Cost,
        window: int | None,
        parent: "Purse | None" = None,
    ) -> None:
        self.budget = Budget(plan.limits, parent.budget if parent else None)
        self.spending = spending
        self._run_id = plan.run_id
        self._staging = staging
        self._cost = cost
        self._window = window
        self._parent = parent

    def count(self, usage: Usage | None, purpose: CallPurpose) -> None:
        """Stage what a model call used; one that reported nothing costs nothing."""
        cost = self._cost(usage) if usage is not None else None
        if purpose != "subagent":
            self.budget.add(usage)
        if usage is not None:
            self._staging.add(UsageUpdated(self._run_id, usage, self._window, cost, purpose))
        if self._parent is not None:
            self._parent.count(usage, "subagent")
        elif cost is None:
            self._staging.add(*self.spending.note_unpriced())
