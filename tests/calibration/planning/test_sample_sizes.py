"""Sizes: against published numbers, and against what simulation says they buy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fiducial.calibration import table_from_rows
from fiducial.calibration.comparison.significance import mcnemar
from fiducial.calibration.intervals.closed_forms import normal_quantile
from fiducial.calibration.planning.next_labels import next_to_label
from fiducial.calibration.planning.sample_sizes import (
    design_effect,
    expected_kappa,
    items_for_difference,
    labels_for_corrected_rate,
    labels_for_kappa,
    labels_for_rate,
    labels_for_rogan_gladen,
)


@pytest.mark.parametrize(
    ("prevalence", "kappa", "wide", "narrow"),
    [(0.5, 0.80, 139, 554), (0.2, 0.72, 261, 1_043), (0.1, 0.59, 499, 1_994), (0.05, 0.43, 775, 3_100)],
)
def test_labels_for_kappa(prevalence: float, kappa: float, wide: int, narrow: int) -> None:
    assert expected_kappa(0.9, 0.9, prevalence)[0] == pytest.approx(kappa, abs=5e-3)
    assert [labels_for_kappa(0.9, 0.9, prevalence, half) for half in (0.1, 0.05)] == [wide, narrow]


def test_a_rare_class_costs_labels() -> None:
    assert labels_for_rate(0.9, 0.05, share=0.1) == 1_383


def test_a_good_judge_saves_labels_and_a_coin_saves_none() -> None:
    plain = labels_for_rate(0.5, 0.05)
    assert labels_for_corrected_rate(0.5, 0.5, 0.5, 0.05, 10_000) == plain
    assert labels_for_corrected_rate(0.95, 0.95, 0.5, 0.05, 10_000) < plain / 4


def test_a_half_width_that_takes_a_whole_number_of_labels_has_a_plan() -> None:
    for labels in range(1, 100):
        half_width = normal_quantile(0.95) * math.sqrt(0.25 / labels)
        assert labels_for_corrected_rate(0.5, 0.5, 0.5, half_width, 100) in {labels, labels + 1}


def test_items_for_a_difference_give_the_power_they_promise() -> None:
    rng = np.random.default_rng(0)
    n = items_for_difference(0.1, 0.3)
    found = 0
    for _ in range(400):
        a_only, b_only, _ = rng.multinomial(n, [0.2, 0.1, 0.7])
        found += mcnemar(int(a_only), int(b_only)).midp <= 0.05
    assert 0.74 <= found / 400 <= 0.87


def test_a_difference_larger_than_the_discordant_share_is_impossible() -> None:
    with pytest.raises(ValueError, match="at most the share"):
        items_for_difference(0.3, 0.1)


def test_clusters_multiply_by_the_design_effect() -> None:
    assert design_effect(10, 0.2) == pytest.approx(2.8)


def test_the_next_items_are_a_random_part_of_the_unlabelled() -> None:
    table = table_from_rows(
        [{"item_id": str(n), "judge": "j", "score": 1, "label": 1 if n < 5 else None} for n in range(20)]
    )
    drawn = next_to_label(table, 10, seed=1)
    assert len(set(drawn)) == 10
    assert not set(drawn) & {str(n) for n in range(5)}
    assert drawn != next_to_label(table, 10, seed=2)
    assert len(next_to_label(table, 99)) == 15


def test_labels_of_both_classes_are_as_few_as_will_do() -> None:
    tpr, tnr, prevalence, half_width, unlabelled = 0.9, 0.7, 0.8, 0.06, 5_000
    found = labels_for_rogan_gladen(tpr, tnr, prevalence, half_width, unlabelled)
    assert found is not None
    rate = prevalence * tpr + (1 - prevalence) * (1 - tnr)

    def narrow(right: int, wrong: int) -> bool:
        labels = prevalence**2 * tpr * (1 - tpr) / right + (1 - prevalence) ** 2 * tnr * (1 - tnr) / wrong
        variance = (rate * (1 - rate) / unlabelled + labels) / (tpr + tnr - 1) ** 2
        return 1.959963984540054 * variance**0.5 <= half_width

    assert narrow(*found)
    total = sum(found)
    fewer = [(right, total - 3 - right) for right in range(1, total - 3)]
    assert not any(narrow(right, wrong) for right, wrong in fewer)


def test_a_judge_no_better_than_chance_is_not_corrected() -> None:
    assert labels_for_rogan_gladen(0.5, 0.5, 0.5, 0.1, 1_000) is None
    assert labels_for_rogan_gladen(0.9, 0.9, 0.5, 0.02, 100) is None
