"""The panel, and what limits it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import numpy as np
import pytest
from known_numbers import ends_of, printed
from table_rows import rows_of_pairs

from fiducial.calibration import (
    AGREEMENT,
    ESTIMATORS,
    Caution,
    JudgeCalibration,
    calibrate,
    make_sample,
    table_from_rows,
)
from fiducial.calibration.agreement.calibrate import Requests, cautions
from fiducial.calibration.agreement.calibration_results import calibration_json, read_calibration
from fiducial.calibration.corrected_rate.multi_phase import multi_phase_rate, nested_verdicts
from fiducial.report.text.calibration_text import requested_pieces
from fiducial.report.text.caution_text import sentences


def panel_of(rows: list[dict[str, Any]], **options: Any) -> JudgeCalibration:
    return calibrate(table_from_rows(rows), **options).judges["j"]


MIXED = [(1, 1)] * 6 + [(1, 0)] * 2 + [(0, 1)] * 3 + [(0, 0)] * 9


def test_counts_and_every_statistic_of_the_contract() -> None:
    panel = panel_of(rows_of_pairs([*MIXED, (1, None), (None, 1)]))
    assert (panel.n, panel.n_missing, panel.n_unlabelled) == (20, 1, 1)
    assert (panel.tp, panel.fp, panel.fn, panel.tn) == (6, 3, 2, 9)
    assert set(panel.statistics) == set(ESTIMATORS)
    assert panel.accuracy.value == 0.75
    assert panel.binary
    assert not panel_of(rows_of_pairs([*MIXED, (1, 0.5)])).binary


def test_a_judge_without_a_label_beside_its_scores_has_counts_of_zero() -> None:
    panel = panel_of(rows_of_pairs([(None, 1), (1, None)]))
    assert (panel.n, panel.tp, panel.fp, panel.fn, panel.tn) == (0, 0, 0, 0, 0)


def test_the_denominator_of_a_rate_is_its_own() -> None:
    statistics = panel_of(rows_of_pairs(MIXED)).statistics
    denominators = {
        name: statistics[name].n
        for name in ("accuracy", "true_positive_rate", "true_negative_rate", "precision")
    }
    assert denominators == {"accuracy": 20, "true_positive_rate": 8, "true_negative_rate": 12, "precision": 9}


def test_missing_verdicts_are_counted_three_ways() -> None:
    missing = panel_of(rows_of_pairs([*MIXED, (1, None), (0, None)])).missing
    assert missing is not None
    assert missing.rate.value == pytest.approx(2 / 22)
    ways = missing.accuracy
    assert ways.drop.value == pytest.approx(15 / 20)
    assert ways.count_as_fail.value == pytest.approx(16 / 22)
    assert ways.count_as_disagreement.value == pytest.approx(15 / 22)


def test_missing_verdicts_are_printed_with_their_rate_and_what_becomes_of_accuracy() -> None:
    lines = printed(calibrate(table_from_rows(rows_of_pairs([*MIXED, (1, None), (0, None)])))).splitlines()
    for name, value in (
        ("missing", "0.091"),
        ("accuracy, drop", "0.750"),
        ("accuracy, count as fail", "0.727"),
    ):
        assert any(line.strip().startswith(name) and f" {value} " in line for line in lines)
    assert "missing" not in printed(calibrate(table_from_rows(rows_of_pairs(MIXED))))


def test_pass_at_decides_what_passes() -> None:
    pairs = [(0.5, 0.6), (0.4, 0.6), (1.0, 0.9), (0.0, 0.1)]
    assert [panel_of(rows_of_pairs(pairs), pass_at=at).tp for at in (0.4, 0.5, 0.7)] == [3, 2, 1]


def test_baselines_are_judges_that_do_not_look() -> None:
    result = calibrate(
        table_from_rows(rows_of_pairs(MIXED) + [dict(row, judge="k") for row in rows_of_pairs(MIXED)])
    )
    passes, fails = (result.baselines[name] for name in ("always_pass", "always_fail"))
    assert (passes.n, passes.tp, passes.fp, fails.fn, fails.tn) == (20, 8, 12, 8, 12)
    assert passes.statistics["cohen_kappa"].value == 0.0
    assert passes.statistics["mcc"].undefined is not None


def test_slices_hold_the_same_panel_for_part_of_the_rows() -> None:
    rows = rows_of_pairs(MIXED, system="a") + [
        dict(row, system="b") for row in rows_of_pairs([(1, 1), (0, 1)])
    ]
    slices = calibrate(table_from_rows(rows)).slices["system"]
    assert (slices["a"]["j"].n, slices["b"]["j"].n, slices["b"]["j"].fp) == (20, 2, 1)


@pytest.mark.parametrize(
    "pairs",
    [
        [(1, 1)],
        [(1, 1)] * 30,
        [(0, 0)] * 30,
        [(1, 0)] * 30,
        [(0.3, 0.3)] * 30,
        [(1, None)] * 5,
        [(None, 1)] * 5,
        [(None, None)] * 5,
        [(1, 1), (0, 1)] * 10,
    ],
    ids=[
        "one row",
        "all pass",
        "all fail",
        "all wrong",
        "constant",
        "no score",
        "no label",
        "nothing",
        "constant judge",
    ],
)
@pytest.mark.parametrize("interval", [None, "wilson", "wald", "cluster-t", "bootstrap"])
def test_degenerate_tables_give_numbers_or_reasons_and_no_nan(pairs: Any, interval: Any) -> None:
    result = calibrate(table_from_rows(rows_of_pairs(pairs)), interval=interval, replicates=200)
    json.dumps(calibration_json(result), allow_nan=False)
    assert result.judges["j"].statistics.keys() >= set(AGREEMENT)
    for statistic in result.judges["j"].statistics.values():
        assert (statistic.value is None) == (statistic.undefined is not None)


def test_a_perfect_judge_on_ten_rows_is_not_certain() -> None:
    kappa = panel_of(rows_of_pairs([(1, 1)] * 5 + [(0, 0)] * 5)).statistics["cohen_kappa"]
    assert kappa.value == 1.0
    assert ends_of(kappa)[0] < 0.7


def test_few_clusters_are_warned_about() -> None:
    rows = [dict(row, cluster=str(number % 5)) for number, row in enumerate(rows_of_pairs(MIXED))]
    assert Caution("few_clusters", {"j": 5}) in calibrate(table_from_rows(rows)).cautions


def test_a_million_rows_are_no_more_than_their_counts() -> None:
    rng = np.random.default_rng(0)
    label = rng.integers(2, size=1_000_000).astype(float)
    sample = make_sample(label, 1 - label, rng.integers(1_000, size=1_000_000))
    assert (len(sample.cells.label), sample.n, sample.n_clusters) == (2, 1_000_000, 1_000)


@pytest.mark.parametrize(
    ("interval", "rate", "other"),
    [
        (None, "Wilson", "BCa bootstrap"),
        ("wilson", "Wilson", "Wald"),
        ("wald", "Wald", "Wald"),
        ("cluster-t", "cluster-t", "cluster-t"),
        ("bootstrap", "percentile bootstrap", "percentile bootstrap"),
    ],
)
def test_every_interval_says_how_it_was_made(interval: Any, rate: str, other: str) -> None:
    statistics = panel_of(rows_of_pairs(MIXED), interval=interval).statistics
    assert rate in (statistics["accuracy"].method or "")
    assert other in (statistics["cohen_kappa"].method or "")


def test_labels_drawn_with_unequal_chances_are_said_to_be_so() -> None:
    rows = rows_of_pairs(MIXED)
    for number, row in enumerate(rows):
        row["label_probability"] = 0.2
        if number < 5:
            row["label_probability"] = 0.7
    assert Caution("drawn_unevenly") in calibrate(table_from_rows(rows)).cautions
    even = [row | {"label_probability": 0.2} for row in rows]
    assert Caution("drawn_unevenly") not in calibrate(table_from_rows(even)).cautions


def test_every_statistic_is_an_attribute_that_an_editor_knows() -> None:
    panel = panel_of(rows_of_pairs(MIXED))
    assert all(getattr(panel, name) is panel.statistics[name] for name in ESTIMATORS)
    with pytest.raises(AttributeError, match="mcc was not estimated"):
        _ = JudgeCalibration(n=3).mcc


def test_a_calibration_is_looked_up_by_judge() -> None:
    found = calibrate(table_from_rows(rows_of_pairs(MIXED)))
    assert found["j"].cohen_kappa is found.judges["j"].statistics["cohen_kappa"]
    assert (list(found), len(found)) == (["j"], 1)


def test_a_calibration_comes_back_from_its_json() -> None:
    found = calibrate(
        table_from_rows(rows_of_pairs(MIXED, system="a") + rows_of_pairs([(1, 1), (0, 1)], system="b"))
    )
    assert read_calibration(json.loads(json.dumps(calibration_json(found)))) == found


TABLE = table_from_rows([{"item_id": "i", "judge": "j", "score": 1, "label": 1}])


def panel(**changed: Any) -> JudgeCalibration:
    enough = JudgeCalibration(
        n=500, n_clusters=500, effective_clusters=500.0, tp=200, fn=50, fp=50, tn=200, binary=True
    )
    return msgspec.structs.replace(enough, **changed)


def said(judges: dict[str, JudgeCalibration]) -> list[str]:
    return sentences(cautions(judges, TABLE), judges)


def test_a_panel_on_enough_needs_no_caution() -> None:
    assert cautions({"j": panel()}, TABLE) == []


def test_each_reason_is_one_sentence_that_names_the_judges_and_their_numbers() -> None:
    judges = {
        "few": panel(n=100, n_clusters=40, effective_clusters=12.6, tp=20, fn=8),
        "gaps": panel(n_missing=7),
        "sure": panel(n=150, n_clusters=150, tp=150, fn=0),
    }
    assert said(judges) == [
        "fewer than 20 independent groups, so intervals may be too narrow (effective groups): few (12)",
        "fewer than 30 labels of a class; their rates are rough: few (28 pass)",
        "fewer than 200 rows; a Wilson interval may cover a few points less or more than it says: few (100), sure (150)",
        "labelled rows without a verdict, not in the statistics: gaps (7 of 507)",
    ]


def test_a_judge_of_which_nothing_can_be_said_is_in_no_other_sentence() -> None:
    assert said({"j": panel(n=0, n_clusters=0)}) == ["no row has both a label and a score: j"]


def test_fractional_scores_bring_a_word_on_ece() -> None:
    (line,) = said({"j": panel(binary=False)})
    assert line.startswith("ECE reads too high")


def test_all_trials_of_an_item_count_like_items_of_one_cluster() -> None:
    rng = np.random.default_rng(3)
    rows = [
        {"item_id": f"i{item}", "trial": trial, "judge": judge, "label": float(label), "person:B": 1.0}
        | {"score": round(float(abs(label - rng.random() / 2)), 3), "person:A": float(label)}
        for item in range(12)
        for trial in range(2)
        for label in [rng.random() < 0.6]
        for judge in ("j", "k", "l")
    ]
    named = [
        {name: value for name, value in row.items() if name != "trial"}
        | {"item_id": f"{row['item_id']}#{row['trial']}", "cluster": row["item_id"]}
        for row in rows
    ]
    requests = Requests(max_error=0.3, cascade=["j", "k"])
    trials, items = (
        calibrate(table_from_rows(each), replicates=20, slices=False, requests=requests)
        for each in (rows, named)
    )
    assert trials.baselines == items.baselines
    assert trials.baselines["always_pass"].n == 24
    assert (trials.people, trials.dawid_skene, trials.cascade) == (
        items.people,
        items.dawid_skene,
        items.cascade,
    )
    suspected = [
        [(error.label, error.contradicted_by) for error in found.suspected_label_errors]
        for found in (trials, items)
    ]
    assert sorted(suspected[0]) == sorted(suspected[1])
    by_phase = [
        multi_phase_rate(nested_verdicts(table_from_rows(each), ["j", "k"])) for each in (rows, named)
    ]
    assert by_phase[0] == by_phase[1]


@pytest.mark.parametrize(("size", "bound_of"), [(1, "clusters"), (2, "outputs")])
def test_a_certificate_says_that_it_is_of_one_output_of_each_unequal_cluster(size: int, bound_of: str):
    rows = [
        {"item_id": f"i{n}.{k}", "judge": judge, "score": 0.9, "label": 1.0, "cluster": f"c{n}"}
        for n in range(60)
        for k in range(2 if n else size)
        for judge in ("j", "k")
    ]
    requests = Requests(max_error=0.1, cascade=["j", "k"])
    found = calibrate(table_from_rows(rows), replicates=20, slices=False, requests=requests)
    assert found.cascade is not None
    certificates = [*found.selective.values(), found.cascade.judges["j"]]
    assert [certificate.bound_of for certificate in certificates] == [bound_of] * 3
    said = [str(piece) for piece in requested_pieces(found) if "error rate at most" in str(piece)]
    assert len(said) == 3
    assert all(("one output of each cluster" in each) == (bound_of == "clusters") for each in said)
