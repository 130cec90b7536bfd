"""A daemon with the real API, guard, journal and desks, where a script takes the agent's place."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal
from tests.fakes.scripted_runner import Script, ScriptedRunner, answer

from lararium_daemon.api.application import create_api
from lararium_daemon.api.attachments import UPLOAD_PATH
from lararium_daemon.api.deps import Services
from lararium_daemon.edge.credentials import Credentials, new_token
from lararium_daemon.edge.guard import Guard
from lararium_daemon.edge.judge import GuardPolicy
from lararium_daemon.edge.server import bind_loopback, bound_port, serve_app
from lararium_daemon.permissions.broker import Broker
from lararium_daemon.permissions.questions import QuestionDesk
from lararium_daemon.permissions.rule_store import RuleStore
from lararium_daemon.permissions.trust import TrustStore
from lararium_daemon.protocol.api import (
    ApiVersion,
    DaemonStatus,
    ModelStatus,
    Scope,
    ToolInfo,
    ToolList,
    VerdictExplained,
)
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.rehearsal import Rehearsal
from lararium_daemon.protocol.trust import TrustItem
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.keys import KeyStore
from lararium_daemon.providers.login_desk import LoginDesk
from lararium_daemon.providers.profile_book import ModelSources
from lararium_daemon.providers.profile_desk import ProfileDesk
from lararium_daemon.sessions.image_desk import ImageDesk
from lararium_daemon.sessions.manager import open_manager
from lararium_daemon.sessions.session import Session
from lararium_daemon.sessions.trust_desk import TrustDesk
from lararium_daemon.settings import ProviderSettings, Settings
from lararium_daemon.storage.attachments import AttachmentStore
from lararium_daemon.storage.journal import open_journal

GUID = "guid-of-the-api-daemon"


@dataclass
class ApiDaemon:
    """What a test may use: the address, the token, and the services in the server's thread."""

    port: int
    credentials: Credentials
    services: Services
    runner: ScriptedRunner
    portal: BlockingPortal

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def headers(self, *scopes: Scope) -> dict[str, str]:
        """Give a bearer with all scopes, or with these alone."""
        key = self.credentials.new_session_key(frozenset(scopes)) if scopes else None
        return {"Authorization": f"Bearer {key or self.credentials.token}"}

    def client(self, *scopes: Scope) -> httpx.Client:
        return httpx.Client(
            base_url=f"{self.base_url}/api",
            headers=self.headers(*scopes),
            timeout=10,
            trust_env=False,
        )


@contextmanager
def api_daemon(folder: Path, script: Script = answer, **limits: Any) -> Generator[ApiDaemon]:
    with start_blocking_portal("asyncio") as portal:
        stop = portal.call(anyio.Event)
        served, daemon = portal.start_task(_serve, folder, script, limits, portal, stop)
        yield daemon
        portal.call(stop.set)
        served.result(timeout=20)


async def _serve(
    folder: Path,
    script: Script,
    limits: dict[str, Any],
    portal: BlockingPortal,
    stop: anyio.Event,
    *,
    task_status: anyio.abc.TaskStatus[ApiDaemon],
) -> None:
    sock = bind_loopback()
    port = bound_port(sock)
    runner = ScriptedRunner(script)
    credentials = Credentials(new_token())
    async with (
        open_journal(folder / "journal.db") as journal,
        open_manager(journal, runner, GUID, default_model=lambda: "model") as manager,
        _gateway(folder) as gateway,
    ):
        services = Services(
            guid=GUID,
            port=lambda: port,
            credentials=credentials,
            manager=manager,
            broker=Broker(),
            questions=QuestionDesk(),
            rules=RuleStore(folder / "rules.json"),
            explain=_explain,
            rehearse=_rehearse,
            summarise=_summarise,
            trust=TrustDesk(folder, TrustStore(folder / "trust.json"), [], [_would_run]),
            profiles=ProfileDesk(gateway),
            logins=LoginDesk(gateway),
            tools=_tools,
            status=_status,
            spool=folder,
            images=ImageDesk(AttachmentStore(folder / "attachments"), _takes_images),
        )
        guard = Guard(
            create_api(services, **limits), GuardPolicy(port, upload_path=UPLOAD_PATH), credentials
        )
        daemon = ApiDaemon(port, credentials, services, runner, portal)

        async def on_listening() -> None:
            task_status.started(daemon)

        await serve_app(guard, sock, on_listening=on_listening, stop=stop)


def _gateway(folder: Path) -> ModelGateway:
    """Give a gateway whose server never answers, and a store of keys without a keyring."""
    provider = ProviderSettings(base_url="http://127.0.0.1:9/v1", model="model")
    return ModelGateway(
        Settings(provider=provider),
        {},
        sources=ModelSources(folder, folder / "model.json"),
        keys=KeyStore(folder, {}, find_vault=lambda: None),
    )


async def _takes_images(model: str | None) -> bool | None:
    return False if model == "blind" else None


def _explain(command: str, folder: str) -> VerdictExplained:
    return VerdictExplained(
        verdict="ask",
        rule=None,
        scope=folder or None,
        commands=[command.split()],
        reason="No rule.",
        parts=[],
    )


async def _summarise(session: Session) -> None:
    raise LarariumError("nothing_to_compact", "There is nothing to summarise.", 409)


async def _rehearse(rule: str) -> Rehearsal:
    return Rehearsal(rule=rule, examined=0, covered=[], near=[], examples=[])


def _would_run(root: Path) -> list[TrustItem]:
    return [TrustItem(effect="run", kind="git", path=".git/config", detail="It runs evil.")]


def _tools() -> ToolList:
    tool = ToolInfo(name="bash", description="", permission="Bash", parameters={})
    return ToolList(items=[tool], failed={"broken": "SyntaxError"})


async def _status() -> DaemonStatus:
    return DaemonStatus(
        guid=GUID,
        version="0",
        api_version=ApiVersion(),
        workspace_id=WorkspaceId("0" * 16),
        workspace_path="/w",
        workspace_name="w",
        pid=1,
        uptime_seconds=0,
        security="token",
        sandbox="none",
        model=ModelStatus(usable=True, name="model"),
        sessions=0,
        running=0,
        waiting=0,
        memory_bytes=0,
        notices=[],
    )
