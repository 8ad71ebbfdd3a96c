"""Giving every expected call a call of its own that fits it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

Fits: TypeAlias = Sequence[Sequence[bool]]
"""Whether a call fits, by expected call and then by call."""

Pairing: TypeAlias = Callable[[Fits], int | None]
"""Gives the first expected call that is left without a partner, or None."""


def pair_greedily(fits: Fits) -> int | None:
    """Every expected call takes the first call left that fits it; no choice is revised, as in the original.

    Args:
        fits: What fits what.

    Returns:
        The first expected call without a partner, or None.
    """
    taken: set[int] = set()
    for expected, row in enumerate(fits):
        partner = next((call for call, fit in enumerate(row) if fit and call not in taken), None)
        if partner is None:
            return expected
        taken.add(partner)
    return None


def pair_completely(fits: Fits) -> int | None:
    """Choices are revised (along augmenting paths) so that all find a partner where that is possible at all.

    Args:
        fits: What fits what.

    Returns:
        The first expected call that cannot have a partner beside those before it, or None.
    """
    taken_by: dict[int, int] = {}

    def find_partner(expected: int, seen: set[int]) -> bool:
        for call, fit in enumerate(fits[expected]):
            if fit and call not in seen:
                seen.add(call)
                if call not in taken_by or find_partner(taken_by[call], seen):
                    taken_by[call] = expected
                    return True
        return False

    return next((expected for expected in range(len(fits)) if not find_partner(expected, set())), None)
