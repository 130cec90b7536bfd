"""What was found, as it is offered: local servers, keys in the environment, the tour."""

from collections.abc import Mapping, Sequence

from lararium_daemon.protocol.api import ModelInfo
from lararium_daemon.protocol.profiles import FoundModels
from lararium_daemon.providers.address import is_same_server
from lararium_daemon.providers.choice import Book
from lararium_daemon.providers.discovery import FoundServer
from lararium_daemon.providers.known_servers import OPENAI, SERVICES, Service
from lararium_daemon.providers.profile_check import without_promise
from lararium_daemon.providers.profiles import Profile, Secret, choose_profile, key_problem
from lararium_daemon.providers.saved_profiles import TOUR_MODEL, TOUR_NAME
from lararium_daemon.settings import Settings


def found_models(
    servers: Sequence[FoundServer],
    environment: Mapping[str, str],
    book: Book,
    current: Profile | None,
) -> list[FoundModels]:
    """Give all offers; `current` is the profile that answers now."""
    offers = [_local(server) for server in servers]
    own = _own_environment(environment)
    if own is not None:
        offers.append(own)
    offers += [_service(each, environment) for each in SERVICES if environment.get(each.variable)]
    offers.append(_tour())
    return [_placed(offer, book, current) for offer in offers]


def _local(found: FoundServer) -> FoundModels:
    return FoundModels(
        id=found.server.kind if found.server.is_own_port else f"port:{found.server.port}",
        kind=found.server.kind,
        label=found.server.label,
        base_url=found.base_url,
        models=list(found.listing.models),
        model=found.listing.default,
        ready=found.is_ready,
        problem=found.problem,
        own_listener=found.is_own,
        key_variable="",
        key_hint="",
        profile_kind="chat",
        profile_name=found.server.label,
        saved_as=None,
        in_use=False,
    )


def _own_environment(environment: Mapping[str, str]) -> FoundModels | None:
    """Offer what `OPENAI_API_KEY` and `OPENAI_BASE_URL` name."""
    profile = choose_profile(Settings(), environment)
    if profile is None:
        return None
    is_openai = is_same_server(profile.base_url, OPENAI.base_url)
    has_key = bool(profile.api_key)
    name = "OpenAI" if is_openai else "Environment"
    label = f"{'OpenAI key' if is_openai else 'Model server'} in your environment"
    return _keyed(
        Service(name, OPENAI.variable if has_key else "", profile.base_url),
        label,
        key=profile.api_key,
        model=profile.model,
        problem=without_promise(profile.problem),
        identity=f"environment:{OPENAI.variable if has_key else 'OPENAI_BASE_URL'}",
    )


def _service(service: Service, environment: Mapping[str, str]) -> FoundModels:
    key = environment[service.variable].strip()
    return _keyed(
        service,
        f"{service.name} key in your environment",
        key=Secret(key),
        problem=without_promise(key_problem(key, service.variable)),
        identity=f"environment:{service.variable}",
    )


def _keyed(
    service: Service, label: str, *, key: Secret, problem: str, identity: str, model: str = ""
) -> FoundModels:
    return FoundModels(
        id=identity,
        kind="environment",
        label=label,
        base_url="" if problem else service.base_url,
        models=[ModelInfo(name=model)] if model else [],
        model=model,
        ready=not problem,
        problem=problem,
        own_listener=False,
        key_variable=service.variable,
        key_hint=key.hint,
        profile_kind="chat",
        profile_name=service.name,
        saved_as=None,
        in_use=False,
    )


def _tour() -> FoundModels:
    return FoundModels(
        id="tour",
        kind="tour",
        label="Tour (scripted, offline, no AI)",
        base_url="",
        models=[ModelInfo(name=TOUR_MODEL)],
        model=TOUR_MODEL,
        ready=True,
        problem="",
        own_listener=False,
        key_variable="",
        key_hint="",
        profile_kind="tour",
        profile_name=TOUR_NAME,
        saved_as=None,
        in_use=False,
    )


def _placed(offer: FoundModels, book: Book, current: Profile | None) -> FoundModels:
    """Say whether it is saved already, and whether it answers now."""
    if offer.kind == "tour":
        return offer.model_copy(update={"in_use": current is not None and current.kind == "tour"})
    saved = next((p for p in book.saved if offer.base_url and p.base_url == offer.base_url), None)
    in_use = current is not None and bool(offer.base_url) and current.base_url == offer.base_url
    return offer.model_copy(update={"saved_as": saved.name if saved else None, "in_use": in_use})
