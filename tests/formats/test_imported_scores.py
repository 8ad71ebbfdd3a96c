"""Scores of other tools on scales of their own, and metrics of which less is better."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import fiducial

import fiducial as fd
from fiducial.errors import UsageError
from fiducial.formats.imported_scores import scored
from fiducial.records import Verdict, read_records


def samples(folder: Path, scores: list[Any], metric: str = "gpt_score") -> Path:
    """Write a ragas file with one sample for each score."""
    path = folder / "samples.jsonl"
    lines = [
        {
            "user_input": f"Q{n}?",
            "response": "A.",
            "retrieved_contexts": ["A."],
            metric: score,
            "faithful": 0.5,
        }
        for n, score in enumerate(scores)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return path


def test_a_1_beside_larger_scores_is_not_read_as_the_best_score(tmp_path: Path):
    found = fd.read(samples(tmp_path, [1, 5, 1, 3]))
    assert {verdict.by for verdict in found.verdicts} == {"faithful"}
    assert [each.reason for each in found.skipped] == [
        "expected a score in [0, 1] from 'gpt_score', got 5; for another scale: --score-scale gpt_score=1:5",
        "expected a score in [0, 1] from 'gpt_score', got 3; for another scale: --score-scale gpt_score=1:5",
        "2 of its scores are from 0 to 1 and not read, since others are up to 5: --score-scale gpt_score=1:5",
    ]


def test_an_import_withdraws_the_verdicts_of_a_judge_with_an_unknown_scale(tmp_path: Path):
    imported = fiducial("import", samples(tmp_path, [1, 5, None]), "--out", tmp_path / "out")
    assert imported.code == 0
    assert "gpt_score: 1 failed\n" in imported.out
    assert "faithful: 3 graded" in imported.out
    verdicts = list(read_records(tmp_path / "out" / "verdicts.jsonl", Verdict))
    assert [(each.by, each.outcome) for each in verdicts if each.by == "gpt_score"] == [
        ("gpt_score", "failed")
    ]
    assert "1 of its scores are from 0 to 1" in (tmp_path / "out" / "skipped.jsonl").read_text("utf-8")


def test_the_scale_of_a_judge_is_named(tmp_path: Path):
    path = samples(tmp_path, [1, 5, 3])
    (tmp_path / "out").mkdir()
    assert fiducial("import", path, "--score-scale", "gpt_score=1:5", "--out", tmp_path / "out").code == 0
    for verdicts in (
        fd.read(path, score_scale={"gpt_score": (1, 5)}).verdicts,
        read_records(tmp_path / "out" / "verdicts.jsonl", Verdict),
    ):
        grades = [(each.by, each.score) for each in verdicts]
        assert grades == [
            ("gpt_score", 0.0), ("faithful", 0.5), ("gpt_score", 1.0), ("faithful", 0.5), ("gpt_score", 0.5), ("faithful", 0.5),
        ]  # fmt: skip


def test_one_scale_for_all_judges_has_no_name(tmp_path: Path):
    path = samples(tmp_path, [10, 0])
    found = fd.read(path, score_scale=(0, 10)).verdicts
    assert [each.score for each in found] == [1.0, 0.05, 0.0, 0.05]


@pytest.mark.parametrize(
    ("number", "threshold", "passed", "score"),
    [
        (0.8, 0.5, True, 0.8),
        (0.1, 0.5, False, 0.1),
        (0.1, 0.5, True, 0.9),  # less is better
        (0.9, 0.3, False, 0.1),
        (0.0, None, True, 1.0),
        (1.0, None, False, 0.0),
        (0.3, None, True, 0.3),
        (1, 3, False, 0.0),  # a threshold of 3: 1 is not the best
        (1, 3, True, 1.0),
    ],
)
def test_a_score_agrees_with_the_verdict_of_its_tool(
    number: float, threshold: float | None, passed: bool, score: float
):
    found = scored("metric", number, passed=passed, evidence={"threshold": threshold, "pass": passed})
    assert found.score == pytest.approx(score)


def test_the_worst_grade_of_azure_is_not_the_best_score(tmp_path: Path):
    path = tmp_path / "result.json"
    row = {
        "inputs.query": "a",
        "inputs.response": "b",
        "outputs.coherence.coherence": 1,
        "outputs.coherence.coherence_result": "fail",
        "outputs.coherence.coherence_threshold": 3,
    }
    path.write_text(json.dumps({"rows": [row], "metrics": {}}), "utf-8")
    (verdict,) = fd.read(path).verdicts
    assert (verdict.score, verdict.evidence["value"]) == (0.0, 1)


WIDE = "id,gpt,claude,human\n" + "".join(f"{n},{1 + 4 * (n % 2)},{(n % 3) / 2},{n % 2}\n" for n in range(12))


def test_judges_of_a_table_have_scales_of_their_own(tmp_path: Path):
    path = tmp_path / "wide.csv"
    path.write_text(WIDE, "utf-8")
    options = {"map": {"score": "gpt", "claude": "score"}, "score_scale": {"gpt": (1, 5)}}
    found = fd.calibrate(path, **options)  # pyright: ignore[reportArgumentType]
    assert [*found.judges] == ["gpt", "claude"]
    assert found["gpt"].tp == found["gpt"].tn == 6
    two = ("--map", "score=gpt", "--map", "score=claude")
    assert fiducial("calibrate", path, *two, "--score-scale", "gpt=1:5").code == 0
    untold = fiducial("calibrate", path, *two)
    assert untold.code == 2
    assert "wide.csv:3: gpt: expected a number in [0, 1]" in untold.err
    assert "--score-scale gpt=1:5" in untold.err


def test_a_scale_for_an_unknown_judge_is_refused(tmp_path: Path):
    path = tmp_path / "wide.csv"
    path.write_text("id,judge_a,human\n1,1,1\n2,0,0\n", "utf-8")
    with pytest.raises(UsageError, match=r"there is no judge 'judge_b' \(did you mean 'judge_a'\?\)"):
        fd.calibrate(path, score_scale={"judge_b": (1, 5)})


def test_a_message_outside_the_command_line_names_the_argument(tmp_path: Path):
    path = tmp_path / "wide.csv"
    path.write_text("id,judge_a,judge_b,human\n1,1,4,1\n2,0,2,0\n", "utf-8")
    with pytest.raises(fd.FiducialError, match=r"score_scale=\{'judge_b': \(1, 5\)\}"):
        fd.calibrate(path, map={"score": "judge_a", "judge_b": "score"})
