"""Judges and systems against each other on the same items."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import msgspec
import numpy as np
import pytest

from fiducial.calibration import Settings, Table, compare, table_from_rows
from fiducial.calibration.agreement.judge_panel import judge_panel
from fiducial.calibration.comparison.best_of_many import best_of_many
from fiducial.calibration.comparison.delong import delong
from fiducial.calibration.comparison.wording import comparison_lines
from fiducial.calibration.intervals.closed_forms import normal_quantile, wilson_interval
from fiducial.calibration.intervals.cluster_mean import share_of
from fiducial.calibration.intervals.paired_shares import tango_interval
from fiducial.calibration.lines import p_value
from fiducial.errors import InputError

# The oracle has no types.
roc_auc_score: Any = import_module("sklearn.metrics").roc_auc_score


def table_of(scores: dict[str, list[float | None]], labels: list[float | None], **more: list[Any]) -> Table:
    """One row for each judge and item; ``more`` are columns by item."""
    return table_from_rows(
        [
            {"item_id": f"i{number}", "judge": judge, "score": score, "label": labels[number]}
            | {name: values[number] for name, values in more.items()}
            for judge, row in scores.items()
            for number, score in enumerate(row)
        ]
    )


LABELS: list[float | None] = [1, 1, 1, 0, 0, 0]
GOOD: list[float | None] = [1, 1, 1, 0, 0, 1]
POOR: list[float | None] = [1, 0, 0, 0, 1, 0]


def test_counts_are_of_items_on_which_exactly_one_is_right() -> None:
    (pair,) = compare(table_of({"good": GOOD, "poor": POOR}, LABELS))["pairs"]
    counts = {name: pair[name] for name in ("n", "both_right", "a_only_right", "b_only_right", "both_wrong")}
    assert counts == {"n": 6, "both_right": 2, "a_only_right": 3, "b_only_right": 1, "both_wrong": 0}
    assert pair["difference"]["value"] == pytest.approx(2 / 6)


def test_only_items_that_both_judged_count() -> None:
    (pair,) = compare(table_of({"good": [*GOOD[:-1], None], "poor": [None, *POOR[1:]]}, LABELS))["pairs"]
    assert pair["n"] == 4


def test_a_pair_without_a_common_item_is_untested_and_does_not_count_among_the_others() -> None:
    nothing: list[float | None] = [None] * 3
    judges = {"early": [*GOOD[:3], *nothing], "late": [*nothing, *POOR[3:]], "all": POOR}
    result = compare(table_of(judges, LABELS))
    apart, early, _ = result["pairs"]
    untested = ("exact_p", "midp", "holm_p", "bh_p", "smallest_visible")
    assert (apart["n"], [apart[name] for name in untested]) == (0, [None] * len(untested))
    assert early["holm_p"] == pytest.approx(min(1, 2 * early["midp"]))
    assert apart["difference"]["undefined"] == "no common items"
    assert comparison_lines(result)[0].endswith("Holm over 2 pairs")


def test_every_pair_is_listed_unless_one_is_named() -> None:
    table = table_of({"a": GOOD, "b": POOR, "c": POOR}, LABELS)
    assert [(p["a"], p["b"]) for p in compare(table)["pairs"]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [(p["a"], p["b"]) for p in compare(table, against="b")["pairs"]] == [("b", "a"), ("b", "c")]


def test_one_class_is_enough() -> None:
    (pair,) = compare(table_of({"good": GOOD, "poor": POOR}, [1.0] * 6))["pairs"]
    assert (pair["a_only_right"], pair["b_only_right"]) == (3, 1)


def test_identical_judges_are_no_alarm() -> None:
    result = compare(table_of({"a": GOOD, "b": GOOD}, LABELS))
    (pair,) = result["pairs"]
    assert (pair["exact_p"], pair["midp"], pair["holm_p"]) == (1.0, 1.0, 1.0)
    assert any("no evidence of a difference" in line for line in comparison_lines(result))


def test_systems_meet_on_items_that_name_them() -> None:
    rows = [
        {"item_id": f"case{n}|{system}|0", "judge": "j", "score": score, "system": system}
        for system, scores in {"x": [1, 1, 0], "y": [0, 1, 0]}.items()
        for n, score in enumerate(scores)
    ]
    (pair,) = compare(table_from_rows(rows), by="system")["pairs"]
    assert (pair["n"], pair["a_only_right"], pair["b_only_right"]) == (3, 1, 0)


def test_systems_meet_judge_by_judge() -> None:
    rows = [
        {"item_id": "i", "judge": judge, "score": score, "system": system}
        for judge, scores in {"j": (1, 0), "k": (0, 1)}.items()
        for system, score in zip("xy", scores, strict=True)
    ]
    (pair,) = compare(table_from_rows(rows), by="system")["pairs"]
    assert (pair["n"], pair["a_only_right"], pair["b_only_right"]) == (2, 1, 1)


def test_labels_of_systems_count_once_however_many_judges_there_are() -> None:
    rows = [
        {"item_id": "i", "judge": judge, "score": 0, "label": label, "system": system}
        for judge in "jk"
        for system, label in {"x": 1, "y": 0}.items()
    ]
    (pair,) = compare(table_from_rows(rows), by="system", right="label")["pairs"]
    assert (pair["n"], pair["a_only_right"]) == (1, 1)


def test_the_difference_of_any_statistic_is_that_of_the_two() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=80).astype(float).tolist()
    scores = {name: rng.random(80).round(2).tolist() for name in "ab"}
    table = table_of(scores, labels)
    (pair,) = compare(table, statistic="auroc", settings=Settings(replicates=300))["pairs"]
    areas = [float(roc_auc_score(labels, scores[name])) for name in "ab"]
    assert pair["difference"]["value"] == pytest.approx(areas[0] - areas[1])
    assert pair["auroc_difference"]["value"] == pytest.approx(areas[0] - areas[1])


def test_delong_is_given_for_fractional_scores_whatever_the_statistic() -> None:
    rng = np.random.default_rng(4)
    labels = rng.integers(2, size=80).astype(float)
    scores: dict[str, list[float | None]] = {
        name: (0.4 * labels + 0.6 * rng.random(80)).round(2).tolist() for name in "ab"
    }
    result = compare(table_of(scores, labels.tolist()))
    area, whole = result["pairs"][0]["auroc_difference"], delong(labels == 1, *map(np.array, scores.values()))
    assert whole is not None
    assert (area["value"], area["delong_p"]) == (whole.difference, whole.p)
    assert any("DeLong's p" in line for line in comparison_lines(result))
    verdicts: dict[str, list[float | None]] = {
        name: [float((score or 0) >= 0.5) for score in each] for name, each in scores.items()
    }
    assert "auroc_difference" not in compare(table_of(verdicts, labels.tolist()))["pairs"][0]


def test_each_system_is_held_against_labels_of_its_own() -> None:
    rng = np.random.default_rng(5)
    labels = {system: rng.integers(2, size=90) for system in "xy"}
    scores = {system: np.where(rng.random(90) < 0.8, label, 1 - label) for system, label in labels.items()}
    rows = [
        {
            "item_id": f"i{n}",
            "judge": "j",
            "system": system,
            "label": int(labels[system][n]),
            "score": int(score),
        }
        for system, each in scores.items()
        for n, score in enumerate(each)
    ]
    table = table_from_rows(rows)
    for statistic in ("mcc", "true_positive_rate", "prevalence"):
        of_each = [
            judge_panel(table.take(part), pass_at=0.5, settings=Settings("wald"))["statistics"][statistic][
                "value"
            ]
            for _, part in table.columns["system"].present()
        ]
        (pair,) = compare(table, by="system", statistic=statistic, settings=Settings(replicates=200))["pairs"]
        assert pair["difference"]["value"] == pytest.approx(of_each[0] - of_each[1])
        assert ("Tango" in pair["difference"]["method"]) == (statistic == "prevalence")


def test_a_statistic_that_needs_labels_is_of_the_rows_that_have_them() -> None:
    labels = [1.0, 0.0, 1.0, 0.0, 1.0, None]
    table = table_of({"a": GOOD, "b": POOR}, labels)
    known = table_of({"a": GOOD[:5], "b": POOR[:5]}, labels[:5])
    ours, theirs = (
        compare(each, right="score", statistic="mcc")["pairs"][0]["difference"]["value"]
        for each in (table, known)
    )
    assert ours == theirs
    assert ours is not None


def test_flips_name_the_items() -> None:
    (pair,) = compare(table_of({"good": GOOD, "poor": POOR}, LABELS), flips=2)["pairs"]
    assert pair["flips"] == [{"item_id": "i1", "right": "good"}, {"item_id": "i2", "right": "good"}]


def test_clustered_items_get_a_test_over_clusters() -> None:
    many = {"good": GOOD * 10, "poor": POOR * 10}
    clustered = table_of(many, LABELS * 10, cluster=[str(n // 3) for n in range(60)])
    assert compare(clustered)["pairs"][0]["cluster_p"] is not None
    assert compare(table_of(many, LABELS * 10))["pairs"][0]["cluster_p"] is None
    # The words are about who is right, and so is the test behind them, whatever statistic is estimated.
    tests = {compare(clustered, statistic=name)["pairs"][0]["cluster_p"] for name in ("accuracy", "mcc")}
    assert len(tests) == 1


def test_the_p_that_the_words_go_by_is_printed() -> None:
    many = {"good": GOOD * 10, "poor": POOR * 10}
    result = compare(table_of(many, LABELS * 10, cluster=[str(n // 3) for n in range(60)]))
    (pair,) = result["pairs"]
    head, row = (re.split(r"  +", line.strip()) for line in comparison_lines(result)[1:3])
    printed = dict(zip(head, row, strict=False))
    for column, key in (("Holm p", "holm_p"), ("clustered", "holm_cluster_p")):
        assert printed[column] == p_value(pair[key])
    assert pair["holm_p"] != pair["holm_cluster_p"]
    assert "clustered" not in comparison_lines(compare(table_of(many, LABELS * 10)))[1]


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ({"only": GOOD}, {}, "only one judge"),
        ({"a": GOOD, "b": POOR}, {"against": "z"}, "no judge 'z'"),
        ({"a": GOOD, "b": POOR}, {"by": "system"}, "no column system"),
        ({"a": GOOD, "b": [None] * 6}, {}, r"only one judge with usable rows \(a\)"),
        ({"a": [None] * 6, "b": [None] * 6}, {}, "there is no judge with usable rows; nothing to compare"),
    ],
)
def test_what_cannot_be_compared_is_said(scores: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(table_of(scores, LABELS), **options)


def test_rows_that_cannot_be_compared_are_counted_and_a_judge_without_another_is_named() -> None:
    nothing: list[float | None] = [None] * 6
    result = compare(table_of({"good": GOOD, "poor": [None, *POOR[1:]], "idle": nothing}, LABELS))
    assert set(result["contenders"]) == {"good", "poor"}
    assert [each["n_left_out"] for each in result["contenders"].values()] == [0, 1]
    lines = comparison_lines(result)
    assert any("5 (1 left out)" in line for line in lines)
    assert "warning: not compared, for want of a row with both score and label: idle (6 rows)" in lines


def test_where_labels_leave_only_one_system_the_way_without_labels_is_shown() -> None:
    rows = [
        {"item_id": f"i{n}|{system}|0", "judge": "j", "system": system, "score": 1.0, "label": label}
        for n in range(3)
        for system, label in (("a", 1.0), ("b", None))
    ]
    with pytest.raises(InputError, match=r"only one system .*\(a\).* --right score does not"):
        compare(table_from_rows(rows), by="system")
    assert compare(table_from_rows(rows), by="system", right="score")["pairs"][0]["n"] == 3


def test_delong_areas_are_areas_and_equal_scores_do_not_differ() -> None:
    rng = np.random.default_rng(1)
    right = rng.random(60) < 0.4
    first, second = rng.random(60) + right, rng.random(60).round(1)
    result = delong(right, first, second)
    assert result is not None
    assert result.areas == pytest.approx((roc_auc_score(right, first), roc_auc_score(right, second)))
    same = delong(right, first, first)
    assert same is not None
    assert (same.difference, same.p) == (0.0, None)


def test_delong_holds_its_level() -> None:
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(400):
        right = rng.random(120) < 0.5
        tests = delong(right, rng.normal(size=120) + right, rng.normal(size=120) + right)
        alarms += tests is not None and tests.p is not None and tests.p <= 0.05
    assert 0.025 <= alarms / 400 <= 0.08


def test_the_winner_of_equals_owes_its_lead_to_luck() -> None:
    rng = np.random.default_rng(3)
    choices = [best_of_many(rng.random((20, 200)) < 0.7, np.arange(200)) for _ in range(60)]
    numbers = [choice.numbers() for choice in choices]
    assert np.mean([each["apparent"] or 0.0 for each in numbers]) > 0.74
    assert np.mean([each["held_out"] or 0.0 for each in numbers]) == pytest.approx(0.7, abs=0.015)
    ends = [(choice.apparent.low or 0.0, choice.apparent.high or 0.0) for choice in choices]
    assert sum(low <= 0.7 <= high for low, high in ends) >= 57


def test_the_interval_of_the_best_is_as_wide_as_its_competitors_are_many() -> None:
    right = np.random.default_rng(4).random((8, 200)) < 0.7
    right[0] = np.arange(200) < 160
    few, many = (best_of_many(right[:count], np.arange(200)).apparent for count in (1, 8))
    assert (few.low, few.high) == pytest.approx(wilson_interval(0.8, 200))
    assert (many.low, many.high) == pytest.approx(wilson_interval(0.8, 200, 1 - 0.05 / 8))
    assert (many.level, many.method) == (0.95, "Wilson, for the best of 8 contenders")


def test_what_was_held_out_has_no_interval_and_says_why() -> None:
    best = compare(table_of({"good": GOOD, "poor": POOR}, LABELS))["best"]
    held_out = best["statistics"]["held_out"]
    assert (held_out["value"], held_out["low"], held_out["n"]) == (best["held_out"], None, 6)
    assert held_out["method"].startswith("no interval: the choices of the splits share their items")
    one_cluster = compare(table_of({"good": GOOD, "poor": POOR}, LABELS, cluster=["c"] * 6))["best"]
    assert one_cluster["held_out"] is None
    assert "only one cluster" in one_cluster["statistics"]["held_out"]["undefined"]


def test_the_share_right_of_each_has_its_interval_and_denominator() -> None:
    table = table_of({"good": GOOD, "poor": POOR}, LABELS, cluster=["a", "a", "b", "b", "c", "c"])
    result = compare(table)
    good = result["contenders"]["good"]
    assert good["statistics"]["share_right"] == msgspec.to_builtins(
        share_of(np.array([1.0, 1, 1, 1, 1, 0]), np.array([0, 0, 1, 1, 2, 2]))
    )
    assert good["share_right"] == good["statistics"]["share_right"]["value"] == pytest.approx(5 / 6)
    (line,) = [line for line in comparison_lines(result) if line.split()[:2] == ["good", "0.833"]]
    low, high = (good["statistics"]["share_right"][end] for end in ("low", "high"))
    assert line.split()[1:5] == ["0.833", f"[{low:.3f},", f"{high:.3f}]", "6"]


def test_what_agrees_with_a_label_needs_one() -> None:
    unlabelled = table_of({"good": GOOD, "poor": POOR}, [None] * 6)
    assert compare(unlabelled)["right"] == "score"
    for right in ("agrees", "label"):
        with pytest.raises(InputError, match=f"no row has a label, which --right {right} needs"):
            compare(unlabelled, right=right)


def test_the_difference_of_shares_right_has_an_interval_for_pairs() -> None:
    rows = [
        {"item_id": str(number), "judge": judge, "label": 1, "score": int(number >= wrong)}
        for judge, wrong in (("good", 2), ("worse", 6))
        for number in range(100)
    ]
    result = compare(table_from_rows(rows))
    (pair,) = result["pairs"]
    expected = tango_interval(0.04, 0.0, 100, normal_quantile(0.95))
    assert (pair["difference"]["low"], pair["difference"]["high"]) == pytest.approx(expected)
    assert result["warnings"] == []


def test_few_differing_items_and_few_clusters_are_warned_of() -> None:
    rows = [
        {
            "item_id": str(number),
            "judge": judge,
            "label": number % 2,
            "score": number % 2 if number >= wrong else 1 - number % 2,
            "cluster": number // 10,
        }
        for judge, wrong in (("good", 4), ("worse", 9))
        for number in range(100)
    ]
    result = compare(table_from_rows(rows), statistic="mcc")
    assert result["warnings"] == [
        "fewer than 20 clusters, so that an interval may be too short: good and worse (10)",
        "fewer than 20 items on which only one is right, so that an interval may be too short: good and worse (5)",
    ]
    assert comparison_lines(result)[-1] == f"warning: {result['warnings'][-1]}"


def test_a_warning_about_many_pairs_is_given_once() -> None:
    rows = [
        {"item_id": f"q{number}", "judge": f"j{judge}", "label": 1, "score": number % 2}
        for judge in range(5)
        for number in range(6)
    ]
    (warning,) = compare(table_from_rows(rows))["warnings"]
    assert warning.endswith(
        "j0 and j1 (6), j0 and j2 (6), j0 and j3 (6), j0 and j4 (6), j1 and j2 (6) and 5 other pairs"
    )


def test_judges_of_different_items_are_counted_not_listed() -> None:
    nothing: list[float | None] = [None] * 3
    lines = comparison_lines(
        compare(table_of({"early": [*GOOD[:3], *nothing], "late": [*nothing, *POOR[3:]]}, LABELS))
    )
    assert "not compared, for want of an item that both have: 1 pair" in lines
    assert not any(line.lstrip().startswith("early - late") for line in lines)


def test_a_judge_that_agrees_on_a_system_is_not_a_system_that_is_good() -> None:
    rows = [
        {"item_id": f"i{n}|{system}|0", "judge": "j", "system": system, "score": score, "label": 0.0}
        for n in range(40)
        for system, score in (("bad", 0.0), ("worse", float(n % 2)))
    ]
    agrees = "\n".join(comparison_lines(compare(table_from_rows(rows), by="system", flips=1)))
    assert "bad and worse: the judge is right more often on bad" in agrees
    assert "right on bad only, on i1|" in agrees
    assert "not how good they are; --right label or --right score compares that" in agrees
    passes = "\n".join(comparison_lines(compare(table_from_rows(rows), by="system", right="score")))
    assert "bad and worse: worse passes more often" in passes
    assert "share passed" in passes
    assert "share right" not in passes


def test_a_difference_that_cannot_be_is_not_said_to_be_found() -> None:
    lines = comparison_lines(compare(table_of({"good": [1], "poor": [0]}, [1])))
    assert (
        "good and poor: no evidence of a difference; so few items would not show any, however large" in lines
    )
