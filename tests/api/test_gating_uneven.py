"""A gate on runs whose cases have unequal numbers of trials: read, and weighed by case."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import fiducial as fd
from fiducial.errors import RunFolderError

KINDS: dict[str, dict[str, Any]] = {
    "uneven_match": {},
    "uneven_thirds": {},
    "open_answer": {"reference": {"criterion": "Kind."}},
}


@pytest.fixture(autouse=True, scope="module")
def graders() -> None:
    """Register checkers, one of fractions, and a judge without some second trials."""

    def uneven_thirds(case: fd.Case, _output: fd.Output) -> float:
        return int(case.id[1:]) / 30

    def uneven_gaps(case: fd.Case, output: fd.Output) -> float | None:
        return None if output.trial == 1 and case.id == "c1" else float(case.id < "c5")

    def uneven_match(_case: fd.Case, output: fd.Output) -> bool | None:
        return None if output.text == "?" else output.text == "a"

    fd.checker("uneven_match")(uneven_match)
    fd.checker("uneven_thirds")(uneven_thirds)
    fd.judge_function("uneven_gaps")(uneven_gaps)


def run(
    folder: Path, trials: Sequence[Sequence[str]], kinds: Sequence[str] = ("uneven_match",), **more: Any
) -> fd.Run:
    """Evaluate cases of these kinds in turn, with the texts of their trials."""
    cases = [
        {"id": f"c{n}", "kind": kinds[n % len(kinds)], **KINDS[kinds[n % len(kinds)]]}
        for n in range(len(trials))
    ]
    outputs = [
        {"case_id": f"c{n}", "system": "s", "trial": trial, "text": text}
        for n, texts in enumerate(trials)
        for trial, text in enumerate(texts)
        if text != "-"
    ]
    return fd.evaluate(cases, outputs, out=folder, progress=False, **more)


UNEVEN = [["b"], ["a", "b"], ["a", "a", "b"], ["a"], ["b", "b"]]
SHAPES: dict[str, Sequence[Sequence[str]]] = {
    "an empty trial": [["a"], ["a", ""], ["b", "a", "a"]],
    "a missing trial": [["a", "b"], ["a", "-", "b"], ["-", "a"], ["b", "a"]],
    "a missing case": [*UNEVEN, []],
    "one case": [["a", "b", "a"]],
    "equal trials": [["a", "b"], ["a", "a"], ["b", "b"]],
    "no pass": [["b"], ["b", "b"]],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_finished_run_is_read_whatever_its_trials_are(tmp_path: Path, shape: str):
    found = run(tmp_path / "r", SHAPES[shape])
    (check,) = fd.gate(found, minimum={"pass_rate": 0.1}).checks
    assert check.bounds is not None
    assert check.bounds.value == pytest.approx(found.systems["s"].decided.value)


@pytest.mark.parametrize("kinds", [("uneven_thirds",), ("uneven_match", "open_answer", "uneven_thirds")])
@pytest.mark.parametrize("judges", [None, "uneven_gaps"])
@pytest.mark.parametrize("labelled", [False, True])
def test_fractions_and_judged_outputs_are_read_too(
    tmp_path: Path, kinds: Sequence[str], judges: str | None, *, labelled: bool
):
    more: dict[str, Any] = {} if judges is None else {"judges": judges}
    if labelled and "open_answer" in kinds:
        more["labels"] = [
            {"case_id": "c1", "system": "s", "trial": trial, "by": "ann", "source": "human"}
            | {"outcome": "graded", "score": float(trial)}
            for trial in range(2)
        ]
    found = run(tmp_path / "r", UNEVEN, kinds, **more)
    assert fd.gate(found, minimum={"overall": 0.0}).outputs == 9


def test_a_folder_with_unequal_trials_whose_numbers_disagree_is_refused(tmp_path: Path):
    folder = tmp_path / "r"
    run(folder, UNEVEN)
    told = json.loads((folder / "run.json").read_bytes())
    rate = told["results"][0]["strata"][0]
    plain = sum(text == "a" for texts in UNEVEN for text in texts) / 9
    trials = rate["trials"]
    for wrong in (
        {"value": plain},
        {"value": rate["value"] + 1e-6},
        {"n_cases": None},
        {"n_cases": 4},
        {"n": 8},
        {"trials": trials | {"outputs": 8}},
    ):
        edited = {**told, "results": [{**told["results"][0], "strata": [rate | wrong]}]}
        (folder / "run.json").write_text(json.dumps(edited))
        with pytest.raises(RunFolderError, match="not that of its verdicts"):
            fd.gate(folder, minimum={"overall": 0.1})


def test_a_folder_that_weighs_outputs_alike_as_earlier_versions_did_is_read(tmp_path: Path):
    folder = tmp_path / "r"
    run(folder, UNEVEN)
    told = (folder / "run.json").read_bytes()
    manifest = json.loads(told)
    manifest["results"][0]["strata"][0] |= {"value": 4 / 9, "n_cases": None}
    (folder / "run.json").write_text(json.dumps(manifest))
    assert fd.gate(folder, minimum={"overall": 0.0}).answer == "passes"


def test_cases_tried_until_they_passed_cannot_be_told(tmp_path: Path):
    tried = run(tmp_path / "tried", [["b"] * n + ["a"] for n in (0, 1, 2, 0)])
    fair = run(tmp_path / "fair", UNEVEN)
    for gate in (fd.gate(tried, minimum={"overall": 0.0}), fd.gate(tried, tried, max_drop=1.0)):
        assert gate.answer == "cannot tell"
        assert "ends in its only pass" in gate.checks[0].why
    assert fd.gate(fair, minimum={"overall": 0.0}).answer == "passes"


def test_a_retried_case_that_failed_at_last_is_not_said_to_have_passed(tmp_path: Path):
    retried = [["a"], ["b", "b", "b"], ["a"], ["b", "a"]]
    found = run(tmp_path / "r", retried)
    trials = fd.trials(found)["s"].retried
    whys = (
        fd.gate(found, minimum={"overall": 0.0}).checks[0].why,
        found.answers.better.text,
        trials or "",
    )
    for why in whys:
        assert "if only failed cases were tried again" in " ".join(why.split())
        assert "until they passed" not in why


TRIALS: dict[str, tuple[Sequence[Sequence[str]], dict[str, float], str, str]] = {
    "too few trials": ([["a"], ["b"]] * 4, {"pass^4": 0.5}, "8 of 8 cases have fewer than 4 trials", "4 graded trials"),
    "too few of some": ([["a", "b"]] * 3 + [["b"]], {"pass^2": 0.3}, "1 case with fewer than 2 trials", ""),
    "ungraded trials": ([["a", "?"], ["b", "?"]], {"pass^2": 0.3}, "2 of 2 cases have fewer than 2 graded", "2 ungraded"),
    "no checks": ([["?"], ["?"], ["?"]], {"pass_rate": 0.5}, "no checker decided", "overall"),
}  # fmt: skip


@pytest.mark.parametrize("shape", TRIALS)
def test_what_would_tell_is_what_lacks(tmp_path: Path, shape: str):
    trials, minimum, why, tell = TRIALS[shape]
    (check,) = fd.gate(run(tmp_path / "r", trials, ["uneven_match"]), minimum=minimum).checks
    assert check.answer == "cannot tell"
    assert why in check.why
    assert tell in check.would_tell


def test_a_case_with_too_few_trials_may_have_failed(tmp_path: Path):
    whole = run(tmp_path / "whole", [["a", "a"]] * 8)
    half = run(tmp_path / "half", [["a", "a"]] * 4 + [["b"]] * 4)
    assert fd.gate(whole, minimum={"pass^2": 0.55}).answer == "passes"
    (check,) = fd.gate(half, minimum={"pass^2": 0.55}).checks
    assert check.answer == "cannot tell"
    assert check.bounds is not None
    assert (check.bounds.least, check.bounds.value) == (0.5, 1.0)


def test_without_an_interval_more_clusters_would_tell(tmp_path: Path):
    (check,) = fd.gate(run(tmp_path / "r", [["a", "b"]]), minimum={"pass^2": 0.5}).checks
    assert check.would_tell == "cases of more clusters"
