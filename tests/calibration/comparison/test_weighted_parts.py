"""A part in one cluster, such as a single checked output, widens a rate and is not hidden."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.calibration import Table, compare, estimate, table_from_rows
from fiducial.calibration.comparison.comparison_results import ComparedStratum
from fiducial.calibration.comparison.outputs import Graded
from fiducial.calibration.comparison.weighted_parts import WeightedPart, sum_of_parts, weighted_parts


def part(values: list[float], coefficient: float, first_cluster: int, size: int = 1) -> WeightedPart:
    return WeightedPart(np.array(values), first_cluster + np.arange(len(values)) // size, coefficient)


MIXED = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0]


def test_a_single_row_moves_the_value_and_widens_the_interval():
    alone, rest = part([0.0], 0.2, 100), part(MIXED, 0.8, 0)
    found = sum_of_parts([alone, rest])
    assert found.value == pytest.approx(0.8 * np.mean(MIXED))
    assert found.error**2 == pytest.approx(sum_of_parts([rest]).error ** 2 + 0.2**2 * 2 / 9)
    assert found.rows == pytest.approx(1 / (0.2**2 + 0.8**2 / 8))


def test_a_cluster_of_many_rows_shows_no_more_than_one():
    rest = part(MIXED, 0.5, 0)
    one = sum_of_parts([part([1.0], 0.5, 100), rest])
    many = sum_of_parts([part([1.0] * 8, 0.5, 100, size=8), rest])
    assert many.error == pytest.approx(one.error)


def test_parts_with_a_spread_are_summed_as_they_are():
    parts = [part(MIXED, 0.5, 0), part(MIXED[:4], 0.5, 100)]
    whole = sum_of_parts(parts)
    assert whole.error**2 == pytest.approx(
        sum(sum_of_parts([weighted_part]).error ** 2 for weighted_part in parts)
    )


def test_a_spread_that_no_part_shows_stays_unknown():
    assert math.isnan(sum_of_parts([part([1.0], 0.5, 0), part([0.0], 0.5, 1)]).error)


@given(
    checked=st.lists(st.sampled_from([0.0, 1.0]), max_size=3),
    judged=st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0, None])), max_size=12),
    same_cluster=st.booleans(),
)
def test_every_rate_of_a_system_has_an_interval(
    checked: list[float], judged: list[tuple[float, float | None]], same_cluster: bool
):
    outputs = [(None, None, each) for each in checked] + [(score, label, None) for score, label in judged]
    rows = [
        {
            "item_id": f"c{number}|{system}|0",
            "judge": "j",
            "system": system,
            "score": score,
            "label": label,
            "checker_score": decided,
            "cluster": "one" if same_cluster else f"c{number}",
        }
        for system in ("x", "y")
        for number, (score, label, decided) in enumerate(outputs)
    ]
    if not any(score is not None for score, _, _ in outputs):
        return
    strata = compare(table_from_rows(rows), by="system").strata
    assert strata is not None
    for stratum in (strata.decided, strata.open, strata.all):
        for rate in stratum.rates.values():
            assert rate.value is None or (rate.low is not None and rate.high is not None)
            assert rate.value is None or rate.low <= rate.value <= rate.high  # type: ignore[operator]


def rows_of(system: str) -> list[dict[str, Any]]:
    """Return 40 judged outputs, 20 of them labelled, 10 unreadable and 10 failed ones."""
    rows: list[dict[str, Any]] = []
    for case in range(60):
        outcome = "graded" if case < 40 else "unparsable" if case < 50 else "failed"
        score = float(case % 2) if case < 40 else None
        label = score if case < 20 else 0.0 if 40 <= case < 46 else 1.0 if 50 <= case < 52 else None
        rows.append(
            {
                "item_id": f"c{case}|{system}|0",
                "system": system,
                "judge": "j",
                "score": score,
                "label": label,
                "outcome": outcome,
                "checker_score": None,
            }
        )
    return rows


def table() -> Table:
    return table_from_rows([*rows_of("x"), *rows_of("y")])


def whole(found: Table, **options: Any) -> ComparedStratum:
    strata = compare(found, by="system", **options).strata
    assert strata is not None
    return strata.all


def test_labels_of_failed_calls_and_of_unreadable_replies_count_apart():
    found = table()
    part = whole(found, labels_chosen_by="random")
    # Half of 40 pass, none of 10 unreadable ones and all of 10 failed ones, by their labels.
    assert part.rates["x"].value == pytest.approx((20 + 0 + 10) / 60)
    alone = estimate(table_from_rows(rows_of("x")), labels_chosen_by="random").all
    assert part.rates["x"].value == pytest.approx(alone.rate.value)
    assert (part.failed_calls, alone.n_missing_failed) == ({"x": 10, "y": 10}, 10)


def test_the_worst_and_best_case_keep_labels_that_correct_the_rate():
    found = table()
    part = whole(found, labels_chosen_by="random")
    alone = estimate(table_from_rows(rows_of("x")), labels_chosen_by="random").all
    # Of 20 ungraded outputs 8 have labels, 2 of which pass.
    assert part.bounds["x"] == pytest.approx((22 / 60, 34 / 60))
    assert part.bounds["x"] == pytest.approx(alone.bounds)


def test_there_is_no_worst_case_if_every_ungraded_output_has_a_label_that_counts():
    rows = [row | {"label": 1.0 if row["score"] is None else row["label"]} for row in rows_of("x")]
    part = whole(table_from_rows([*rows, *rows_of("y")]), labels_chosen_by="random")
    assert part.bounds.keys() == {"y"}


def test_the_worst_and_best_case_of_uncorrected_rates_count_every_ungraded_output():
    part = whole(table())
    assert part.bounds["x"] == pytest.approx((20 / 60, 40 / 60))


def test_graded_outputs_have_no_worst_case():
    rows = [row for row in [*rows_of("x"), *rows_of("y")] if row["outcome"] == "graded"]
    part = whole(table_from_rows(rows))
    assert (part.bounds, part.failed_calls) == ({}, {})


def test_the_worst_and_best_case_weigh_cases_alike():
    rows = [
        {"item_id": f"c{case}|{system}|{trial}", "system": system, "judge": "j", "label": None}
        | {"checker_score": None, "score": None if trial == 3 else float(case < 5)}
        for system in "xy"
        for case in range(10)
        for trial in range(4 if case < 5 else 1)
    ]
    part = whole(table_from_rows(rows))
    # One in four outputs of five cases of ten is ungraded.
    assert part.bounds["x"] == pytest.approx((0.375, 0.5))


def test_a_failed_call_counts_only_if_no_judge_replied():
    rows = rows_of("x")
    second = [row | {"judge": "k", "score": None, "outcome": "refused"} for row in rows[50:55]]
    part = whole(table_from_rows([*rows, *second, *rows_of("y")]))
    # The second judge replied to five of these outputs, without a grade.
    assert part.failed_calls == {"x": 5, "y": 10}


def graded(score: list[float], label: list[float]) -> Graded:
    number = np.arange(len(score))
    ones, open_ = np.ones_like(number), np.ones(len(score), np.bool_)
    scores = np.array(score)
    return Graded(number, number, ones, number, number, scores, scores, open_, np.array(label), number)


def test_few_equal_labels_have_a_variance_that_they_do_not_show():
    unknown = math.nan
    # A judge passes 25 of 40 outputs, 5 of them rightly by their labels; 4 of 10 ungraded outputs pass by theirs.
    outputs = graded(
        [1.0] * 25 + [0.0] * 15 + [unknown] * 10, [1.0] * 5 + [unknown] * 35 + [1.0] * 4 + [unknown] * 6
    )
    ungraded, judged, *rest = weighted_parts(outputs, correct=True)
    assert not rest
    assert (ungraded.coefficient, judged.coefficient) == pytest.approx((0.2, 0.8))
    assert ungraded.extra_variance == pytest.approx(5 / 6 * 1 / 6 / 4)
    # Half an output of each kind beside the five: 6 of 7 pass, by the judge and by labels.
    both, each = 5.5 / 7, 6 / 7
    correlation = (both - each**2) / (each * (1 - each))
    assert judged.extra_variance == pytest.approx(6 / 7 * 1 / 7 * (1 - correlation**2) / 5)
    error = sum_of_parts([ungraded, judged]).error
    assert error**2 == pytest.approx(0.2**2 * ungraded.extra_variance + 0.8**2 * judged.extra_variance)
