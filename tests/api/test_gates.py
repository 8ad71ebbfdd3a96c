"""Gates: what they count, and what they leave out."""

from __future__ import annotations

import msgspec
import pytest
from each_row import each_row
from msgspec.structs import replace

from fiducial.api.gates import gate_notes, parse_run_gates, parse_trial_gates, run_gate_failures
from fiducial.calibration import Statistic
from fiducial.errors import UsageError
from fiducial.evaluation.conclusion.run_results import (
    ALL_UNCORRECTED,
    DECIDED,
    StratumRate,
    SystemResult,
    UnevenTrials,
)
from fiducial.evaluation.conclusion.run_summary import RunSummary
from fiducial.evaluation.store.manifest import Counts

CHECKED = StratumRate(name=DECIDED, n=7, of=12, value=1.0, low=0.65, high=1.0)
WHOLE = StratumRate(name=ALL_UNCORRECTED, n=12, of=12, value=0.83, low=0.55, high=0.95)


def summary(overall: StratumRate | None = WHOLE) -> RunSummary:
    return RunSummary(systems=[SystemResult(system="a", strata=[CHECKED], overall=overall)])


def test_a_gate_on_all_outputs_counts_judged_ones():
    assert run_gate_failures({"overall": 0.95}, None, summary()) == [
        "gate failed: a: overall 0.8300 [0.5500, 0.9500] (n 12) is below 0.95; lower end: `fiducial gate RUN --min overall=0.95`"
    ]
    assert run_gate_failures({"pass_rate": 0.95}, None, summary()) == []


@each_row(
    ("gates", "min_graded", "beside"),
    [
        ({"overall": 0.95}, None, ["--min overall=0.95"]),
        ({"overall": 0.95}, 0.9, ["--min overall=0.95", "--min overall=0.95"]),
        ({}, 0.9, ["--min overall=RATE"]),
        ({"overall": 1.5}, None, [None]),
    ],
)
def test_a_gate_that_fails_names_the_one_that_tests_the_lower_end(
    gates: dict[str, float], min_graded: float | None, beside: list[str | None]
):
    counted = replace(summary(), counts=Counts(outputs=4, graded=3))
    lines = run_gate_failures(gates, min_graded, counted, run="my run")
    for line, minimum in zip(lines, beside, strict=True):
        assert ("--min" in line) == (minimum is not None)
        assert minimum is None or f"`fiducial gate 'my run' {minimum}`" in line


def test_a_gate_is_reached_by_the_mean_that_it_is():
    mean = StratumRate(name=ALL_UNCORRECTED, n=3, of=3, value=sum([0.7] * 3) / 3)
    assert run_gate_failures({"overall": 0.7}, None, summary(mean)) == []
    assert len(run_gate_failures({"overall": 0.7001}, None, summary(mean))) == 1


def test_a_gate_holds_at_the_value_that_it_names():
    assert run_gate_failures({"overall": 0.83, "pass_rate": 1.0}, None, summary()) == []
    counted = msgspec.structs.replace(summary(), counts=Counts(outputs=4, graded=3))
    assert run_gate_failures({}, 0.75, counted) == []
    assert len(run_gate_failures({"overall": 0.8301}, 0.7501, counted)) == 2


def test_a_gate_on_checked_outputs_says_what_it_leaves_out():
    told = "gate: pass_rate of a counts 7 of 12 outputs; `overall` counts judged ones too"
    assert list(gate_notes({"pass_rate": 0.95}, summary())) == [told]
    assert list(gate_notes({"pass_rate": 0.95, "overall": 0.9}, summary())) == []


def test_a_rate_of_all_outputs_that_is_undefined_fails_its_gate():
    left = StratumRate(name=ALL_UNCORRECTED, n=7, of=12, value=None, undefined="5 of 12 outputs are ungraded")
    for overall in (None, left):
        [failure] = run_gate_failures({"overall": 0.1}, None, summary(overall))
        assert failure.startswith("gate failed: a: overall is undefined (")


def test_a_rate_of_cases_with_unequal_trials_fails_its_gate():
    by_case = Statistic(value=0.5, low=0.2, high=0.8, n=10)
    trials = UnevenTrials(cases=10, outputs=155, fewest=1, most=30, by_case=by_case)
    [failure] = run_gate_failures({"overall": 0.1}, None, summary(replace(WHOLE, trials=trials)))
    assert failure.startswith(
        "gate failed: a: overall 0.8300 is not gated: cases have unequal numbers of trials"
    )
    assert "0.50 [0.20, 0.80] (10 cases, 155 outputs, 1 to 30 trials each)" in failure


def test_a_gate_on_trials_names_the_command_that_takes_it():
    with pytest.raises(UsageError, match=r"`fiducial trials RUN --fail-under pass\^4=0\.5`"):
        parse_run_gates(["pass^4=0.5"])
    assert parse_trial_gates(["pass^4=0.5"]) == {"pass^4": 0.5}


def test_a_missing_case_weighs_as_much_as_one_with_several_trials():
    system = SystemResult(system="a", strata=[CHECKED], overall=WHOLE, missing=3)
    alike, weighed = (
        list(gate_notes({"overall": 0.1}, RunSummary(systems=[result])))
        for result in (system, replace(system, graded_weight=3.0, withheld_weight=0.0))
    )
    assert "overall 0.6640 with 3 missing as failures" in alike[0]
    assert "overall 0.4150 with 3 missing as failures" in weighed[0]
