"""Token prices of models, from a maintained list or the user, and the cost of usages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

import msgspec

from ..errors import UsageError
from ..records import Usage
from ..spelling import setting

_PRICE = re.compile(
    r"\A(?:(?P<model>.{1,200})=)?(?P<prompt>[0-9.]{1,12})/(?P<completion>[0-9.]{1,12})(?:/(?P<cached>[0-9.]{1,12}))?"
)
_MILLION = 1_000_000
_SAMPLE_TOKENS = 1_000
"""Prices are computed from the cost of this number of tokens: few, since some prices rise with a request's length."""


class Prices(NamedTuple):
    """US dollars for a million prompt tokens, completion tokens, and cached prompt tokens.

    If ``cached`` is None, cached tokens cost as much as other prompt tokens.
    """

    prompt: float
    completion: float
    cached: float | None = None

    def cost(self, prompt_tokens: float, completion_tokens: float, cached_tokens: float = 0) -> float:
        """Return the cost in US dollars; ``cached_tokens`` are some of the prompt tokens."""
        cached_tokens = min(cached_tokens, prompt_tokens)  # a file may say that more were cached
        cached_price = self.prompt if self.cached is None else self.cached
        uncached_cost = (prompt_tokens - cached_tokens) * self.prompt
        return (uncached_cost + cached_tokens * cached_price + completion_tokens * self.completion) / _MILLION


PriceList: TypeAlias = Callable[[str], Prices | None]
"""Function that returns the prices of a model, or None if they are unknown."""


def listed_prices(model: str) -> Prices | None:
    """Return a model's prices in the installed genai-prices, or None if they are unknown.

    They are the provider's public prices at the release of that version, without discounts.
    """
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - 0.2 s, when costs are asked for

    try:
        prompt = calc_price(Usage(input_tokens=_SAMPLE_TOKENS, output_tokens=0), model_ref=model)
        completion = calc_price(Usage(input_tokens=0, output_tokens=_SAMPLE_TOKENS), model_ref=model)
        cached = calc_price(
            Usage(input_tokens=_SAMPLE_TOKENS, cache_read_tokens=_SAMPLE_TOKENS), model_ref=model
        )
    except (LookupError, ValueError):
        return None
    samples_per_million = _MILLION // _SAMPLE_TOKENS
    return Prices(
        *(
            float(calculation.total_price) * samples_per_million
            for calculation in (prompt, completion, cached)
        )
    )


def depends_on_time(model: str) -> bool:
    """Return whether a model's listed price depends on the date or the hour."""
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - as above

    try:
        sample = calc_price(Usage(input_tokens=_SAMPLE_TOKENS), model_ref=model)
    except (LookupError, ValueError):
        return False
    return isinstance(sample.model.prices, list)


def price_list(prices: Iterable[str] = (), listed: PriceList = listed_prices) -> PriceList:
    """Return the list of prices, overridden by the user's prices.

    Args:
        prices: ``IN/OUT`` for every model, or ``MODEL=IN/OUT`` for one, in US dollars for a million tokens. ``/CACHED`` may
            follow, the price of tokens that the provider cached.
        listed: The prices of other models.

    Raises:
        UsageError: A price does not have that form.
    """
    declared = dict(map(_read_price, prices))

    def prices_of(model: str) -> Prices | None:
        return declared.get(model) or declared.get(None) or listed(model)

    return prices_of


def dollars_of(
    prices: PriceList, model: str, prompt_tokens: float, completion_tokens: float, cached_tokens: float = 0
) -> float | None:
    """Return the cost of a model's tokens, or None without tokens or a known price."""
    price = prices(model) if prompt_tokens or completion_tokens else None
    return None if price is None else price.cost(prompt_tokens, completion_tokens, cached_tokens)


def with_dollars(usage: Usage, model: str, prices: PriceList | None) -> Usage:
    """Return a usage with its US dollars at a model's prices, unless it has them.

    Without a call there are none, whatever tokens it names: those are of a reply that came free.
    """
    if prices is None or not usage.calls or usage.dollars is not None:
        return usage
    tokens = usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens
    return msgspec.structs.replace(usage, dollars=dollars_of(prices, model, *tokens))


def _read_price(text: str) -> tuple[str | None, Prices]:
    match = _PRICE.fullmatch(text)
    try:
        if match is not None:
            cached = None if match["cached"] is None else float(match["cached"])
            return match["model"], Prices(float(match["prompt"]), float(match["completion"]), cached)
    except ValueError:
        pass  # a number with several decimal points
    raise UsageError(
        f"{setting('price')} expects [MODEL=]IN/OUT[/CACHED], in dollars for a million tokens (0.4/1.6), got {text!r}"
    )
