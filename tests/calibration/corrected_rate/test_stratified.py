"""Stratified prediction-powered estimates, against closed forms and simulations."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from known_numbers import covers, reason_of
from planted_strata import Plan, labelled, world
from table_rows import rows_of_columns

from fiducial.calibration import estimate, table_from_rows
from fiducial.calibration.corrected_rate.estimators import prediction_powered, tuned_lambda
from fiducial.calibration.corrected_rate.finite_set import finite_post_stratified, finite_prediction_powered
from fiducial.calibration.corrected_rate.stratified import (
    StratifiedItems,
    _leverage,  # pyright: ignore[reportPrivateUsage] - what widens intervals of few labels
    _stratum_part,  # pyright: ignore[reportPrivateUsage] - likewise
    stratified_prediction_powered,
    stratum_estimates,
)
from fiducial.calibration.planning.next_labels import next_by_stratum, neyman_allocation
from fiducial.errors import InputError


def simulate(rng: np.random.Generator, plan: Plan) -> tuple[StratifiedItems, float]:
    """Judged items with labels drawn in each stratum, and the mean label of all of them."""
    items = world(rng, plan)
    known = labelled(rng, items, np.full(plan.items, np.nan), np.array(plan.labels))
    return replace(items, label=known), float(items.label.mean())


THREE = Plan(900, (0.2, 0.6, 0.9), (0.3, 0.4, 0.3), (30, 50, 20))


def test_one_stratum_is_prediction_powered_inference() -> None:
    items, _ = simulate(np.random.default_rng(1), Plan(500, (0.6,), (1.0,), (100,)))
    data = items.part(0)
    plain = prediction_powered(data, tuned_lambda(data))
    found = stratified_prediction_powered(items)
    assert found.value == pytest.approx(plain.value, abs=1e-12)
    assert found.low == pytest.approx(plain.low, abs=0.01)
    in_set = finite_prediction_powered(data, tuned_lambda(data))
    assert stratified_prediction_powered(items, finite=True).low == pytest.approx(in_set.low, abs=0.01)


def test_strata_that_are_the_verdicts_are_post_stratification() -> None:
    items, _ = simulate(np.random.default_rng(2), Plan(600, (0.5,), (1.0,), (120,)))
    by_verdict = StratifiedItems(
        items.label, items.score, items.score.astype(np.int64), items.cluster, ["fail", "pass"]
    )
    expected = finite_post_stratified(items.part(0), interval="wald")
    found = stratified_prediction_powered(by_verdict, finite=True, interval="wald")
    assert found.value == pytest.approx(expected.value, abs=1e-12)
    # The same standard error; Student's quantile is a little longer than the normal one.
    assert found.low == pytest.approx(expected.low, abs=0.004)


def test_it_is_the_strata_weighted_by_their_shares() -> None:
    items, _ = simulate(np.random.default_rng(3), THREE)
    parts = stratum_estimates(items)
    mean = sum(part.n / 900 * (part.estimate.value or 0.0) for part in parts.values())
    assert stratified_prediction_powered(items).value == pytest.approx(mean, abs=1e-12)
    assert [part.n_labelled for part in parts.values()] == [30, 50, 20]


def test_when_every_item_is_labelled_the_set_has_no_error() -> None:
    items, truth = simulate(np.random.default_rng(4), Plan(60, (0.3, 0.7), (0.5, 0.5), (60, 60)))
    found = stratified_prediction_powered(items, finite=True)
    assert (found.value, found.low, found.high) == pytest.approx((truth, truth, truth))


def test_a_stratum_with_too_few_labels_is_named_not_guessed() -> None:
    items, _ = simulate(np.random.default_rng(5), THREE._replace(labels=(30, 9, 20)))
    found = stratified_prediction_powered(items)
    assert found.value is None
    assert found.undefined is not None
    assert found.undefined.startswith("stratum '1' has 9 labels on ")
    assert found.undefined.endswith("it takes at least 10")


def test_labels_that_all_agree_are_not_certainty() -> None:
    items, _ = simulate(np.random.default_rng(6), THREE)
    same = StratifiedItems(
        np.where(np.isfinite(items.label), 1.0, np.nan),
        np.ones(900),
        items.stratum,
        items.cluster,
        items.names,
    )
    found = stratified_prediction_powered(same, interval="wald")
    assert found.value == 1.0
    assert found.low is not None
    assert found.low < 0.98


@pytest.mark.slow
# Nominal 0.95, 500 draws, Monte Carlo error 0.01; docs/calibration-measured.md has more draws.
@pytest.mark.parametrize("finite", [False, True], ids=["population", "finite set"])
@pytest.mark.parametrize(
    "plan",
    [
        THREE,
        Plan(1_000, (0.1, 0.3, 0.5, 0.7, 0.9), (0.2,) * 5, (20,) * 5),
        Plan(1_000, (0.3, 0.6, 0.9), (0.3, 0.4, 0.3), (40,) * 3, rows=5, alike=1.0),
    ],
    ids=["three strata", "five strata of 20", "clusters of 5"],
)
def test_intervals_cover_and_the_estimate_is_not_biased(plan: Plan, finite: bool) -> None:
    rng = np.random.default_rng(7)
    hits, errors = 0, np.zeros(500)
    for draw in range(500):
        items, of_set = simulate(rng, plan)
        found, truth = stratified_prediction_powered(items, finite=finite), of_set if finite else plan.mean
        hits += covers(found, truth)
        errors[draw] = (found.value or 0.0) - truth
    assert 0.92 <= hits / 500 <= 0.98
    assert abs(errors.mean()) < 0.005


@pytest.mark.slow
def test_labels_where_they_matter_are_worth_more() -> None:
    """A pilot and Neyman's allocation estimate better than as many labels spread evenly."""
    plan = Plan(2_000, (0.02, 0.5, 0.98), (0.45, 0.1, 0.45), (15, 15, 15))
    errors: dict[str, list[float]] = {"neyman": [], "even": []}
    for seed in range(400):
        pilot, _ = simulate(np.random.default_rng(seed), plan)
        found = stratum_estimates(pilot).values()
        size, spread = (
            np.array([stratum_estimate.n for stratum_estimate in found]),
            np.array([stratum_estimate.spread for stratum_estimate in found]),
        )
        new = neyman_allocation(size, spread, np.full(3, 15), 105)
        labels = {"neyman": (15 + new).tolist(), "even": (150 * size // 2_000).tolist()}
        for name, wanted in labels.items():
            items, truth = simulate(np.random.default_rng(seed), plan._replace(labels=tuple(wanted)))
            each = stratified_prediction_powered(items, finite=True)
            if each.value is not None:
                errors[name].append(each.value - truth)
    assert np.std(errors["neyman"]) < 0.95 * np.std(errors["even"])


@pytest.mark.slow
def test_an_allocation_by_a_small_pilot_leaves_the_intervals_honest() -> None:
    """A random pilot of 50, 100 more by Neyman's allocation, and all labels together."""
    plan = Plan(1_000, (0.1, 0.3, 0.5, 0.7, 0.9), (0.2,) * 5, (1_000,) * 5)
    hits = 0
    for seed in range(500):
        rng = np.random.default_rng(seed)
        everything, _ = simulate(rng, plan)
        label = np.full(1_000, np.nan)
        pilot = rng.permutation(1_000)[:50]
        label[pilot] = everything.label[pilot]
        found = stratum_estimates(replace(everything, label=label)).values()
        size, spread = (
            np.array([stratum_estimate.n for stratum_estimate in found]),
            np.array([stratum_estimate.spread for stratum_estimate in found]),
        )
        new = neyman_allocation(
            size, spread, np.array([stratum_estimate.n_labelled for stratum_estimate in found]), 100
        )
        label = labelled(rng, everything, label, new)
        hits += covers(stratified_prediction_powered(replace(everything, label=label)), 0.5)
    # Raw spreads of strata by such a pilot gave 0.91.
    assert hits / 500 >= 0.925


def rows_of(items: StratifiedItems) -> list[dict[str, Any]]:
    return rows_of_columns(items.label, items.score, kind=[f"k{number}" for number in items.stratum])


def test_the_table_gives_strata_by_column_or_by_score() -> None:
    items, _ = simulate(np.random.default_rng(8), THREE)
    by_kind = estimate(table_from_rows(rows_of(items)), strata="kind")["all"]
    expected = stratified_prediction_powered(items)
    assert by_kind.estimates["stratified_ppi"].value == pytest.approx(expected.value, abs=1e-12)
    assert set(by_kind.strata or ()) == {"k0", "k1", "k2"}
    by_score = estimate(table_from_rows(rows_of(items)), strata="score")["all"]
    assert set(by_score.strata or ()) == {"score 0", "score 1"}
    assert by_kind.cautions == []


def test_labels_spread_unevenly_are_noticed() -> None:
    items, _ = simulate(np.random.default_rng(8), THREE._replace(labels=(10, 80, 10)))
    (caution,) = estimate(table_from_rows(rows_of(items)), strata="kind")["all"].cautions
    assert caution.kind == "uneven_strata"
    assert caution.about["all"] < 0.01


def test_many_scores_are_cut_into_fifths() -> None:
    rows = [{"item_id": str(n), "judge": "j", "score": n / 200, "label": float(n % 2)} for n in range(200)]
    strata = estimate(table_from_rows(rows), strata="score")["all"].strata
    assert strata is not None
    assert [stratum.n for stratum in strata.values()] == [40] * 5
    assert next(iter(strata)) == "score 0 to 0.195"


@pytest.mark.parametrize(
    ("strata", "message"), [("colour", "no column 'colour'"), ("kind", "kind: item '5' is judged but has no")]
)
def test_strata_that_cannot_be_made_are_an_error(strata: str, message: str) -> None:
    rows = rows_of(simulate(np.random.default_rng(9), THREE)[0])
    rows[5]["kind"] = None
    with pytest.raises(InputError, match=message):
        estimate(table_from_rows(rows), strata=strata)


def test_one_cluster_has_a_value_and_no_interval() -> None:
    items, _ = simulate(np.random.default_rng(14), THREE)
    found = stratified_prediction_powered(replace(items, cluster=np.zeros(900, dtype=np.int64)))
    assert found.value is not None
    assert found.low is None
    assert found.method == "logit, stratified: no interval from a single cluster"


def test_without_a_verdict_there_are_no_strata() -> None:
    rows = [{"item_id": "a", "judge": "j", "score": None, "label": 1, "kind": "k"}]
    found = estimate(table_from_rows(rows), strata="kind")["all"]
    assert found.strata == {}
    assert found.estimates["stratified_ppi"].undefined == "no item has a judge's score"


def test_a_draw_by_stratum_can_be_estimated() -> None:
    rng = np.random.default_rng(10)
    items, _ = simulate(rng, THREE._replace(labels=(12, 12, 12)))
    rows = rows_of(items)
    draw = next_by_stratum(table_from_rows(rows), 60, "kind")
    assert len(draw.chances) == 60
    assert {name: plan.next for name, plan in draw.strata.items()} == Counter(draw.stratum_of.values())
    for item, chance in draw.chances.items():
        rows[int(item)] |= {"label": float(rng.random() < 0.5), "label_probability": chance}
    found = estimate(table_from_rows(rows), strata="kind")["all"].estimates
    assert found["stratified_ppi"].n == 96
    assert found["stratified_ppi"].value is not None
    assert "unequal chances" in reason_of(found["ppi_plus_plus"])


def test_a_draw_by_other_strata_is_refused() -> None:
    rows = rows_of(simulate(np.random.default_rng(11), THREE)[0])
    for number, row in enumerate(rows):
        if np.isfinite(row["label"]):
            row["label_probability"] = 0.1 + 0.2 * (number % 2)
    found = estimate(table_from_rows(rows), strata="kind")["all"].estimates
    assert "not a random sample" in reason_of(found["stratified_ppi"])
    assert found["active"].value is not None


def test_a_drawn_item_without_a_label_is_not_passed_over() -> None:
    rows = rows_of(simulate(np.random.default_rng(12), THREE)[0])
    unlabelled = next(row for row in rows if np.isnan(row["label"]))
    unlabelled["label_probability"] = 0.5
    found = estimate(table_from_rows(rows), strata="kind")["all"].estimates
    assert "have no label yet" in reason_of(found["stratified_ppi"])


def test_too_few_labels_for_all_strata_are_refused() -> None:
    rows = rows_of(simulate(np.random.default_rng(13), THREE._replace(labels=(0, 0, 0)))[0])
    with pytest.raises(InputError, match="10 labels in each of 3 strata take 30 new ones, not 12"):
        next_by_stratum(table_from_rows(rows), 12, "kind")


def test_the_leverage_of_a_label_is_that_of_a_regression_where_lambda_was_tuned() -> None:
    score = np.array([0.1, 0.9, 0.4, 0.5, 0.7, 0.2, 0.6, 0.3])
    design = np.column_stack([np.ones(8), score])
    hat = np.diag(design @ np.linalg.inv(design.T @ design) @ design.T)
    assert _leverage(score, 0.5) == pytest.approx(hat, rel=1e-9)
    assert _leverage(score, 0.0) == pytest.approx(np.full(8, 1 / 8))
    assert _leverage(score, 1.0) == pytest.approx(np.full(8, 1 / 8))


@pytest.mark.parametrize(("judged", "freedom"), [(60, 10), (0, 11)])
def test_a_tuned_lambda_costs_a_stratum_a_degree_of_freedom(judged: int, freedom: int) -> None:
    rng = np.random.default_rng(3)
    label = np.concatenate([np.arange(12) % 2.0, np.full(judged, np.nan)])
    score = rng.random(12 + judged)
    score[:12] = 0.6 * label[:12] + 0.4 * score[:12]
    same = np.zeros(12 + judged, dtype=np.int64)
    items = StratifiedItems(
        score=score, label=label, stratum=same, cluster=np.arange(12 + judged), names=["all"]
    )
    assert _stratum_part(items, 0, finite=False).freedom == freedom
