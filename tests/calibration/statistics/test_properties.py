"""Properties of every table: order does not matter, raters may be swapped, nothing is NaN."""

from __future__ import annotations

from random import Random

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.calibration import ESTIMATORS, Settings, Statistic, make_sample, measure
from fiducial.calibration.arrays import FloatArray, IntArray

QUICK = Settings(replicates=200)
SYMMETRIC = (
    "accuracy", "mcc", "cohen_kappa", "scott_pi", "gwet_ac1", "krippendorff_alpha", "pearson", "spearman",
    "kendall_tau_b", "concordance", "icc_a1", "weighted_kappa", "krippendorff_alpha_interval",
    "krippendorff_alpha_ordinal", "mae", "rmse",
)  # fmt: skip
MIRRORED = {"true_positive_rate": "precision", "prevalence": "judge_rate"}

scores = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
rows = st.lists(st.tuples(scores, scores, st.integers(0, 6)), min_size=1, max_size=40)


def arrays(table: list[tuple[float, float, int]]) -> tuple[FloatArray, FloatArray, IntArray]:
    label, score, cluster = zip(*table, strict=True)
    return np.array(label), np.array(score), np.array(cluster)


def measured(label: FloatArray, score: FloatArray, cluster: IntArray) -> dict[str, Statistic]:
    return measure(ESTIMATORS.values(), make_sample(label, score, cluster), QUICK)


@given(rows)
def test_a_statistic_has_a_finite_value_or_a_reason_and_never_both(
    table: list[tuple[float, float, int]],
) -> None:
    for name, statistic in measured(*arrays(table)).items():
        numbers = [each for each in (statistic.value, statistic.low, statistic.high) if each is not None]
        assert np.isfinite(numbers).all(), name
        assert (statistic.value is None) == (statistic.undefined is not None), name
        if statistic.low is not None:
            assert numbers == [statistic.value, statistic.low, statistic.high], name
            rounding = 1e-12
            assert statistic.low - rounding <= numbers[0] <= numbers[2] + rounding, name


@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_the_names_of_clusters_change_nothing(
    table: list[tuple[float, float, int]], random: Random
) -> None:
    shuffled = random.sample(table, len(table))
    renamed = [(label, score, 100 - cluster) for label, score, cluster in shuffled]
    before, after = measured(*arrays(table)), measured(*arrays(renamed))
    for name, statistic in before.items():
        assert (statistic.value is None) == (after[name].value is None), name
        if statistic.value is not None:
            assert after[name].value == pytest.approx(statistic.value, abs=1e-9), name
            if statistic.method and "Wilson" in statistic.method and ESTIMATORS[name].proportion:
                assert after[name].low == pytest.approx(statistic.low, abs=1e-9), name


@given(rows)
def test_label_and_judge_may_change_places_where_agreement_is_meant(
    table: list[tuple[float, float, int]],
) -> None:
    label, score, _ = arrays(table)
    there, back = make_sample(label, score), make_sample(score, label)
    for ours, theirs in ({name: name for name in SYMMETRIC} | MIRRORED).items():
        one = float(ESTIMATORS[ours].formula(there.counts, there.cells))
        other = float(ESTIMATORS[theirs].formula(back.counts, back.cells))
        assert one == pytest.approx(other, abs=1e-12, nan_ok=True), ours


@given(rows)
def test_doubling_every_row_keeps_what_does_not_depend_on_n(table: list[tuple[float, float, int]]) -> None:
    label, score, _ = arrays(table)
    once, twice = make_sample(label, score), make_sample(np.tile(label, 2), np.tile(score, 2))
    depends_on_n = {
        "krippendorff_alpha",
        "krippendorff_alpha_interval",
        "krippendorff_alpha_ordinal",
        "icc_a1",
    }
    for name in ESTIMATORS.keys() - depends_on_n:
        one = float(ESTIMATORS[name].formula(once.counts, once.cells))
        two = float(ESTIMATORS[name].formula(twice.counts, twice.cells))
        assert one == pytest.approx(two, abs=1e-9, nan_ok=True), name


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    rng = np.random.default_rng(0)
    label, score = rng.integers(2, size=60).astype(float), rng.integers(2, size=60).astype(float)
    sample, kappa = make_sample(label, score), [ESTIMATORS["cohen_kappa"]]
    assert measure(kappa, sample, Settings(seed=1)) == measure(kappa, sample, Settings(seed=1))
    assert measure(kappa, sample, Settings(seed=1)) != measure(kappa, sample, Settings(seed=2))


def test_a_statistic_has_exactly_the_fields_of_the_contract() -> None:
    names = [field.name for field in msgspec.structs.fields(Statistic)]
    assert names == ["value", "low", "high", "level", "method", "n", "undefined"]
