"""Permission requests and the person's decisions on them; rules and why they say what they say."""

import logging

from fastapi import APIRouter, Depends, Request

from lararium_daemon.api.deps import ServicesDep
from lararium_daemon.edge.scopes import caller_of, require
from lararium_daemon.permissions.rule_store import RuleStore
from lararium_daemon.protocol.api import (
    Accepted,
    DecisionInput,
    DecisionTaken,
    ExplainInput,
    RequestList,
    RuleLists,
    RulesInput,
    VerdictExplained,
)
from lararium_daemon.protocol.grants import GrantList
from lararium_daemon.protocol.ids import RequestId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.rehearsal import Rehearsal, RehearseInput

logger = logging.getLogger(__name__)

router = APIRouter(tags=["permissions"])


@router.get("/permissions/requests", dependencies=[Depends(require("read"))])
async def list_permission_requests(services: ServicesDep) -> RequestList:
    """Give what waits for a decision, oldest first."""
    return RequestList(items=services.broker.open_requests())


@router.post(
    "/permissions/requests/{request_id}/decision", dependencies=[Depends(require("approve"))]
)
async def decide_permission_request(
    request_id: RequestId, given: DecisionInput, request: Request, services: ServicesDep
) -> DecisionTaken:
    """Take the person's decision; answered once it is committed."""
    taken = await services.broker.decide(request_id, given)
    by = caller_of(request)
    logger.info("Decided %s: %s (%s), by %s", taken.request_id, taken.decision, taken.scope, by)
    return taken


@router.get("/permissions/grants", dependencies=[Depends(require("read"))])
async def list_grants(services: ServicesDep) -> GrantList:
    """Give what is allowed for the rest of a session, and for which."""
    return GrantList(items=services.grants.items())


@router.delete("/permissions/grants/{grant_id}", dependencies=[Depends(require("prompt"))])
async def take_grant_back(grant_id: str, services: ServicesDep) -> Accepted:
    """Take a grant back; from the next call on it is asked again."""
    if not services.grants.remove(grant_id):
        raise LarariumError(
            "unknown_grant", "This grant is gone already; grants end with the daemon.", 404
        )
    return Accepted()


@router.get("/permissions/rules", dependencies=[Depends(require("read"))])
def get_permission_rules(services: ServicesDep) -> RuleLists:
    """Give the person's rules for this workspace."""
    return _rules(services.rules)


@router.put("/permissions/rules", dependencies=[Depends(require("admin"))])
def replace_permission_rules(given: RulesInput, services: ServicesDep) -> RuleLists:
    """Replace the person's rules for this workspace."""
    services.rules.replace(allow=given.allow, ask=given.ask, deny=given.deny)
    return _rules(services.rules)


@router.post("/permissions/explain", dependencies=[Depends(require("read"))])
def explain_command(given: ExplainInput, services: ServicesDep) -> VerdictExplained:
    """Say what would happen to a shell command, and why."""
    return services.explain(given.command, given.folder)


@router.post("/permissions/rehearse", dependencies=[Depends(require("read"))])
async def rehearse_rule(given: RehearseInput, services: ServicesDep) -> Rehearsal:
    """Say what an allow rule would have meant for what was asked here so far."""
    return await services.rehearse(given.rule)


def _rules(store: RuleStore) -> RuleLists:
    stored = store.stored()
    return RuleLists(
        allow=stored.allow,
        ask=stored.ask,
        deny=stored.deny,
        problems=list(store.rules().problems),
    )
