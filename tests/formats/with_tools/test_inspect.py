"""Inspect reads what is written for it, scores with our scorers, and writes readable logs."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fiducial as fd
from fiducial.api.reading import import_files

pytest.importorskip("inspect_ai", reason="make formats brings the tools themselves")

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
SAMPLES = Path(__file__).parents[1] / "samples"
LOG = SAMPLES / "inspect" / "toolcalls_includes"


def score(log: Path, out: Path, *arguments: str) -> fd.Reading:
    command = [sys.executable, "-m", "inspect_ai", "score", str(log), "--action", "append", "--model", "none/none", "--output-file", str(out), "--display", "plain", *arguments]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return fd.read(out)


@pytest.mark.parametrize("suffix", [".eval", ".json"])
def test_a_checker_scores_a_log_and_what_it_leaves_open_is_unscored(suffix: str, tmp_path: Path):
    read = score(LOG.with_suffix(suffix), tmp_path / f"out{suffix}", "--scorer", "fiducial/check")
    said = [verdict for verdict in read.verdicts if "check" in verdict.by]
    assert [verdict.outcome for verdict in said] == ["undecided"] * 3
    assert said[0].reason == "an accepted answer is mentioned beside other words: 'It costs 12.50.'"


def test_a_judge_scores_a_log(tmp_path: Path):
    arguments = ("--scorer", "fiducial/tool_call_accuracy", "-S", "model=baseline")
    read = score(LOG.with_suffix(".eval"), tmp_path / "out.eval", *arguments)
    said = [verdict for verdict in read.verdicts if "tool_call_accuracy" in verdict.by]
    assert [verdict.outcome for verdict in said] == ["graded"] * 3


def test_a_judge_without_a_model_scores_nothing_and_says_why(tmp_path: Path):
    read = score(LOG.with_suffix(".json"), tmp_path / "out.json", "--scorer", "fiducial/rubric")
    said = [verdict for verdict in read.verdicts if "rubric" in verdict.by]
    assert [verdict.outcome for verdict in said] == ["failed"] * 3
    assert "no model is named" in str(said[0].reason)


def test_inspect_reads_an_exported_log_and_scores_it_from_an_exported_file(tmp_path: Path):
    from inspect_ai.log import read_eval_log

    import_files([SAMPLES / "pydantic_evals/report.json"], tmp_path / "in")
    fd.export(tmp_path / "in", "inspect", tmp_path / "log.json")
    log: Any = read_eval_log(str(tmp_path / "log.json"))
    assert [(sample.id, sample.epoch) for sample in log.samples] == [("c1", 1), ("c2", 1), ("c3", 1)]
    boom = log.samples[0].scores["Boom"]
    assert math.isnan(boom.value)
    assert boom.reason == "grader_failed"
    fd.export(tmp_path / "in", "precomputed_scores", tmp_path / "s.jsonl", judge="short", system="agent")
    arguments = ("--scorer", "precomputed_scores", "-S", f"scores={tmp_path / 's.jsonl'}")
    read = score(tmp_path / "log.json", tmp_path / "out.json", *arguments)
    scores = {v.case_id: v.score for v in read.verdicts if v.by == "precomputed_scores" and v.score is not None}  # fmt: skip
    assert scores == {"c1": 1.0, "c2": 0.0}


_TASK = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Target, mean, scorer
from inspect_ai.solver import generate

@scorer(metrics={"*": [mean()]})
def parts():
    async def score(state, target) -> Score:
        if state.sample_id == 2:
            return Score.unscored(reason="refusal", explanation="the grader would not")
        return Score(value={"right": "C", "short": 0.25})
    return score

outputs = [ModelOutput.from_content("mockllm", text) for text in ("a", "b", "c", "d")]
for each in outputs:
    each.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
samples = [Sample(id="001", input="One?", target=["1", "one"]), Sample(id=2, input="Two?", target="2")]
task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=parts(), epochs=2)
for form in ("eval", "json"):
    model = get_model("mockllm/model", custom_outputs=list(outputs), memoize=False)
    (log,) = eval(task, model=model, log_dir=sys.argv[1], log_format=form, display="none", max_samples=1)
    print(log.location)
"""


def test_logs_of_an_evaluation_are_read_with_their_epochs_and_parts(tmp_path: Path):
    done = subprocess.run([sys.executable, "-c", _TASK, str(tmp_path)], capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    logs = [Path(line.removeprefix("file://")) for line in done.stdout.split()]
    assert {log.suffix for log in logs} == {".eval", ".json"}
    for log in logs:
        read = fd.read(log)
        assert sorted((o.case_id, o.trial) for o in read.outputs) == [("001", 0), ("001", 1), ("2", 0), ("2", 1)]  # fmt: skip
        assert {case.id: case.reference["answers"] for case in read.cases} == {"001": ["1", "one"], "2": ["2"]}  # fmt: skip
        said = {(v.case_id, v.by): (v.outcome, v.score) for v in read.verdicts}
        assert said["001", "parts/right"] == ("graded", 1.0)
        assert said["001", "parts/short"] == ("graded", 0.25)
        assert said["2", "parts"] == ("refused", None)


def test_a_standard_error_is_over_clusters():
    from inspect_ai.scorer import SampleScore, Score

    from fiducial.api.inspect_scorers import clustered_stderr

    def scores(clusters: list[str | None]) -> list[Any]:
        return [
            SampleScore(
                score=Score(value=float(n < 2)),
                sample_id=n,
                sample_metadata={} if c is None else {"cluster": c},
            )
            for n, c in enumerate(clusters)
        ]

    within, alone = clustered_stderr()(scores(["a", "a", "b", "b"])), clustered_stderr()(scores([None] * 4))
    assert within > alone > 0
    assert json.dumps(within)
