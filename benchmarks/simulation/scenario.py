"""One line of the table that `benchmarks/headline.py` prints."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np


class Scenario(NamedTuple):
    """A measured number beside the wanted one.

    Attributes:
        what: Case and number.
        before: As it was measured before the method changed; empty if it was not.
        wanted: Target.
        measured: Now, with its Monte Carlo error.
    """

    what: str
    before: str
    wanted: str
    measured: str


Scenarios: TypeAlias = Callable[[int], Iterator[Scenario]]
"""Maps a number of draws to lines."""


def share(what: str, before: str, wanted: str, hits: list[bool]) -> Scenario:
    """Return the share of draws in which something happened, in percent."""
    if not hits:
        return Scenario(what, before, wanted, "no draw")
    rate, draws = sum(hits) / len(hits), len(hits)
    error = math.sqrt(max(rate * (1 - rate), 1 / draws) / draws)
    return Scenario(what, before, wanted, f"{rate:.1%} +- {error:.1%} of {draws:,}")


def mean(what: str, before: str, wanted: str, values: list[float]) -> Scenario:
    """Return the mean of a number over draws."""
    if not values:
        return Scenario(what, before, wanted, "no draw")
    error = float(np.std(values)) / math.sqrt(len(values))
    return Scenario(what, before, wanted, f"{np.mean(values):.3f} +- {error:.3f} of {len(values):,}")
