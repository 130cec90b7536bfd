"""Whether the person trusts the folder, what that lets in, and the instructions of the next run."""

from fastapi import APIRouter, Depends

from lararium_daemon.api.deps import ServicesDep
from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.trust import InstructionsView, Trust, TrustInput

router = APIRouter(tags=["trust"])


@router.get("/trust", dependencies=[Depends(require("read"))])
def get_trust(services: ServicesDep) -> Trust:
    """Give the decision on the folder, and what would be started or obeyed in it."""
    return services.trust.view()


@router.post("/trust", dependencies=[Depends(require("admin"))])
def decide_trust(given: TrustInput, services: ServicesDep) -> Trust:
    """Trust the folder, or trust it no more."""
    try:
        return services.trust.decide(trusted=given.trusted)
    except OSError as error:
        raise LarariumError(
            "not_stored",
            f"The decision could not be stored ({error.strerror}). The one of before holds.",
            507,
        ) from error


@router.get("/instructions", dependencies=[Depends(require("read"))])
def get_instructions(services: ServicesDep) -> InstructionsView:
    """Give the instructions that the next run is told, and what was left out."""
    return services.trust.instructions_view()
