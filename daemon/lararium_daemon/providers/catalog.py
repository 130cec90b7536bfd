"""The models that a server offers, and which of them answers when nobody chose."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, cast

import anyio
import orjson

from lararium_daemon.protocol.api import ModelInfo
from lararium_daemon.providers import failures, transport_failures
from lararium_daemon.providers.connection import Connection
from lararium_daemon.providers.profiles import Profile
from lararium_daemon.providers.provider import ProviderError

LIST_SECONDS = 5.0
KEPT_SECONDS = 60.0
PROBLEM_KEPT_SECONDS = 5.0
MAX_LIST_BYTES = 8 * 1024 * 1024

Json = dict[str, Any]

_NO_CHAT_MODEL = re.compile(
    r"embed|whisper|tts|transcri|moderation|dall-e|image|audio|realtime|rerank|search|instruct"
    r"|davinci|babbage|sora|video",
    re.IGNORECASE,
)
"""Names of models that do not take part in a session."""
_WINDOW_FIELDS = (
    "context_length",
    "context_window",
    "max_model_len",
    "max_context_length",
    "max_context_window_tokens",
)


@dataclass(slots=True, frozen=True)
class ModelListing:
    """What a server offers; `problem` says, in a sentence, why the list is empty."""

    models: tuple[ModelInfo, ...] = ()
    default: str = ""
    """The model that answers when nobody chose; "" when there is none."""
    problem: str = ""
    code: str = ""
    """Stable code of the failure that `problem` tells."""
    owner: str = ""
    """Who the server says its models belong to; programs have their own word for it."""


class Catalog:
    """One connection's list of models, asked for at most once a minute."""

    def __init__(
        self,
        profile: Profile,
        connect: Callable[[], Awaitable[Connection]],
        clock: Callable[[], float] = anyio.current_time,
    ) -> None:
        self._profile = profile
        self._connect = connect
        self._clock = clock
        self._lock = anyio.Lock()
        self._listing: ModelListing | None = None
        self._good_until = 0.0

    @property
    def known(self) -> ModelListing:
        """What was last heard; never asks."""
        return self._listing or ModelListing()

    @property
    def is_asked(self) -> bool:
        """Whether the server was asked before."""
        return self._listing is not None

    async def listing(self) -> ModelListing:
        """Ask the server unless it was asked a moment ago. Never raises."""
        async with self._lock:
            if self._listing is None or self._clock() >= self._good_until:
                self._listing = await self._ask()
                kept = PROBLEM_KEPT_SECONDS if self._listing.problem else KEPT_SECONDS
                self._good_until = self._clock() + kept
            return self._listing

    async def default_model(self) -> str:
        """Name the model that answers when nobody chose.

        Raises:
            ProviderError: the server named none.
        """
        profile = self._profile
        if profile.model:
            return profile.model
        listing = await self.listing()
        if listing.default:
            return listing.default
        sentence = listing.problem or (
            f"The model server at {profile.host} offers no model. Load one there, or set "
            f"OPENAI_MODEL. {failures.KEPT}"
        )
        raise ProviderError(listing.code or "provider_not_configured", sentence)

    async def _ask(self) -> ModelListing:
        try:
            return await ask_models(await self._connect())
        except ProviderError as error:
            return ModelListing(problem=error.detail, code=error.code)


async def ask_models(connection: Connection, seconds: float = LIST_SECONDS) -> ModelListing:
    """Ask a server for its models; waits at most `seconds`.

    Raises:
        ProviderError: it gave no list.
    """
    profile = connection.profile
    try:
        with anyio.fail_after(seconds):
            body = await _fetch(connection)
        models = read_models(body)
    except TimeoutError:
        waited = f"did not list its models in {seconds:g} s"
        raise failures.timed_out(profile, waited) from None
    except ValueError:
        raise failures.bad_response(profile, "gave no list of models") from None
    is_openai = profile.host == "api.openai.com"
    default = profile.model or choose_default(body, models, is_openai)
    return ModelListing(tuple(models), default, owner=_owner(body))


async def _fetch(connection: Connection) -> Any:
    profile = connection.profile
    body = b""
    async with connection.get("/models") as response:
        try:
            async for piece in response.aiter_raw():
                body += piece
                if len(body) > MAX_LIST_BYTES:
                    raise failures.bad_response(profile, "gave an endless list of models")
        except transport_failures.transport_errors() as error:
            words = transport_failures.error_words(error)
            raise failures.cut(profile, words) from error
    return orjson.loads(body)


def read_models(body: Any) -> list[ModelInfo]:
    """Read the list, in the order in which the server gives it.

    Raises:
        ValueError: it is none.
    """
    models: list[ModelInfo] = []
    for item in _items(body):
        name = item.get("id") or item.get("name") or item.get("model")
        if isinstance(name, str) and name:
            windows = [
                each.get(field) for each in (item, _limits(item)) for field in _WINDOW_FIELDS
            ]
            window = next((w for w in windows if isinstance(w, int) and w > 0), None)
            models.append(ModelInfo(name=name, context_window=window))
    return models


def _limits(item: Json) -> Json:
    """Give the limits of a model as GitHub Copilot lists them."""
    limits: Any = item.get("capabilities")
    limits = cast("Json", limits).get("limits") if isinstance(limits, dict) else None
    return cast("Json", limits) if isinstance(limits, dict) else {}


def choose_default(body: Any, models: list[ModelInfo], is_openai: bool) -> str:
    """Choose the model that answers when nobody chose: the first that can hold a session.

    OpenAI lists in no order: there the newest of the general models.
    """
    names = [model.name for model in models if not _NO_CHAT_MODEL.search(model.name)]
    if not names or not is_openai:
        return names[0] if names else ""
    created = {item.get("id"): item.get("created") or 0 for item in _items(body)}
    general = [name for name in names if re.fullmatch(r"gpt-[\d.]+o?", name)] or names
    return max(general, key=lambda name: created.get(name, 0))


def _owner(body: Any) -> str:
    owners = (item.get("owned_by") for item in _items(body))
    return next((owner for owner in owners if isinstance(owner, str)), "")


def _items(body: Any) -> list[Json]:
    listed: Any = body
    if isinstance(body, dict):
        fields = cast("Json", body)
        listed = fields.get("data", fields.get("models"))
    if not isinstance(listed, list):
        raise ValueError("no list")  # noqa: TRY004 - a fault of the answer
    return [cast("Json", item) for item in cast("list[Any]", listed) if isinstance(item, dict)]
