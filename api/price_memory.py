"""Cache of the listed prices of models used before, since the list takes 0.14 s to load."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from ..errors import FiducialError, InputError
from ..judges.prices import PriceList, Prices, depends_on_time, listed_prices, price_list
from ..records.disk_files import read_regular_file, write_json
from ..records.typed_values import decode_json

_MAX_MODELS = 1_000
"""Maximum number of models whose prices are kept: more than anyone uses."""


class _PriceMemory(msgspec.Struct):
    """Prices by model, with the version of the list, or None for a model not on it."""

    version: str
    prices: dict[str, Prices | None] = {}


def known_prices(prices: Iterable[str] = ()) -> PriceList:
    """Return the list of prices, overridden by the user's own; see `price_list`.

    A kept price is not looked up again.
    """
    return price_list(prices, _kept_price)


def keep_price(model: str) -> None:
    """Keep a model's listed price until another version of the list is installed.

    A price that depends on the time of day is not kept.
    """
    memory = _read()
    if model in memory.prices or len(memory.prices) >= _MAX_MODELS or depends_on_time(model):
        return
    memory.prices[model] = listed_prices(model)
    with suppress(InputError):  # a folder that cannot be written costs only time
        write_json(_path(), memory)


def _kept_price(model: str) -> Prices | None:
    prices = _read().prices
    return prices[model] if model in prices else listed_prices(model)


def _path() -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415 - not if the user gave all prices

    return user_cache_path("fiducial") / "prices.json"


def _read() -> _PriceMemory:
    """Read the kept prices; none if the file is missing, damaged or of another version."""
    from importlib.metadata import version  # noqa: PLC0415 - slow to import

    installed = version("genai-prices")
    with suppress(OSError, FiducialError, msgspec.MsgspecError):
        memory = decode_json(read_regular_file(_path()), _PriceMemory)
        if memory.version == installed:
            return memory
    return _PriceMemory(installed)
