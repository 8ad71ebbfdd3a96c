"""Judges against each other on the same items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from each_row import each_row
from known_numbers import covers, value_of
from lazily import Lazily

from fiducial.calibration import Settings, Table, calibrate, compare, table_from_rows
from fiducial.calibration.agreement.judge_panel import judge_panel
from fiducial.calibration.comparison.comparison_results import Flip
from fiducial.calibration.comparison.difference import PairedRows, share_difference
from fiducial.calibration.comparison.significance import delong
from fiducial.calibration.intervals.clustered_rates import share_of
from fiducial.errors import InputError
from fiducial.report.text.trust_words import trust_of

# The oracle has no types.
roc_auc_score = Lazily("sklearn.metrics").roc_auc_score


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
    (pair,) = compare(table_of({"good": GOOD, "poor": POOR}, LABELS)).pairs
    assert (pair.n, pair.both_right, pair.a_only_right, pair.b_only_right, pair.both_wrong) == (6, 2, 3, 1, 0)
    assert pair.difference.value == pytest.approx(2 / 6)


def test_only_items_that_both_judged_count() -> None:
    (pair,) = compare(table_of({"good": [*GOOD[:-1], None], "poor": [None, *POOR[1:]]}, LABELS)).pairs
    assert pair.n == 4


def test_a_pair_without_a_common_item_is_untested_and_does_not_count_among_the_others() -> None:
    nothing: list[float | None] = [None] * 3
    judges = {"early": [*GOOD[:3], *nothing], "late": [*nothing, *POOR[3:]], "all": POOR}
    apart, early, _ = compare(table_of(judges, LABELS)).pairs
    untested = (apart.exact_p, apart.midp, apart.holm_p, apart.bh_p, apart.adjusted_p, apart.smallest_visible)
    assert (apart.n, untested) == (0, (None,) * 6)
    assert early.holm_p == pytest.approx(min(1, 2 * (early.midp or 0)))
    assert apart.difference.undefined == "no common items"


def test_every_pair_is_listed_unless_one_is_named() -> None:
    table = table_of({"a": GOOD, "b": POOR, "c": POOR}, LABELS)
    assert [(p.a, p.b) for p in compare(table).pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [(p.a, p.b) for p in compare(table, against="b").pairs] == [("b", "a"), ("b", "c")]


def test_one_class_is_enough() -> None:
    (pair,) = compare(table_of({"good": GOOD, "poor": POOR}, [1.0] * 6)).pairs
    assert (pair.a_only_right, pair.b_only_right) == (3, 1)


def test_identical_judges_are_no_alarm() -> None:
    (pair,) = compare(table_of({"a": GOOD, "b": GOOD}, LABELS)).pairs
    assert (pair.exact_p, pair.midp, pair.holm_p, pair.better) == (1.0, 1.0, 1.0, None)


def test_the_difference_of_any_statistic_is_that_of_the_two() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=80).astype(float).tolist()
    scores = {name: rng.random(80).round(2).tolist() for name in "ab"}
    (pair,) = compare(table_of(scores, labels), statistic="auroc", settings=Settings(replicates=300)).pairs
    areas = [float(roc_auc_score(labels, scores[name])) for name in "ab"]
    assert pair.auroc_difference is not None
    assert pair.difference.value == pytest.approx(areas[0] - areas[1])
    assert pair.auroc_difference.value == pytest.approx(areas[0] - areas[1])


def test_delong_is_given_for_fractional_scores_whatever_the_statistic() -> None:
    rng = np.random.default_rng(4)
    labels = rng.integers(2, size=80).astype(float)
    scores: dict[str, list[float | None]] = {
        name: (0.4 * labels + 0.6 * rng.random(80)).round(2).tolist() for name in "ab"
    }
    area = compare(table_of(scores, labels.tolist())).pairs[0].auroc_difference
    whole = delong(labels == 1, *map(np.array, scores.values()))
    assert area is not None
    assert whole is not None
    assert (area.value, area.delong_p, area.delong_holm_p) == (whole.difference, whole.p, whole.p)
    verdicts: dict[str, list[float | None]] = {
        name: [float((score or 0) >= 0.5) for score in each] for name, each in scores.items()
    }
    assert compare(table_of(verdicts, labels.tolist())).pairs[0].auroc_difference is None


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
            value_of(judge_panel(table.take(part), settings=Settings("wald")).statistics[statistic])
            for _, part in table.columns["system"].present()
        ]
        (pair,) = compare(
            table, by="system", right="agrees", statistic=statistic, settings=Settings(replicates=200)
        ).pairs
        assert pair.difference.value == pytest.approx(of_each[0] - of_each[1])
        assert ("Tango" in (pair.difference.method or "")) == (statistic == "prevalence")


def test_systems_meet_judge_by_judge_where_their_judging_is_compared() -> None:
    rows = [
        {"item_id": "i", "judge": judge, "score": score, "label": 1, "system": system}
        for judge, scores in {"j": (1, 0), "k": (0, 1)}.items()
        for system, score in zip("xy", scores, strict=True)
    ]
    (pair,) = compare(table_from_rows(rows), by="system", right="agrees").pairs
    assert (pair.n, pair.a_only_right, pair.b_only_right) == (2, 1, 1)


def test_a_statistic_that_needs_labels_is_of_the_rows_that_have_them() -> None:
    labels = [1.0, 0.0, 1.0, 0.0, 1.0, None]
    table = table_of({"a": GOOD, "b": POOR}, labels)
    known = table_of({"a": GOOD[:5], "b": POOR[:5]}, labels[:5])
    ours, theirs = (
        compare(each, right="score", statistic="mcc").pairs[0].difference.value for each in (table, known)
    )
    assert ours == theirs
    assert ours is not None


def test_flips_name_the_items() -> None:
    (pair,) = compare(table_of({"good": GOOD, "poor": POOR}, LABELS), flips=2).pairs
    assert pair.flips == [Flip(item_id="i1", right="good"), Flip(item_id="i2", right="good")]


def clustered() -> Table:
    return table_of(
        {"good": GOOD * 10, "poor": POOR * 10}, LABELS * 10, cluster=[str(n // 3) for n in range(60)]
    )


def test_clustered_items_get_a_test_over_clusters() -> None:
    (pair,) = compare(clustered(), statistic="accuracy").pairs
    assert pair.clustered_p is not None
    assert (pair.p, pair.adjusted_p) == (pair.clustered_p, pair.clustered_holm_p)
    assert pair.holm_p != pair.clustered_holm_p
    table = table_of({"good": GOOD * 10, "poor": POOR * 10}, LABELS * 10)
    alone = compare(table, statistic="accuracy").pairs[0]
    assert (alone.clustered_p, alone.p) == (None, alone.midp)


def test_clustered_pairs_are_adjusted_for_being_many_by_their_clustered_p() -> None:
    table = table_of(
        {"a": GOOD * 10, "b": POOR * 10, "c": [0.0] * 60},
        LABELS * 10,
        cluster=[str(n // 4) for n in range(60)],
    )
    pairs = compare(table).pairs
    smallest = min(pairs, key=lambda pair: pair.clustered_p or 1.0)
    assert smallest.clustered_holm_p == pytest.approx(3 * (smallest.clustered_p or 1.0))


def test_clusters_count_for_less_where_one_of_them_holds_half_of_the_items() -> None:
    labels = LABELS * 10
    cluster = ["big" if n < 30 else str(n) for n in range(60)]
    result = compare(table_of({"good": GOOD * 10, "poor": POOR * 10}, labels, cluster=cluster))
    assert result.pairs[0].n_clusters == 31
    assert result.pairs[0].effective_clusters == pytest.approx(60**2 / (30**2 + 30))
    assert [(caution.kind, caution.about) for caution in result.cautions] == [
        ("few_clusters", {"good and poor": 3})
    ]


def test_what_lies_in_one_cluster_is_not_tested() -> None:
    (pair,) = compare(table_of({"good": GOOD, "poor": POOR}, LABELS, cluster=["c"] * 6)).pairs
    assert (pair.p, pair.better, pair.difference.low) == (None, None, None)
    assert pair.midp is not None


@pytest.mark.parametrize("statistic", ["accuracy", "true_positive_rate", "mcc", "auroc", "mae"])
@pytest.mark.parametrize("interval", [None, "wald", "cluster-t", "bootstrap"])
def test_the_p_and_the_interval_are_of_one_test(statistic: str, interval: Any) -> None:
    rng = np.random.default_rng(6)
    told: set[bool] = set()
    for draw in range(12):
        n, rows = 48, 1 + draw % 3
        labels = rng.integers(2, size=n).astype(float)
        scores: dict[str, list[float | None]] = {
            name: np.where(rng.random(n) < good, labels, 1 - labels).tolist()
            for name, good in (("a", 0.95), ("b", 0.95 - 0.04 * draw))
        }
        table = table_of(scores, labels.tolist(), cluster=[str(index // rows) for index in range(n)])
        (pair,) = compare(table, statistic=statistic, settings=Settings(interval, replicates=400)).pairs
        assert pair.p is not None
        told.add(pair.p <= 0.05)
        assert (pair.p <= 0.05) == (not covers(pair.difference, 0.0))
    assert told == {True, False}


def test_four_items_on_which_only_one_is_right_are_no_evidence_and_their_interval_says_so() -> None:
    right = np.ones(100, dtype=np.bool_)
    other = np.arange(100) >= 4
    found = share_difference(right, other, np.arange(100))
    assert found.p == pytest.approx(0.0625)
    assert found.estimate.low == 0.0
    assert share_difference(other, right, np.arange(100)).estimate.high == 0.0


def test_shares_of_rows_that_label_and_score_choose_differently_are_bootstrapped() -> None:
    rows = PairedRows(np.array([1.0, 0.0]), np.array([1.0, 1.0]), np.array([0.0, 1.0]))
    first, second = rows.sides
    assert (first.label == second.label).all()
    rng = np.random.default_rng(8)
    labels = rng.integers(2, size=60).astype(float).tolist()
    scores: dict[str, list[float | None]] = {
        name: rng.integers(2, size=60).astype(float).tolist() for name in "ab"
    }
    (pair,) = compare(
        table_of(scores, labels), statistic="precision", settings=Settings(replicates=200)
    ).pairs
    assert pair.difference.method == "BCa bootstrap"


@each_row(
    ("scores", "options", "message"),
    [
        ({"only": GOOD}, {}, "only one judge"),
        ({"a": GOOD, "b": POOR}, {"against": "z"}, "no judge 'z'"),
        (
            {"a": GOOD, "b": POOR},
            {"by": "system"},
            r"no column system; name it with map={'system': 'COLUMN'}",
        ),
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
    assert {name: each.n_left_out for name, each in result.contenders.items()} == {"good": 0, "poor": 1}
    assert (result.cautions[0].kind, result.cautions[0].about) == ("left_out", {"idle": 6})


def test_where_labels_leave_only_one_judge_the_way_without_labels_is_shown() -> None:
    rows = [
        {"item_id": f"i{n}", "judge": judge, "score": 1.0, "label": label}
        for n in range(3)
        for judge, label in (("a", 1.0), ("b", None))
    ]
    with pytest.raises(InputError, match=r"only one judge .*\(a\).* right='score' does not"):
        compare(table_from_rows(rows))
    assert compare(table_from_rows(rows), right="score").pairs[0].n == 3


def test_what_was_held_out_has_no_interval_and_says_why() -> None:
    best = compare(table_of({"good": GOOD * 5, "poor": POOR * 5}, LABELS * 5)).best
    assert best is not None
    assert (best.held_out.low, best.held_out.n) == (None, 30)
    assert (best.held_out.method or "").startswith("no interval: the choices of the splits share their items")
    one = compare(table_of({"good": GOOD, "poor": POOR}, LABELS, cluster=["c"] * 6), right="score").best
    assert one is not None
    assert one.optimism is None
    assert "only one cluster" in (one.held_out.undefined or "")


def test_the_share_right_of_each_has_its_interval_and_denominator() -> None:
    table = table_of({"good": GOOD, "poor": POOR}, LABELS, cluster=["a", "a", "b", "b", "c", "c"])
    good = compare(table).contenders["good"].share_right
    assert good == share_of(np.array([1.0, 1, 1, 1, 1, 0]), np.array([0, 0, 1, 1, 2, 2]))
    assert good.value == pytest.approx(5 / 6)


def test_what_agrees_with_a_label_needs_one() -> None:
    unlabelled = table_of({"good": GOOD, "poor": POOR}, [None] * 6)
    assert compare(unlabelled).right == "score"
    for right in ("agrees", "label"):
        with pytest.raises(InputError, match=f"no row has a label, which right='{right}' needs"):
            compare(unlabelled, right=right)


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
    cautions = compare(table_from_rows(rows), statistic="mcc", settings=Settings(replicates=200)).cautions
    assert [(caution.kind, caution.about) for caution in cautions] == [
        ("few_clusters", {"good and worse": 10}),
        ("few_differing", {"good and worse": 5}),
    ]
    assert compare(table_from_rows(rows), statistic="accuracy").cautions == []


@pytest.mark.parametrize(("differing", "about"), [(6, {"good and worse": 6}), (10, None), (4, None)])
def test_a_winner_by_few_items_is_warned_of(differing: int, about: dict[str, int] | None) -> None:
    rows = [
        {
            "item_id": str(number),
            "judge": judge,
            "label": 1,
            "score": float(number >= wrong),
        }
        for judge, wrong in (("good", 0), ("worse", differing))
        for number in range(30)
    ]
    found = compare(table_from_rows(rows))
    few = [caution.about for caution in found.cautions if caution.kind == "few_discordant"]
    assert few == ([] if about is None else [about])
    assert (found.pairs[0].better == "good") == (differing > 4)


def test_many_judges_against_one_are_the_pairs_that_all_pairs_have():
    rng = np.random.default_rng(5)
    rows = [
        {"item_id": f"i{n}", "judge": f"j{j}", "score": float(rng.random() < 0.6), "label": float(n % 2)}
        for j in range(12)
        for n in range(30)
        if (n + j) % 4
    ]
    every = compare(table_from_rows(rows)).pairs
    base = compare(table_from_rows(rows), against="j3").pairs
    assert [(pair.a, pair.b) for pair in base] == [("j3", f"j{j}") for j in range(12) if j != 3]
    alone = {frozenset((pair.a, pair.b)): pair.midp for pair in every}
    assert all(pair.midp == alone[frozenset((pair.a, pair.b))] for pair in base)


def all_equal(score: float, count: int = 400) -> list[float | None]:
    return [score for _ in range(count)]


MOSTLY_GOOD = [*all_equal(1, 380), *all_equal(0, 20)]
CAREFUL = [*all_equal(0, 40), *all_equal(1, 340), *all_equal(0, 18), *all_equal(1, 2)]


@each_row(
    ("scores", "labels", "word"),
    [
        (all_equal(1), MOSTLY_GOOD, "no better than chance"),
        ([0, *all_equal(1, 399)], MOSTLY_GOOD, "no better than chance"),
        (all_equal(1, 200), MOSTLY_GOOD[190:390], "not shown to be better"),
        (all_equal(1, 100), MOSTLY_GOOD[282:382], "too few labels"),
        (all_equal(1), all_equal(1), "too few labels"),
    ],
)
def test_a_judge_that_may_guess_is_never_the_best_by_the_verdict_of_calibrate(
    scores: list[float | None], labels: list[float | None], word: str
) -> None:
    careful: list[float | None] = [0, 0, 0, 0, 0, *labels[5:]]
    table = table_of({"guess": scores, "careful": [*careful[:-1], 1]}, labels)
    found = compare(table)
    trust = {each.judge: each.word for each in trust_of(calibrate(table, replicates=100, slices=False))}
    assert found.contenders["guess"].not_above_chance == word
    assert trust["guess"] == ("needs more labels" if word == "too few labels" else word)
    assert found.best is None or found.best.name == "careful"


def test_the_judge_that_is_right_most_often_is_not_the_best_where_it_may_guess() -> None:
    table = table_of({"guess": all_equal(1), "careful": CAREFUL}, MOSTLY_GOOD)
    found = compare(table, statistic="accuracy")
    assert (found.best, found.pairs[0].better) == (None, "guess")
    assert found.contenders["careful"].not_above_chance is None


def test_a_judge_that_passes_nothing_is_no_better_where_most_outputs_are_bad() -> None:
    labels, scores = (
        [None if each is None else 1 - each for each in some] for some in (MOSTLY_GOOD, CAREFUL)
    )
    found = compare(table_of({"never": all_equal(0), "careful": scores}, labels), statistic="accuracy")
    assert (found.best, found.contenders["never"].not_above_chance) == (None, "no better than chance")


def test_a_judge_above_chance_is_the_best_and_wins_a_tie() -> None:
    tied = [*all_equal(0, 10), *all_equal(1, 370), *all_equal(0, 10), *all_equal(1, 10)]
    for scores, labels in ((tied, MOSTLY_GOOD), (CAREFUL, CAREFUL)):
        found = compare(table_of({"guess": all_equal(1), "good": scores}, labels))
        assert found.best is not None
        assert (found.best.name, found.contenders["good"].not_above_chance) == ("good", None)
    assert found.contenders["guess"].not_above_chance == "no better than chance"


def test_a_system_on_which_a_judge_may_guess_is_not_the_best_judged() -> None:
    rows = [
        {"item_id": f"i{n}", "judge": "j", "system": system, "score": score, "label": MOSTLY_GOOD[n]}
        for system, scores in {"x": all_equal(1), "y": CAREFUL}.items()
        for n, score in enumerate(scores)
    ]
    found = compare(table_from_rows(rows), by="system", right="agrees")
    assert (found.best, found.contenders["x"].not_above_chance) == (None, "no better than chance")
    assert compare(table_from_rows(rows), by="system").contenders["x"].not_above_chance is None


def test_passing_most_often_has_no_verdict_of_chance() -> None:
    found = compare(table_of({"guess": all_equal(1), "careful": CAREFUL}, MOSTLY_GOOD), right="score")
    assert {contender.not_above_chance for contender in found.contenders.values()} == {None}
