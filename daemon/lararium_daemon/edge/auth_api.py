"""The routes by which a caller trusts a server and a server trusts a page.

Health and proof tell a client that this is the server it started; a ticket, spent once, gives a
page its session key without a secret in any URL that reaches a server, a log or a history.
The same routes serve daemon and hub. They are made at import, so that where daemons are forked they
are made once, before the fork.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import APIRouter, Depends, FastAPI, Request

from lararium_daemon.edge.credentials import TICKET_SECONDS, Credentials
from lararium_daemon.edge.failures import TOO_MANY
from lararium_daemon.edge.proof import ServerKind, prove
from lararium_daemon.edge.scopes import granted_scopes, require
from lararium_daemon.protocol.api import (
    ExchangeInput,
    Health,
    Proof,
    ProveInput,
    SessionKey,
    Ticket,
    TicketInput,
)
from lararium_daemon.protocol.problems import LarariumError


@dataclass(frozen=True, slots=True)
class AuthServer:
    """Whose routes these are."""

    kind: ServerKind
    guid: str
    port: Callable[[], int]
    credentials: Credentials


def include_auth(app: FastAPI) -> None:
    """Give the app the routes `/api/health` and `/api/auth/…`."""
    app.include_router(_router, prefix="/api")


def set_auth_server(app: FastAPI, server: AuthServer) -> None:
    """Say whose routes they are, before the first request."""
    app.state.auth_server = server


async def _server(request: Request) -> AuthServer:
    return cast("AuthServer", request.app.state.auth_server)


ServerDep = Annotated[AuthServer, Depends(_server)]
_router = APIRouter(tags=["auth"])


@_router.get("/health")
async def health(server: ServerDep) -> Health:
    """Say which server this is."""
    return Health(guid=server.guid)


@_router.post("/auth/prove")
async def prove_identity(given: ProveInput, server: ServerDep) -> Proof:
    """Prove that this server holds its token, without showing it."""
    token = server.credentials.token
    return Proof(proof=prove(token, server.kind, server.guid, server.port(), given.nonce))


@_router.post("/auth/tickets", status_code=201, dependencies=[Depends(require("read"))])
async def mint_ticket(given: TicketInput, request: Request, server: ServerDep) -> Ticket:
    """Give a ticket that can be spent once."""
    # A ticket hands on what its minter holds, but `native` is for the window alone.
    scopes = granted_scopes(request) - {"native"}
    ticket = server.credentials.mint_ticket(given.purpose, scopes=scopes)
    return Ticket(ticket=ticket, expires_in=TICKET_SECONDS)


@_router.post("/auth/exchange")
async def exchange_ticket(given: ExchangeInput, request: Request, server: ServerDep) -> SessionKey:
    """Spend a ticket for the session key of a page."""
    scopes = server.credentials.spend_ticket(given.ticket, "ui")
    if scopes is None:
        wait = server.credentials.failures.note(request.client.host if request.client else "")
        if wait is not None:
            raise LarariumError(*TOO_MANY, 429, retry_after_seconds=wait)
        detail = "This ticket was used already or has run out. Open the page anew from the app."
        raise LarariumError("ticket_invalid", detail, 401)
    key = server.credentials.new_session_key(scopes)
    return SessionKey(session_key=key, scopes=sorted(scopes))
