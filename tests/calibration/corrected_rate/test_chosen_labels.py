"""Labels chosen by verdict are noticed; a random sample of items or clusters is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from each_row import each_row
from known_numbers import ends_of, reason_of
from lazily import Lazily
from table_rows import rows_of_columns

from fiducial.calibration import Estimation, RateInterval, estimate, table_from_rows
from fiducial.calibration.arrays import BoolArray
from fiducial.calibration.corrected_rate.chosen_labels import selection_p
from fiducial.calibration.corrected_rate.estimation import FurtherEstimates
from fiducial.calibration.label_declarations import LabelsChosenBy
from fiducial.calibration.tables.calibration_table import PROBABILITY
from fiducial.errors import UsageError

mannwhitneyu = Lazily("scipy.stats").mannwhitneyu

RNG = np.random.default_rng(5)
TRUTH = RNG.random(1_000) < 0.6
SCORE = np.where(RNG.random(1_000) < 0.85, TRUTH, ~TRUTH).astype(float)


def found(known: BoolArray, interval: RateInterval = "score", strata: str | None = None) -> Estimation:
    half = ["first"] * 500 + ["second"] * 500
    rows = rows_of_columns(np.where(known, TRUTH, np.nan), SCORE, half=half)
    return estimate(table_from_rows(rows), interval=interval, strata=strata)


def chosen(failed: float, passed: float, seed: int = 0) -> BoolArray:
    return np.random.default_rng(seed).random(1_000) < np.where(SCORE == 1.0, passed, failed)


def test_of_labels_that_look_chosen_no_estimate_is_the_answer_until_their_choice_is_declared() -> None:
    part = found(chosen(0.4, 0.1)).all
    assert "not a random sample" in reason_of(part.ppi_plus_plus)
    assert part.weight is None
    assert {name for name, each in part.estimates.items() if each.value is not None} == {
        "stratified_ppi",
        "rogan_gladen",
    }
    assert part.reported is None
    assert part.rate == part.uncorrected
    assert "labels drawn by true class" in (part.rogan_gladen.method or "")
    low, high = ends_of(part.stratified_ppi)
    assert low <= TRUTH.mean() <= high
    assert [caution.kind for caution in part.cautions] == ["chosen_by_score"]


@each_row("interval", ["score", "logit", "wald"])
@each_row("strata", [None, "half"])
def test_a_scenario_is_what_its_option_declares(interval: RateInterval, strata: str | None) -> None:
    rows = rows_of_columns(np.where(chosen(0.4, 0.1), TRUTH, np.nan), SCORE, half=["a", "b"] * 500)
    table = table_from_rows(rows)
    part = estimate(table, interval=interval, strata=strata).all
    scenarios = part.scenarios or {}
    assert (part.reported, list(scenarios)) == (None, ["score", "label", "elsewhere"])
    for chosen_by, rate in scenarios.items():
        declared = estimate(table, interval=interval, labels_chosen_by=chosen_by).all
        assert declared.scenarios is None
        assert declared.rate == rate


def test_a_golden_set_of_half_good_and_half_bad_items_has_no_answer_but_a_scenario_that_holds() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(1_000) < 0.85
    score = np.where(rng.random(1_000) < np.where(truth, 0.9, 0.8), truth, ~truth).astype(float)
    known = np.zeros(1_000, dtype=np.bool_)
    for side in (truth, ~truth):
        known[rng.choice(np.flatnonzero(side), 50, replace=False)] = True
    part = estimate(table_from_rows(rows_of_columns(np.where(known, truth, np.nan), score))).all
    assert part.reported is None
    low, high = ends_of((part.scenarios or {})["label"])
    assert low <= 0.85 <= high
    assert ends_of(part.stratified_ppi)[1] < 0.85


def test_of_systems_whose_labels_look_chosen_there_are_no_ranks() -> None:
    system = ["a", "b"] * 500
    table = table_from_rows(rows_of_columns(np.where(chosen(0.4, 0.1), TRUTH, np.nan), SCORE, system=system))
    systems = estimate(table).systems
    assert [rate_estimate.reported for rate_estimate in systems.values()] == [None, None]
    assert [rate_estimate.rank and rate_estimate.rank.value for rate_estimate in systems.values()] == [
        None,
        None,
    ]
    declared = estimate(table, labels_chosen_by="score").systems
    assert all(rate_estimate.rank and rate_estimate.rank.value for rate_estimate in declared.values())


def test_named_strata_that_explain_the_choice_and_columns_to_reweight_by_are_declarations() -> None:
    hard = np.arange(1_000) % 2 == 0
    score = np.where(hard, np.arange(1_000) % 10 < 2, np.arange(1_000) % 10 < 9).astype(float)
    known = np.random.default_rng(2).random(1_000) < np.where(hard, 0.4, 0.1)
    kind = np.where(hard, "hard", "easy").tolist()
    table = table_from_rows(rows_of_columns(np.where(known, TRUTH, np.nan), score, kind=kind))
    assert estimate(table).all.reported is None
    assert estimate(table, strata="kind").all.reported == "stratified_ppi"
    assert estimate(table, further=FurtherEstimates(reweight_by=("kind",))).all.reported == "reweighted"
    assert estimate(table, strata="score").all.reported == "stratified_ppi"


def test_labels_spread_unevenly_over_strata_are_not_a_random_sample_of_all() -> None:
    kind = ["rare"] * 30 + ["usual"] * 970
    known = (np.arange(1_000) < 25) | (np.arange(1_000) == 500)
    rows = rows_of_columns(np.where(known, TRUTH, np.nan), np.arange(1_000) % 2, kind=kind)
    part = estimate(table_from_rows(rows), strata="kind").all
    assert part.stratified_ppi.value is None
    assert part.ppi_plus_plus.value is not None
    assert "uneven_strata" in [caution.kind for caution in part.cautions]
    assert part.reported is None


def drawn_by_class() -> BoolArray:
    rng = np.random.default_rng(8)
    known = np.zeros(1_000, dtype=np.bool_)
    for side in (TRUTH, ~TRUTH):
        known[rng.choice(np.flatnonzero(side), 100, replace=False)] = True
    return known


def test_of_labels_drawn_by_true_class_rogan_and_gladens_estimate_is_reported() -> None:
    rows = rows_of_columns(np.where(drawn_by_class(), TRUTH, np.nan), SCORE)
    table = table_from_rows(rows)
    part = estimate(table, labels_chosen_by="label").all
    assert part.reported == "rogan_gladen"
    low, high = ends_of(part.rogan_gladen)
    assert low <= TRUTH.mean() <= high
    assert "only Rogan and Gladen's" in reason_of(part.ppi_plus_plus)
    assert part.cautions == []
    elsewhere = estimate(table, labels_chosen_by="elsewhere").all
    assert elsewhere.reported == "rogan_gladen"
    assert elsewhere.rogan_gladen.value != part.rogan_gladen.value


def test_of_labels_said_to_be_chosen_by_score_the_estimate_by_strata_is_reported() -> None:
    rows = rows_of_columns(np.where(chosen(0.2, 0.2), TRUTH, np.nan), SCORE)
    part = estimate(table_from_rows(rows), labels_chosen_by="score").all
    assert part.reported == "stratified_ppi"
    assert part.rogan_gladen.value is None


@pytest.mark.parametrize("chosen_by", ["label", "elsewhere"])
def test_strata_and_a_finite_set_have_no_estimate_from_labels_drawn_by_true_class(
    chosen_by: LabelsChosenBy,
) -> None:
    rows = rows_of_columns(np.where(drawn_by_class(), TRUTH, np.nan), SCORE, half=["a", "b"] * 500)
    table = table_from_rows(rows)
    with pytest.raises(UsageError, match="strata= has no effect"):
        estimate(table, labels_chosen_by=chosen_by, strata="half")
    finite = estimate(table, labels_chosen_by=chosen_by, target="finite").all
    assert finite.reported is None
    assert (
        reason_of(finite.rogan_gladen)
        == "it has no form for a finite set; estimate the rate of the population"
    )


def test_drawn_labels_cannot_be_said_to_be_chosen_otherwise() -> None:
    table = table_from_rows(rows_of_columns(np.where(TRUTH & (np.arange(1_000) < 90), 1.0, np.nan), SCORE))
    drawn = replace(table, numbers={PROBABILITY: np.where(np.isfinite(table.label), 0.2, np.nan)})
    with pytest.raises(UsageError, match="drawn with known chances: drop labels_chosen_by="):
        estimate(drawn, labels_chosen_by="score")


def test_where_only_fails_were_labelled_nothing_is_estimated() -> None:
    part = found(chosen(0.4, 0.0)).all
    assert all(statistic.value is None for statistic in part.estimates.values())
    assert "'score 1' has 0 labels" in reason_of(part.stratified_ppi)
    assert {scenario.value for scenario in (part.scenarios or {}).values()} == {None}


def test_a_random_sample_keeps_its_estimates() -> None:
    part = found(chosen(0.2, 0.2)).all
    assert part.ppi_plus_plus.value is not None
    assert "stratified_ppi" not in part.estimates
    assert part.cautions == []


def test_estimates_as_other_software_has_them_are_warned_of_and_kept() -> None:
    part = found(chosen(0.4, 0.1), "wald").all
    assert part.ppi_plus_plus.value is not None
    assert part.reported is None
    assert [caution.kind for caution in part.cautions] == ["chosen_by_score"]


def test_strata_in_which_labels_were_chosen_by_score_hold_nothing_either() -> None:
    part = found(chosen(0.4, 0.1), strata="half").all
    assert "within strata" in reason_of(part.stratified_ppi)
    assert part.reported is None
    assert part.scenarios is not None


def test_a_sample_of_whole_clusters_is_no_choice_though_items_alone_would_look_like_one() -> None:
    alarms = np.zeros(2)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        cluster = np.repeat(np.arange(60), 10)
        score = (rng.random(600) < rng.beta(0.6, 0.4, 60)[cluster]).astype(float)
        for place, of in enumerate((cluster, np.arange(600))):
            p = selection_p(score, cluster < 20, of)
            assert p is not None
            alarms[place] += p <= 0.01
    assert alarms[0] / 200 <= 0.035
    assert alarms[1] / 200 > 0.2


@pytest.mark.parametrize("labels", [5, 10, 20])
def test_few_random_labels_that_all_score_alike_are_no_alarm(labels: int) -> None:
    score = np.repeat([0.0, 1.0], [20, 180])
    known = np.arange(200) >= 200 - labels
    p = selection_p(score, known, np.arange(200))
    assert p is not None
    assert p > 0.1


def test_labels_of_what_fails_alone_are_an_alarm() -> None:
    score = np.repeat([0.0, 1.0], [20, 180])
    p = selection_p(score, np.arange(200) < 10, np.arange(200))
    assert p is not None
    assert p < 1e-6


def test_the_test_of_independent_items_is_mann_and_whitneys() -> None:
    rng = np.random.default_rng(1)
    score, known = np.round(rng.random(400), 2), rng.random(400) < 0.4
    expected = mannwhitneyu(score[known], score[~known]).pvalue
    assert selection_p(score, known, np.arange(400)) == pytest.approx(expected, abs=0.01)


def test_equal_scores_tell_nothing() -> None:
    assert selection_p(np.ones(10), np.arange(10) < 5, np.arange(10)) is None
