"""Giving each of several a partner of its own, where that is possible at all."""

from __future__ import annotations

from collections.abc import Sequence


class Pairing:
    """Partners found so far; earlier choices are revised where that makes room (Kuhn's augmenting paths)."""

    def __init__(self) -> None:
        self._fitting: list[Sequence[int]] = []
        self._taken_by: dict[int, int] = {}

    def add(self, fitting: Sequence[int]) -> bool:
        """Find a partner for one more, among those that it can have, beside all that were added before; whether there is one."""
        self._fitting.append(fitting)
        return self._take(len(self._fitting) - 1, set())

    def _take(self, number: int, tried: set[int]) -> bool:
        for partner in self._fitting[number]:
            if partner not in tried:
                tried.add(partner)
                if partner not in self._taken_by or self._take(self._taken_by[partner], tried):
                    self._taken_by[partner] = number
                    return True
        return False


def pair_completely(fitting: Sequence[Sequence[int]]) -> int | None:
    """The first, if any, that cannot have a partner of its own beside those before it."""
    pairing = Pairing()
    return next((number for number, each in enumerate(fitting) if not pairing.add(each)), None)


def pair_greedily(fitting: Sequence[Sequence[int]]) -> int | None:
    """The first, if any, that is left alone when each in turn takes the first that is free; no choice is revised."""
    taken: set[int] = set()
    for number, each in enumerate(fitting):
        partner = next((partner for partner in each if partner not in taken), None)
        if partner is None:
            return number
        taken.add(partner)
    return None
