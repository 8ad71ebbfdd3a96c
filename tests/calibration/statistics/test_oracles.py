"""Every statistic against scikit-learn, scipy and statsmodels on random tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from each_row import each_row
from lazily import Lazily

from fiducial.calibration import ESTIMATORS, Sample, Settings, make_sample, measure
from fiducial.calibration.agreement.judge_panel import reliability
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.comparison.significance import (
    benjamini_hochberg,
    benjamini_yekutieli,
    holm,
    mcnemar,
)
from fiducial.calibration.statistics.graded import concordance, icc_a1
from fiducial.calibration.statistics.krippendorff import Level, alpha_interval, alpha_ordinal
from fiducial.calibration.statistics.rates import alpha_nominal, weighted_kappa_table

# The oracles have no types, or wrong ones.
stats = Lazily("scipy.stats")
metrics = Lazily("sklearn.metrics")
contingency = Lazily("statsmodels.stats.contingency_tables")
cohens_kappa = Lazily("statsmodels.stats.inter_rater").cohens_kappa
multipletests = Lazily("statsmodels.stats.multitest").multipletests
proportion_confint = Lazily("statsmodels.stats.proportion").proportion_confint

Oracle: TypeAlias = Callable[[Any, Any], Any]


def simulate(seed: int, *, levels: int | None) -> tuple[FloatArray, FloatArray]:
    """Labels and scores with ties; ``levels`` None for 0/1 labels and scores of many values."""
    rng = np.random.default_rng(seed)
    truth = rng.random(150)
    noisy = np.clip(truth + rng.normal(scale=0.3, size=150), 0, 1)
    if levels is None:
        return (truth > 0.4).astype(float), np.round(noisy, 2)
    return np.round(truth * levels) / levels, np.round(noisy * levels) / levels


def value_of(name: str, sample: Sample) -> float:
    return float(ESTIMATORS[name].formula(sample.counts, sample.cells))


def alpha_of_raters(ratings: Any, level: Level) -> float:
    """Krippendorff's alpha by its general form, for any number of raters."""
    value = reliability(np.stack(ratings), level, settings=Settings(replicates=20)).value
    assert value is not None
    return value


def icc_by_analysis_of_variance(ratings: FloatArray) -> float:
    """Shrout and Fleiss' ICC(2,1), from the mean squares of a two-way layout."""
    n, k = ratings.shape
    grand, item, rater = ratings.mean(), ratings.mean(axis=1), ratings.mean(axis=0)
    rows = k * ((item - grand) ** 2).sum() / (n - 1)
    columns = n * ((rater - grand) ** 2).sum() / (k - 1)
    errors = ((ratings - item[:, None] - rater + grand) ** 2).sum() / ((n - 1) * (k - 1))
    return float((rows - errors) / (rows + (k - 1) * errors + k * (columns - errors) / n))


def test_icc_by_analysis_of_variance_is_the_published_one() -> None:
    ratings = np.array(
        [[9.0, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    )
    assert icc_by_analysis_of_variance(ratings) == pytest.approx(0.29, abs=6e-3)  # Shrout and Fleiss 1979


BINARY: dict[str, Oracle] = {
    "accuracy": metrics.accuracy_score,
    "true_positive_rate": metrics.recall_score,
    "true_negative_rate": lambda label, score: metrics.recall_score(label, score, pos_label=0),
    "precision": metrics.precision_score,
    "f1_positive": metrics.f1_score,
    "f1_macro": lambda label, score: metrics.f1_score(label, score, average="macro"),
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "mcc": metrics.matthews_corrcoef,
    "cohen_kappa": metrics.cohen_kappa_score,
}
GRADED: dict[str, Oracle] = {
    "pearson": lambda label, score: stats.pearsonr(label, score).statistic,
    "spearman": lambda label, score: stats.spearmanr(label, score).statistic,
    "kendall_tau_b": lambda label, score: stats.kendalltau(label, score).statistic,
    "mae": metrics.mean_absolute_error,
    "rmse": metrics.root_mean_squared_error,
    "signed_bias": lambda label, score: (score - label).mean(),
    "krippendorff_alpha_interval": lambda label, score: alpha_of_raters([label, score], "interval"),
    "krippendorff_alpha_ordinal": lambda label, score: alpha_of_raters([label, score], "ordinal"),
    "icc_a1": lambda label, score: icc_by_analysis_of_variance(np.stack([label, score], axis=1)),
}
PROBABILITY: dict[str, Oracle] = {
    "auroc": metrics.roc_auc_score,
    "average_precision": metrics.average_precision_score,
    "brier": metrics.brier_score_loss,
}


@each_row("seed", range(3))
@each_row("name", BINARY)
def test_binary_statistics(name: str, seed: int) -> None:
    label, score = simulate(seed, levels=1)
    assert value_of(name, make_sample(label, score)) == pytest.approx(BINARY[name](label, score), abs=1e-12)


@each_row("levels", [1, 4, 100])
@each_row("name", GRADED)
def test_graded_statistics(name: str, levels: int) -> None:
    label, score = simulate(7, levels=levels)
    assert value_of(name, make_sample(label, score)) == pytest.approx(GRADED[name](label, score), abs=1e-12)


@each_row("seed", range(3))
@each_row("name", PROBABILITY)
def test_probability_statistics(name: str, seed: int) -> None:
    label, score = simulate(seed, levels=None)
    assert value_of(name, make_sample(label, score)) == pytest.approx(
        PROBABILITY[name](label, score), abs=1e-12
    )


def test_quadratic_kappa_of_equal_steps_is_lins_concordance() -> None:
    label, score = simulate(3, levels=4)
    sample = make_sample(label, score)
    theirs = metrics.cohen_kappa_score((label * 4).astype(int), (score * 4).astype(int), weights="quadratic")
    assert value_of("weighted_kappa", sample) == pytest.approx(theirs, abs=1e-12)
    assert float(concordance(sample.counts, sample.cells)) == pytest.approx(theirs, abs=1e-12)


def test_linear_kappa() -> None:
    label, score = simulate(3, levels=4)
    table = metrics.confusion_matrix((label * 4).astype(int), (score * 4).astype(int)).astype(float)
    step = np.abs(np.subtract.outer(np.arange(5), np.arange(5))).astype(float)
    theirs = metrics.cohen_kappa_score((label * 4).astype(int), (score * 4).astype(int), weights="linear")
    assert weighted_kappa_table(table, step) == pytest.approx(theirs, abs=1e-12)


def test_ece_is_the_sum_over_bins_written_as_a_loop() -> None:
    label, score = simulate(5, levels=None)
    total = 0.0
    for bin_number in range(10):
        low, high = bin_number / 10, (bin_number + 1) / 10
        inside = (score > low) & (score <= high) if bin_number else score <= high
        total += abs(label[inside].sum() - score[inside].sum()) / len(label)
    assert value_of("ece", make_sample(label, score)) == pytest.approx(total, abs=1e-12)


def test_kendall_beyond_the_pairwise_limit_is_the_same_number() -> None:
    rng = np.random.default_rng(0)
    label = rng.random(1_600)
    score = np.clip(label + rng.normal(scale=0.2, size=1_600), 0, 1)
    sample = make_sample(label, score)
    assert len(sample.cells.label) > 1_500
    assert value_of("kendall_tau_b", sample) == pytest.approx(
        stats.kendalltau(label, score).statistic, abs=1e-12
    )


def test_krippendorff_of_two_raters_is_the_general_one() -> None:
    label, score = simulate(2, levels=5)
    both, sample = np.stack([label, score]), make_sample(label, score)
    codes = (np.round(both * 5)).astype(int)
    table = np.zeros((6, 6))
    np.add.at(table, (codes[0], codes[1]), 1.0)
    assert alpha_nominal(table) == pytest.approx(alpha_of_raters(both, "nominal"), abs=1e-12)
    assert alpha_interval(sample.counts, sample.cells) == pytest.approx(alpha_of_raters(both, "interval"))
    assert alpha_ordinal(sample.counts, sample.cells) == pytest.approx(alpha_of_raters(both, "ordinal"))


def test_wald_interval_of_kappa_is_that_of_fleiss_cohen_and_everitt() -> None:
    label, score = simulate(1, levels=1)
    ours = measure([ESTIMATORS["cohen_kappa"]], make_sample(label, score), Settings(interval="wald"))[
        "cohen_kappa"
    ]
    theirs = cohens_kappa(metrics.confusion_matrix(label, score))
    assert (ours.low, ours.high) == pytest.approx((theirs.kappa_low, theirs.kappa_upp), abs=1e-10)


@pytest.mark.parametrize(("interval", "theirs"), [("wilson", "wilson"), ("wald", "normal")])
def test_interval_of_a_proportion(interval: Any, theirs: str) -> None:
    label, score = simulate(1, levels=1)
    ours = measure([ESTIMATORS["accuracy"]], make_sample(label, score), Settings(interval=interval))[
        "accuracy"
    ]
    expected = proportion_confint(int((label == score).sum()), len(label), method=theirs)
    assert (ours.low, ours.high) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("b", "c"), [(0, 3), (5, 5), (10, 22), (1, 0)])
def test_mcnemar(b: int, c: int) -> None:
    ours = mcnemar(b, c)
    assert ours.exact_p == pytest.approx(contingency.mcnemar([[9, b], [c, 9]], exact=True).pvalue)


def test_mcnemar_without_discordant_items_is_no_alarm() -> None:
    assert mcnemar(0, 0) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("adjust", "method"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh"), (benjamini_yekutieli, "fdr_by")]
)
def test_multiple_tests(adjust: Any, method: str) -> None:
    p_values = np.random.default_rng(4).random(20) ** 3
    assert adjust(p_values) == pytest.approx(multipletests(p_values, method=method)[1], abs=1e-12)


def test_icc_of_moments_needs_two_rows() -> None:
    sample = make_sample(np.array([0.5]), np.array([0.7]))
    assert np.isnan(icc_a1(sample.counts, sample.cells))
