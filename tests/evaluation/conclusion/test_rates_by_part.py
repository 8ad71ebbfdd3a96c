from __future__ import annotations

import pytest

from fiducial.evaluation.conclusion.rates_by_part import system_results
from fiducial.evaluation.conclusion.run_results import DECIDED, OPEN
from fiducial.evaluation.conclusion.running_counts import Tally
from fiducial.records import Kind, Outcome, Source, Verdict


def verdict(
    number: int, outcome: Outcome = "graded", score: float | None = 1.0, source: Source = "checker"
) -> Verdict:
    by = "ast/bfcl" if source == "checker" else "tool_call_accuracy/direct@m"
    score = score if outcome == "graded" else None
    return Verdict(case_id=str(number), system="s", by=by, source=source, outcome=outcome, score=score)


def test_a_rate_has_its_denominator_what_is_not_graded_and_both_bounds():
    tally = Tally()
    for number in range(10):
        tally.add_checked(verdict(number, score=float(number < 8)), str(number), "tool_call")
    tally.add_checked(verdict(10, "undecided"), "10", "tool_call")
    (result,) = system_results(tally, {"s": 1})
    decided = result.strata[0]
    assert (decided.name, decided.value, decided.n, decided.of) == (DECIDED, 0.8, 10, 12)
    assert (decided.low, decided.high) == pytest.approx((0.4902, 0.9433), abs=5e-5)  # Wilson, as published
    assert decided.outcomes == {"undecided": 1, "missing": 1}
    assert decided.bounds == pytest.approx((8 / 12, 10 / 12))


def test_dependent_cases_widen_the_interval():
    alone, together = Tally(), Tally()
    for number in range(40):
        score = float(number % 8 < 4)
        alone.add_checked(verdict(number, score=score), str(number), "tool_call")
        together.add_checked(verdict(number, score=score), f"cluster {number // 4}", "tool_call")
    (narrow,), (wide,) = (system_results(tally, {"s": 0})[0].strata for tally in (alone, together))
    assert narrow.value == wide.value == 0.5
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low


def test_the_open_part_is_the_judges_rate_and_says_that_it_is_uncorrected():
    tally = Tally()
    tally.add_checked(verdict(0), "0", "tool_call")
    for number in range(1, 5):
        tally.add_checked(verdict(number, "undecided"), str(number), "tool_call")
    tally.add_open(verdict(1, source="judge"), "1")
    tally.add_open(verdict(2, score=0.0, source="judge"), "2")
    tally.add_open(verdict(3, "unparsable", source="judge"), "3")
    (result,) = system_results(tally, {"s": 0})
    opened = result.strata[1]
    assert (opened.name, opened.by, opened.value, opened.n, opened.of) == (
        OPEN,
        "tool_call_accuracy/direct@m",
        0.5,
        2,
        4,
    )
    assert opened.outcomes == {"unparsable": 1, "not judged": 1}
    assert opened.bounds == (0.25, 0.75)
    assert opened.note is not None


def test_an_open_part_nobody_judged_is_undefined_not_zero():
    tally = Tally()
    tally.add_checked(verdict(0, "undecided"), "0", "tool_call")
    (result,) = system_results(tally, {"s": 0})
    assert [(stratum.value, stratum.undefined) for stratum in result.strata] == [
        (None, "nothing was graded"),
        (None, "no judge was asked"),
    ]


def test_each_judge_answers_for_the_kinds_it_judges_and_the_rest_is_named():
    tally = Tally()
    for number, kind in enumerate(("tool_call", "tool_call", "memory_answer", "open_answer")):
        tally.add_checked(verdict(number, "undecided"), str(number), kind)
    tally.add_open(verdict(0, source="judge"), "0")
    asked = {"tool_call_accuracy/direct@m": {"tool_call"}}
    (result,) = system_results(
        tally, {"s": 0}, judges_kind=lambda judge, kind: kind in asked.get(str(judge), ())
    )
    assert [(stratum.name, stratum.n, stratum.of) for stratum in result.strata] == [
        (DECIDED, 0, 4),
        (OPEN, 1, 2),
        ("open", 0, 2),
    ]


@pytest.mark.parametrize(
    ("recorded", "steps"),
    [({}, {}), ({"tool_call": 1}, {"tool_call": 1}), ({"tool_call": 9, "no_call": 2}, {"tool_call": 3})],
)
def test_of_the_outputs_left_to_judge_at_most_all_record_their_steps(
    recorded: dict[Kind, int], steps: dict[Kind, int]
):
    tally = Tally()
    for number in range(3):
        tally.add_checked(verdict(number, "undecided"), str(number), "tool_call")
    (result,) = system_results(tally, {"s": 0}, recorded={"s": recorded})
    assert (result.unjudged, result.unjudged_steps) == ({"tool_call": 3}, steps)
