"""What is known of the model that answers: how much it holds, and what it costs.

The window is what the profile says, else the catalog, else the server's own list. A size that
nobody knows stays None; who has to have a number takes `assumed_window`.
"""

from dataclasses import dataclass, field
from typing import Literal

from lararium_daemon.providers.catalog import ModelListing
from lararium_daemon.providers.model_catalog import KnownModel, known_model
from lararium_daemon.providers.pricing import Pricing, pricing_of
from lararium_daemon.providers.profiles import Profile

ASSUMED_WINDOW = 32_768
"""Tokens; the least that a model made for this work holds."""

WindowSource = Literal["profile", "catalog", "server", ""]


@dataclass(slots=True, frozen=True)
class ModelFacts:
    """What is known of one model."""

    model: str = ""
    """Its name; "" when its server has not said one yet."""
    context_window: int | None = None
    """Tokens; None = unknown."""
    window_source: WindowSource = ""
    takes_images: bool | None = None
    """None = nobody knows."""
    pricing: Pricing = field(default_factory=Pricing)

    @property
    def assumed_window(self) -> int:
        """The window, or a careful guess."""
        return self.context_window or ASSUMED_WINDOW


def facts_of(profile: Profile, model: str, listing: ModelListing) -> ModelFacts:
    """Put together what is known. Blocks when a snapshot has to be loaded."""
    known = known_model(profile.base_url, model) if profile.base_url and model else None
    window, source = _window(profile, model, listing, known)
    images = known.images if known is not None else None
    return ModelFacts(model, window, source, images, pricing_of(profile, model))


def _window(
    profile: Profile, model: str, listing: ModelListing, known: KnownModel | None
) -> tuple[int | None, WindowSource]:
    if profile.context_window:
        return profile.context_window, "profile"
    if known is not None and known.context_window:
        return known.context_window, "catalog"
    listed = (each.context_window for each in listing.models if each.name == model)
    window = next((each for each in listed if each), None)
    return window, "server" if window else ""
