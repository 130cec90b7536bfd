"""The composition root: settings, journal, model, tools and sessions become one serving daemon.

Everything here is made once and handed down; nothing below knows the environment or another part's
maker. The owner lock is held by the descriptor that came in until the process ends.
"""

import contextlib
import importlib
import logging
import os
import secrets
import signal
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio
from fastapi import FastAPI

from lararium_daemon import __version__
from lararium_daemon.agent.context import OwnPrompt
from lararium_daemon.agent.spending import SpendCaps, SpendRules
from lararium_daemon.api.application import create_api, prepare_api
from lararium_daemon.api.attachments import UPLOAD_PATH
from lararium_daemon.api.deps import Services
from lararium_daemon.api.facts import Facts
from lararium_daemon.edge.credentials import Credentials
from lararium_daemon.edge.guard import Guard
from lararium_daemon.edge.judge import GuardPolicy
from lararium_daemon.edge.page import PageApp, with_page
from lararium_daemon.edge.same_user import PeerCheck, peer_check
from lararium_daemon.edge.server import bind_loopback, bound_port, serve_app
from lararium_daemon.extensions.instructions import chain as instructions_chain
from lararium_daemon.extensions.instructions import project_prompt
from lararium_daemon.permissions.broker import Broker
from lararium_daemon.permissions.questions import QuestionDesk
from lararium_daemon.permissions.read_only import repository
from lararium_daemon.permissions.rule_store import RuleStore
from lararium_daemon.permissions.rules import RuleSet
from lararium_daemon.permissions.trust import TrustStore
from lararium_daemon.protocol.api import API_MAJOR, API_MINOR
from lararium_daemon.providers.connection import import_sdk
from lararium_daemon.providers.discovery import Finder
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.login_desk import LoginDesk
from lararium_daemon.providers.profile_book import ModelSources
from lararium_daemon.providers.profile_desk import ProfileDesk
from lararium_daemon.providers.workspace_choice import FILE_NAME as CHOICE_FILE
from lararium_daemon.sessions.agent_runner import AgentRunner
from lararium_daemon.sessions.day_spend import day_spend
from lararium_daemon.sessions.gate import Desks
from lararium_daemon.sessions.image_desk import ImageDesk
from lararium_daemon.sessions.image_sweep import sweep_later
from lararium_daemon.sessions.manager import SessionManager, open_manager
from lararium_daemon.sessions.past_asks import rehearse
from lararium_daemon.sessions.trust_desk import TrustDesk
from lararium_daemon.settings import Settings, load_settings
from lararium_daemon.storage.attachments import AttachmentStore
from lararium_daemon.storage.journal import Journal, open_journal
from lararium_daemon.storage.upkeep import keep_up
from lararium_daemon.system.environment import OWNER_MARK, SAFE_START, read_environment
from lararium_daemon.system.forked import Serve
from lararium_daemon.system.heartbeat import beat
from lararium_daemon.system.logging import configure_logging, redact
from lararium_daemon.system.paths import WorkspacePaths, ensure_private_dir, resolve_paths
from lararium_daemon.system.runtime import (
    announce_ready,
    own_record,
    remove_runtime,
    write_runtime,
)
from lararium_daemon.system.sample_project import is_sample_project
from lararium_daemon.tools.discovery import discover
from lararium_daemon.tools.registry import TOOLS, AnyTool

logger = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"
IDLE_CHECK_SECONDS = 5.0
WARM_UP_AFTER_SECONDS = 0.25
"""Whoever started this daemon has had its first answers by then, and an import delays none."""
SAFE_NOTICE = (
    "This daemon was started safely: instructions and settings of the project are not used. "
    "Restart it to use them again."
)
_LOADED_LATE = (
    "anyio._backends._asyncio",
    "anyio._core._signals",
    "anyio._core._sockets",
    "encodings.ascii",
    "encodings.utf_8_sig",
    "fastapi.telemetry._runtime",
    "httpcore2",
    "httpcore2._backends.anyio",
    "httpx2",
    "importlib.readers",
    "importlib.resources.readers",
    "lararium_daemon.providers.bounded_transport",
    "lararium_daemon.storage.migrations",
    "truststore",
    "uvicorn.lifespan.on",
    "uvloop",
)
"""What serving and a model's first call import on their way, beside what the modules here name."""


def warm_up() -> Serve:
    """Import and make what every daemon needs, for a process that forks them; return `serve`.

    Starts no thread and opens nothing.
    """
    discover()
    import_sdk()
    for name in _LOADED_LATE:
        with contextlib.suppress(ImportError):  # some are others' private parts, and may move
            importlib.import_module(name)
    return partial(serve, api=prepare_api())


def _as_it_is(tool: AnyTool) -> AnyTool:
    return tool


@dataclass(slots=True, frozen=True)
class Seams:
    """The two places where a daemon touches what may fail under it: its journal and its tools.

    A reliability test gives its own here and lets them fail; everybody else gives none.
    """

    journal: Callable[[Path, Sequence[str]], Journal] = Journal
    tool: Callable[[AnyTool], AnyTool] = _as_it_is
    """Gives what runs in a tool's place."""


def serve(
    *,
    workspace: Path,
    lock_fd: int | None,
    ready_fd: int | None,
    foreground: bool,
    api: FastAPI | None = None,
    seams: Seams | None = None,
) -> int:
    """Serve one workspace until told to stop (TERM, or idle); return the exit code.

    Args:
        workspace: The project folder.
        lock_fd: The owner lock, held by staying open until the process ends.
        ready_fd: Gets the one ready line and is closed; None when nobody waits for it.
        foreground: Log to stderr too, and stay when idle.
        api: From `prepare_api`; made here when None.
        seams: Where a test stands between daemon and world; None for the daemon's own parts.

    Raises:
        LarariumError: What keeps it from serving; the caller says it.
    """
    del lock_fd
    own_environment = read_environment()
    paths = resolve_paths(own_environment)
    root = workspace.resolve()
    places = paths.workspace(root)
    environment = {**own_environment, OWNER_MARK: places.owner_mark}
    ensure_private_dir(places.state_dir)
    ensure_private_dir(places.spool)
    settings = load_settings(paths.config, environment=environment)
    configure_logging(places.log, level=settings.log_level, foreground=foreground)
    daemon = _Daemon(
        root,
        paths.config,
        places,
        environment,
        settings,
        ready_fd,
        foreground,
        api,
        seams or Seams(),
    )
    anyio.run(daemon.run, backend_options={"use_uvloop": os.name != "nt"})
    return 0


@dataclass(slots=True)
class _Daemon:
    """One serving daemon, from its first line of log to its last."""

    root: Path
    config: Path
    places: WorkspacePaths
    environment: Mapping[str, str]
    settings: Settings
    ready_fd: int | None
    stays: bool
    api: FastAPI | None
    seams: Seams
    guid: str = field(default_factory=lambda: str(uuid.uuid4()))
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    same_user: PeerCheck | None = None
    stop: anyio.Event = field(default_factory=anyio.Event)
    failed_tools: dict[str, str] = field(default_factory=dict[str, str])
    tools: dict[str, AnyTool] = field(default_factory=dict[str, AnyTool])

    @property
    def is_safe(self) -> bool:
        """Whether nothing that the project brings is used, whatever was decided on it."""
        return self.environment.get(SAFE_START) == "1"

    async def run(self) -> None:
        """Serve until `stop` is set."""
        redact(self.token)
        self.failed_tools = discover()
        self.tools = {name: self.seams.tool(tool) for name, tool in TOOLS.items()}
        sock = bind_loopback()
        self.same_user = peer_check(self.settings.auth.loopback, sock)
        async with AsyncExitStack() as stack:
            journal = await stack.enter_async_context(
                open_journal(self.places.journal, self.seams.journal)
            )
            gateway = await stack.enter_async_context(self._gateway())
            desks = Desks(Broker(), QuestionDesk(), RuleStore(self.places.rules))
            runner = self._runner(gateway, desks, journal)
            manager = await stack.enter_async_context(
                open_manager(
                    journal, runner, self.guid, default_model=lambda: gateway.status().name
                )
            )
            services = self._services(bound_port(sock), gateway, desks, runner, journal, manager)
            tasks = await stack.enter_async_context(anyio.create_task_group())
            tasks.start_soon(self._stop_on_signal, manager)
            tasks.start_soon(self._stop_when_idle, services)
            tasks.start_soon(self._stop_when_drained, manager)
            tasks.start_soon(beat, self.places.heartbeat)
            tasks.start_soon(keep_up, self.places.journal, journal.reserve)
            tasks.start_soon(sweep_later, runner.attachments, journal)

            async def on_listening() -> None:
                self._announce(services.port())
                tasks.start_soon(self._warm_up_later, gateway)

            try:
                await serve_app(
                    self._site(services), sock, on_listening=on_listening, stop=self.stop
                )
            finally:
                remove_runtime(self.places, self.guid)
                tasks.cancel_scope.cancel()
        logger.info("Stopped")

    def _services(
        self,
        port: int,
        gateway: ModelGateway,
        desks: Desks,
        runner: AgentRunner,
        journal: Journal,
        manager: SessionManager,
    ) -> Services:
        facts = Facts(
            guid=self.guid,
            workspace_id=self.places.workspace_id,
            root=self.root,
            security="trust-same-user" if self.same_user else "token",
            gateway=gateway,
            tools=self.tools,
            failed_tools=self.failed_tools,
            rules=runner.standing_rules,
            asks=lambda: len(desks.broker.open_requests()) + len(desks.questions.open_questions()),
            notices=lambda: [
                *journal.notices,
                *journal.reserve.notices(),
                *([SAFE_NOTICE] if self.is_safe else []),
                *self.settings.notices,
                *gateway.notices(),
                *runner.standing_rules().problems,
                *filter(None, [runner.trust.store.decision().problem]),
            ],
            is_trusted=lambda: runner.trust.is_trusted,
        )
        return Services(
            guid=self.guid,
            port=lambda: port,
            credentials=Credentials(self.token),
            manager=manager,
            broker=desks.broker,
            questions=desks.questions,
            rules=desks.rules,
            explain=facts.explain,
            rehearse=lambda rule: rehearse(rule, runner, journal),
            trust=runner.trust,
            profiles=ProfileDesk(gateway),
            logins=LoginDesk(gateway),
            tools=facts.tool_list,
            status=lambda: facts.status(manager),
            spool=self.places.spool,
            images=ImageDesk(runner.attachments, gateway.takes_images),
            grants=runner.grants,
            summarise=runner.compact,
        )

    def _site(self, services: Services) -> Guard:
        page = PageApp(STATIC, port=services.port(), hub_origin=services.hub_origin)
        policy = GuardPolicy(port=services.port(), upload_path=UPLOAD_PATH)
        site = with_page(create_api(services, prepared=self.api), page)
        return Guard(site, policy, services.credentials, same_user=self.same_user)

    def _gateway(self) -> ModelGateway:
        choice = self.places.state_dir / CHOICE_FILE
        sources = ModelSources(self.config, choice, is_sample_project(self.root))
        finder = Finder(self.environment)
        return ModelGateway(self.settings, self.environment, sources=sources, finder=finder)

    def _trust(self) -> TrustDesk:
        own = (self.config, Path(self.environment.get("HOME") or Path.home()) / ".agents")
        providers = (instructions_chain.would_run, project_prompt.would_run, repository.would_run)
        store = TrustStore(self.places.trust)
        return TrustDesk(self.root, store, own, providers, is_suspended=self.is_safe)

    def _runner(self, gateway: ModelGateway, desks: Desks, journal: Journal) -> AgentRunner:
        rules = self.settings.permissions
        user_rules = RuleSet.parse(
            allow=rules.allow, ask=rules.ask, deny=rules.deny, source="settings.json"
        )
        if rules.damaged:
            broken = RuleSet.broken("Some rules in settings.json could not be read")
            user_rules = RuleSet.merged(user_rules, broken)
        return AgentRunner(
            root=self.root,
            spool=self.places.spool,
            attachments=AttachmentStore(self.places.attachments),
            environment=self.environment,
            gateway=gateway,
            tools=self.tools,
            desks=desks,
            user_rules=user_rules,
            trust=self._trust(),
            max_turns=self.settings.agent.max_turns,
            own_prompt=OwnPrompt(**self.settings.agent.prompt.model_dump()),
            spend=SpendRules(
                SpendCaps(**self.settings.agent.spend.model_dump()), partial(day_spend, journal)
            ),
        )

    async def _warm_up_later(self, gateway: ModelGateway) -> None:
        if self.api is None:  # else the import was made before the fork
            await anyio.sleep(WARM_UP_AFTER_SECONDS)
        await gateway.warm_up()

    def _announce(self, port: int) -> None:
        record = own_record(
            guid=self.guid,
            port=port,
            api_version=(API_MAJOR, API_MINOR),
            app_version=__version__,
            safe=self.is_safe,
        )
        write_runtime(self.places, record, self.token)
        announce_ready(self.ready_fd, self.places.workspace_id, record)
        logger.info("Serving %s on port %s", self.root, port)

    async def _stop_on_signal(self, manager: SessionManager) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for number in signals:
                logger.info("Told to stop by %s", number.name)
                manager.places.close()
                self.stop.set()
                return

    async def _stop_when_idle(self, services: Services) -> None:
        """Stop after a while in which nothing ran, nothing waited and nobody looked."""
        patience = self.settings.idle_stop_seconds
        if self.stays or patience == 0:
            return
        manager, clients = services.manager, services.clients
        step = min(IDLE_CHECK_SECONDS, patience)
        idle, seen = 0.0, (0, 0)
        while idle < patience:
            await anyio.sleep(step)
            is_busy = manager.places.taken or manager.places.waiting or clients.looking
            now = (manager.begun, clients.looks)  # what came and went between two checks
            idle = 0.0 if is_busy or now != seen else idle + step
            seen = now
        logger.info("Idle for %s s", patience)
        services.manager.places.close()

    async def _stop_when_drained(self, manager: SessionManager) -> None:
        """Stop once no message is taken any more and the last run has ended."""
        await manager.places.drained.wait()
        self.stop.set()
