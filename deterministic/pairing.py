"""Pair each item with a partner of its own, if possible."""

from __future__ import annotations

from collections.abc import Sequence


class Pairing:
    """Pairs found so far; earlier choices are revised if needed (Kuhn's augmenting paths)."""

    def __init__(self) -> None:
        self._fitting: list[Sequence[int]] = []
        self._taken_by: dict[int, int] = {}

    def add(self, fitting: Sequence[int]) -> bool:
        """Add one item and return whether it can be paired along with all earlier ones.

        ``fitting`` lists the partners that it can have.
        """
        self._fitting.append(fitting)
        return self._pair(len(self._fitting) - 1, set())

    def _pair(self, number: int, tried: set[int]) -> bool:
        for partner in self._fitting[number]:
            if partner not in tried:
                tried.add(partner)
                if partner not in self._taken_by or self._pair(self._taken_by[partner], tried):
                    self._taken_by[partner] = number
                    return True
        return False


def first_unpairable(fitting: Sequence[Sequence[int]]) -> int | None:
    """Return the number of the first item that cannot be paired along with all before it.

    None if all can be paired. ``fitting`` lists the partners that each item can have.
    """
    pairing = Pairing()
    return next((number for number, each in enumerate(fitting) if not pairing.add(each)), None)


def first_unpaired_greedily(fitting: Sequence[Sequence[int]]) -> int | None:
    """Return the number of the first item that greedy pairing leaves alone; None if all pair.

    In order, each item takes its first free partner, and no choice is revised.
    """
    taken: set[int] = set()
    for number, each in enumerate(fitting):
        partner = next((partner for partner in each if partner not in taken), None)
        if partner is None:
            return number
        taken.add(partner)
    return None
