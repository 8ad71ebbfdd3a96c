"""Agreement of a judge with people on pairs: per verdict, and by both orders."""

from __future__ import annotations

import numpy as np
import pytest
from each_row import each_row

from fiducial.calibration.preference.pair_agreement import PairVerdicts, pair_agreement
from fiducial.calibration.preference.preference_results import ChoiceAgreement

A, TIE, B, NONE = 1.0, 0.5, 0.0, np.nan


def once(*rows: tuple[float, float]) -> ChoiceAgreement:
    """Return the agreement of rows of one order, each people's choice and the judge's."""
    people, judge = (np.array(each, dtype=np.float64) for each in zip(*rows, strict=True))
    numbers = np.arange(len(rows))
    return pair_agreement(
        PairVerdicts(numbers, judge, people, np.ones(len(rows), dtype=bool), numbers), replicates=200
    )


def twice(*rows: tuple[float, float, float]) -> ChoiceAgreement:
    """Return the agreement of pairs in both orders: people's choice, and the judge's."""
    people, one, other = (np.array(each, dtype=np.float64) for each in zip(*rows, strict=True))
    numbers, n = np.tile(np.arange(len(rows)), 2), len(rows)
    a_first = np.repeat([True, False], n)
    verdicts = PairVerdicts(numbers, np.concatenate([one, other]), np.tile(people, 2), a_first, numbers)
    return pair_agreement(verdicts.take(np.isfinite(verdicts.score)), replicates=200)


def test_a_tie_agrees_with_a_tie_alone():
    found = once((A, A), (B, B), (TIE, TIE), (A, TIE), (TIE, A), (TIE, B), (A, B))
    assert found.agreement.value == pytest.approx(3 / 7)
    assert found.ties_half.value == pytest.approx((3 + 3 * 0.5) / 7)
    assert (found.decided.value, found.decided.n) == (pytest.approx(2 / 3), 3)
    assert found.table == [[1, 0, 0], [1, 1, 1], [1, 1, 1]]


def test_a_judge_that_always_says_tie_never_votes_for_the_first():
    found = once((A, TIE), (B, TIE), (A, TIE))
    assert (found.agreement.value, found.decided.n, found.ties_half.value) == (0.0, 0, 0.5)


def test_kappa_is_that_of_three_choices():
    rows = [(A, A)] * 4 + [(B, B)] * 3 + [(TIE, TIE)] * 2 + [(A, B), (B, TIE), (TIE, A)]
    found = once(*rows)
    chance = (5 * 5 + 4 * 4 + 3 * 3) / 12**2
    assert found.kappa.value == pytest.approx((9 / 12 - chance) / (1 - chance))


def test_pairs_without_peoples_choice_are_counted_and_in_no_number():
    found = once((A, A), (NONE, B))
    assert (found.n, found.unlabelled, found.agreement.value) == (1, 1, 1.0)


@each_row(
    ("row", "right", "wrong", "flips", "balance"),
    [
        ((A, A, A), 1, 0, 0, 1),
        ((A, A, B), 0, 0, 1, 0),
        ((A, B, B), 0, 1, 0, 0),
        ((A, A, TIE), 0, 0, 0, 1),
        ((A, TIE, TIE), 0, 0, 0, 0),
        ((A, B, TIE), 0, 0, 0, 0),
        ((B, B, B), 1, 0, 0, 1),
        ((B, B, TIE), 0, 0, 0, 1),
    ],
)
def test_a_pair_is_right_only_by_both_orders(
    row: tuple[float, float, float], right: int, wrong: int, flips: int, balance: int
):
    """The last column is JudgeBench's rule: more speaks for the right output than against it."""
    found = twice(row, row)
    shares = (found.right_in_both, found.wrong_in_both, found.flips, found.right_on_balance)
    assert [share.value for share in shares] == [right, wrong, flips, balance]


def test_both_orders_take_a_verdict_in_each_and_a_decision_of_people():
    found = twice((A, A, A), (A, A, NONE), (TIE, A, A))
    assert (found.n, found.both_orders, found.right_in_both.value) == (5, 1, 1.0)


def test_the_rule_of_judge_bench_on_many_pairs():
    draw = np.random.default_rng(4)
    words = draw.choice([A, TIE, B], (200, 2))
    rows = [(float(draw.integers(2)), float(one), float(other)) for one, other in words]
    right = 0
    for label, *given in rows:
        counter = sum((each == label) - (each == 1 - label) for each in given)
        right += counter > 0
    assert twice(*rows).right_on_balance.value == pytest.approx(right / 200)
