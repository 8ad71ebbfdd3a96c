"""The word overlap baseline of a run that language models judged."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from pathlib import Path

import msgspec
import pytest
from judge_ids import judge_id

from fiducial.calibration import calibrate
from fiducial.evaluation.conclusion.lexical_baseline import lexical_scores
from fiducial.evaluation.inputs import file_sha256
from fiducial.evaluation.run_table import read_tables
from fiducial.evaluation.store.run_store import RunStore
from fiducial.judges.baseline import baseline_id, baseline_verdict
from fiducial.records import Case, JudgeId, Output, Source, Verdict, write_records

JUDGE = judge_id("memory_answer", kind="shipped", variant="direct")

CASES = [
    Case(id=f"c{number}", kind="memory_answer", reference={"answers": ["in Rome", "Roma"]})
    for number in range(4)
]
OUTPUTS = [
    Output(case_id=f"c{number}", system="s", text=text)
    for number, text in enumerate(["It is in Rome.", "Paris", "in Spain", "Roma!"])
]


def said(output: Output, by: str, source: Source, score: float = 1.0) -> Verdict:
    return Verdict.on(output.key, score=score, by=by, source=source)


def judged(output: Output, judge: JudgeId) -> Verdict:
    return msgspec.structs.replace(said(output, "whatever it is called", "judge"), judge=judge)


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[..., Path]:
    """A run folder with its inputs beside it."""

    def make(judge: JudgeId = JUDGE, labelled: int = 4) -> Path:
        folder = tmp_path / "run"
        folder.mkdir()
        cases, outputs = tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
        write_records(cases, CASES)
        write_records(outputs, OUTPUTS)
        inputs = [
            {"name": path.name, "rows": 4, "path": str(path), "sha256": file_sha256(path)}
            for path in (cases, outputs)
        ]
        (folder / "run.json").write_text(json.dumps({"inputs": inputs}))
        verdicts = [judged(output, judge) for output in OUTPUTS]
        checked = [said(output, "answer/strict", "checker") for output in OUTPUTS[:labelled]]
        write_records(folder / "verdicts.jsonl", verdicts + checked)
        return folder

    return make


def scores_of(folder: Path, labelled: Collection[str] = ()) -> dict[str, float]:
    with RunStore(folder) as store:
        return lexical_scores(store, labelled)


def test_it_scores_as_the_judges_stand_in(make_run: Callable[..., Path]) -> None:
    expected = {
        str(output.key): baseline_verdict(case, output, "memory_answer").score
        for case, output in zip(CASES, OUTPUTS, strict=True)
    }
    assert scores_of(make_run()) == expected
    assert list(expected.values()) == [1.0, 0.0, 0.5, 1.0]


def test_only_what_has_a_label_is_scored(make_run: Callable[..., Path]) -> None:
    folder = make_run(labelled=1)
    assert set(scores_of(folder)) == {"c0|s|0"}
    assert set(scores_of(folder, {"c3|s|0"})) == {"c0|s|0", "c3|s|0"}
    write_records(folder / "labels.jsonl", [said(OUTPUTS[1], "ada", "human")])
    assert set(scores_of(folder)) == {"c0|s|0", "c1|s|0"}


@pytest.mark.parametrize("judge", [baseline_id("memory_answer"), judge_id("memory_answer"), judge_id("mine")])
def test_it_is_no_baseline_of_itself_or_of_a_prompt_of_ones_own(
    make_run: Callable[..., Path], judge: JudgeId
) -> None:
    assert scores_of(make_run(judge)) == {}


def test_inputs_that_changed_or_are_gone_are_not_used(make_run: Callable[..., Path], tmp_path: Path) -> None:
    folder = make_run()
    write_records(tmp_path / "outputs.jsonl", OUTPUTS[:3])
    assert scores_of(folder) == {}
    (tmp_path / "outputs.jsonl").unlink()
    assert scores_of(folder) == {}
    (folder / "run.json").unlink()
    assert scores_of(folder) == {}


def test_in_a_calibration_it_stands_beside_the_judge(make_run: Callable[..., Path]) -> None:
    folder = make_run()
    table = read_tables([folder], lexical=True)
    found = calibrate(table).baselines["lexical"]
    # Every label passes; so does the word overlap baseline at a half, but for Paris.
    assert (found.n, found.tp, found.fn) == (4, 3, 1)
