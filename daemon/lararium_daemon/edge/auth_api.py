"""The routes by which a caller trusts a server and a server trusts a page.

Health and proof tell a client that this is the server it started; a ticket, spent once, gives a
page its session key without a secret in any URL that reaches a server, a log or a history.
The same router serves daemon and hub; include it with the prefix `/api`.
"""

from collections.abc import Callable

from fastapi import APIRouter, Depends, Request

from lararium_daemon.edge.credentials import TICKET_SECONDS, Credentials
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


def auth_router(
    kind: ServerKind, guid: str, port: Callable[[], int], credentials: Credentials
) -> APIRouter:
    """Give the routes `/health` and `/auth/…` of one server."""
    router = APIRouter(tags=["auth"])

    @router.get("/health")
    async def health() -> Health:
        return Health(guid=guid)

    @router.post("/auth/prove")
    async def prove_identity(given: ProveInput) -> Proof:
        return Proof(proof=prove(credentials.token, kind, guid, port(), given.nonce))

    @router.post("/auth/tickets", status_code=201, dependencies=[Depends(require("read"))])
    async def mint_ticket(given: TicketInput, request: Request) -> Ticket:
        # A ticket hands on what its minter holds, but `native` is for the window alone.
        scopes = granted_scopes(request) - {"native"}
        ticket = credentials.mint_ticket(given.purpose, scopes=scopes)
        return Ticket(ticket=ticket, expires_in=TICKET_SECONDS)

    @router.post("/auth/exchange")
    async def exchange_ticket(given: ExchangeInput) -> SessionKey:
        scopes = credentials.spend_ticket(given.ticket, "ui")
        if scopes is None:
            detail = "This ticket was used already or has run out. Open the page anew from the app."
            raise LarariumError("ticket_invalid", detail, 401)
        key = credentials.new_session_key(scopes)
        return SessionKey(session_key=key, scopes=sorted(scopes))

    # Reached through the router only; named so that the type checker sees their use.
    _ = (health, prove_identity, mint_ticket, exchange_ticket)
    return router
