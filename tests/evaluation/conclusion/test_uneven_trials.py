"""Cases with unequal numbers of trials: said, with what the rate is by case, and not gated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fiducial as fd
from fiducial.api.gates import run_gate_failures
from fiducial.evaluation.conclusion.run_results import ALL_CORRECTED, ALL_UNCORRECTED, CORRECTED, UnevenTrials
from fiducial.evaluation.conclusion.run_summary import summary_of
from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import Verdict, write_records
from fiducial.report.document import as_html, as_lines
from fiducial.report.text.failures_text import commonest_failures
from fiducial.report.text.summary_text import checked_systems_document, summary_document

CASES = [{"id": f"c{n}", "kind": "memory_answer", "reference": {"answers": ["a"]}} for n in range(10)]
OPEN = [{"id": f"o{n}", "kind": "open_answer", "reference": {"criterion": "Kind."}} for n in range(10)]
EASY = 5


@pytest.fixture(autouse=True, scope="module")
def judge() -> None:
    """Register a judge that passes the easy cases, and one that grades no second trial."""

    def easy(case: fd.Case, _output: fd.Output) -> float:
        return float(int(case.id[1:]) < EASY)

    def gaps(case: fd.Case, output: fd.Output) -> float | None:
        return None if output.trial == 1 else easy(case, output)

    fd.judge_function("easy")(easy)
    fd.judge_function("gaps")(gaps)


def outputs(trials: dict[str, tuple[int, int]], *, prefix: str = "c") -> list[dict[str, Any]]:
    """Return outputs of five easy and five hard cases, with numbers of trials by system."""
    return [
        {"case_id": f"{prefix}{n}", "system": system, "trial": trial, "text": "a" if n < EASY else ""}
        for system, (easy, hard) in trials.items()
        for n in range(10)
        for trial in range(easy if n < EASY else hard)
    ]


def gated(run: fd.Run, *names: str) -> list[str]:
    summary = summary_of(RunStore(run.kept))
    return run_gate_failures(dict.fromkeys(names, 0.1), None, summary)


def test_a_system_that_repeats_its_easy_cases_gains_nothing():
    run = fd.evaluate(CASES, outputs({"s": (30, 1)}), progress=False)
    rates = run.systems["s"]
    for rate in (rates.overall, rates.decided):
        trials = rate.trials
        assert trials is not None
        assert (rate.value, rate.n_cases, rate.n) == (pytest.approx(0.5), 10, 155)
        assert (trials.cases, trials.outputs, trials.fewest, trials.most) == (10, 155, 1, 30)
        assert (trials.by_case.value, trials.by_case.n, trials.retried) == (pytest.approx(0.5), 10, False)
    assert "of 10 cases (155 outputs) pass" in run.answers.better.text
    for surface in (" ".join(as_lines(run.document())), as_html(run.document()), run._repr_html_()):  # pyright: ignore[reportPrivateUsage] - what a notebook shows
        assert "each has weight 1" in surface
    everything = "\n".join(as_lines(summary_document(summary_of(RunStore(run.kept)))))
    assert "    each case has weight 1: 0.50 [" in everything


def test_a_gate_takes_the_rate_in_which_cases_weigh_alike():
    run = fd.evaluate(CASES, outputs({"s": (30, 1), "even": (3, 3)}), progress=False)
    assert gated(run, "overall", "pass_rate") == []
    assert len(run_gate_failures({"overall": 0.9}, None, summary_of(RunStore(run.kept)))) == 2
    fd.assert_rate(run.systems["s"].overall, 0.1)


def test_a_rate_of_cases_tried_until_they_pass_is_not_gated():
    tries = [
        {"case_id": f"c{n}", "system": "s", "trial": trial, "text": "a" if trial == n else ""}
        for n in range(10)
        for trial in range(min(n + 1, 4))
    ]
    run = fd.evaluate(CASES, tries, progress=False)
    assert "if only failed cases were tried again, the rate is too high" in run.answers.better.text
    assert len(gated(run, "overall", "pass_rate")) == 2
    with pytest.raises(AssertionError, match="ends in its only pass"):
        fd.assert_rate(run.systems["s"].overall, 0.1)


@pytest.mark.parametrize("trials", [(1, 1), (3, 3)])
def test_equal_trials_are_gated_and_nothing_is_said(trials: tuple[int, int]):
    run = fd.evaluate(CASES, outputs({"s": trials, "t": (2, 2)}), progress=False)
    assert (run.systems["s"].overall.trials, run.systems["s"].decided.trials) == (None, None)
    assert gated(run, "overall", "pass_rate") == []
    assert "unequal" not in run.answers.better.text


def test_a_case_without_an_output_is_missing_and_not_unequal():
    given = [output for output in outputs({"s": (2, 2)}) if output["case_id"] != "c3"]
    rates = fd.evaluate(CASES, given, progress=False).systems["s"]
    assert (rates.missing, rates.decided.trials) == (1, None)


def test_judged_outputs_count_by_case_too():
    everything = [*CASES, *OPEN]
    given = [*outputs({"s": (1, 1)}), *outputs({"s": (9, 1)}, prefix="o")]
    run = fd.evaluate(everything, given, judges="easy", progress=False)
    rates = run.systems["s"]
    assert (rates.overall.name, rates.decided.trials) == (ALL_UNCORRECTED, None)
    trials, (judged,) = rates.overall.trials, rates.open.values()
    assert trials is not None
    assert judged.trials is not None
    assert (trials.cases, trials.outputs, trials.by_case.value) == (20, 60, pytest.approx(0.5))
    assert (judged.trials.cases, judged.trials.outputs, judged.trials.by_case.value) == (10, 50, 0.5)
    assert (rates.overall.value, rates.overall.n_cases) == (pytest.approx(0.5), 20)
    assert (judged.value, judged.n_cases) == (pytest.approx(0.5), 10)


def test_a_run_without_checkers_counts_by_case():
    run = fd.evaluate(OPEN, outputs({"s": (9, 1)}, prefix="o"), judges="easy", rules=None, progress=False)
    trials = run.systems["s"].overall.trials
    assert trials is not None
    assert (trials.outputs, trials.by_case.value) == (50, 0.5)
    assert run.systems["s"].overall.value == pytest.approx(0.5)
    summary = summary_of(RunStore(run.kept))
    [failure] = commonest_failures(summary.systems, summary.judges)
    assert failure.n == 5  # outputs, each of a case of its own


def test_a_corrected_rate_weighs_cases_alike():
    labels = [
        Verdict(
            case_id=f"o{n}",
            system="s",
            trial=trial,
            by="ann",
            source="human",
            outcome="graded",
            score=float(n < 3),
        )
        for n in range(10)
        for trial in range(9 if n < EASY else 1)
    ]
    given = outputs({"s": (9, 1)}, prefix="o")
    run = fd.evaluate(OPEN, given, judges="easy", labels=labels, progress=False)
    assert run.systems["s"].overall.name == ALL_CORRECTED
    assert run.systems["s"].overall.value == pytest.approx(0.3)
    (corrected,) = [
        stratum for stratum in summary_of(RunStore(run.kept)).systems[0].strata if stratum.name == CORRECTED
    ]
    assert (corrected.value, corrected.n_cases) == (pytest.approx(0.3), 10)


def test_mean_scores_of_unequal_trials_are_means_of_cases():
    @fd.checker("thirds")
    def thirds(case: fd.Case, _output: fd.Output) -> float:  # pyright: ignore[reportUnusedFunction] - registered
        return int(case.id[1:]) / 30

    cases = [{"id": f"c{n}", "kind": "thirds"} for n in range(10)]
    rate = fd.evaluate(cases, outputs({"s": (4, 1)}), progress=False).systems["s"].decided
    assert rate.fractions
    assert rate.trials is not None
    assert rate.trials.by_case.value == pytest.approx(np.mean([n / 30 for n in range(10)]))


def test_ungraded_trials_are_counted_and_have_no_score():
    run = fd.evaluate(OPEN, outputs({"s": (2, 1)}, prefix="o"), judges="gaps", progress=False)
    (judged,) = run.systems["s"].open.values()
    assert judged.trials is not None
    # Five halves of easy cases and five hard ones are graded.
    assert (judged.trials.outputs, judged.value, judged.n) == (15, pytest.approx(1 / 3), 10)
    assert judged.bounds == pytest.approx((0.25, 0.5))


def test_a_check_of_files_says_so_too(tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", CASES)
    write_records(tmp_path / "outputs.jsonl", outputs({"s": (30, 1)}))
    found = fd.check_file(tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl", tmp_path / "v.jsonl")
    (system,) = found.systems
    assert isinstance(system.strata[0].trials, UnevenTrials)
    text = "\n".join(as_lines(checked_systems_document(found.systems)))
    assert "each case has weight 1: 0.50 [" in text
