"""Works on a message with the agent: a run's model, tools, rules and folders put together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from anyio import to_thread

from lararium_daemon.agent.budget import Limits
from lararium_daemon.agent.context import OwnPrompt
from lararium_daemon.agent.loop import Agent
from lararium_daemon.agent.ports import Recorder, RunPlan
from lararium_daemon.agent.purse import Purse
from lararium_daemon.agent.spending import SpendRules
from lararium_daemon.permissions.grants import GrantBook
from lararium_daemon.permissions.policy import may_read
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.protocol.ids import CallId, SessionId
from lararium_daemon.protocol.permissions import Mode
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.model_facts import ModelFacts
from lararium_daemon.providers.provider import Provider, ProviderError
from lararium_daemon.sessions.file_ledger import ledger_of
from lararium_daemon.sessions.gate import Desks, SessionGate
from lararium_daemon.sessions.runner import RunRequest
from lararium_daemon.sessions.session import Session
from lararium_daemon.sessions.subagents import Subagents
from lararium_daemon.sessions.trust_desk import TrustDesk
from lararium_daemon.storage.attachments import AttachmentStore
from lararium_daemon.system.environment import CALL_MARK, child_environment
from lararium_daemon.tools.context import Ask, FileLedger, Progress, Subtask, ToolContext
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
    attachments: AttachmentStore
    """The pictures of messages."""
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
    own_prompt: OwnPrompt = field(default_factory=OwnPrompt)
    """The person's own words for the system prompt."""
    grants: GrantBook = field(default_factory=GrantBook)
    """What the person allowed, by session."""
    _memories: dict[SessionId, _Memory] = field(default_factory=dict[SessionId, _Memory])

    async def __call__(self, session: Session, run: RunRequest) -> None:
        """Run the agent to its end."""
        await (await self._work(session, run)).agent().run()

    async def compact(self, session: Session) -> None:
        """Summarise the older messages now, in the name of the last run."""
        last = session.state.run
        if last is None:
            raise _nothing_to_compact()
        request = RunRequest(last.run_id, last.message_id, headless=True)
        agent = (await self._work(session, request)).agent()
        before = len(session.state.notices)
        if not await agent.compact():
            said = session.state.notices[before:]
            if not said:
                raise _nothing_to_compact()
            raise LarariumError("compaction_failed", said[-1].text, 502)

    async def _work(self, session: Session, run: RunRequest) -> "_Work":
        started = session.state.run
        if started is None:
            raise ValueError("run.started must be committed first")
        await self.gateway.prepare()
        try:
            read_image = partial(self.attachments.read, session.id)
            provider = self.gateway.provider_for(session.state.model, read_image)
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
        instructions = (await to_thread.run_sync(self.trust.instructions)).text
        project = (await to_thread.run_sync(self.trust.project_prompt)).text
        own = replace(self.own_prompt, project=project)
        return _Work(self, session, run, plan, provider, facts, instructions, own)

    def standing_rules(self) -> RuleSet:
        """Give the rules that hold for every run now: the workspace's and the person's."""
        return RuleSet.merged(self.desks.rules.rules(), self.user_rules)

    def ledger(self, session: Session) -> FileLedger:
        """Give what the session has read; it outlives the daemon."""
        memory = self._memories.get(session.id)
        if memory is None:
            memory = self._memories[session.id] = _Memory(ledger_of(session.state))
        return memory.ledger


@dataclass(slots=True)
class _Work:
    """One run's agent and those of its subagents."""

    runner: AgentRunner
    session: Session
    run: RunRequest
    plan: RunPlan
    provider: Provider
    facts: ModelFacts
    instructions: str
    own_prompt: OwnPrompt

    def agent(self) -> Agent:
        """Make the run's own agent."""
        contexts = _ContextMaker(self.runner, self.session.id, self.runner.ledger(self.session))
        agent = Agent(
            self.plan,
            self.provider,
            self.session,
            self._gate(lambda: self.session.state.mode),
            self._tools(may_delegate=self.run.spawn is not None),
            contexts,
            root=self.runner.root,
            instructions=self.instructions,
            own_prompt=self.own_prompt,
            context_window=self.facts.context_window,
            cost=self.runner.gateway.cost_usd,
            spend=self.runner.spend,
        )
        if self.run.spawn is not None:
            make = partial(self._subagent, agent.purse)
            subagents = Subagents(self.session, self.plan, self.run.spawn, make, agent.note_refused)
            contexts.subagents = subagents
        return agent

    def _subagent(
        self, purse: Purse, child: Session, recorder: Recorder, plan: RunPlan, task: Subtask
    ) -> Agent:
        def mode() -> Mode:
            return "plan" if task.read_only else self.session.state.mode

        tools = self._tools(may_delegate=False)
        if task.read_only:
            tools = {name: tool for name, tool in tools.items() if tool.effect == "read"}
        return Agent(
            plan,
            self.provider,
            recorder,
            self._gate(mode),
            tools,
            _ContextMaker(self.runner, child.id, self.runner.ledger(child)),
            root=self.runner.root,
            instructions=self.instructions,
            own_prompt=self.own_prompt,
            context_window=self.facts.context_window,
            cost=self.runner.gateway.cost_usd,
            purse=purse,
        )

    def _tools(self, *, may_delegate: bool) -> dict[str, AnyTool]:
        tools = dict(self.runner.tools)
        if not may_delegate:
            tools.pop("task", None)
        return tools

    def _gate(self, mode: Callable[[], Mode]) -> SessionGate:
        run_rules = RuleSet.parse(allow=self.run.allow, scope="run", source="--allow")
        runner = self.runner
        return SessionGate(
            runner.desks,
            lambda: RuleSet.merged(run_rules, runner.standing_rules()),
            mode,
            runner.grants.of(self.session.id),
            runner.root,
            lambda: runner.trust.is_trusted,
        )


@dataclass(slots=True)
class _ContextMaker:
    """Makes the contexts of one run's calls."""

    runner: AgentRunner
    session_id: SessionId
    ledger: FileLedger
    subagents: Subagents | None = None
    """None for a subagent's own calls."""

    def __call__(self, call_id: CallId, ask: Ask, progress: Progress) -> ToolContext:
        work = self.subagents.work if self.subagents else None
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
            delegate=partial(work, call_id, progress) if work else None,
        )

    def may_read(self, path: Path) -> bool:
        """Tell whether a search may show a file that it comes across."""
        return may_read(path, rules=self.runner.standing_rules(), root=self.runner.root)


def _nothing_to_compact() -> LarariumError:
    detail = "The session is too short to be summarised. Nothing was changed."
    return LarariumError("nothing_to_compact", detail, 409)
