"""Systems on the first screen, and names that stand side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from each_row import each_row
from found_results import judged, panel, systems
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fiducial.calibration.agreement.calibration_results import Calibration
from fiducial.calibration.statistic import Statistic
from fiducial.evaluation.conclusion.run_results import (
    ALL_CORRECTED,
    ALL_UNCORRECTED,
    CORRECTED,
    DECIDED,
    JUDGED,
    ONE_EACH_CORRECTED,
    OPEN,
    StratumRate,
    SystemResult,
)
from fiducial.evaluation.conclusion.run_summary import RunSummary
from fiducial.report.document import as_lines, as_markdown
from fiducial.report.document_parts import DocumentTable
from fiducial.report.first_answers import answers, run_document
from fiducial.report.text.judges_text import judges_table
from fiducial.report.text.one_screen import SCREEN, clipped, fitted_table
from fiducial.report.text.systems_text import rate_notes, systems_document


@pytest.mark.parametrize(("number", "hidden"), [(7, "1 more system"), (9, "3 more systems")])
def test_hidden_systems_are_counted_with_their_noun(number: int, hidden: str):
    assert list(as_lines(systems_document(systems(*"abcdefghi"[:number]), [])))[-1] == hidden


@given(st.text("abcd ,:-", max_size=200))
def test_a_clipped_text_fits(text: str):
    assert len(clipped(text, 40).encode("ascii", "replace")) <= 40


def test_ungraded_outputs_are_counted_zero_included():
    whole = StratumRate(name=ALL_UNCORRECTED, n=58, of=60, value=0.5, low=0.4, high=0.6, bounds=(0.48, 0.52))
    rest = StratumRate(name=OPEN, by="j", n=20, of=20, value=0.4, low=0.2, high=0.6)
    head, *lines = as_lines(systems_document(systems("a", overall=whole, strata=[rest]), judged("j")))
    assert head.endswith("n  ungraded")
    assert [line.split()[-1] for line in lines[:3]] == ["2", "0", "0"]
    assert lines[-1] == "* uncorrected: fewer than two labels of these outputs"


def test_several_systems_have_their_worst_and_best_case_with_failed_calls():
    whole = StratumRate(name=ALL_UNCORRECTED, n=58, of=60, value=0.5, low=0.4, high=0.6, bounds=(0.48, 0.52))
    graded = replace(whole, n=60, bounds=None)
    rest = StratumRate(name=OPEN, by="j", n=20, of=20, value=0.4, low=0.2, high=0.6)
    found = systems("a", "b", overall=whole, strata=[rest], failed_calls=1)
    found[1] = replace(found[1], overall=graded, failed_calls=0)
    lines = [*as_lines(systems_document(found, judged("j")))]
    assert "If all ungraded outputs failed or passed: a 0.48 to 0.52 (1 of 2 by failed calls)." in lines


def test_a_missing_rate_of_all_outputs_has_its_reason():
    whole = StratumRate(name=ALL_CORRECTED, n=8, of=12, undefined="only 8 of 12 undecided outputs are graded")
    rest = StratumRate(name=OPEN, by="j", n=8, of=12, value=0.4, low=0.2, high=0.6)
    corrected = StratumRate(
        name=CORRECTED, by="j", n=8, of=8, value=0.4, low=0.2, high=0.6, declared="random"
    )
    lines = [*as_lines(systems_document(systems("a", overall=whole, strata=[rest, corrected]), judged("j")))]
    assert lines[-1] == "no rate of all outputs: only 8 of 12 undecided outputs are graded"


def test_a_correction_by_labels_of_some_outputs_has_its_condition_below_the_table():
    whole = StratumRate(name=ALL_CORRECTED, n=20, of=20, value=0.5, low=0.4, high=0.6)
    judged_part = StratumRate(name=ONE_EACH_CORRECTED, n=20, of=20, value=0.4, low=0.2, high=0.6)
    found = systems("a", "b", overall=whole, judged=judged_part)
    for labelled, condition in ((9, " (valid if the labelled outputs are a random sample)"), (20, "")):
        (use,) = judged("j")
        use = replace(use, undecided=20, undecided_labelled=labelled)
        last = list(as_lines(systems_document(found, [use]), width=200))[-1]
        assert last == f"* undecided by checkers, judged, corrected with labels{condition}"


def test_systems_of_a_run_without_checkers_are_not_said_to_be_undecided_by_them():
    whole = StratumRate(name=ALL_UNCORRECTED, n=20, of=20, value=0.5, low=0.4, high=0.6)
    own = StratumRate(name=JUDGED, by="j", n=20, of=20, value=0.5, low=0.4, high=0.6)
    found = [SystemResult(system=name, strata=[own], overall=whole, judged=own) for name in "ab"]
    assert list(as_lines(systems_document(found, judged("j"))))[-1] == "* judged, uncorrected"


def test_a_note_on_a_rate_names_its_judges_and_its_systems_unless_it_applies_to_all():
    def rates(*judges: str) -> list[StratumRate]:
        return [
            StratumRate(name=OPEN, by=judge, n=1, of=1, value=1.0, note="uncorrected") for judge in judges
        ]

    both = [*systems("a", strata=rates("j")), *systems("b", strata=rates("j", "k"))]
    assert list(rate_notes(both)) == ["j, k: uncorrected"]
    assert list(rate_notes([*both, *systems("c")])) == ["j, k (a, b): uncorrected"]
    assert list(rate_notes(systems("a", strata=rates(*"jklm")))) == ["4 judges: uncorrected"]


def test_labels_that_cannot_correct_a_judge_are_not_said_to_be_missing():
    whole = StratumRate(name=ALL_CORRECTED, n=20, of=20, value=0.5, low=0.4, high=0.6)
    rest = StratumRate(name=OPEN, by="j", n=20, of=20, value=0.4, low=0.2, high=0.6)
    chosen = StratumRate(name=CORRECTED, by="j", n=9, of=20, undefined="they are scored unlike the others")
    lines = [*as_lines(systems_document(systems("a", overall=whole, strata=[rest, chosen]), judged("j")))]
    assert lines[-1] == "* uncorrected: labels that are not a random sample of these outputs"


_IF_RANDOM = Statistic(value=0.6, low=0.4, high=0.8, n=28)


@each_row(
    ("overall", "why"),
    [
        (
            {"name": ALL_CORRECTED, "declared": "every_output"},
            "a judge's own rate; labels correct that of all outputs",
        ),
        ({"if_random": _IF_RANDOM}, "labels that may be no random sample of these outputs"),
        ({"declared": "score"}, "labels that are not a random sample of these outputs"),
        ({"declared": "random"}, "fewer than two labels of these outputs"),
        ({}, "fewer than two labels of these outputs"),
    ],
)
def test_a_judges_own_rate_says_why_labels_do_not_correct_it(overall: Mapping[str, Any], why: str):
    whole = replace(StratumRate(name=ALL_UNCORRECTED, n=56, of=56, value=0.6, low=0.5, high=0.7), **overall)
    own = StratumRate(name=JUDGED, by="j", n=56, of=56, value=0.66, low=0.53, high=0.77)
    lines = [*as_lines(systems_document(systems("a", overall=whole, strata=[own]), judged("j")))]
    assert lines[-1] == f"* uncorrected: {why}"


@each_row("overall", [ALL_CORRECTED, ALL_UNCORRECTED, None])
@each_row("checked", [0, 60])
@each_row("judged_n", [0, 20])
def test_a_mark_in_the_head_has_its_note_and_a_note_its_mark(
    overall: str | None, checked: int, judged_n: int
):
    def rate(name: str, n: int) -> StratumRate:
        value = 0.5 if n else None
        return StratumRate(name=name, n=n, of=80, value=value, low=value, high=value)

    found = [
        SystemResult(
            system=name,
            strata=[rate(DECIDED, checked)],
            overall=None if overall is None else rate(overall, checked + judged_n),
            judged=rate(OPEN, judged_n),
        )
        for name in "ab"
    ]
    head, *lines = as_lines(systems_document(found, judged("j")))
    assert ("*" in head) == any(line.startswith("* ") for line in lines) == bool(judged_n)


def test_every_judge_of_one_system_has_a_row():
    whole = StratumRate(name=ALL_UNCORRECTED, n=60, of=60, value=0.5, low=0.4, high=0.6)
    rests = [
        StratumRate(name=OPEN, by=by, n=20, of=20, value=0.4, low=0.2, high=0.6) for by in ("j@m", "k@m")
    ]
    lines = list(as_lines(systems_document(systems("a", overall=whole, strata=rests), judged("j@m", "k@m"))))
    assert [line.split()[0] for line in lines[1:5]] == ["all", "checked", "j*", "k*"]


def test_judges_alike_share_a_row_and_the_rest_gives_way():
    names = ["calls/short@m", "calls/long@m", "answers/short@m", "files/short@m", "webs/short@m"]
    calibration = Calibration(judges=dict.fromkeys(names, panel((0.99, 0.95), (0.97, 0.91))))
    trust = answers(RunSummary(systems=systems("a"), judges=judged(*names), calibration=calibration)).trust
    lines = list(as_lines(judges_table(trust, most=3)))
    assert lines[0].split() == ["judge", "(m)", "let", "through", "rejected", "at", "worst", "verdict"]
    assert [line.split()[0] for line in lines[1:]] == ["calls", "answers/short", "2"]
    assert lines[1].split()[1] == "x2"
    assert lines[-1] == "2 more judges: both below 10 %"


def test_many_systems_and_judges_fit_a_screen():
    names = [f"judge-{number}/v@m" for number in range(30)]
    found = RunSummary(
        systems=systems(*map("system-{}".format, range(30))), judges=judged(*names), command="X"
    )
    lines = list(as_lines(run_document(found), width=80))
    assert len(lines) < SCREEN
    assert all(len(line) <= 80 for line in lines)


def test_names_that_begin_alike_stay_apart_in_a_narrow_table():
    names = ["web_search_answer/reasons", "web_search_answer/lexical"]
    table = DocumentTable(("", "rate"), [(name, "0.50 [0.40, 0.60]" * 4) for name in names], indent=0)
    shown = [str(row[0]) for row in fitted_table(table, columns=90).rows]
    assert shown == ["web_searc.../reasons", "web_searc.../lexical"]


def test_a_judge_that_graded_nothing_has_no_mark_and_no_note_and_a_plot_is_no_column_of_markdown():
    nothing = StratumRate(name=OPEN, by="j", n=0, of=20, undefined="nothing was graded")
    found = list(systems_document(systems("a", strata=[nothing]), judged("j")))
    assert "*" not in "\n".join(as_lines(found))
    head = next(line for line in as_markdown(found) if line.startswith("|"))
    assert head == "|  | pass rate | n | ungraded |"


def test_a_hidden_character_in_a_name_moves_no_column():
    rows = [("sys\u202etem", "1"), ("b", "2")]
    *_, first, second = as_lines([DocumentTable(("", "n"), rows)])
    assert "\\u202e" in first
    assert len(first) == len(second)


def test_a_system_without_checked_outputs_has_no_row_of_them():
    checked = StratumRate(name=DECIDED, n=0, of=3, outcomes={"undecided": 3}, undefined="nothing was graded")
    judged = StratumRate(name=OPEN, by="j", n=3, of=3, value=1.0, low=0.4, high=1.0)
    lines = list(as_lines(systems_document([SystemResult(system="a", strata=[checked, judged])], [])))
    assert not any("checked outputs" in line for line in lines)
