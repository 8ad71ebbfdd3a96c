"""Systems with unequal numbers of trials."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from trial_tables import by_system, trial_rows


def test_systems_with_unequal_trials_are_compared_case_by_case_with_all_of_them() -> None:
    rows = trial_rows({"x": [0, 1, 2, 3, 4, 5, 6, 7], "y": [0, 1]})
    (pair,) = by_system(rows).pairs
    means = {
        s: [
            np.mean([r["score"] for r in rows if r["system"] == s and r["item_id"] == f"c{case}"])
            for case in range(30)
        ]
        for s in "xy"
    }
    assert pair.difference.value == pytest.approx(np.mean(means["x"]) - np.mean(means["y"]))
    assert pair.rate_a is not None
    assert pair.rate_b is not None
    assert (pair.rate_a.value, pair.rate_b.value) == pytest.approx((np.mean(means["x"]), np.mean(means["y"])))
    assert pair.p is not None
    assert pair.difference.low is not None
    assert (pair.p <= 0.05) == (pair.difference.low > 0)
    assert {caution.kind: caution.about for caution in by_system(rows).cautions}["no_output"] == {"y": 180}


def test_a_system_that_repeats_its_easy_cases_gains_nothing_and_is_named() -> None:
    rows = [
        {"item_id": f"c{n}", "judge": "j", "system": system, "trial": trial, "score": float(n < 5)}
        for n in range(10)
        for system in ("x", "y")
        for trial in range(30 if n < 5 and system == "x" else 1)
    ]
    found = by_system(rows)
    assert found.pairs[0].difference.value == 0.0
    assert found.contenders["x"].share_right.value == pytest.approx(0.5)
    assert (found.strata is not None, found.best) == (True, None)
    assert {caution.kind: caution.about for caution in found.cautions}["uneven_trials"] == {"x": 0.5}


def judged(trials: dict[str, int], *, labelled: int, ungraded: int = 0) -> list[dict[str, Any]]:
    """Return judged outputs of forty cases, of the last ones ungraded."""
    return [
        {
            "item_id": f"c{n}",
            "judge": "j",
            "system": system,
            "trial": trial,
            "score": None if n >= 40 - ungraded else float((n + trial) % 3 > 0),
            "checker_score": None,
            "label": float((n + trial) % 4 > 0) if (n * 7) % 40 < labelled and trial < 2 else None,
        }
        for system, most in trials.items()
        for n in range(40)
        for trial in range(1 + n % most)
    ]


def test_corrected_systems_are_compared_with_all_trials() -> None:
    found = by_system(judged({"x": 4, "y": 2}, labelled=20), labels_chosen_by="random")
    assert found.strata is not None
    pair, rates = found.strata.all.pairs[0], found.strata.all.rates
    assert (pair.corrected, pair.difference.n) == (True, 40)
    assert found.strata.all.n_cases == {"x": 40, "y": 40}
    first, second = rates["x"].value, rates["y"].value
    assert first is not None
    assert second is not None
    assert (pair.rate_a, pair.rate_b) != (None, None)
    assert pair.difference.value == pytest.approx(first - second)


def test_labels_of_ungraded_outputs_count_by_their_share() -> None:
    found = by_system(judged({"x": 1, "y": 1}, labelled=20, ungraded=12), labels_chosen_by="random")
    assert found.strata is not None
    whole = found.strata.all
    known = [
        row["label"]
        for row in judged({"x": 1}, labelled=20, ungraded=12)
        if row["score"] is None and row["label"] is not None
    ]
    rate = whole.rates["x"].value
    assert rate == pytest.approx(0.7 * whole.graded_rates["x"] + 0.3 * np.mean(known))
    assert whole.pairs[0].difference.value == pytest.approx(0.0)
    assert list(whole.graded_rates) == ["x", "y"]


def test_rates_of_graded_outputs_are_in_the_order_of_the_systems() -> None:
    trials = dict.fromkeys("hgfedcba", 1)
    found = by_system(judged(trials, labelled=20, ungraded=12), labels_chosen_by="random")
    assert found.strata is not None
    assert list(found.strata.all.graded_rates) == list(found.strata.all.rates)


def test_a_case_without_an_output_is_not_an_unequal_number_of_trials() -> None:
    rows = [r for r in trial_rows({"x": [0, 1], "y": [0, 1]}) if (r["item_id"], r["system"]) != ("c3", "y")]
    assert "uneven_trials" not in {caution.kind for caution in by_system(rows).cautions}


@pytest.mark.parametrize("retried", [False, True])
@pytest.mark.parametrize("order", ["xy", "yx"])
def test_labels_of_outputs_that_no_judge_graded_give_no_uncorrected_rate(
    order: str, *, retried: bool
) -> None:
    rows = [
        {
            "item_id": f"c{n % 10 if retried else n}",
            "judge": "j",
            "system": system,
            "trial": n // 10 if retried else 0,
            "score": float(n % 2) if n >= 10 and system == "y" else None,
            "checker_score": float(n % 3 > 0) if n < 10 else None,
            "label": 1.0 if n >= 10 else None,
        }
        for system in order
        for n in range(14)
        if n < 13 or system == "y"
    ]
    found = by_system(rows)
    assert found.strata is not None
    assert found.strata.all.rates["x"].undefined == "only 0 of 3 undecided outputs are graded"
    (pair,) = found.strata.all.pairs
    assert pair.difference.undefined == "only 0 of 3 undecided outputs are graded"
