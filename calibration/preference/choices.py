"""Choices between two outputs of a case, asked in both orders."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray


class Choices(NamedTuple):
    """Choices of one judge, by comparison; each array has shape ``(n,)``.

    Attributes:
        systems: Names of systems.
        a: Number of the first system of the pair, whichever output is shown first.
        b: Number of the second system.
        a_first: Choice when ``a`` was shown first: 1 for ``a``, 0 for ``b``, a tie between; NaN without a
            verdict.
        b_first: Choice when ``b`` was shown first: 1 for ``b``, 0 for ``a``, a tie between; NaN without a
            verdict.
        cluster: Cluster number.
        length_a: Characters of the output of ``a``; NaN if unknown.
        length_b: Characters of the output of ``b``; NaN if unknown.
        label: 1 if ``a`` is better by trusted labels, 0 if ``b`` is, 0.5 if they are equal; NaN if unknown.
        person: Preference of a person who saw both outputs: 1 for ``a``, 0 for ``b``, 0.5 for a tie; NaN
            without one.
    """

    systems: list[str]
    a: IntArray
    b: IntArray
    a_first: FloatArray
    b_first: FloatArray
    cluster: IntArray
    length_a: FloatArray
    length_b: FloatArray
    label: FloatArray
    person: FloatArray

    def take(self, rows: BoolArray) -> Choices:
        """Return the selected comparisons."""
        systems, *columns = self
        return Choices._make([systems, *(column[rows] for column in columns)])

    @property
    def complete(self) -> BoolArray:
        """Mask of comparisons with a verdict in both orders."""
        return np.isfinite(self.a_first) & np.isfinite(self.b_first)

    @property
    def once(self) -> BoolArray:
        """Mask of comparisons with a verdict in one order only."""
        return np.isfinite(self.a_first) != np.isfinite(self.b_first)

    def filled(self) -> Choices:
        """Return the comparisons with a verdict; a missing order is taken to agree with the other.

        Comparisons in one order count in win rates and strengths, but show nothing about the order effect.
        """
        a_first = np.where(np.isnan(self.a_first), 1.0 - self.b_first, self.a_first)
        b_first = np.where(np.isnan(self.b_first), 1.0 - self.a_first, self.b_first)
        return self._replace(a_first=a_first, b_first=b_first).take(self.complete | self.once)

    @property
    def preferred(self) -> FloatArray:
        """Degree to which ``a`` is preferred, each order counting half.

        1 where it is chosen in both orders; 0.5 where one is chosen in each order or both are ties.
        """
        return (self.a_first + 1.0 - self.b_first) / 2

    @property
    def first_chosen(self) -> FloatArray:
        """Degree to which the output shown first is chosen, each order counting half.

        0.5 for a judge that ignores the order.
        """
        return (self.a_first + self.b_first) / 2


class Kinds(NamedTuple):
    """Masks of comparisons by kind of result, shape ``(n,)``.

    Each comparison is of exactly one kind.

    Attributes:
        a: ``a`` is chosen in both orders.
        b: ``b`` is chosen in both orders.
        tie: Both orders give a tie.
        flip_first: The output shown first is chosen in both orders: the order decides.
        flip_second: The output shown second is chosen in both orders.
        half: There is a choice in one order and a tie in the other.
    """

    a: BoolArray
    b: BoolArray
    tie: BoolArray
    flip_first: BoolArray
    flip_second: BoolArray
    half: BoolArray

    @property
    def flip(self) -> BoolArray:
        """Mask of comparisons in which the order changes the choice."""
        return self.flip_first | self.flip_second


def kinds_of(choices: Choices) -> Kinds:
    """Classify complete comparisons.

    Repeated questions count by the side of one half on which their mean lies.
    """
    # 1 for a choice of `a`, -1 for `b`, 0 for a tie, in either order.
    with_a_first, with_b_first = np.sign(choices.a_first - 0.5), np.sign(0.5 - choices.b_first)
    return Kinds(
        a=(with_a_first > 0) & (with_b_first > 0),
        b=(with_a_first < 0) & (with_b_first < 0),
        tie=(with_a_first == 0) & (with_b_first == 0),
        flip_first=(with_a_first > 0) & (with_b_first < 0),
        flip_second=(with_a_first < 0) & (with_b_first > 0),
        half=(with_a_first == 0) != (with_b_first == 0),
    )
