"""Pair each item with a different partner, if possible (bipartite matching)."""

from __future__ import annotations

from collections.abc import Sequence


class Pairing:
    """Maximum matching of items and partners, extended item by item (Kuhn's augmenting paths)."""

    def __init__(self) -> None:
        self._candidates: list[Sequence[int]] = []
        self._item_of: dict[int, int] = {}

    def add(self, candidates: Sequence[int]) -> bool:
        """Add an item with its possible partners; return whether all items can be paired."""
        self._candidates.append(candidates)
        return self._pair(len(self._candidates) - 1, set())

    def _pair(self, item: int, visited: set[int]) -> bool:
        for partner in self._candidates[item]:
            if partner not in visited:
                visited.add(partner)
                # A taken partner becomes free if the item that has it can move to another one.
                if partner not in self._item_of or self._pair(self._item_of[partner], visited):
                    self._item_of[partner] = item
                    return True
        return False


def first_unpairable(candidates: Sequence[Sequence[int]]) -> int | None:
    """Return the index of the first item that cannot be paired along with all before it.

    Args:
        candidates: The possible partners of each item.

    Returns:
        The index, or None if all items can be paired.
    """
    pairing = Pairing()
    return next((index for index, partners in enumerate(candidates) if not pairing.add(partners)), None)


def first_unpaired_greedily(candidates: Sequence[Sequence[int]]) -> int | None:
    """Return the index of the first item that greedy pairing leaves unpaired, or None.

    In order, each item takes its first free partner, and no choice is revised.
    """
    taken_partners: set[int] = set()
    for index, partners in enumerate(candidates):
        partner = next((partner for partner in partners if partner not in taken_partners), None)
        if partner is None:
            return index
        taken_partners.add(partner)
    return None
