"""Which system is better: on what was decided, on what is open, and on all of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fiducial.calibration import Comparison, Table, compare, table_from_rows
from fiducial.calibration.comparison.comparison_results import ComparedStratum, Strata
from fiducial.calibration.comparison.outputs import Graded
from fiducial.calibration.comparison.weighted_parts import weighted_parts
from fiducial.calibration.corrected_rate.estimators import LabelledAndJudged, prediction_powered, tuned_lambda
from fiducial.calibration.intervals.clustered_rates import share_of
from fiducial.errors import InputError
from fiducial.evaluation.run_table import read_tables
from fiducial.records import JudgeId, Output, Source, Verdict, write_records
from fiducial.report.text.caution_text import comparison_cautions

JUDGE = "rubric/direct@m"


def row(case: int, system: str, **more: Any) -> dict[str, Any]:
    return {"item_id": f"c{case}|{system}|0", "judge": "j", "system": system, "score": None} | more


def by_system(rows: list[dict[str, Any]], **options: Any) -> Comparison:
    return compare(table_from_rows(rows), by="system", **options)


def strata_of(found: Comparison) -> Strata:
    assert found.strata is not None
    return found.strata


def strata_parts(found: Comparison) -> list[ComparedStratum]:
    strata = strata_of(found)
    return [strata.open, strata.all]


def two_systems(cases: int = 60, *, labelled: int = 0, seed: int = 0) -> list[dict[str, Any]]:
    """Two thirds decided by a checker, the rest open; a judge that is right on four in five."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for case in range(cases):
        for system, rate in (("x", 0.8), ("y", 0.5)):
            passes = float(rng.random() < rate)
            decided = case % 3 != 0
            score = passes if rng.random() < 0.8 else 1 - passes
            label = passes if not decided and case < 3 * labelled else None
            rows.append(
                row(case, system, score=score, label=label, checker_score=passes if decided else None)
            )
    return rows


def test_systems_meet_on_items_that_name_them() -> None:
    rows = [
        row(n, system, score=score)
        for system, scores in {"x": [1, 1, 0], "y": [0, 1, 0]}.items()
        for n, score in enumerate(scores)
    ]
    (pair,) = by_system(rows).pairs
    assert (pair.n, pair.a_only_right, pair.b_only_right) == (3, 1, 0)


def test_a_case_named_like_a_system_is_another_item_all_the_same() -> None:
    rows = [
        {"item_id": f"{case}|{system}|0", "judge": "j", "system": system, "score": 1}
        for case in ("x", "y")
        for system in ("x", "y")
    ]
    assert by_system(rows).pairs[0].n == 2


def test_it_is_who_passes_more_often_not_who_is_judged_better() -> None:
    # The judge is always right on the bad system and often wrong on the good one.
    rows = [row(n, "bad", score=0.0, label=0.0) for n in range(40)]
    rows += [row(n, "good", score=float(n % 2), label=1.0) for n in range(40)]
    found = by_system(rows)
    assert found.pairs[0].better == "good"
    assert by_system(rows, right="agrees").pairs[0].better == "bad"
    assert strata_of(found).decided.rates["good"].value == 1.0


def test_each_stratum_has_its_rates_and_pairs() -> None:
    rows = two_systems()
    strata = strata_of(by_system(rows))
    decided = {
        s: np.array([r["checker_score"] for r in rows if r["system"] == s and r["checker_score"] is not None])
        for s in "xy"
    }
    assert {name: each.value for name, each in strata.decided.rates.items()} == {
        name: pytest.approx(each.mean()) for name, each in decided.items()
    }
    (pair,) = strata.decided.pairs
    assert (pair.n, pair.a_only_right) == (40, int((decided["x"] > decided["y"]).sum()))
    opened = {s: [r["score"] for r in rows if r["system"] == s and r["checker_score"] is None] for s in "xy"}
    assert strata.open.by == ["j"]
    assert strata.open.rates["y"] == share_of(np.array(opened["y"]), np.arange(20))
    assert (strata.open.pairs[0].n, strata.all.pairs[0].n) == (20, 60)


def test_the_pairs_on_top_are_those_of_all_outputs() -> None:
    found = by_system(two_systems())
    assert found.pairs == strata_of(found).all.pairs
    whole = strata_of(found).all
    parts = [strata_of(found).decided, strata_of(found).open]
    assert whole.pairs[0].difference.value == pytest.approx(
        sum((part.pairs[0].difference.value or 0) * part.pairs[0].n for part in parts) / 60
    )


def test_without_labels_the_open_part_is_the_judges_word_and_said_to_be() -> None:
    found = by_system(two_systems())
    assert not strata_of(found).open.corrected
    assert {caution.kind: caution.about for caution in found.cautions}["uncorrected"] == {"x": 20, "y": 20}


def test_labels_of_the_open_part_correct_it_and_all() -> None:
    rows = two_systems(labelled=12)
    found = by_system(rows, labels_chosen_by="random")
    strata = strata_of(found)
    assert strata.open.corrected
    of_x = [r for r in rows if r["system"] == "x" and r["checker_score"] is None]
    label, score = (np.array([r[name] for r in of_x], dtype=np.float64) for name in ("label", "score"))
    known, numbers = np.isfinite(label), np.arange(20)
    data = LabelledAndJudged(label[known], score[known], score[~known], numbers[known], numbers[~known])
    expected = prediction_powered(data, tuned_lambda(data))
    assert strata.open.rates["x"].value == expected.value
    decided = strata.decided.rates["x"].value or 0.0
    assert strata.all.rates["x"].value == pytest.approx((40 * decided + 20 * (expected.value or 0)) / 60)
    (pair,) = strata.all.pairs
    rates = [strata.all.rates[name].value or 0.0 for name in "xy"]
    assert (pair.corrected, pair.difference.value) == (True, pytest.approx(rates[0] - rates[1]))
    assert {caution.kind for caution in found.cautions} == {"corrected"}


def test_undeclared_labels_correct_no_rate_and_no_difference() -> None:
    rows = two_systems(labelled=12)
    found, declared = by_system(rows), by_system(rows, labels_chosen_by="random")
    for part, known in zip(strata_parts(found), strata_parts(declared), strict=True):
        assert (part.corrected, part.corrected_systems) == (False, [])
        assert part.declared == {"x": None, "y": None}
        assert part.if_random == known.rates
        assert set(known.declared.values()) == {"random"}
        assert not known.if_random
    plain = by_system(two_systems())
    assert [strata_part.rates for strata_part in strata_parts(found)] == [
        strata_part.rates for strata_part in strata_parts(plain)
    ]


@pytest.mark.parametrize("chosen_by", ["score", "label", "elsewhere"])
def test_labels_declared_to_be_no_random_sample_correct_no_system(chosen_by: Any) -> None:
    found = by_system(two_systems(labelled=12), labels_chosen_by=chosen_by)
    assert not any(part.corrected_systems or part.if_random for part in strata_parts(found))
    cautions = {caution.kind: caution.about for caution in found.cautions}
    assert cautions["labels_for_estimate"] == {chosen_by: 24}
    (shown,) = comparison_cautions(
        [caution for caution in found.cautions if caution.kind == "labels_for_estimate"]
    )
    assert f"`fiducial estimate TABLE --labels-chosen-by {chosen_by}`" in shown


def test_systems_whose_undecided_outputs_are_all_labelled_are_compared_like_checked_ones() -> None:
    labels = {"x": [1.0] * 8, "y": [1.0] * 3 + [0.0] * 5}
    rows = [
        row(case, system, score=float(case % 2), label=None if case < 4 else label)
        | ({"checker_score": label} if case < 4 else {})
        for system, graded in labels.items()
        for case, label in enumerate(graded)
    ]
    (pair,) = strata_of(by_system(rows)).all.pairs
    assert (pair.corrected, pair.a_only_right, pair.b_only_right) == (True, 5, 0)
    assert pair.p == pytest.approx(0.03125)  # McNemar's mid-p: 2 / 2^5 / 2
    assert pair.difference.method == "Tango, Wilson's score for pairs"


def test_labels_that_were_chosen_by_what_the_judge_said_correct_nothing() -> None:
    rows = [
        r | ({"label": None} if r["checker_score"] is None and r["score"] == 1.0 else {})
        for r in two_systems(labelled=20)
    ]
    found = by_system(rows)
    cautions = {caution.kind: caution.about for caution in found.cautions}
    assert not strata_of(found).open.corrected
    assert set(strata_of(found).open.chosen) == set(cautions["chosen_by_score"]) == {"x", "y"}
    assert {"uncorrected", "chosen_by_score"} == set(cautions)


def test_labels_of_one_system_correct_its_rate_and_no_difference() -> None:
    rows = [r | ({"label": None} if r["system"] == "y" else {}) for r in two_systems(labelled=12)]
    found = by_system(rows, labels_chosen_by="random")
    both = by_system(two_systems(labelled=12), labels_chosen_by="random")
    left = strata_of(found).open
    assert (left.corrected, left.corrected_systems, left.pairs[0].corrected) == (False, ["x"], False)
    assert left.rates["x"] == strata_of(both).open.rates["x"]
    cautions = {caution.kind: caution.about for caution in found.cautions}
    assert cautions["labels_of_some"] == {"y": 2}
    assert cautions["corrected"] == {"x": 12}
    assert cautions["uncorrected"] == {"y": 20}


def test_few_labels_that_all_pass_make_no_system_better() -> None:
    rows = [
        row(case, system, score=score, label=label if case < 5 else None, checker_score=None)
        for system, label, score in (("x", 1.0, 1.0), ("y", 0.0, 0.0))
        for case in range(40)
    ]
    rows = [r | ({"score": 1 - r["score"]} if r["item_id"].startswith("c39") else {}) for r in rows]
    five = strata_of(by_system(rows, labels_chosen_by="random")).open.pairs[0]
    low, high = five.difference.low, five.difference.high
    assert low is not None
    assert high is not None
    assert high - low > 0.5
    four = [r | ({"label": None} if r["item_id"].startswith("c4|") else {}) for r in rows]
    pair = strata_of(by_system(four, labels_chosen_by="random")).open.pairs[0]
    assert (pair.better, pair.p) == (None, None)
    assert "4 labels" in (pair.difference.undefined or "")


def test_intervals_of_several_pairs_hold_at_once() -> None:
    rng = np.random.default_rng(3)
    rows = [row(n, name, checker_score=float(rng.random() < 0.7)) for name in "xyz" for n in range(50)]
    pairs = by_system(rows).pairs
    assert len(pairs) == 3
    for pair in pairs:
        wide, alone = pair.simultaneous, pair.difference
        assert wide is not None
        assert wide.low is not None
        assert alone.low is not None
        assert (wide.value, wide.level) == (alone.value, alone.level)
        assert wide.low < alone.low
    assert by_system([r for r in rows if r["system"] != "z"]).pairs[0].simultaneous is None


def test_a_label_of_what_a_checker_decided_changes_nothing() -> None:
    rows = two_systems()
    contrary = [r | ({} if r["checker_score"] is None else {"label": 1 - r["checker_score"]}) for r in rows]
    assert by_system(contrary) == by_system(rows)


def test_nothing_is_said_of_all_where_much_of_the_open_part_is_not_graded() -> None:
    rows = [
        r | ({"score": None} if r["checker_score"] is None and i % 5 == 0 else {})
        for i, r in enumerate(two_systems())
    ]
    found = by_system(rows)
    (pair,) = found.pairs
    assert strata_of(found).all.rates["x"].undefined == "only 16 of 20 undecided outputs are graded"
    assert (pair.p, pair.better) == (None, None)
    assert "undecided outputs are graded" in (pair.difference.undefined or "")
    assert strata_of(found).decided.pairs[0].p is not None


def test_a_few_open_outputs_without_a_verdict_leave_the_weights_as_they_are() -> None:
    rows = two_systems()
    rows[0] |= {"score": None}
    strata = strata_of(by_system(rows))
    parts = strata.decided.rates["x"].value or 0.0, strata.open.rates["x"].value or 0.0
    assert strata.all.rates["x"].value == pytest.approx((40 * parts[0] + 20 * parts[1]) / 60)
    assert strata.open.graded == {"x": 19, "y": 20}


def test_several_judges_are_named_and_stand_alone_too() -> None:
    rows = two_systems()
    kind = [r | {"judge": "kind", "score": 1.0} for r in rows if r["checker_score"] is None][:30]
    found = by_system([*rows, *kind])
    left = strata_of(found).open
    assert (left.by, list(left.judges)) == (["j", "kind"], ["j", "kind"])
    assert left.rates == left.judges["j"].rates
    assert left.judges["kind"].rates["x"].value == 1.0


def test_judges_of_different_cases_share_the_open_part() -> None:
    rows = [r | {"judge": "left" if case_of(r) % 2 else "right"} for r in two_systems()]
    left = strata_of(by_system(rows)).open
    assert sorted(left.by) == ["left", "right"]
    assert left.graded == {"x": 20, "y": 20}


def test_a_baseline_speaks_only_where_no_judge_does() -> None:
    rows = [
        row(case, system, judge=judge, score=float(judge == "words"))
        for case in range(6)
        for system in "xy"
        for judge in ("words", "reader")
        if judge == "words" or case < 2
    ]
    table = replace(
        table_from_rows(rows),
        judges={"words": JudgeId(kind="baseline", name="words", fingerprint="w", model="baseline")},
    )
    left = strata_of(compare(table, by="system")).open
    assert (left.by, left.rates["x"].value, left.rates["x"].n) == (["reader", "words"], 4 / 6, 6)


def case_of(given: dict[str, Any]) -> int:
    return int(given["item_id"].partition("|")[0][1:])


def test_a_pair_that_goes_by_one_judge_only_never_meets_another() -> None:
    # What one judge says of one system's output and another says of the other's would compare judges.
    rows = [row(n, "x", score=1.0, judge="a") for n in range(20)] + [
        row(n, "y", score=0.0, judge="b") for n in range(10)
    ]
    left = strata_of(by_system(rows)).open
    assert left.pairs[0].n == 0


def test_verdicts_beyond_the_first_are_counted_and_left_out() -> None:
    rows = [row(n, s, score=1.0, repeat=r) for n in range(9) for s in "xy" for r in (0, 1)]
    found = by_system(rows)
    assert found.pairs[0].n == 9
    assert {caution.kind: caution.about for caution in found.cautions}["repeats"] == {"j": 18}


def test_outputs_that_only_others_have_are_counted() -> None:
    rows = [row(n, s, score=1.0) for n in range(30) for s in "xy" if s == "x" or n < 25]
    found = by_system(rows)
    assert {caution.kind: caution.about for caution in found.cautions}["no_output"] == {"y": 5}


def test_what_is_decided_for_one_and_open_for_the_other_meets_in_all_only() -> None:
    rows = [row(n, "x", score=1.0, checker_score=1.0) for n in range(30)]
    rows += [row(n, "y", score=0.0, checker_score=0.0 if n < 20 else None) for n in range(30)]
    found = by_system(rows)
    strata = strata_of(found)
    assert [stratum.pairs[0].n for stratum in (strata.decided, strata.open, strata.all)] == [20, 0, 30]
    assert {caution.kind: caution.about for caution in found.cautions}["parts_differ"] == {"x and y": 10}


def test_items_of_a_cluster_count_together() -> None:
    rows = [r | {"cluster": f"k{case_of(r) // 6}"} for r in two_systems()]
    for stratum in (strata_of(by_system(rows)).decided, strata_of(by_system(rows)).all):
        (pair,) = stratum.pairs
        assert (pair.p, pair.adjusted_p) == (pair.clustered_p, pair.clustered_holm_p)
        assert pair.clustered_p is not None


def test_labels_or_scores_alone_can_be_asked_for() -> None:
    rows = [row(n, s, score=1.0, label=float(s == "x")) for n in range(12) for s in "xy"]
    labels, scores = (by_system(rows, right=right) for right in ("label", "score"))
    assert (labels.pairs[0].better, scores.pairs[0].better) == ("x", None)
    assert strata_of(labels).open.graded == {"x": 0, "y": 0}
    assert strata_of(scores).decided.outputs == {"x": 0, "y": 0}


def test_a_statistic_of_judges_is_no_comparison_of_systems() -> None:
    with pytest.raises(InputError, match="mcc measures agreement: add right='agrees'"):
        by_system(two_systems(), statistic="mcc")


def test_one_system_is_compared_with_nobody() -> None:
    with pytest.raises(InputError, match=r"only one system with outputs \(x\)"):
        by_system([row(n, "x", score=1) for n in range(3)])


def verdict(case: int, system: str, score: float | None, source: Source, by: str) -> Verdict:
    output = Output(case_id=f"c{case}", system=system)
    if score is None:
        return Verdict.on(output.key, outcome="undecided", by=by, source=source)
    return Verdict.on(output.key, score=score, by=by, source=source, error_type=None if score else "wrong")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Six cases a checker decides, of which no judge says anything, and four that are open."""
    verdicts: list[Verdict] = []
    for system in ("x", "y"):
        for case in range(10):
            passes = float(system == "x" or case % 2)
            open_now = case >= 6
            verdicts.append(verdict(case, system, None if open_now else passes, "checker", "answer/strict"))
            if open_now:
                verdicts.append(verdict(case, system, passes, "judge", JUDGE))
    write_records(tmp_path / "verdicts.jsonl", verdicts)
    return tmp_path


def outputs(run: Path) -> Table:
    return read_tables([run], outputs=True)


def test_a_run_has_its_checkers_word_where_it_decided_and_its_judges_elsewhere(run: Path) -> None:
    strata = strata_of(compare(outputs(run), by="system"))
    assert (strata.decided.by, strata.open.by) == (["answer/strict"], [JUDGE])
    assert (strata.decided.outputs, strata.open.outputs) == ({"x": 6, "y": 6}, {"x": 4, "y": 4})
    assert [stratum.rates["y"].value for stratum in (strata.decided, strata.open, strata.all)] == [
        0.5,
        0.5,
        0.5,
    ]


def test_a_run_without_a_judge_is_compared_on_what_was_decided(tmp_path: Path) -> None:
    verdicts = [verdict(n, s, float(s == "x"), "checker", "ast/strict") for n in range(8) for s in "xy"]
    write_records(tmp_path / "verdicts.jsonl", verdicts)
    found = compare(outputs(tmp_path), by="system")
    assert (found.pairs[0].n, found.pairs[0].better) == (8, "x")


def test_labels_of_a_run_correct_the_open_part_and_no_other(run: Path) -> None:
    labels = [verdict(n, s, 0.0, "human", "ada") for n in range(10) for s in "xy"]
    write_records(run / "labels.jsonl", labels)
    strata = strata_of(compare(outputs(run), by="system"))
    assert (strata.decided.rates["x"].value, strata.open.rates["x"].value) == (1.0, 0.0)


def test_open_outputs_that_no_judge_was_asked_about_are_counted(run: Path) -> None:
    kept = [line for line in (run / "verdicts.jsonl").read_text().splitlines() if JUDGE not in line]
    (run / "verdicts.jsonl").write_text("\n".join(kept) + "\n")
    found = compare(outputs(run), by="system")
    assert strata_of(found).open.outputs == {"x": 4, "y": 4}
    assert strata_of(found).open.rates["x"].undefined == "none of 4 outputs is graded"
    assert found.pairs[0].difference.undefined == "only 0 of 4 undecided outputs are graded"


@pytest.mark.parametrize("labelled", [0, 40])
def test_the_rates_of_a_pair_are_of_the_outputs_that_the_difference_is_of(labelled: int) -> None:
    rows = two_systems(labelled=labelled)
    found = strata_of(
        by_system([each for each in rows if each["item_id"] not in {f"c{n}|x|0" for n in range(12)}])
    )
    for stratum in (found.decided, found.open, found.all):
        (pair,) = stratum.pairs
        assert pair.rate_a is not None
        assert pair.rate_b is not None
        assert pair.rate_a.n == pair.rate_b.n == pair.n
        assert (pair.rate_a.value or 0) - (pair.rate_b.value or 0) == pytest.approx(pair.difference.value)
    assert found.decided.rates["y"].n > found.decided.pairs[0].n


def test_rates_of_a_pair_weigh_the_parts_by_size_where_some_outputs_are_not_graded() -> None:
    rows = [row(n, s, checker_score=1.0) for n in range(40) for s in "xy"]
    rows += [row(n, s, score=float(n % 2)) for n in range(40, 58) for s in "xy"]
    rows += [row(n, s) for n in (58, 59) for s in "xy"]
    (pair,) = strata_of(by_system(rows)).all.pairs
    assert pair.n == 58
    assert pair.rate_a is not None
    assert pair.rate_a.value == pytest.approx((40 + 20 * 0.5) / 60)


def test_the_fit_of_the_weight_to_the_labels_costs_a_degree_of_freedom() -> None:
    rng = np.random.default_rng(5)
    n, judged = 12, 60
    label = np.concatenate([np.arange(n) % 2.0, np.full(judged - n, np.nan)])
    score = (rng.random(judged) < 0.5).astype(float)
    score[:n] = np.where(rng.random(n) < 0.8, label[:n], 1 - label[:n])
    number = np.arange(judged)
    open_ = np.ones(judged, bool)
    graded = Graded(number, number, np.ones_like(number), number, number, score, score, open_, label, number)
    rest, unlabelled = weighted_parts(graded, correct=True)
    raw = label[:n] - unlabelled.coefficient * score[:n]  # the coefficient is the weight, where all is open
    assert unlabelled.coefficient > 0
    assert rest.values.var(ddof=1) == pytest.approx(raw.var(ddof=1) * (n - 1) / (n - 2), rel=1e-9)
