"""The first answers, by the rules of docs/report.md."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from each_row import each_row
from found_results import compared, judged, panel, systems
from msgspec.structs import replace

from fiducial.calibration import compare, table_from_rows
from fiducial.calibration.agreement.adjudication_results import (
    AdjudicatedJudge,
    Adjudication,
    Adjudicators,
    ReviewedRows,
)
from fiducial.calibration.agreement.calibration_results import Calibration, JudgeCalibration
from fiducial.calibration.agreement.diagnosis_results import HomogeneityTest, SuspectedLabel
from fiducial.calibration.comparison.comparison_results import Comparison
from fiducial.calibration.statistic import Caution, Statistic
from fiducial.evaluation.conclusion.run_results import (
    ALL,
    ALL_CORRECTED,
    ALL_UNCORRECTED,
    DECIDED,
    JUDGED,
    OPEN,
    UNJUDGED,
    JudgeUse,
    StratumRate,
    SystemResult,
)
from fiducial.evaluation.conclusion.run_summary import RunSummary
from fiducial.evaluation.store.manifest import Counts
from fiducial.records import Outcome
from fiducial.report.document import as_lines
from fiducial.report.document_parts import DocumentTable
from fiducial.report.first_answers import _cost_line, answers, run_document  # pyright: ignore[reportPrivateUsage] - the line alone


def better(*names: str, **more: Any) -> str:
    return answers(RunSummary(systems=systems(*names), compared=compared(*names, **more))).better.text


def test_a_system_is_best_where_the_difference_is_beyond_chance():
    assert better("a", "c").startswith("a is best: 0.")
    assert better("c", "a").startswith("a is best: 0.")
    assert "of 60 outputs pass, 0." in better("a", "c")
    assert better("a", "c").endswith("more than c.")


def test_systems_that_do_not_differ_significantly_are_not_ranked():
    told = better("a", "b", "c")
    assert told.startswith("No significant difference between a and b: 0.")
    assert "] on 60 common outputs. a passes more often than c." in told
    assert better("a", "b").startswith("No significant difference: 0.")


def test_a_leader_by_rate_that_is_beaten_on_common_outputs_does_not_lead():
    # On the 60 outputs that both have, a passes where c fails; c has 400 easy ones to itself.
    rows = [
        {"item_id": f"i{n}|{name}|0", "judge": "j", "system": name, "score": None, "checker_score": passes}
        for name, passes in (("a", 1), ("c", 0))
        for n in range(20)
    ]
    rows += [row | {"item_id": str(row["item_id"]).replace("i", "k", 1), "checker_score": 0} for row in rows]
    rows += [
        {"item_id": f"e{n}|c|0", "judge": "j", "system": "c", "score": None, "checker_score": 1}
        for n in range(400)
    ]
    found = compare(table_from_rows(rows), by="system")
    told = answers(RunSummary(systems=systems("a", "c"), compared=found)).better.text
    assert told.startswith("a is best: 0.50")
    assert "0.50 [0." in told.split("pass, ")[1]
    assert "more than c on common outputs. c has a higher rate, but on other outputs." in told


def test_a_system_that_is_not_shown_to_be_worse_is_named_with_the_difference_that_it_may_have():
    # a beats b, and b beats c, of which a has only five cases.
    passes = {
        "a": {n: n % 20 > 0 for n in range(200)},
        "b": {n: n % 2 > 0 if n < 200 else n % 20 > 0 for n in range(400)},
        "c": {n: n % 3 == 0 for n in range(195, 400)},
    }
    rows = [
        {
            "item_id": f"i{n}|{name}|0",
            "system": name,
            "judge": "j",
            "score": None,
            "checker_score": float(each),
        }
        for name, outputs in passes.items()
        for n, each in outputs.items()
    ]
    found = compare(table_from_rows(rows), by="system")
    told = answers(RunSummary(systems=systems("a", "b", "c"), compared=found)).better.text
    pair = next(
        compared_pair for compared_pair in found.pairs if {compared_pair.a, compared_pair.b} == {"a", "c"}
    )
    largest = max(abs(end) for end in (pair.difference.low, pair.difference.high) if end is not None)
    assert f"Not significantly different from it: c ({largest:.2f} could still be there)." in told


def checked(**cases: tuple[int, int, int]) -> list[dict[str, Any]]:
    """Checked outputs by system: its first case, the one after its last, and passes out of ten."""
    return [
        {
            "item_id": f"i{n}|{name}|0",
            "system": name,
            "judge": "j",
            "score": None,
            "checker_score": float(n % 10 < passes),
        }
        for name, (first, end, passes) in cases.items()
        for n in range(first, end)
    ]


def test_a_system_that_shares_no_case_with_the_leader_denies_no_other_difference():
    rows = checked(a=(0, 60, 9), b=(0, 60, 2), c=(60, 120, 8))
    told = answers(
        RunSummary(systems=systems(*"abc"), compared=compare(table_from_rows(rows), by="system"))
    ).better.text
    assert told.startswith(
        "a and c have nothing graded in common on all outputs. a passes more often than b."
    )


@pytest.mark.parametrize(
    ("against", "expected"),
    [
        ("b", "more than b. Not compared with it: c."),
        (
            "c",
            "a and b were not compared. a passes more often than c.",
        ),
    ],
)
def test_pairs_that_nobody_asked_for_are_said_to_be_not_compared(against: str, expected: str):
    rows = checked(a=(0, 60, 9), b=(0, 60, 5), c=(0, 60, 1))
    found = compare(table_from_rows(rows), by="system", against=against)
    told = answers(RunSummary(systems=systems(*"abc"), compared=found)).better.text
    assert expected in told
    assert "significant" not in told.partition(" more than ")[0]
    assert "Not significantly different" not in told


def test_a_system_that_shares_no_case_with_any_denies_no_difference_of_others():
    rows = checked(a=(0, 60, 9), b=(0, 60, 2), c=(60, 120, 8))
    found = compare(table_from_rows(rows), by="system", against="c")
    told = answers(RunSummary(systems=systems(*"abc"), compared=found)).better.text
    assert told.startswith("Nothing to compare with c yet: no system has a graded case in common with it")


def labels_of(*names: str, per_system: int = 20, cases: int = 60) -> list[dict[str, Any]]:
    """Undecided outputs of four systems, with labels of those named."""
    return [
        {
            "item_id": f"i{n}|{name}|0",
            "judge": "j",
            "system": name,
            "score": float(n % 5 > 0),
            "checker_score": None,
            "label": float(n % 5 > (name == "d"))
            if name in names and n % 3 == 0 and n < 3 * per_system
            else None,
        }
        for name in "abcd"
        for n in range(cases)
    ]


def test_a_system_without_labels_keeps_no_other_from_being_ranked():
    found = compare(table_from_rows(labels_of("a", "b", "c")), by="system", labels_chosen_by="random")
    told = answers(RunSummary(systems=systems(*"abcd"), compared=found)).better.text
    assert "on 60 common outputs. A difference of 0.09 could still be there. Not ranked, for too few" in told


def test_too_few_labels_to_compare_are_said_to_be():
    found = compare(table_from_rows(labels_of(*"abcd", per_system=3)), by="system", labels_chosen_by="random")
    told = answers(RunSummary(systems=systems(*"abcd"), compared=found)).better.text
    assert "too few labels to compare" in told


def test_what_judges_say_uncorrected_ranks_nothing():
    told = better("a", "c", judged=1.0)
    assert told.startswith("a is best: 0.")
    assert "of 60 checked outputs pass" in told
    assert told.endswith(
        "On 40 undecided outputs, judges (uncorrected) show no significant difference (0.16 could still be there)."
    )


def judged_too(**rates: float) -> str:
    """Return the sentence on 30 cases: checkers pass 20 of ``a`` only, judges a share of 10 of each system."""
    rows = [
        {
            "item_id": f"i{n}|{name}|0",
            "judge": "j",
            "system": name,
            "score": float(n - 20 < 10 * rate) if n >= 20 else None,
            "checker_score": float(name == "a") if n < 20 else None,
        }
        for name, rate in rates.items()
        for n in range(30)
    ]
    found = compare(table_from_rows(rows), by="system")
    return answers(RunSummary(systems=systems(*rates), compared=found)).better.text


@pytest.mark.parametrize(
    ("rates", "told"),
    [
        ({"a": 1.0, "c": 0.0}, "prefer a too."),
        ({"a": 0.0, "c": 1.0}, "prefer c."),
        ({"a": 0.6, "c": 0.5}, "show no significant difference (0.40 could still be there)."),
        ({"a": 0.9, "b": 0.8, "c": 0.0}, "prefer a to c."),
    ],
)
def test_judges_prefer_a_system_only_where_the_difference_is_significant(rates: dict[str, float], told: str):
    outputs = 10 * len(rates)
    assert judged_too(**rates).endswith(f"On {outputs} undecided outputs, judges (uncorrected) {told}")


def headline_and_rows(found: Comparison, *names: str) -> tuple[str, DocumentTable]:
    """Return the first line of a run, and its table of systems with other overall rates."""
    whole = StratumRate(name=ALL_UNCORRECTED, n=80, of=80, value=0.49, low=0.4, high=0.6)
    part = StratumRate(name=JUDGED, n=20, of=20, value=0.1, low=0.0, high=0.2)
    run = RunSummary(systems=systems(*names, overall=whole, judged=part), compared=found)
    headline, *pieces = run_document(run)
    assert isinstance(headline, str)
    return headline, next(piece for piece in pieces if isinstance(piece, DocumentTable))


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_the_first_column_of_systems_has_the_number_of_the_headline(score: float):
    headline, table = headline_and_rows(compared("a", "c", judged=score), "a", "c")
    assert "is best" in headline
    assert "checked outputs" in table.head
    assert str(table.rows[0][0]) == "a"
    assert f": {table.rows[0][2]} of 60 checked outputs pass" in headline
    # The other scope keeps a column of its own.
    assert [getattr(cell, "text", cell) for cell in table.rows[0]][-2] == "0.49"


def few_labels(a: float, b: float) -> Comparison:
    """Return a comparison of 160 checked and 40 judged cases, of which ten have labels."""
    rows = [
        {
            "item_id": f"i{n}|{name}|0",
            "judge": "j",
            "system": name,
            "score": float(n * step % 5 < 3) if n >= 160 else None,
            "checker_score": float(n < 160 * rate) if n < 160 else None,
            "label": float(n * step % 11 < 6) if n >= 160 and n % 4 == 0 else None,
        }
        for name, rate, step in (("a", a, 7), ("b", b, 3))
        for n in range(200)
    ]
    return compare(table_from_rows(rows), by="system", labels_chosen_by="random")


def test_a_few_labels_do_not_hide_what_checkers_show():
    headline, table = headline_and_rows(few_labels(0.9, 0.8), "a", "b")
    assert headline.startswith("No significant difference: ")
    assert " on 200 common outputs. " in headline
    assert ". By checkers alone, a is best: 0.90 [" in headline
    assert "] of 160 checked outputs pass, 0.10 [" in headline
    # The first sentence is of all outputs, and so is the first column.
    assert "all outputs*" in table.head


@pytest.mark.parametrize(("a", "b"), [(0.9, 0.2), (0.8, 0.8)])
def test_checkers_are_not_named_twice_where_all_outputs_say_the_same(a: float, b: float):
    headline, _ = headline_and_rows(few_labels(a, b), "a", "b")
    assert "By checkers alone" not in headline


def judged_only(*judges: str, label: float | None = None, **rates: float) -> str:
    """Return the sentence on 30 cases that no checker decided, by judges that agree."""
    rows = [
        {
            "item_id": f"i{n}|{name}|0",
            "judge": judge,
            "system": name,
            "score": float(n < 30 * rate) if judge == judges[0] or n < 20 else None,
            "checker_score": None,
            "label": label if n < 1 and name == "a" else None,
        }
        for judge in judges
        for name, rate in rates.items()
        for n in range(30)
    ]
    found = compare(table_from_rows(rows), by="system")
    return answers(RunSummary(systems=systems(*rates), compared=found)).better.text


def test_uncorrected_judges_name_no_best_system_but_say_who_prefers_which():
    assert judged_only("j@m", a=0.9, c=0.2).startswith("j@m (untested) prefers a: it passes 0.90 [0.")
    assert "] of 30 outputs, 0.70 [0." in judged_only("j@m", a=0.9, c=0.2)
    # The second judge, which skipped some, makes no rate.
    assert judged_only("j@m", "k@m", a=0.9, c=0.2).startswith("j@m (untested) prefers a: it passes 0.90 [0.")
    assert judged_only("j@m", label=1.0, a=0.9, c=0.2).startswith("j@m (uncorrected) prefers a: ")
    told = judged_only("j@m", a=0.5, c=0.4)
    assert told.startswith("No significant difference: 0.10 [")
    assert told.endswith(
        "on 30 common judged outputs, uncorrected (j@m). A difference of 0.26 could still be there."
    )


@pytest.mark.parametrize(
    ("undecided", "graded", "told"),
    [
        ({"a": 0, "b": 12}, {"a": 0, "b": 12}, "Only b has undecided outputs: 12."),
        ({"a": 3, "b": 12}, {"a": 0, "b": 10}, "Of 15 undecided outputs, only those of b are graded."),
    ],
)
def test_undecided_outputs_of_one_system_compare_nothing(
    undecided: dict[str, int], graded: dict[str, int], told: str
):
    rows = [
        {
            "item_id": f"{'i' if checked else 'k'}{n}|{name}|0",
            "judge": "j",
            "system": name,
            "score": None if checked or n >= graded[name] else 1.0,
            "checker_score": float(name == "a") if checked else None,
        }
        for name in "ab"
        for checked, count in ((True, 30), (False, undecided[name]))
        for n in range(count)
    ]
    found = compare(table_from_rows(rows), by="system")
    assert answers(RunSummary(systems=systems("a", "b"), compared=found)).better.text.endswith(told)


def test_systems_of_which_labels_correct_one_are_not_called_ungraded():
    rows = [
        {
            "item_id": f"{'i' if checked else 'k'}{n}|{name}|0",
            "judge": "j",
            "system": name,
            "score": None if checked else float(n % 3 > 0),
            "label": float(n % 2) if name == "a" and not checked and n < 20 else None,
            "checker_score": float(name == "a") if checked else None,
        }
        for name in "ab"
        for checked in (True, False)
        for n in range(30)
    ]
    found = compare(table_from_rows(rows), by="system", labels_chosen_by="random")
    told = answers(RunSummary(systems=systems("a", "b"), compared=found)).better.text
    assert told.endswith("Labels correct only a, so systems are not compared on 60 undecided outputs.")


def test_a_leader_on_checked_outputs_that_another_leads_on_all_is_said_to_be():
    rows = [
        {
            "item_id": f"i{n}|{name}|0",
            "judge": "j",
            "system": name,
            "score": 1.0 if n >= 30 and name == "b" else None,
            "checker_score": float(n % 3 > (name == "b")) if n < 30 or name == "a" else None,
        }
        for name in "ab"
        for n in range(150)
    ]
    found = compare(table_from_rows(rows), by="system")
    told = answers(RunSummary(systems=systems("a", "b"), compared=found)).better.text
    assert told.startswith("a is best: 0.67")
    assert told.endswith("But on all outputs, judged ones uncorrected, b is ahead.")


def half_labelled(*names: str, graded: int) -> list[dict[str, Any]]:
    """Outputs of 20 cases, 10 checked; judges pass those of ``a`` only, people those of ``b`` only."""
    return [
        {
            "item_id": f"i{n}|{name}|0",
            "judge": "j",
            "system": name,
            "score": None if n >= graded else float(name == "a"),
            "checker_score": float(n % 2) if n < 10 else None,
            "label": float(name == "b") if 10 <= n < graded else None,
        }
        for name in names
        for n in range(20)
    ]


def test_rates_corrected_with_labels_are_not_said_to_be_uncorrected():
    found = compare(table_from_rows(half_labelled("a", "b", graded=17)), by="system")
    told = answers(RunSummary(systems=systems("a", "b"), compared=found)).better.text
    assert told.startswith("No significant difference: 0.00 [")
    assert "on 10 common checked outputs." in told
    assert "uncorrected" not in told
    assert "On 14 of 20 undecided outputs, judged and corrected with labels, b passes more often" in told


def test_systems_without_labels_are_not_said_to_have_nothing_graded_where_labels_correct_one_of_many():
    rows = [row for row in half_labelled("a", "b", "c", graded=20) if row["checker_score"] is None]
    rows = [row | {"label": row["label"] if row["system"] == "b" else None} for row in rows]
    found = compare(table_from_rows(rows), by="system")
    told = answers(RunSummary(systems=systems("a", "b", "c"), compared=found)).better.text
    assert "only b has a rate on the judged outputs, corrected with labels." in told
    assert told.endswith("Not ranked, for too few or unusual labels: a and c.")


def test_the_n_of_a_corrected_rate_is_that_of_the_graded_outputs():
    rows = [
        row | {"label": row["label"] if int(str(row["item_id"])[1:].partition("|")[0]) < 15 else None}
        for row in half_labelled("a", "b", graded=20)
        if row["checker_score"] is None
    ]
    found = compare(table_from_rows(rows), by="system", labels_chosen_by="random")
    assert found.strata is not None
    assert found.strata.all.labelled == {"a": 5, "b": 5}
    told = answers(RunSummary(systems=systems("a", "b"), compared=found)).better.text
    assert "of 10 outputs pass" in told


def test_what_a_judge_failed_most_is_among_the_commonest_failures():
    strata = [StratumRate(name=OPEN, by="j", n=10, of=10, value=0.1, low=0.0, high=0.4)]
    faults = {"value_error:string": 3, "state": 2, "system_error": 1}
    one = replace(systems("a", strata=strata)[0], faults=faults)
    lines = list(as_lines(run_document(RunSummary(systems=[one], judges=judged("j")))))
    begin = lines.index("Commonest failures:")
    assert lines[begin + 1] == "  9  failed by j"
    assert [line[:4] for line in lines[begin + 2 : begin + 4]] == ["  3 ", "  2 "]


def test_a_leader_that_is_behind_on_common_outputs_is_said_to_be():
    rows = [
        {"item_id": f"i{n}|{name}|0", "judge": "j", "system": name, "score": None, "checker_score": passes}
        for name, passed in (("a", (0, 1, 1, 1, 1, 1)), ("b", (1, 0, 1)))
        for n, passes in enumerate(passed)
    ]
    rows[1]["checker_score"] = 0
    found = compare(table_from_rows(rows), by="system")
    told = answers(RunSummary(systems=systems("a", "b"), compared=found)).better.text
    assert told.startswith("No significant difference: -0.33 [")
    assert "(a minus b) on 3 common outputs." in told


def test_a_judge_that_graded_nothing_is_not_said_to_lack_labels():
    silent = [JudgeUse(name="j", fingerprint="f", outcomes={"unparsable": 5})]
    told = answers(RunSummary(systems=systems("a"), judges=silent))
    assert told.trusted == "The judge graded nothing."


def test_where_nothing_is_graded_no_difference_is_seen():
    rows = [{"item_id": "i", "judge": "j", "system": name, "score": None} for name in "ab"]
    nothing = compare(table_from_rows(rows), by="system")
    told = answers(RunSummary(systems=systems("a", "b"), compared=nothing)).better.text
    assert told == "No significant difference between systems yet: nothing is graded."


def test_the_verdicts_on_several_judges_are_one_sentence():
    sure = Calibration(judges={"j": panel((0.99, 0.95), (0.97, 0.91))})
    useless = Calibration(judges={"j": panel((0.5, 0.4), (0.5, 0.4), balanced=0.4, high=0.6)})
    for names, calibration, told in (
        (("j", "k"), sure, "1 of 2 judges has both error rates below 10 %; 1 has no labels."),
        (("j", "k"), useless, "1 of 2 judges is not shown to be better than chance; 1 has no labels."),
        (
            ("j",),
            useless,
            "The judge is not shown to be better than chance: balanced accuracy 0.90 [0.40, 0.60] (n 100).",
        ),
        (("k", "l"), None, "2 of 2 judges have no labels."),
        (("k",), None, "This judge is untested: no output that it graded has a label."),
        (("j",), sure, "The judge has both error rates below 10 %."),
    ):
        found = RunSummary(systems=systems("a"), judges=judged(*names), calibration=calibration)
        assert answers(found).trusted == told


def test_a_judge_with_labels_of_checked_outputs_alone_is_untested_on_the_others():
    sure = Calibration(judges={"j": panel((0.99, 0.95), (0.97, 0.91))})
    for undecided, labelled, told in (
        (40, 0, "The judge has both error rates below 10 % on checked outputs, untested on the others."),
        (40, 10, "The judge has both error rates below 10 %."),
        (4, 4, "The judge has both error rates below 10 %."),
        (0, 0, "The judge has both error rates below 10 %."),
    ):
        (use,) = judged("j")
        use = replace(use, undecided=undecided, undecided_labelled=labelled)
        assert answers(RunSummary(systems=systems("a"), judges=[use], calibration=sure)).trusted == told


def test_a_judge_that_is_worse_on_undecided_outputs_needs_more_labels():
    sure = Calibration(judges={"j": panel((0.99, 0.95), (0.97, 0.91))})
    for p, told in (
        (0.02, "The judge needs more labels."),
        (0.4, "The judge has both error rates below 10 %."),
    ):
        (use,) = judged("j")
        use = replace(use, undecided=40, undecided_labelled=20, undecided_worse_p=p)
        found = answers(RunSummary(systems=systems("a"), judges=[use], calibration=sure))
        assert found.trusted == told
        assert ("agrees with labels less often on undecided outputs" in found.trust[0].why) == (p == 0.02)


def test_outputs_that_are_missing_are_wanted_before_more_of_anything():
    less = RunSummary(systems=systems("a", missing=16), command="fiducial run c --outputs o --out r")
    assert answers(less).next.text.startswith("16 cases have no output. Add them, or an `error`, and rerun")
    made = msgspec.structs.replace(less, command="fiducial run c --generate a --out r")
    assert answers(made).next.command == made.command


def test_a_wide_interval_of_a_system_alone_wants_more_items():
    decided = StratumRate(name=DECIDED, n=61, of=61, value=1.0, low=0.21, high=1.0)
    told = answers(RunSummary(systems=systems("a", strata=[decided]))).next
    assert told.text == (
        "The interval is wide; add cases. About 4,000 more outputs estimate the pass rate to within 0.05."
    )


def test_outputs_without_a_checkers_verdict_are_counted_once_though_judges_graded_some():
    decided = StratumRate(name=DECIDED, n=1, of=4, value=0.0, low=0.0, high=0.79, bounds=(0.0, 0.75))
    by_judge = StratumRate(name=OPEN, by="j", n=2, of=3, value=0.5, low=0.1, high=0.9)
    told = answers(
        RunSummary(systems=[SystemResult(system="a", strata=[decided], judged=by_judge)])
    ).better.text
    assert told == (
        "a: 0.00 [0.00, 0.79] of 1 checked output passes; 3 unchecked. "
        "0.00 to 0.75 if the 3 unchecked outputs failed or passed."
    )


def test_one_system_is_told_with_its_rate_its_denominator_and_what_is_ungraded():
    told = answers(RunSummary(systems=systems("a"))).better.text
    assert told == "a: 0.50 [0.40, 0.60] of 60 checked outputs pass."
    whole = StratumRate(name=ALL_UNCORRECTED, n=90, of=100, value=0.5, low=0.4, high=0.6, bounds=(0.45, 0.55))
    told = answers(RunSummary(systems=systems("a", overall=whole))).better.text
    assert told == (
        "a: 0.50 [0.40, 0.60] of 90 outputs pass, judged ones uncorrected. "
        "0.45 to 0.55 if the 10 ungraded outputs failed or passed."
    )
    corrected = msgspec.structs.replace(whole, name=ALL_CORRECTED)
    told = answers(RunSummary(systems=systems("a", overall=corrected))).better.text
    assert told.startswith("a: 0.50 [0.40, 0.60] of 90 outputs pass, judged ones corrected with labels. ")


@each_row(
    ("found", "word"),
    [
        (panel((0.99, 0.95), (0.97, 0.91)), "both error rates below 10 %"),
        (panel((0.99, 0.95), (0.97, 0.89)), "needs more labels"),
        (panel((0.6, 0.5), (0.97, 0.91), tpr_high=0.7), "errs too often"),
        (panel((0.6, 0.5), (0.97, 0.91), tpr_high=0.7, bias=(-0.3, -0.1)), "biased"),
        (panel((0.6, 0.5), (0.97, 0.91), tpr_high=0.7, bias=(-0.3, 0.1)), "errs too often"),
        (panel((0.99, 0.95), (0.97, 0.89), bias=(0.01, 0.1)), "biased"),
        (panel((0.99, 0.95), (0.97, 0.91), balanced=0.5, high=0.59), "no better than chance"),
        (panel((0.99, 0.95), (0.97, 0.91), balanced=0.5, high=0.6), "not shown to be better"),
        (panel((0.99, 0.95), (0.97, 0.91), balanced=0.5, high=0.75), "not shown to be better"),
        (panel((0.99, 0.95), (0.97, 0.91), balanced=0.5, high=0.85), "needs more labels"),
        (JudgeCalibration(n=5, tp=5), "needs more labels"),
        (JudgeCalibration(), "no labels"),
    ],
)
def test_the_verdict_on_a_judge_follows_from_the_ends_of_its_rates(found: JudgeCalibration, word: str):
    told = answers(
        RunSummary(systems=systems("a"), judges=judged("j"), calibration=Calibration(judges={"j": found}))
    )
    assert [trust.word for trust in told.trust] == [word]


@each_row(
    ("on_b", "differ", "word", "ending"),
    [
        (panel((0.99, 0.95), (0.97, 0.91)), False, "both error rates below 10 %", "good ones"),
        (panel((0.99, 0.95), (0.8, 0.6)), False, "needs more labels", "are not shown to be below 10 % on b"),
        (panel((0.6, 0.5), (0.97, 0.91), tpr_high=0.7), False, "needs more labels", "below 10 % on b"),
        (panel((0.6, 0.5), (0.97, 0.91), tpr_high=0.7), True, "errs too often", "it errs too often on b"),
        (JudgeCalibration(), False, "needs more labels", "are not shown to be below 10 % on b"),
    ],
)
def test_error_rates_are_below_10_percent_only_if_they_are_on_each_system(
    on_b: JudgeCalibration, differ: bool, word: str, ending: str
):
    good = panel((0.99, 0.95), (0.97, 0.91))
    uneven = HomogeneityTest(p=0.001, groups=2, undefined=None, holm_p=0.002)
    calibration = Calibration(
        judges={"j": good},
        slices={"system": {"a": {"j": good}, "b": {"j": on_b}}},
        homogeneity={"system": {"j": {"true_negative_rate": uneven}}} if differ else {},
    )
    (told,) = answers(RunSummary(systems=systems("a"), judges=judged("j"), calibration=calibration)).trust
    assert told.word == word
    assert told.why.endswith(ending)


@each_row(
    ("found", "told"),
    [
        ([(-0.09, -0.03)], "The judge passes 6 points fewer than labels do, on these labels (rates uncorrected)."),
        ([(0.002, 0.006)], "The judge passes 0.4 points more than labels do, on these labels (rates uncorrected)."),
        (
            [(0.005, 0.015), (0.04, 0.08), (-0.4, -0.2)],
            ("2 of 3 judges pass 1 to 6 points more than labels do, on these labels (rates uncorrected); "
            "1 passes 30 points fewer (rates uncorrected)."),
        ),
    ],
)  # fmt: skip
def test_a_judge_is_off_these_labels_unless_they_are_of_all_outputs_or_a_random_sample(
    found: list[tuple[float, float]], told: str
):
    names = "jkl"[: len(found)]
    panels = {
        name: panel((0.95, 0.85), (0.97, 0.91), bias=bias, declared=None)
        for name, bias in zip(names, found, strict=True)
    }
    summary = RunSummary(systems=systems("a"), judges=judged(*names), calibration=Calibration(judges=panels))
    assert answers(summary).trusted == told


def test_verdicts_on_several_judges_need_intervals_that_hold_for_all_at_once():
    alone = msgspec.structs.replace(panel((0.99, 0.95), (0.97, 0.91), bias=(0.02, 0.04)), rates_at_once={})
    for names, words in (("j", ["both error rates below 10 %"]), ("jk", ["needs more labels"] * 2)):
        calibration = Calibration(judges=dict.fromkeys(names, alone))
        found = RunSummary(systems=systems("a"), judges=judged(*names), calibration=calibration)
        assert [trust.word for trust in answers(found).trust] == words


def test_few_labels_never_get_a_worse_word():
    few = panel((0.6, 0.5), (0.97, 0.91), tpr_high=0.7, bias=(-0.3, -0.1), balanced=0.4, high=0.7)
    statistics = {name: msgspec.structs.replace(each, n=9) for name, each in few.statistics.items()}
    few = msgspec.structs.replace(few, n=18, tp=5, fn=4, fp=0, tn=9, statistics=statistics)
    better = {**statistics, "balanced_accuracy": Statistic(value=0.8, low=0.6, high=0.9, n=18)}
    for found in (few, msgspec.structs.replace(few, statistics=better)):
        calibration = Calibration(judges={"j": found})
        (told,) = answers(RunSummary(systems=systems("a"), judges=judged("j"), calibration=calibration)).trust
        assert told.word == "needs more labels"


def test_what_is_next_is_the_first_thing_that_would_narrow_the_answer():
    open_part = StratumRate(name=OPEN, by="j", n=70, of=70, value=0.5)
    unjudged = StratumRate(name=UNJUDGED, n=0, of=9)
    calibration = Calibration(
        judges={"j": panel((0.99, 0.95), (0.97, 0.91)), "k": panel((0.99, 0.95), (0.97, 0.89))},
        cautions=[Caution("another_threshold", {"j": 0.7})],
        suspected_label_errors=[
            SuspectedLabel(item_id="i", label=1.0, contradicted_by=["j", "k"], agreed_by=[], evidence=3.0)
        ],
    )
    without_better_threshold = Calibration(
        judges=calibration.judges, suspected_label_errors=calibration.suspected_label_errors
    )
    certified = Calibration(judges=calibration.judges)
    one, judges = systems("a"), judged("j", "k")
    steps = [
        (
            RunSummary(
                systems=systems("a", strata=[unjudged, open_part]),
                judges=judged("j", failed=2),
                command="fiducial run X",
            ),
            "fiducial run X",
        ),
        (
            RunSummary(
                systems=systems("a", strata=[unjudged], unjudged={"open_answer": 9}), command="fiducial run X"
            ),
            "fiducial run X --judge rubric --model gpt-4.1-mini",
        ),
        (
            RunSummary(systems=systems("a", strata=[open_part]), judges=judges, folder="R"),
            "fiducial review R",
        ),
        (RunSummary(systems=systems("a", "b"), compared=compared("a", "b")), "fiducial plan --difference 0."),
        (
            RunSummary(systems=one, judges=judges, calibration=calibration, command="fiducial run X"),
            "fiducial run X --pass-at j=0.7",
        ),
        (
            RunSummary(systems=one, judges=judges, calibration=without_better_threshold),
            "fiducial review RUN --of suspects",
        ),
        (RunSummary(systems=one, judges=judges, calibration=certified), "fiducial audit certify RUN --by j"),
        (RunSummary(systems=one), ""),
    ]
    for found, command in steps:
        assert answers(found).next.command.startswith(command)
        assert bool(answers(found).next.command) == bool(command)


def test_judges_whose_rates_labels_should_correct_are_counted_by_what_is_wrong():
    calibration = Calibration(
        judges={
            "j": panel((0.6, 0.5), (0.97, 0.91), tpr_high=0.7),
            "k": panel((0.6, 0.5), (0.97, 0.91), tpr_high=0.7),
            "l": panel((0.6, 0.5), (0.97, 0.91), bias=(-0.3, -0.1)),
        }
    )
    found = RunSummary(systems=systems("a"), judges=judged(*"jkl"), calibration=calibration)
    assert (
        answers(found).trusted
        == "1 of 3 judges is biased (rates uncorrected); 2 err too often (rates uncorrected)."
    )


def test_a_correction_by_labels_of_some_outputs_has_its_condition():
    whole = StratumRate(name=ALL_CORRECTED, n=90, of=90, value=0.5, low=0.4, high=0.6)
    for labelled, conditional in ((20, True), (40, False)):
        (use,) = judged("j")
        use = replace(use, undecided=40, undecided_labelled=labelled)
        told = answers(RunSummary(systems=systems("a", overall=whole), judges=[use])).better.text
        assert told.startswith("a: 0.50 [0.40, 0.60] of 90 outputs pass, judged ones corrected with labels")
        assert ("(valid if the labelled outputs are a random sample)" in told) == conditional


@pytest.mark.parametrize(
    ("missing", "outcomes", "which"),
    [
        (1, {"missing": 1}, "the missing output"),
        (1, {"ungraded": 1}, "the ungraded output"),
        (3, {"missing": 1, "ungraded": 2}, "the 3 ungraded outputs"),
    ],
)
def test_a_range_names_the_outputs_that_it_is_about(missing: int, outcomes: dict[str, int], which: str):
    whole = StratumRate(
        name=ALL, n=7, of=7 + missing, value=0.5, low=0.4, high=0.6, bounds=(0.4, 0.6), outcomes=outcomes
    )
    told = answers(RunSummary(systems=systems("a", overall=whole))).better.text
    assert told.endswith(f". 0.40 to 0.60 if {which} failed or passed.")


FEW_GROUPS = "note: few independent groups: intervals may be too narrow"


def test_a_comparison_of_systems_on_few_groups_is_said_to_be_one():
    for items, few in ((19, True), (20, False)):
        found = RunSummary(systems=systems("a", "c"), compared=compared("a", "c", items=items))
        lines = list(as_lines(run_document(found), width=80))
        assert (f"{FEW_GROUPS} (comparison)" in lines) == few


def test_few_groups_of_judges_and_of_the_comparison_share_a_line():
    found = RunSummary(
        systems=systems("a", "c"),
        judges=judged("j"),
        calibration=Calibration(
            judges={"j": panel((0.99, 0.95), (0.97, 0.89))}, cautions=[Caution("few_clusters", {"j": 7})]
        ),
        compared=compared("a", "c", items=12),
    )
    lines = " ".join(as_lines(run_document(found), width=200))
    assert lines.count(FEW_GROUPS) == 1
    assert f"{FEW_GROUPS} (1 judge, comparison)" in lines


def next_of(*, rows: int) -> str:
    """Return the next command after two systems that differ on every third of 60 cases."""
    found = [
        {
            "item_id": f"i{n}|{name}|0",
            "judge": "j",
            "system": name,
            "score": None,
            "checker_score": float(n % 3 > 0) if name == "a" else float(n % 3 != 1),
            "cluster": str(n // rows),
        }
        for name in "ab"
        for n in range(60)
    ]
    compared_ = compare(table_from_rows(found), by="system")
    return answers(RunSummary(systems=systems("a", "b"), compared=compared_)).next.command


def test_cases_are_planned_for_a_difference_that_matters_and_for_the_clusters_of_the_run():
    assert next_of(rows=1) == "fiducial plan --difference 0.05 --discordant 0.67"
    assert next_of(rows=5).startswith(
        "fiducial plan --difference 0.05 --discordant 0.67 --rows-per-cluster 5 --icc 0.0"
    )


def test_labels_are_asked_for_where_they_limit_a_difference():
    rows = labels_of(*"abcd", cases=1_500)
    rows = [row for row in rows if row["system"] in "ab"]
    found = compare(table_from_rows(rows), by="system", labels_chosen_by="random")
    told = answers(RunSummary(systems=systems("a", "b"), compared=found)).next
    assert told.text.startswith("Label ")
    assert told.text.endswith(" more outputs to tell a and b apart, if they differ by 0.05:")
    assert told.command.startswith("fiducial review")


def test_labels_are_asked_for_where_judges_of_several_systems_are_not_corrected():
    told = answers(RunSummary(systems=systems("a", "c"), compared=compared("a", "c", judged=1.0))).next
    assert told.text.startswith("Label the 40 judged outputs")


def test_what_a_judge_alone_was_asked_about_wants_labels_until_there_are_some():
    alone = StratumRate(name=JUDGED, by="j", n=80, of=80, value=0.9, low=0.8, high=0.95)
    found = RunSummary(systems=[SystemResult(system="a", strata=[alone])], judges=judged("j"), folder="run")
    told = answers(found).next
    assert told.text.startswith("Label 50 of the 80 judged outputs")
    assert told.command == "fiducial review run"
    labelled = replace(found, calibration=Calibration(judges={"j": panel((0.99, 0.95), (0.97, 0.91))}))
    assert "Label" not in answers(labelled).next.text


def adjudicated(*, judge_right: int, left: int) -> Adjudication:
    apart = ReviewedRows(rows=9, judge_right=judge_right, judge_wrong=9 - judge_right - left)
    rates = {name: Statistic(value=1.0, n=5) for name in ("true_positive_rate", "true_negative_rate")}
    ways = dict.fromkeys(("as_labelled", "adjudicated", "lowest", "highest", "corrected"), rates)
    by = Adjudicators(people={"ann": 9 - left}, models={}, items=9 - left)
    judge = AdjudicatedJudge(disagreements=apart, agreements=ReviewedRows(rows=20), label_errors={}, **ways)
    return Adjudication(by=by, faults={}, judges={"j": judge})


@pytest.mark.parametrize(
    ("decided", "command"),
    [
        (adjudicated(judge_right=2, left=3), "fiducial labels export RUN --out patch.jsonl"),
        (adjudicated(judge_right=0, left=3), "fiducial review RUN --of suspects"),
        (adjudicated(judge_right=0, left=0), "fiducial audit certify RUN"),
    ],
)
def test_labels_that_were_found_wrong_are_to_be_corrected_and_what_was_decided_is_not_asked_again(
    decided: Adjudication, command: str
):
    calibration = Calibration(
        judges={"j": panel((0.99, 0.95), (0.97, 0.91)), "k": panel((0.99, 0.95), (0.97, 0.89))},
        suspected_label_errors=[
            SuspectedLabel(item_id="i", label=1.0, contradicted_by=["j", "k"], agreed_by=[], evidence=3.0)
        ],
        adjudication=decided,
    )
    told = answers(RunSummary(systems=systems("a"), judges=judged("j", "k"), calibration=calibration))
    assert told.next.command.startswith(command)
    why = {trust.judge: trust.why for trust in told.trust}
    assert "adjudicated by people: of 9 disagreements the judge is right in" in why["j"]
    assert "adjudicated" not in why["k"]


def test_why_a_judge_never_answered_is_said_where_the_command_is_proposed_again():
    failed = JudgeUse(
        name="j", fingerprint="f", outcomes={"failed": 2}, reasons={"failed": {"HTTP 404: no such model": 2}}
    )
    told = answers(RunSummary(systems=systems("a"), judges=[failed], command="fiducial run X")).next
    assert "Fix this first: HTTP 404: no such model. Then the same command" in told.text
    textless = replace(failed, outcomes={"failed": 2, "not_applicable": 1})
    told = answers(RunSummary(systems=systems("a"), judges=[textless], command="fiducial run X")).next
    assert "Fix this first: HTTP 404" in told.text
    answered = replace(failed, outcomes={"failed": 2, "graded": 1})
    assert (
        "HTTP 404"
        not in answers(
            RunSummary(systems=systems("a"), judges=[answered], command="fiducial run X")
        ).next.text
    )


def test_failed_calls_are_made_before_missing_outputs_are_generated():
    both = RunSummary(
        systems=systems("a", missing=16), judges=judged("j", failed=2), command="fiducial run c --out r"
    )
    assert answers(both).next.text.startswith("2 verdicts missing")


def use(name: str, reasons: dict[Outcome, dict[str, int]], graded: int = 0) -> JudgeUse:
    outcomes: dict[Outcome, int] = {outcome: sum(told.values()) for outcome, told in reasons.items()}
    return JudgeUse(
        name=name,
        fingerprint=name,
        outcomes={**outcomes, **({"graded": graded} if graded else {})},
        reasons=reasons,
    )


def printed(*judges: JudgeUse) -> list[str]:
    return list(
        as_lines(
            run_document(RunSummary(systems=systems("a"), judges=judges, command="fiducial run X")),
            width=9999,
        )
    )


def test_the_reason_beside_an_outcome_is_of_that_outcome():
    told = printed(use("j", {"failed": {"HTTP 500": 2}, "unparsable": {"no score in it": 3}}, graded=1))
    assert "note: j: 2 failed: HTTP 500; 3 unparsable: no score in it" in told


def test_why_no_judge_answered_comes_first_and_whole():
    why = "HTTP 401: " + "the key sk-... is not known to this endpoint, see the manual; " * 4
    assert printed(use("j", {"failed": {why: 3}}), use("k", {"failed": {why: 3}}))[0] == (
        f"note: No judge answered: {why}."
    )


def test_why_no_judge_answered_keeps_its_question_mark():
    told = printed(use("j", {"failed": {"the address answers with a page; is it the endpoint's?": 3}}))
    assert told[0] == "note: No judge answered: the address answers with a page; is it the endpoint's?"


def test_why_no_judge_answered_stands_once_on_a_screen():
    why = "the connection failed: Connection refused."
    told = printed(use("j", {"failed": {why: 3}}), use("k", {"failed": {why: 2, "HTTP 500": 1}}))
    assert [line for line in told if "refused" in line] == [f"note: No judge answered: {why}"]
    assert any(
        line.endswith("Fix the reason above; then the same command retries only these.") for line in told
    )
    assert "note: 2 judges: 3 failed" in told
    other = printed(use("j", {"failed": {why: 3}}), use("k", {"failed": {"HTTP 500": 3}}))
    assert sum("refused" in line for line in other) == 1
    assert "note: k: 3 failed: HTTP 500" in other


def test_a_judge_that_did_not_answer_is_named_where_others_did():
    told = printed(use("j", {}, graded=2), use("k", {"failed": {"HTTP 404: no such model": 3}}))
    assert told[0] == "note: k did not answer: HTTP 404: no such model."


def test_people_who_contradict_the_checker_are_counted_beside_its_rate():
    counts = Counts(outputs=60, graded=60, checked_labelled=12, failed_labelled_good=6, passed_labelled_bad=1)
    summary = RunSummary(systems=systems("a"), counts=counts)
    told = "\n".join(as_lines(run_document(summary), width=200))
    assert "note: people contradict the checker on 7 of 12 labelled outputs, 6 that it failed and 1 that it passed: correct the references or the labels" in told  # fmt: skip
    agreeing = replace(summary, counts=Counts(outputs=60, graded=60, checked_labelled=12))
    assert "contradict" not in "\n".join(as_lines(run_document(agreeing)))


def test_a_cost_without_that_of_a_judge_says_so():
    priced = JudgeUse(name="j", fingerprint="f", outcomes={}, calls=10, cost=0.25)
    unpriced = JudgeUse(name="k", fingerprint="g", outcomes={}, calls=5)
    (line,) = _cost_line([priced, unpriced])
    assert line.endswith(", $0.2500 and the cost of 1 judge without a price")
    assert "without" not in next(iter(_cost_line([priced])))


def test_twenty_systems_with_long_names_fit_on_a_screen_with_their_bars():
    topics = ("support", "billing", "returns", "travel", "legal")
    names = [f"mistral-large-2411-fine-tuned-{topic}-desk-v{n}" for topic in topics for n in range(4)]
    whole = StratumRate(name=ALL_UNCORRECTED, n=180, of=180, value=0.49, low=0.4, high=0.6)
    part = StratumRate(name=JUDGED, n=120, of=120, value=0.1, low=0.0, high=0.2)
    many = systems(
        *names, overall=whole, judged=part, faults={"wrong_value": 5, "no_call": 4, "extra_call": 3}
    )
    uses = judged(*(f"judge_{n}/reasons@m" for n in range(9)))
    pieces = run_document(RunSummary(systems=many, judges=uses))
    lines = list(as_lines(pieces, width=80))
    assert len(lines) <= 23
    assert max(map(len, lines)) <= 80
    (table, judges) = (piece for piece in pieces if isinstance(piece, DocumentTable))
    assert all("o" in str(getattr(row[1], "plain", "")) for row in table.rows)
    assert len({str(row[0]) for row in table.rows}) == len(table.rows) >= 3
    assert len(judges.rows) >= 1


def test_that_no_call_was_made_is_left_out_before_a_judge_is():
    free = [replace(use, from_cache=5) for use in judged(*(f"judge_{n}@m" for n in range(25)))]
    run = RunSummary(systems=systems("a", "b", "c"), judges=free)
    for room in (40, 23):
        lines = list(as_lines(run_document(run, room), width=80))
        assert len(lines) <= room
        assert any("0 calls" in line for line in lines) == (room == 40)
