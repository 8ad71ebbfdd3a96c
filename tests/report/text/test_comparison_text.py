"""Comparisons in words."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from fiducial.calibration import Settings, compare, table_from_rows
from fiducial.report.document import as_lines
from fiducial.report.text.comparison_screen import comparison_screen
from fiducial.report.text.comparison_text import comparison_document
from fiducial.report.text.number_text import p_value


def table_of(scores: dict[str, list[Any]], labels: list[Any], **more: list[Any]) -> Any:
    return table_from_rows(
        [
            {"item_id": f"i{number}", "judge": judge, "score": score, "label": labels[number]}
            | {name: values[number] for name, values in more.items()}
            for judge, row in scores.items()
            for number, score in enumerate(row)
        ]
    )


LABELS = [1, 1, 1, 0, 0, 0]
GOOD = [1, 1, 1, 0, 0, 1]
POOR = [1, 0, 0, 0, 1, 0]


def lines_of(*given: Any, **options: Any) -> list[str]:
    return list(as_lines(comparison_document(compare(*given, **options))))


@pytest.mark.parametrize("third", [{}, {"c": [None] * 40 + [1] * 6}])
def test_without_labels_the_judge_that_passes_most_is_not_called_best_or_right(third: dict[str, Any]) -> None:
    scores = {"a": [1] * 40, "b": [0] * 40} | third
    compared = compare(table_of(scores, [None] * 46))
    screen = "\n".join(as_lines(comparison_screen(compared)))
    assert "Without labels only pass rates are compared" in screen
    assert "best" not in screen
    assert "accuracy" not in screen
    assert "only pass rates are compared" in "\n".join(as_lines(comparison_document(compared)))


def test_identical_judges_are_no_evidence_of_a_difference() -> None:
    assert any(
        "no evidence of a difference" in line for line in lines_of(table_of({"a": GOOD, "b": GOOD}, LABELS))
    )


def test_the_p_that_the_words_go_by_is_printed_and_no_other() -> None:
    table = table_of(
        {"good": GOOD * 10, "poor": POOR * 10}, LABELS * 10, cluster=[str(n // 3) for n in range(60)]
    )
    (pair,) = compare(table).pairs
    lines = lines_of(table)
    head, row = (re.split(r"  +", line.strip()) for line in lines[1:3])
    printed = dict(zip(head, row, strict=False))
    assert printed["p"] == p_value(pair.clustered_holm_p)
    assert p_value(pair.holm_p) not in " ".join(lines)
    assert lines[3] == "  p: of a test over clusters"


def test_no_evidence_never_stands_beside_an_interval_without_zero() -> None:
    rng = np.random.default_rng(0)
    sentences: set[str] = set()
    for draw in range(12):
        rows = 1 + draw % 3
        labels = rng.integers(2, size=60)
        scores = {
            name: np.where(rng.random(60) < 0.7 + 0.05 * place, labels, 1 - labels).tolist()
            for place, name in enumerate("abcdef")
        }
        table = table_of(scores, labels.tolist(), cluster=[str(n // rows) for n in range(60)])
        statistic = "accuracy" if draw % 4 else "mcc"
        found = compare(table, statistic=statistic, settings=Settings(replicates=200))
        said = {line.partition(": ")[0]: line for line in list(as_lines(comparison_document(found)))}
        for pair in found.pairs:
            line, low, high = said[f"{pair.a} and {pair.b}"], pair.difference.low, pair.difference.high
            assert low is not None
            assert high is not None
            assert ("no evidence" in line) == (low <= 0.0 <= high)
            sentences.add(re.sub(r"\b[a-f]\b|[\d.<]+", "", line))
    assert any("if this pair is looked at alone; as one of" in sentence for sentence in sentences)


def systems_of(rates: list[float], cases: int = 60) -> Any:
    """Return a table of systems with these pass rates."""
    return table_from_rows(
        [
            {"item_id": f"c{case}|s{place}|0", "judge": "j", "system": f"s{place}", "score": None}
            | {"checker_score": float((case * 37 + place * 11) % cases < rate * cases), "checker": "c"}
            for place, rate in enumerate(rates)
            for case in range(cases)
        ]
    )


def test_an_interval_without_zero_beside_a_p_of_several_pairs_is_said_to_be_of_its_pair_alone() -> None:
    table = systems_of([0.75, 0.53, 0.5, 0.5, 0.5, 0.5])
    found = compare(table, by="system")
    (closest,) = [pair for pair in found.pairs if {pair.a, pair.b} == {"s0", "s1"}]
    assert closest.difference.low is not None
    assert closest.difference.low > 0.0
    assert (closest.better, closest.adjusted_p is not None and closest.adjusted_p > 0.05) == (None, True)
    screen = " ".join(as_lines(comparison_screen(found)))
    assert "for this pair alone; as one of several it may be chance (adjusted p" in screen.partition(".  ")[0]
    assert "Intervals are of each pair alone; p is adjusted for 15 pairs." in screen


@pytest.mark.parametrize("statistic", ["accuracy", "mcc"])
def test_several_pairs_of_judges_say_so_and_a_single_pair_does_not(statistic: str) -> None:
    scores = {"a": GOOD * 10, "b": POOR * 10, "c": [1, 0] * 30}
    settings = Settings(replicates=100)
    for number in (3, 2):
        part = table_of(dict(list(scores.items())[:number]), LABELS * 10)
        screen = " ".join(as_lines(comparison_screen(compare(part, statistic=statistic, settings=settings))))
        assert ("Intervals are of each pair alone" in screen) == (number > 2)
        assert "may be chance" not in screen


def test_one_cluster_is_not_called_no_evidence() -> None:
    lines = lines_of(table_of({"good": GOOD, "poor": POOR}, LABELS, cluster=["c"] * 6))
    assert "good and poor: not tested: cluster-t: no interval from a single cluster" in lines


def test_judges_of_different_items_are_counted_not_listed() -> None:
    nothing = [None] * 3
    lines = lines_of(table_of({"early": [*GOOD[:3], *nothing], "late": [*nothing, *POOR[3:]]}, LABELS))
    assert "1 pair not compared: no item in common" in lines
    compared = compare(table_of({"early": [*GOOD[:3], *nothing], "late": [*nothing, *POOR[3:]]}, LABELS))
    screen = list(as_lines(comparison_screen(compared)))
    assert screen[0] == "Nothing to compare: no two judges have an item in common."
    assert any(line.startswith("early ") and "1.00 [0.37, 1.00]" in line for line in screen)
    assert not any(line.lstrip().startswith("early - late") for line in lines)


def test_rows_that_cannot_be_compared_are_counted() -> None:
    lines = lines_of(table_of({"good": GOOD, "poor": [None, *POOR[1:]], "idle": [None] * 6}, LABELS))
    assert any("5 (1 left out)" in line for line in lines)
    assert "note: not compared: score or label missing: idle (6)" in lines


def test_a_difference_that_cannot_be_is_not_said_to_be_found() -> None:
    lines = lines_of(table_of({"good": [1], "poor": [0]}, [1]))
    assert (
        "good and poor: no evidence of a difference; so few items would not show any, however large" in lines
    )


def test_a_warning_about_many_pairs_is_given_once() -> None:
    rows = [
        {
            "item_id": f"q{number}",
            "judge": f"j{judge}",
            "label": 1,
            "score": number % 2,
            "cluster": number % 3,
        }
        for judge in range(5)
        for number in range(6)
    ]
    (warning,) = [line for line in lines_of(table_from_rows(rows)) if line.startswith("note: few")]
    assert warning.endswith(
        "j0 and j1 (3), j0 and j2 (3), j0 and j3 (3), j0 and j4 (3), j1 and j2 (3) and 5 others"
    )


def systems(**more: Any) -> Any:
    rows = [
        {"item_id": f"i{n}|{system}|0", "judge": "j", "system": system, "score": score} | more
        for n in range(40)
        for system, score in (("bad", 0.0), ("worse", float(n % 2)))
    ]
    return table_from_rows(rows)


def test_how_well_systems_are_judged_is_said_to_be_something_else() -> None:
    agrees = "\n".join(lines_of(systems(label=0.0), by="system", right="agrees", flips=1))
    assert "bad and worse: the judge agrees with labels more often on bad" in agrees
    assert "agrees on bad only, on i1|" in agrees
    assert "not how good they are" in agrees


def test_systems_pass_by_stratum_and_who_graded_is_named() -> None:
    lines = lines_of(systems(), by="system")
    assert "Undecided outputs, judged by j, not corrected for the judge's errors:" in lines
    assert "bad and worse: worse passes more often" in lines
    assert not any("accuracy" in line for line in lines)
    decided = lines_of(systems(checker_score=1.0), by="system")
    assert decided[0] == "Checked outputs, by checker:"
    assert not any(line.startswith(("Undecided", "All")) for line in decided)


def test_a_table_of_labels_has_labelled_outputs_and_says_how_labels_correct_the_judge() -> None:
    rows = [
        {"item_id": f"i{n}|{name}|0", "judge": "j", "system": name, "score": 1.0, "label": 1.0 if n < 4 else None}
        for name in "ab"
        for n in range(8)
    ]  # fmt: skip
    found = compare(table_from_rows(rows), by="system")
    assert next(iter(as_lines(comparison_document(found)))) == "Labelled outputs:"
    screen = " ".join(as_lines(comparison_screen(found)))
    assert "on 4 common labelled outputs." in screen
    assert "with an empty column checker_score in the table, labels correct the judge" in screen
    assert "checked" not in screen


def test_the_open_part_not_corrected_is_warned_of() -> None:
    assert any("may favour a system" in line for line in lines_of(systems(), by="system"))


@pytest.mark.parametrize("cost", [None, 0.01])
def test_what_judging_costs_stands_beside_it_where_it_is_known(cost: float | None) -> None:
    rows = [
        {"item_id": f"i{n}", "judge": judge, "score": n % 2, "label": 1, "cost": cost}
        for judge in "ab"
        for n in range(10)
    ]
    text = "\n".join(lines_of(table_from_rows(rows)))
    assert ("$ per 1,000" in text) == (cost is not None)


MOSTLY_GOOD, CAREFUL = [1] * 380 + [0] * 20, [0] * 40 + [1] * 340 + [0] * 18 + [1] * 2


def test_the_judge_that_is_right_most_often_is_not_called_best_where_it_may_guess() -> None:
    table = table_of({"always": [1] * 400, "careful": CAREFUL}, MOSTLY_GOOD)
    compared = compare(table, statistic="accuracy")
    screen = " ".join(as_lines(comparison_screen(compared)))
    assert "always is best" not in screen
    assert "always has the highest accuracy" in screen
    assert "is no better than chance (balanced accuracy 0.50 [" in screen
    assert "Shown to be better than chance: careful." in screen
    everything = "\n".join(as_lines(comparison_document(compared)))
    assert "Best of all" not in everything
    assert "always is no better than chance" in everything


def test_systems_are_not_called_best_judged_where_the_judge_may_guess() -> None:
    table = table_from_rows(
        [
            {"item_id": f"i{n}", "judge": "j", "system": system, "score": score, "label": MOSTLY_GOOD[n]}
            for system, scores in {"x": [1] * 400, "y": CAREFUL}.items()
            for n, score in enumerate(scores)
        ]
    )
    screen = " ".join(as_lines(comparison_screen(compare(table, by="system", right="agrees"))))
    assert screen.startswith("No system is best: x has the highest judge accuracy")
    assert "but its verdicts are no better than chance" in screen


def test_judges_that_do_not_look_have_rows_beside_the_judges() -> None:
    compared = compare(table_of({"always": [1] * 400, "careful": CAREFUL}, MOSTLY_GOOD))
    shares = {name: (each.value, each.n) for name, each in compared.baselines.items()}
    assert shares == {"always_pass": (0.95, 400), "always_fail": (0.05, 400)}
    rows = [line.split("|")[0].strip() for line in as_lines(comparison_screen(compared)) if "|" in line]
    assert [row for row in rows if row] == ["careful", "always", "always pass", "always fail"]
    assert [statistic.value for statistic in compared.baselines_compared.values()] == [0.5, 0.5]


def test_judges_that_do_not_look_are_compared_by_agreement_only() -> None:
    assert not compare(table_of({"a": GOOD, "b": POOR}, LABELS), right="score").baselines
    assert not compare(systems(), by="system").baselines


BASELINE = "j/lexical@baseline"


def screen_of(scores: dict[str, list[Any]], **options: Any) -> list[Any]:
    return list(comparison_screen(compare(table_of(scores, LABELS * 10), **options)))


def test_a_baseline_is_the_last_row_of_judges_and_not_among_those_that_are_ranked() -> None:
    good, perfect = GOOD * 10, LABELS * 10
    for scores in ({"a": good, "b": good, BASELINE: perfect}, {BASELINE: perfect, "a": good, "b": good}):
        answer, warning, _, rates, *_ = screen_of(scores)
        assert answer.startswith("No significant difference in balanced accuracy: 0.00")
        # What a baseline does better is said once, with the lead.
        assert warning.startswith(
            "a is not shown to be better than the word overlap baseline: difference -0.1"
        )
        names = [str(row[0]) for row in rates.rows]
        assert names == ["a", "b", BASELINE, "always pass", "always fail"]
    answer, *_ = screen_of({"a": perfect, "b": POOR * 10, BASELINE: GOOD * 10})
    assert answer.startswith("a is best: balanced accuracy 1.00")
    assert " more than b." in answer


def test_a_judge_is_set_against_the_baseline_only_if_they_are_compared() -> None:
    scores = {"a": LABELS * 10, "b": POOR * 10, BASELINE: GOOD * 10}
    answer, after, *_ = screen_of(scores, against="b")
    assert answer.startswith("a is best: balanced accuracy 1.00")
    assert "not shown to be better" not in after


def test_an_only_judge_is_set_against_the_baseline() -> None:
    answer, _, rates, *_ = screen_of({"a": LABELS * 10, BASELINE: POOR * 10})
    assert re.match(r"a: balanced accuracy 1\.00 .* more than the word overlap baseline\.", answer)
    assert [str(row[0]) for row in rates.rows][:2] == ["a", BASELINE]
    answer, *_ = screen_of({"a": POOR * 10, BASELINE: LABELS * 10})
    assert "not shown to be better than the word overlap baseline: difference -0." in answer


def test_all_is_not_said_of_one_judge() -> None:
    for judges in ({"a": GOOD}, {"a": GOOD, "b": POOR}):
        compared = compare(table_of({**judges, BASELINE: POOR}, LABELS))
        (line,) = [as_line for as_line in as_lines(comparison_screen(compared)) if "at once" in as_line]
        assert ("for all" in line) == (len(judges) > 1)
        assert "and 1 baseline" in line


def test_pairs_of_judges_come_before_those_with_a_baseline() -> None:
    # a and b share no item with c, so that there is no best of all.
    none = [None] * 30
    scores = {
        "a": [*(GOOD * 5), *none],
        "b": [*(GOOD * 5), *none],
        "c": [*none, *(LABELS * 5)],
        BASELINE: POOR * 10,
    }
    answer, _, pairs, *_ = screen_of(scores)
    assert answer.startswith("None of 1 pair of judges differs significantly")
    assert str(pairs.rows[0][0]) == "a - b"
    assert all("lexical" in str(row[0]) for row in pairs.rows[1:])
    assert len(pairs.rows) == 4


def test_labels_that_correct_are_counted_with_those_of_ungraded_outputs() -> None:
    rows = [
        {
            "item_id": f"c{case}",
            "system": system,
            "judge": "j",
            "checker_score": None,
            "score": float(case % 3 > 0) if case < 50 else None,
            "label": float(case % 5 > 0) if case % 2 == 0 else None,
        }
        for system in "xy"
        for case in range(60)
    ]
    screen = list(
        as_lines(comparison_screen(compare(table_from_rows(rows), by="system", labels_chosen_by="random")))
    )
    assert "* judged, corrected with 60 labels" in screen
