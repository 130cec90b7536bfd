"""What the routes work with, and how they get it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from lararium_daemon.edge.credentials import Credentials
from lararium_daemon.edge.framing import HubOrigin
from lararium_daemon.permissions.broker import Broker
from lararium_daemon.permissions.grants import GrantBook
from lararium_daemon.permissions.questions import QuestionDesk
from lararium_daemon.permissions.rule_store import RuleStore
from lararium_daemon.protocol.api import DaemonStatus, ToolList, VerdictExplained
from lararium_daemon.protocol.rehearsal import Rehearsal
from lararium_daemon.providers.login_desk import LoginDesk
from lararium_daemon.providers.profile_desk import ProfileDesk
from lararium_daemon.sessions.image_desk import ImageDesk
from lararium_daemon.sessions.library import SessionLibrary
from lararium_daemon.sessions.manager import SessionManager
from lararium_daemon.sessions.session import Session
from lararium_daemon.sessions.trust_desk import TrustDesk

MAX_CLIENTS = 64


@dataclass(slots=True)
class EventClients:
    """The clients that follow events now."""

    limit: int = MAX_CLIENTS
    open: int = 0
    looking: int = 0
    """Those of them that somebody looks at: a page that is not hidden, or a command. Who follows
    attention alone does not count."""
    looks: int = 0
    """How often somebody began to look."""

    def look(self, change: int) -> None:
        """Note that so many more look now, or fewer."""
        self.looking += change
        self.looks += max(change, 0)


@dataclass(slots=True)
class Services:
    """Everything behind the API, made once by the composition root."""

    guid: str
    port: Callable[[], int]
    credentials: Credentials
    manager: SessionManager
    broker: Broker
    questions: QuestionDesk
    rules: RuleStore
    explain: Callable[[str, str], VerdictExplained]
    """Says why a shell command would be allowed, asked or denied in a folder ("" = the root)."""
    rehearse: Callable[[str], Awaitable[Rehearsal]]
    """Says what an allow rule would have meant for past asks."""
    summarise: Callable[[Session], Awaitable[None]]
    """Summarises the older messages of a session in which nothing runs."""
    trust: TrustDesk
    profiles: ProfileDesk
    logins: LoginDesk
    tools: Callable[[], ToolList]
    status: Callable[[], Awaitable[DaemonStatus]]
    spool: Path
    """The folder of calls' full output."""
    images: ImageDesk
    """The pictures of messages."""
    grants: GrantBook = field(default_factory=GrantBook)
    """What is allowed for the rest of a session."""
    hub_origin: HubOrigin = field(default_factory=HubOrigin)
    clients: EventClients = field(default_factory=EventClients)

    @property
    def library(self) -> SessionLibrary:
        """The sessions."""
        return self.manager.library


def get_services(connection: HTTPConnection) -> Services:
    """Give the services of the app that a request came to."""
    return cast("Services", connection.app.state.services)


async def _services(connection: HTTPConnection) -> Services:
    return get_services(connection)


ServicesDep = Annotated[Services, Depends(_services)]
"""Async though nothing waits: a plain function would be run in a thread, for every request."""
