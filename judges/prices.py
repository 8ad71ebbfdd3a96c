"""Token prices of models: from a maintained list, or given by the user."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from ..errors import UsageError

_PRICE = re.compile(
    r"\A(?:(?P<model>.{1,200})=)?(?P<prompt>[0-9.]{1,12})/(?P<completion>[0-9.]{1,12})(?:/(?P<cached>[0-9.]{1,12}))?"
)
_MILLION = 1_000_000
_SAMPLE = 1_000
"""Tokens whose price is asked for: few enough to be on the first step of prices that rise with a request's length."""


class Prices(NamedTuple):
    """US dollars for a million tokens in, out, and in from the provider's cache.

    Cached tokens cost as much as others if they have no known price.
    """

    prompt: float
    completion: float
    cached: float | None = None

    def cost(self, prompt_tokens: float, completion_tokens: float, cached_tokens: float = 0) -> float:
        """US dollars for so many tokens; ``cached_tokens`` are among those of the prompt."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = (prompt_tokens - cached_tokens) * self.prompt
        return (fresh + cached_tokens * cached + completion_tokens * self.completion) / _MILLION


PriceList: TypeAlias = Callable[[str], Prices | None]
"""From a model's name to its prices; None when they are not known."""


def listed_prices(model: str) -> Prices | None:
    """Look a model's price up in genai-prices, without fetching; None if it is unknown there.

    The list is the provider's public price at the time of that package's release: no discounts.
    """
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - 0.2 s, when costs are asked for

    try:
        prompt = calc_price(Usage(input_tokens=_SAMPLE, output_tokens=0), model_ref=model)
        completion = calc_price(Usage(input_tokens=0, output_tokens=_SAMPLE), model_ref=model)
        cached = calc_price(Usage(input_tokens=_SAMPLE, cache_read_tokens=_SAMPLE), model_ref=model)
    except (LookupError, ValueError):
        return None
    scale = _MILLION // _SAMPLE
    return Prices(*(float(each.total_price) * scale for each in (prompt, completion, cached)))


def depends_on_time(model: str) -> bool:
    """Return whether a model's listed price depends on the day or hour."""
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - as above

    try:
        listed = calc_price(Usage(input_tokens=_SAMPLE), model_ref=model)
    except (LookupError, ValueError):
        return False
    return isinstance(listed.model.prices, list)


def price_list(prices: Iterable[str] = (), listed: PriceList = listed_prices) -> PriceList:
    """Return the list of prices, overridden by the user's own.

    Args:
        prices: ``IN/OUT`` for every model, or ``MODEL=IN/OUT`` for one; US dollars for a million tokens. ``/CACHED`` may follow:
            for tokens that the provider had cached.
        listed: The prices of other models.

    Raises:
        UsageError: A price is not of that form.
    """
    own = dict(map(_read_price, prices))

    def find(model: str) -> Prices | None:
        return own.get(model) or own.get(None) or listed(model)

    return find


def dollars_of(
    prices: PriceList, model: str, prompt_tokens: float, completion_tokens: float, cached_tokens: float = 0
) -> float | None:
    """Return what a model's tokens cost; None if there are none, or if its price is unknown."""
    price = prices(model) if prompt_tokens or completion_tokens else None
    return None if price is None else price.cost(prompt_tokens, completion_tokens, cached_tokens)


def _read_price(text: str) -> tuple[str | None, Prices]:
    found = _PRICE.fullmatch(text)
    try:
        if found is not None:
            cached = found["cached"]
            prices = Prices(
                float(found["prompt"]), float(found["completion"]), None if cached is None else float(cached)
            )
            return found["model"], prices
    except ValueError:
        pass  # more than one point in a number
    raise UsageError(
        f"--price expects [MODEL=]IN/OUT[/CACHED], in dollars for a million tokens (0.4/1.6), got {text!r}"
    )
