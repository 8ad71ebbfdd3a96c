"""People who err: their error rates, and the pass rate corrected for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from fiducial.calibration import Table, estimate, table_from_rows
from fiducial.calibration.corrected_rate.estimation_results import RateEstimate
from fiducial.report.document import as_lines
from fiducial.report.text.estimation_screen import estimation_screen

PEOPLE = ("ann", "bo", "cy")
Votes = tuple[int, ...]


def table_of(votes: Sequence[Votes], *, alike: int = 1) -> Table:
    """A labelled output for each tuple of votes; ``alike`` of them share a cluster."""
    rows = [
        {"item_id": f"i{n}", "cluster": f"c{n // alike}", "judge": "j", "score": float(n % 3 > 0)}
        | {f"person:{name}": float(vote) for name, vote in zip(PEOPLE, each, strict=False)}
        | ({} if 2 * sum(each) == len(each) else {"label": float(2 * sum(each) > len(each))})
        for n, each in enumerate(votes)
    ]
    return table_from_rows(rows)


def drawn(rng: np.random.Generator, n: int = 300, *, people: int = 3, wrong: float = 0.15) -> list[Votes]:
    right = rng.random(n) < 0.8
    return [tuple(int(good != (rng.random() < wrong)) for _ in range(people)) for good in right.tolist()]


def textbook_em(votes: Sequence[Votes]) -> tuple[float, list[float], list[float]]:
    """Dawid and Skene by plain loops over outputs: prevalence, TPR and TNR of each person."""
    people = len(votes[0])
    chance = [sum(vote) / people for vote in votes]
    prevalence, tpr, tnr = 0.0, list[float](), list[float]()
    for _ in range(3_000):
        right, wrong = sum(chance), sum(1 - each for each in chance)
        prevalence = right / len(votes)
        tpr = [sum(p * each[a] for p, each in zip(chance, votes, strict=True)) / right for a in range(people)]
        tnr = [
            sum((1 - p) * (1 - each[a]) for p, each in zip(chance, votes, strict=True)) / wrong
            for a in range(people)
        ]
        by_votes: dict[Votes, float] = {}
        for pattern in product((0, 1), repeat=people):
            good = prevalence * math.prod(t if v else 1 - t for t, v in zip(tpr, pattern, strict=True))
            bad = (1 - prevalence) * math.prod(1 - t if v else t for t, v in zip(tnr, pattern, strict=True))
            by_votes[pattern] = good / (good + bad)
        chance = [by_votes[vote] for vote in votes]
    return prevalence, tpr, tnr


def all_of(votes: Sequence[Votes], *, alike: int = 1) -> RateEstimate:
    return estimate(table_of(votes, alike=alike), labels_chosen_by="random").all


def test_error_rates_are_those_of_an_independent_implementation() -> None:
    votes = drawn(np.random.default_rng(11), 60)
    prevalence, tpr, tnr = textbook_em(votes)
    found = all_of(votes).label_errors
    assert found is not None
    assert found.rate is not None
    assert found.rate.value == pytest.approx(prevalence, abs=1e-6)
    rejected = [person.rejected.value for person in found.people.values()]
    let_through = [person.let_through.value for person in found.people.values()]
    assert rejected == pytest.approx([1 - each for each in tpr], abs=1e-6)
    assert let_through == pytest.approx([1 - each for each in tnr], abs=1e-6)


def test_votes_in_exact_proportions_give_back_the_rates_they_were_made_of() -> None:
    votes: list[Votes] = []
    for pattern in product((0, 1), repeat=3):
        good = 0.8 * math.prod(0.9 if v else 0.1 for v in pattern)
        bad = 0.2 * math.prod(0.2 if v else 0.8 for v in pattern)
        votes += [pattern] * round(1_000 * (good + bad))
    found = all_of(votes)
    assert found.rate.value == pytest.approx(0.8, abs=0.01)
    assert found.label_errors is not None
    ann = found.label_errors.people["ann"]
    assert (ann.rejected.value, ann.let_through.value) == pytest.approx((0.1, 0.2), abs=0.02)


def test_the_corrected_rate_is_the_answer_and_is_wider_than_labels_taken_as_exact() -> None:
    found = all_of(drawn(np.random.default_rng(2)))
    exact, corrected = found.ppi_plus_plus, found.rate
    assert found.reported == "people_errors"
    widths = [(statistic.high or 0.0) - (statistic.low or 0.0) for statistic in (exact, corrected)]
    assert widths[0] < widths[1]
    assert corrected.low is not None
    assert corrected.low <= 0.8 <= (corrected.high or 0.0)


def test_outputs_alike_in_clusters_widen_the_intervals() -> None:
    votes = [each for each in drawn(np.random.default_rng(4), 60) for _ in range(5)]
    alone, alike = all_of(votes), all_of(votes, alike=5)
    assert alone.rate.value == pytest.approx(alike.rate.value)
    assert alone.rate.low is not None
    assert alike.rate.low is not None
    assert alike.rate.low < alone.rate.low


def test_two_people_or_grades_between_are_no_model_and_labels_count_as_exact() -> None:
    two = all_of(drawn(np.random.default_rng(3), 60, people=2))
    assert two.label_errors is not None
    assert two.label_errors.rate is None
    assert two.label_errors.undefined == "60 of 60 labelled outputs have labels of fewer than three people"
    assert two.label_errors.n_split > 0
    assert two.reported != "people_errors"


def test_the_screen_says_how_labels_are_taken() -> None:
    def said(table: Table) -> str:
        return " ".join(as_lines(estimation_screen(estimate(table, labels_chosen_by="random")), width=None))

    votes = drawn(np.random.default_rng(5), 90)
    several = said(table_of(votes))
    assert "ann lets through" in several
    assert "Labels taken as exact: " in several
    one = table_from_rows(
        [{"item_id": f"i{n}", "judge": "j", "score": n % 2, "label": n % 3 > 0} for n in range(60)]
    )
    assert "Labels taken as exact." in said(one)
