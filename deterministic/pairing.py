"""Pair each item with a different partner, if possible."""

from __future__ import annotations

from collections.abc import Sequence


class Pairing:
    """Items and their partners; earlier choices are revised if needed (Kuhn's augmenting paths)."""

    def __init__(self) -> None:
        self._candidates: list[Sequence[int]] = []
        self._item_of: dict[int, int] = {}

    def add(self, candidates: Sequence[int]) -> bool:
        """Add an item with its possible partners; return whether all items can be paired."""
        self._candidates.append(candidates)
        return self._pair(len(self._candidates) - 1, set())

    def _pair(self, item: int, tried: set[int]) -> bool:
        for partner in self._candidates[item]:
            if partner not in tried:
                tried.add(partner)
                if partner not in self._item_of or self._pair(self._item_of[partner], tried):
                    self._item_of[partner] = item
                    return True
        return False


def first_unpairable(candidates: Sequence[Sequence[int]]) -> int | None:
    """Return the index of the first item that cannot be paired along with all before it.

    None if all can be paired. ``candidates`` lists the possible partners of each item.
    """
    pairing = Pairing()
    return next((index for index, partners in enumerate(candidates) if not pairing.add(partners)), None)


def first_unpaired_greedily(candidates: Sequence[Sequence[int]]) -> int | None:
    """Return the index of the first item that greedy pairing leaves unpaired; None if all pair.

    In order, each item takes its first free partner, and no choice is revised.
    """
    taken: set[int] = set()
    for number, partners in enumerate(candidates):
        partner = next((partner for partner in partners if partner not in taken), None)
        if partner is None:
            return number
        taken.add(partner)
    return None
