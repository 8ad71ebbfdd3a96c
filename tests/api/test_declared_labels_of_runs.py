"""Labels of a run correct its headline only if declared to be a random sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from open_answers import CASES, OUTPUTS

import fiducial as fd
from fiducial.api.labels import join_labels
from fiducial.evaluation.conclusion.run_results import CORRECTED
from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import Verdict, write_records


def labels(**evidence: Any) -> list[dict[str, Any]]:
    """Return labels of every fourth output."""
    return [
        {
            "case_id": f"c{n}",
            "system": "me",
            "by": "ann",
            "source": "human",
            "outcome": "graded",
            "score": float(n % 5 > 0),
            "evidence": evidence,
        }
        for n in range(0, 60, 4)
    ]


def lenient(output: str) -> float:
    return float("good" in output)


def run_of(given: list[dict[str, Any]], **options: Any) -> fd.Run:
    return fd.evaluate(CASES, OUTPUTS, judges=[fd.judge_from(lenient)], rules=None, labels=given, **options)


def test_undeclared_labels_follow_the_uncorrected_rate_with_their_condition():
    plain, undeclared = run_of(labels()[:1]), run_of(labels())
    whole = undeclared.systems["me"].overall
    assert whole.value == plain.systems["me"].overall.value
    assert whole.declared is None
    assert whole.if_random is not None
    assert "If these labels are a random sample: " in undeclared.answers.better.text


@each_row(
    ("evidence", "options", "declared"),
    [
        ({}, {"labels_chosen_by": "random"}, "random"),
        ({}, {"labels_chosen_by": "system"}, "system"),
        ({"chosen_by": "random"}, {}, "random"),
        ({"review": {"sample": "open", "seed": 0, "of": 60}}, {}, "review"),
    ],
)
def test_declared_labels_correct_the_rate(evidence: dict[str, Any], options: dict[str, Any], declared: str):
    whole = run_of(labels(**evidence), **options).systems["me"].overall
    expected = run_of(labels()).systems["me"].overall.if_random
    assert expected is not None
    assert (whole.value, whole.low, whole.high) == (expected.value, expected.low, expected.high)
    assert (whole.declared, whole.if_random) == (declared, None)


@pytest.mark.parametrize("chosen_by", ["label", "score", "elsewhere"])
def test_labels_that_are_no_random_sample_correct_no_rate_of_a_run(chosen_by: Any):
    whole = run_of(labels(), labels_chosen_by=chosen_by).systems["me"].overall
    assert (whole.declared, whole.if_random) == (chosen_by, None)
    assert "uncorrected" in whole.name


def test_one_undeclared_label_among_drawn_ones_leaves_the_rate_uncorrected():
    drawn = {"review": {"sample": "open"}}
    mixed = [*labels(**drawn)[1:], labels()[0]]
    assert run_of(mixed).systems["me"].overall.declared is None


def test_labels_added_to_a_folder_keep_their_declaration(tmp_path: Path):
    run_of(labels()[:1], out=tmp_path / "run")
    file = tmp_path / "labels.jsonl"
    write_records(file, [Verdict(**label) for label in labels()])
    fd.add_labels(tmp_path / "run", [file], labels_chosen_by="random")
    again = fd.evaluate(CASES, OUTPUTS, judges=[fd.judge_from(lenient)], rules=None, out=tmp_path / "run")
    assert again.systems["me"].overall.declared == "random"
    assert fd.estimate(tmp_path / "run").all.declared == "random"
    join_labels(tmp_path / "run", file, labels_chosen_by="label")
    assert fd.estimate(tmp_path / "run").all.declared == "label"


@each_row(
    ("evidence", "declared"),
    [({}, None), ({"chosen_by": "random"}, "random"), ({"chosen_by": "label"}, None)],
)
def test_the_calibration_of_a_run_knows_whether_labels_are_a_random_sample(
    tmp_path: Path, evidence: dict[str, Any], declared: str | None
):
    run = run_of(labels(**evidence), out=tmp_path / "run")
    for calibration in (run.calibration, fd.calibrate(tmp_path / "run")):
        assert calibration["lenient/metric"].declared == declared


def test_labels_of_checkers_beside_a_random_sample_of_the_others_are_none():
    checked = {"kind": "memory_answer", "reference": {"answers": ["good word"]}}
    cases = [{**case, **checked} if n % 4 == 2 else case for n, case in enumerate(CASES)]
    judge = fd.judge_from(lenient)
    run = fd.evaluate(
        cases, OUTPUTS, judges=[judge], labels=labels(), labels_chosen_by="random", judge_on="all"
    )
    panel = next(iter(run.calibration.judges.values()))
    assert panel.n > len(labels())
    assert panel.declared is None


@pytest.mark.parametrize("chosen", [True, False])
def test_tags_that_decided_which_outputs_have_labels_contradict_a_random_sample(chosen: bool):
    of = [n for n in range(60) if (n % 4 if chosen else n % 5 - 1) == 0]
    checked = {"kind": "memory_answer", "reference": {"answers": ["good word"]}}
    cases = [
        {**case, **(checked if n % 4 == 2 else {}), "tags": {"lang": "en" if n % 4 == 0 else "de"}}
        for n, case in enumerate(CASES)
    ]
    given = [{**labels()[0], "case_id": f"c{n}", "score": float(n % 7 > 2)} for n in of]
    run = fd.evaluate(
        cases,
        OUTPUTS,
        judges=[fd.judge_from(lenient)],
        labels=given,
        labels_chosen_by="random",
    )
    with RunStore(run.kept) as store:
        (system,) = store.manifest_or_empty.results or []
    assert system.judged is not None
    assert system.overall is not None
    assert (system.judged.contradicted is not None) == ("uncorrected" in system.overall.name) == chosen
    corrected = [part.value is not None for part in system.strata if part.name == CORRECTED]
    assert corrected == [not chosen]
    assert ("are unlike the others by lang" in run.answers.better.text) == chosen
    if system.judged.contradicted is not None:
        assert set(system.judged.contradicted.scenarios) == {"score", "label", "elsewhere"}
