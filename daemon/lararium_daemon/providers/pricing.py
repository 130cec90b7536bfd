"""What a model call cost: by the profile's own prices, else by a snapshot. Unknown stays unknown.

The snapshot (`genai-prices`) loads on first use and blocks for a third of a second: make a
`Pricing` in a worker thread, then ask it from anywhere.
"""

from dataclasses import dataclass

from lararium_daemon.protocol.events import Usage
from lararium_daemon.providers.profiles import Profile
from lararium_daemon.settings import PriceSettings


@dataclass(slots=True, frozen=True)
class Pricing:
    """The prices of one model."""

    own: PriceSettings | None = None
    """As the profile says, dollars per million tokens."""
    base_url: str = ""
    """Where the snapshot knows the model's price, "" when it does not."""
    model: str = ""

    def cost_usd(self, usage: Usage) -> float | None:
        """Give what a call cost in dollars; None when a price or a count is unknown."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = min(usage.cached_tokens or 0, usage.input_tokens)
        if self.own is not None:
            return _own_cost(self.own, usage.input_tokens, cached, usage.output_tokens)
        if not self.base_url:
            return None
        return _known_cost(
            self.base_url, self.model, usage.input_tokens, cached, usage.output_tokens
        )


def pricing_of(profile: Profile, model: str) -> Pricing:
    """Find the prices of a model. Blocks at first."""
    if profile.price is not None:
        return Pricing(profile.price)
    if profile.is_local or not profile.base_url or not model:
        return Pricing()
    if _known_cost(profile.base_url, model, 1, 0, 1) is None:
        return Pricing()
    return Pricing(base_url=profile.base_url, model=model)


def _own_cost(price: PriceSettings, read: int, cached: int, written: int) -> float | None:
    if price.input is None or price.output is None:
        return None
    of_cached = price.input if price.cached is None else price.cached
    return ((read - cached) * price.input + cached * of_cached + written * price.output) / 1e6


def _known_cost(base_url: str, model: str, read: int, cached: int, written: int) -> float | None:
    import genai_prices

    usage = genai_prices.Usage(
        input_tokens=read, cache_read_tokens=cached or None, output_tokens=written
    )
    try:
        price = genai_prices.calc_price(usage, model, provider_api_url=base_url)
    except (LookupError, ValueError):
        return None
    return float(price.total_price)
