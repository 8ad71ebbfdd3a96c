"""Token prices of models: from a maintained list, or given by the user."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from ..errors import FiducialError, InputError, UsageError
from ..records.disk_files import read_plainly, write_json

_PRICE = re.compile(
    r"\A(?:(?P<model>.{1,200})=)?(?P<prompt>[0-9.]{1,12})/(?P<completion>[0-9.]{1,12})(?:/(?P<cached>[0-9.]{1,12}))?"
)
_MILLION = 1_000_000
_SAMPLE = 1_000
"""Tokens whose price is asked for: few enough to be on the first step of prices that rise with a request's length."""
_MOST_REMEMBERED = 1_000
"""Models whose prices are kept, more than anybody asks."""


class Prices(NamedTuple):
    """US dollars for a million tokens in, out, and in from the provider's cache.

    Cached tokens cost as much as others where no price is known for them.
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


class _PriceMemory(msgspec.Struct):
    """Cached prices by model, with the version of the list; None for a model not on it."""

    version: str
    prices: dict[str, Prices | None] = {}


def listed_prices(model: str) -> Prices | None:
    """Look a model's price up in genai-prices, without fetching; None if it is unknown there.

    The list is the provider's public price at the time of that package's release: no discounts. Reading it takes 0.2 s, so that
    what was found is kept in the user's cache folder until another version is installed.
    """
    from importlib.metadata import version  # noqa: PLC0415 - slow to import

    from platformdirs import user_cache_path  # noqa: PLC0415 - not where the user gave all prices

    path = user_cache_path("fiducial") / "prices.json"
    memory = _remembered(path, version("genai-prices"))
    if model in memory.prices:
        return memory.prices[model]
    prices, lasting = _looked_up(model)
    if lasting and len(memory.prices) < _MOST_REMEMBERED:
        memory.prices[model] = prices
        with suppress(InputError):  # a folder that cannot be written costs time, nothing else
            write_json(path, memory)
    return prices


def _remembered(path: Path, version: str) -> _PriceMemory:
    """Read the cached prices; none if the file is missing, damaged or of another version."""
    with suppress(OSError, FiducialError, msgspec.MsgspecError):
        memory = msgspec.json.decode(read_plainly(path), type=_PriceMemory)
        if memory.version == version:
            return memory
    return _PriceMemory(version)


def _looked_up(model: str) -> tuple[Prices | None, bool]:
    """Return a model's price, and whether it is the same at every time of the day."""
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - 0.2 s

    try:
        prompt = calc_price(Usage(input_tokens=_SAMPLE, output_tokens=0), model_ref=model)
        completion = calc_price(Usage(input_tokens=0, output_tokens=_SAMPLE), model_ref=model)
        cached = calc_price(Usage(input_tokens=_SAMPLE, cache_read_tokens=_SAMPLE), model_ref=model)
    except (LookupError, ValueError):
        return None, True
    scale = _MILLION // _SAMPLE
    prices = Prices(*(float(each.total_price) * scale for each in (prompt, completion, cached)))
    return prices, not isinstance(prompt.model.prices, list)


def price_list(prices: Iterable[str] = ()) -> PriceList:
    """Return the list of prices, overridden by the user's own.

    Args:
        prices: ``IN/OUT`` for every model, or ``MODEL=IN/OUT`` for one; US dollars for a million tokens. ``/CACHED`` may follow:
            for tokens that the provider had cached.

    Raises:
        UsageError: A price is not of that form.
    """
    own = dict(map(_read_price, prices))

    def find(model: str) -> Prices | None:
        return own.get(model) or own.get(None) or listed_prices(model)

    return find


def dollars_of(
    prices: PriceList, model: str, prompt_tokens: float, completion_tokens: float, cached_tokens: float = 0
) -> float | None:
    """Return what a model's tokens cost; None if there are none, or if its price is unknown."""
    known = prices(model) if prompt_tokens or completion_tokens else None
    return None if known is None else known.cost(prompt_tokens, completion_tokens, cached_tokens)


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
