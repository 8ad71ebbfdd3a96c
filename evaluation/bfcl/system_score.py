"""What scoring found of one system."""

from __future__ import annotations

from collections import Counter

import msgspec

from ...deterministic import Names
from .aggregation import Summary, summarise
from .category_score import CategoryScore
from .effort import Effort


class SystemScore(msgspec.Struct, frozen=True):
    """Everything about one system.

    Attributes:
        name: Its folder's name.
        names: How documented names with dots were taken to have been offered to it.
        scores: By category, in BFCL's order.
        effort: Its latency and tokens.
        modes: How many answers were read as text and how many as native calls.
    """

    name: str
    names: Names
    scores: dict[str, CategoryScore]
    effort: Effort
    modes: Counter[str]

    @property
    def summary(self) -> Summary:
        """The summary scores."""
        return summarise(self.scores)
