"""Each case has weight 1, and a repeat is a second verdict on one output."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fiducial as fd
from fiducial.calibration import table_from_rows
from fiducial.calibration.case_weights import cases_of, first_verdicts, trials_by_row, with_case_weights
from fiducial.calibration.intervals.clustered_means import combine_means
from fiducial.calibration.intervals.clustered_rates import share_of

RNG = np.random.default_rng(4)


def rows(trials: dict[str, int], *, label: bool = True, **more: Any) -> list[dict[str, Any]]:
    """Return rows of cases with these numbers of trials; of each even case all pass."""
    return [
        {
            "item_id": case,
            "judge": "j",
            "trial": trial,
            "score": float(number % 2 == 0),
            "label": float(number % 2 == 0) if label else None,
            **more,
        }
        for number, (case, count) in enumerate(trials.items())
        for trial in range(count)
    ]


def test_equal_weights_give_the_numbers_of_rows_that_count_alike():
    values, cluster, cell = (
        RNG.integers(0, 2, 60).astype(np.float64),
        RNG.integers(0, 14, 60),
        RNG.integers(0, 2, 60),
    )
    weight, coefficient = np.full(60, 0.25), np.array([0.3, 0.7])
    plain, weighted = share_of(values, cluster), share_of(values, cluster, weight)
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high))
    parts = combine_means(values, cell, coefficient, cluster)
    assert combine_means(values, cell, coefficient, cluster, weight) == pytest.approx(parts)


def test_a_case_of_thirty_trials_weighs_as_much_as_one_of_one():
    trials = {f"c{number}": 30 if number % 2 == 0 else 1 for number in range(20)}
    found = fd.estimate(rows(trials), labels_chosen_by="random").all
    assert found.n_cases == 20
    assert found.judge_mean == pytest.approx(0.5)
    assert found.labels_only.value == pytest.approx(0.5)
    assert "of 20 cases (310 outputs)" in " ".join(str(fd.estimate(rows(trials)).screen()).split())


def test_an_ungraded_trial_keeps_its_weight():
    table = rows({"a": 4, "b": 2, "c": 2})
    for row in table[1:4]:
        row["score"] = None
    found = fd.estimate(table).all
    # A quarter of case a and all of c pass, of the two and a quarter cases that are graded.
    assert found.judge_mean == pytest.approx(1.25 / 2.25)


def test_equal_numbers_of_trials_have_no_weights():
    found = fd.estimate(rows(dict.fromkeys("abcdefgh", 4)))
    assert found.all.n_cases is None
    assert "weight 1" not in str(found.screen())


def test_cases_are_read_from_ids_of_runs():
    table = table_from_rows(
        {"item_id": f"{case}|s|{trial}", "judge": "j", "score": 1.0}
        for case, trials in {"a": 3, "b": 1}.items()
        for trial in range(trials)
    )
    trials = trials_by_row(table)
    assert trials is not None
    assert trials.tolist() == [3, 3, 3, 1]
    assert cases_of(with_case_weights(table)) == 2


def test_a_system_has_its_own_trials_of_a_case():
    table = rows({"a": 2, "b": 2}, system="x") + rows({"a": 3, "b": 3}, system="y")
    found = fd.estimate(table)
    assert (found.all.n_cases, found["x"].n_cases, found["y"].n_cases) == (4, None, None)


def test_a_repeat_is_a_second_verdict_and_a_label_counts_once():
    table = [
        {
            "item_id": f"c{number}",
            "judge": "j",
            "repeat": repeat,
            "score": (number + repeat) % 2,
            "label": label,
        }
        for number in range(12)
        for repeat, label in enumerate((None, number % 3 > 0, None))
    ]
    table[0]["score"] = None
    first = first_verdicts(table_from_rows(table))
    assert (len(first), int(np.isfinite(first.label).sum())) == (12, 12)
    # The first repeat of the first output is ungraded: its second counts.
    assert first.score.tolist() == [1.0, *(number % 2 for number in range(1, 12))]
    found = fd.estimate(table).all
    assert (found.n_labelled, found.labels_only.n) == (12, 12)
    assert {caution.kind: caution.about for caution in found.cautions}["repeats"] == {"all": 23.0}
    assert found.variance is not None


def test_estimates_that_do_not_weigh_cases_say_so():
    table = rows({f"c{number}": 1 + number % 3 for number in range(60)})
    for row in table[::2]:
        row["label"] = None
    found = fd.estimate(table, target="finite").all
    for name in ("ppi_plus_plus", "post_stratified"):
        assert "unequal numbers of trials" in str(found.estimates[name].undefined)
