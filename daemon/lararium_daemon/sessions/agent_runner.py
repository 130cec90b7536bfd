"""Works on a message with the agent: a run's model, tools, rules and folders put together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from anyio import to_thread

from lararium_daemon.agent.budget import Limits
from lararium_daemon.agent.loop import Agent
from lararium_daemon.agent.ports import RunPlan
from lararium_daemon.agent.spending import SpendRules
from lararium_daemon.permissions.grants import GrantBook
from lararium_daemon.permissions.policy import may_read
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.protocol.ids import CallId, SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.provider import ProviderError
from lararium_daemon.sessions.file_ledger import ledger_of
from lararium_daemon.sessions.gate import Desks, SessionGate
from lararium_daemon.sessions.runner import RunRequest
from lararium_daemon.sessions.session import Session
from lararium_daemon.sessions.trust_desk import TrustDesk
from lararium_daemon.system.environment import CALL_MARK, child_environment
from lararium_daemon.tools.context import Ask, FileLedger, Progress, ToolContext
from lararium_daemon.tools.registry import AnyTool


@dataclass(slots=True)
class _Memory:
    """What a session keeps between its runs while the daemon lives."""

    ledger: FileLedger = field(default_factory=FileLedger)


@dataclass(slots=True)
class AgentRunner:
    """The runner of the daemon."""

    root: Path
    """The workspace's real path."""
    spool: Path
    """The folder of calls' full output; it exists."""
    environment: Mapping[str, str]
    gateway: ModelGateway
    tools: Mapping[str, AnyTool]
    desks: Desks
    user_rules: RuleSet
    """The rules of the person's settings."""
    trust: TrustDesk
    max_turns: int
    """When the message does not say."""
    spend: SpendRules = field(default_factory=SpendRules)
    grants: GrantBook = field(default_factory=GrantBook)
    """What the person allowed, by session."""
    _memories: dict[SessionId, _Memory] = field(default_factory=dict[SessionId, _Memory])

    async def __call__(self, session: Session, run: RunRequest) -> None:
        """Run the agent to its end."""
        started = session.state.run
        if started is None:
            raise ValueError("run.started must be committed first")
        memory = self._memory(session)
        await self.gateway.prepare()
        try:
            provider = self.gateway.provider_for(session.state.model)
        except ProviderError as error:  # the manager closes what is open and ends the run
            raise LarariumError(error.code, error.detail, 503) from error
        plan = RunPlan(
            session.id,
            run.run_id,
            "",  # the provider knows: what a session names may be a profile with a model
            started.mode,
            run.headless,
            Limits(run.max_turns or self.max_turns),
            goes_on=run.goes_on,
        )
        facts = await self.gateway.facts(session.state.model)
        agent = Agent(
            plan,
            provider,
            session,
            self._gate(session, run),
            self.tools,
            self._contexts(session.id, memory.ledger),
            root=self.root,
            instructions=(await to_thread.run_sync(self.trust.instructions)).text,
            context_window=facts.context_window,
            cost=self.gateway.cost_usd,
            spend=self.spend,
        )
        await agent.run()

    def standing_rules(self) -> RuleSet:
        """Give the rules that hold for every run now: the workspace's and the person's."""
        return RuleSet.merged(self.desks.rules.rules(), self.user_rules)

    def _memory(self, session: Session) -> _Memory:
        """Give what the session has kept; what it has read outlives the daemon."""
        memory = self._memories.get(session.id)
        if memory is None:
            memory = self._memories[session.id] = _Memory(ledger_of(session.state))
        return memory

    def _gate(self, session: Session, run: RunRequest) -> SessionGate:
        run_rules = RuleSet.parse(allow=run.allow, scope="run", source="--allow")
        return SessionGate(
            self.desks,
            lambda: RuleSet.merged(run_rules, self.standing_rules()),
            lambda: session.state.mode,
            self.grants.of(session.id),
            self.root,
            lambda: self.trust.is_trusted,
        )

    def _contexts(self, session_id: SessionId, ledger: FileLedger) -> "_ContextMaker":
        return _ContextMaker(self, session_id, ledger)


@dataclass(slots=True, frozen=True)
class _ContextMaker:
    """Makes the contexts of one run's calls."""

    runner: AgentRunner
    session_id: SessionId
    ledger: FileLedger

    def __call__(self, call_id: CallId, ask: Ask, progress: Progress) -> ToolContext:
        return ToolContext(
            self.runner.root,
            self.session_id,
            call_id,
            child_environment(self.runner.environment, {CALL_MARK: call_id}),
            self.runner.spool / call_id,
            self.ledger,
            ask,
            progress,
            may_read=self.may_read,
        )

    def may_read(self, path: Path) -> bool:
        """Tell whether a search may show a file that it comes across."""
        return may_read(path, rules=self.runner.standing_rules(), root=self.runner.root)
