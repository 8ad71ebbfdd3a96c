"""Labels drawn where the judge is in doubt: chances, and an estimate that knows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from known_numbers import reason_of
from table_rows import rows_of_columns

from fiducial.calibration import estimate, table_from_rows
from fiducial.calibration.corrected_rate.active_labels import (
    UNIFORM,
    DrawnLabels,
    active_estimate,
    draw_probabilities,
    weighted_estimate,
)

M = 1_000
UNKNOWN = np.full(M, np.nan)


def population(seed: int) -> tuple[Any, Any]:
    """Scores that are honest probabilities, most of them sure, and labels that follow them."""
    rng = np.random.default_rng(seed)
    score = rng.beta(0.3, 0.5, M).round(3)
    return score, (rng.random(M) < score).astype(float)


def drawn(seed: int, count: int, uniform: bool = False) -> tuple[DrawnLabels, float]:
    score, label = population(seed)
    chance = np.full(M, count / M) if uniform else draw_probabilities(score, UNKNOWN, count)
    chosen = np.random.default_rng(seed + 10_000).random(M) < chance
    data = DrawnLabels(np.where(chosen, label, np.nan), score, chance, np.arange(M))
    return data, float(label.mean())


def test_chances_add_up_to_the_number_wanted() -> None:
    score, _ = population(0)
    assert draw_probabilities(score, UNKNOWN, 100).sum() == pytest.approx(100)


def test_doubtful_items_are_likelier_and_no_item_is_left_out() -> None:
    score = np.repeat([0.05, 0.5], M // 2)
    sure, doubtful = draw_probabilities(score, UNKNOWN, 100)[[0, -1]]
    assert doubtful > 1.3 * sure
    assert sure >= UNIFORM * 100 / M


def test_labels_so_far_tell_where_the_doubt_is() -> None:
    score, label = np.repeat([0.0, 1.0], M // 2), np.full(M, np.nan)
    label[:40] = 0.0
    label[-40:] = [0.0, 1.0] * 20
    chance = draw_probabilities(score, label, 100)
    assert chance[M // 2 - 1] < chance[M // 2]
    assert (chance[:40] == 0.0).all()


def test_every_item_is_drawn_when_all_can_be_labelled() -> None:
    score, _ = population(0)
    assert (draw_probabilities(score, UNKNOWN, M) == 1.0).all()


@pytest.mark.parametrize("finite", [False, True])
def test_intervals_cover_and_the_estimate_is_not_biased(finite: bool) -> None:
    covered, errors = 0, np.zeros(500)
    for seed in range(500):
        data, mean = drawn(seed, 150)
        truth = mean if finite else 0.375
        found = active_estimate(data, finite=finite).estimate
        assert found.value is not None
        covered += (found.low or 0.0) <= truth <= (found.high or 0.0)
        errors[seed] = found.value - truth
    # Three Monte Carlo errors of 1 point around 95 %.
    assert 0.92 <= covered / 500 <= 0.98
    assert abs(errors.mean()) < 3 * errors.std() / np.sqrt(500)


def test_drawing_by_doubt_is_more_precise_than_drawing_evenly() -> None:
    spread = {
        uniform: np.std(
            [
                (active_estimate(data, finite=True).estimate.value or 0.0) - mean
                for data, mean in (drawn(seed, 150, uniform) for seed in range(200))
            ]
        )
        for uniform in (False, True)
    }
    assert spread[False] < 0.95 * spread[True]


def rows_of(data: DrawnLabels) -> list[dict[str, Any]]:
    chance = np.where(data.labelled, data.probability, np.nan)
    return rows_of_columns(data.label, data.score, label_probability=chance)


def test_other_estimates_are_refused_for_such_labels() -> None:
    result = estimate(table_from_rows(rows_of(drawn(1, 150)[0])))["all"]
    assert result.estimates["active"].value == pytest.approx(0.375, abs=0.1)
    assert result.estimates["active"].method == "logit"
    assert "unequal chances" in reason_of(result.estimates["ppi_plus_plus"])


def test_a_drawn_item_that_has_no_label_is_not_passed_over() -> None:
    rows = rows_of(drawn(1, 150)[0])
    rows[0] |= {"label": None, "label_probability": 0.2}
    result = estimate(table_from_rows(rows))["all"]
    assert "1 of the items drawn have no label yet" in reason_of(result.estimates["active"])


def test_labels_from_before_the_draw_count_once() -> None:
    data, _ = drawn(1, 150)
    rows = rows_of(data)
    for row in rows[:50]:
        row |= {"label": 1.0, "label_probability": None}
    part = estimate(table_from_rows(rows))["all"]
    rest = DrawnLabels(data.label[50:], data.score[50:], data.probability[50:], data.cluster[50:])
    expected = 0.05 + 0.95 * weighted_estimate(rest, 1.0).value
    assert part.estimates["active"].value == pytest.approx(expected, abs=0.03)
