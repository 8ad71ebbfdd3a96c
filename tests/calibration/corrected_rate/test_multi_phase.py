"""Nested samples: textbook estimates, coverage, and none where a phase was chosen."""

from __future__ import annotations

import numpy as np
import pytest
from known_numbers import half_width

from fiducial.calibration import estimate, table_from_rows
from fiducial.calibration.corrected_rate.estimators import labels_only
from fiducial.calibration.corrected_rate.multi_phase import (
    NestedVerdicts,
    explained_variance,
    multi_phase_rate,
)
from fiducial.errors import InputError


def nested(
    rng: np.random.Generator, sizes: tuple[int, int, int], *, rate: float = 0.6, rows: int = 1
) -> NestedVerdicts:
    """Items judged cheaply, some dearly, a few labelled; alike within clusters of so many rows."""
    n, dear, labelled = sizes
    cluster = np.arange(n) // rows
    chance = np.full(n, rate) if rows == 1 else rng.beta(rate * 4, (1 - rate) * 4, n)[cluster]
    right = rng.random(n) < chance
    scores = np.array(
        [
            np.where(rng.random(n) < np.where(right, tpr, 1 - tnr), 1.0, 0.0)
            for tpr, tnr in ((0.85, 0.8), (0.95, 0.93))
        ]
    )
    order = rng.permutation(n)
    scores[1, order[dear:]] = np.nan
    label = right.astype(np.float64)
    label[order[labelled:]] = np.nan
    return NestedVerdicts(label, scores, cluster, np.full(n, np.nan))


def test_with_one_judge_it_is_the_regression_estimate_of_double_sampling() -> None:
    data = nested(np.random.default_rng(0), (2_000, 2_000, 150))
    data = data._replace(scores=data.scores[:1])
    known, score = np.isfinite(data.label), data.scores[0]
    slope = np.cov(score[known], data.label[known])[0, 1] / score[known].var(ddof=1)
    expected = data.label[known].mean() + slope * (score.mean() - score[known].mean())
    residual = (data.label - slope * score)[known]
    error = np.sqrt(residual.var() * 149 / 148 / 150 + 2 * slope * 0)
    found = multi_phase_rate(data)
    assert found.value == pytest.approx(expected)
    # Cochran 1977, 12.6: what the judge leaves over the labels, what it explains over all items.
    variance = error**2 + (slope**2 * score.var()) / 2_000
    assert half_width(found) == pytest.approx(1.976 * np.sqrt(variance), rel=0.01)


def test_without_a_judge_it_is_the_mean_of_the_labels() -> None:
    data = nested(np.random.default_rng(1), (500, 400, 300))
    data = data._replace(scores=np.empty((0, 500)))
    known = np.isfinite(data.label)
    assert multi_phase_rate(data).value == labels_only(data.label[known], data.cluster[known]).value


@pytest.mark.parametrize("rows", [1, 5])
def test_its_interval_covers_as_often_as_it_says(rows: int) -> None:
    rng, covered, told = np.random.default_rng(2), 0, 0
    for _ in range(300):
        found = multi_phase_rate(nested(rng, (2_000, 400, 120), rows=rows))
        if found.low is not None and found.high is not None:
            told += 1
            covered += found.low <= 0.6 <= found.high
    assert told >= 290
    assert 0.92 <= covered / told <= 0.98


def test_the_second_judge_narrows_what_the_first_gave() -> None:
    data = nested(np.random.default_rng(3), (5_000, 1_000, 200))
    both, first = multi_phase_rate(data), multi_phase_rate(data._replace(scores=data.scores[:1]))
    assert half_width(both) < 0.8 * half_width(first)


def test_what_a_checker_decided_and_verdicts_out_of_turn_change_nothing() -> None:
    data = nested(np.random.default_rng(4), (1_000, 400, 200))
    more = np.full(50, np.nan)
    decided = NestedVerdicts(
        np.append(data.label, np.ones(50)),
        np.hstack([data.scores, np.ones((2, 50))]),
        np.append(data.cluster, np.arange(2_000, 2_050)),
        np.append(data.decided, np.ones(50)),
    )
    assert multi_phase_rate(decided) == multi_phase_rate(data)
    stray = decided._replace(
        scores=np.hstack([data.scores, np.array([more, np.ones(50)])]), decided=np.full(1_050, np.nan)
    )
    assert multi_phase_rate(stray).value == pytest.approx(multi_phase_rate(data).value)


def test_a_phase_that_was_chosen_by_score_is_withheld() -> None:
    data = nested(np.random.default_rng(5), (2_000, 2_000, 2_000))
    scores = data.scores.copy()
    scores[1, (scores[0] == 1.0) & (np.arange(2_000) % 4 > 0)] = np.nan
    found = multi_phase_rate(data._replace(scores=scores))
    assert found.value is None
    assert "scored unlike" in (found.undefined or "")


def test_too_few_labels_are_refused() -> None:
    found = multi_phase_rate(nested(np.random.default_rng(6), (500, 100, 20)))
    assert (found.value, found.n) == (None, 20)


def rows_of(data: NestedVerdicts, system: str = "s") -> list[dict[str, object]]:
    return [
        {
            "item_id": f"{system}{n}",
            "judge": judge,
            "system": system,
            "score": float(score[n]),
            "label": None if np.isnan(data.label[n]) else float(data.label[n]),
        }
        for judge, score in zip(("cheap", "dear"), data.scores, strict=True)
        for n in range(len(score))
        if not np.isnan(score[n])
    ]


def test_estimate_gives_it_for_phases_that_are_named_of_all_and_of_each_system() -> None:
    rng = np.random.default_rng(7)
    one, two = nested(rng, (800, 300, 100)), nested(rng, (600, 300, 100), rate=0.8)
    found = estimate(table_from_rows(rows_of(one) + rows_of(two, "t")), phases=("cheap", "dear"))
    assert found["s"].multi_phase == multi_phase_rate(one)
    assert found["t"].multi_phase.value == pytest.approx(multi_phase_rate(two).value)
    assert found["all"].multi_phase.n == 200
    assert found["all"].n_labelled == 200
    with pytest.raises(InputError, match="there is no judge 'other'"):
        estimate(table_from_rows(rows_of(one)), phases=("cheap", "other"))
    with pytest.raises(InputError, match="estimate a population"):
        estimate(table_from_rows(rows_of(one)), phases=("cheap", "dear"), target="finite")


def test_explained_variance_is_the_adjusted_share_of_a_regression() -> None:
    data = nested(np.random.default_rng(6), (400, 300, 60))
    known = np.isfinite(data.label)
    label, design = data.label[known], np.column_stack([np.ones(60), data.scores[:, known].T])
    residual = label - design @ np.linalg.lstsq(design, label, rcond=None)[0]
    adjusted = 1 - (residual @ residual / (60 - 3)) / label.var(ddof=1)
    assert explained_variance(data) == pytest.approx(adjusted, rel=1e-9)
