"""Scores of other tools on scales of their own, and metrics of which less is better."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from each_row import each_row

import fiducial as fd
from fiducial.errors import RecordError, UsageError
from fiducial.formats.field_reader import FieldReader
from fiducial.formats.imported_records import FilePosition, Skipped
from fiducial.formats.imported_scores import ImportedScore, ScoreConverter, numbered_names, scored
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
    assert [skipped.reason for skipped in found.skipped] == [
        "expected a score in [0, 1] from 'gpt_score', got 5; for another scale: score_scale={'gpt_score': ('?', '?')} (1:5 if 5 is best, 5:1 if 1 is)",
        "expected a score in [0, 1] from 'gpt_score', got 3; for another scale: score_scale={'gpt_score': ('?', '?')} (1:5 if 5 is best, 5:1 if 1 is)",
        "2 of its scores are from 0 to 1 and not read, since others are up to 5: score_scale={'gpt_score': ('?', '?')} (1:5 if 5 is best, 5:1 if 1 is)",
    ]


def test_a_persons_withdrawn_labels_name_the_option_that_scales_labels(tmp_path: Path):
    converter, position = ScoreConverter(), FilePosition(tmp_path / "a.jsonl", 1)
    grades = [scored("Ann", grade, source="human") for grade in (1, 5)]
    [_, refused] = converter.convert_all(grades, position)
    [withdrawn] = converter.withdrawn({"Ann": 1}, position.path)
    assert isinstance(refused, Skipped)
    assert [skipped.reason.rpartition(": ")[2] for skipped in (refused, withdrawn)] == 2 * [
        "label_scale=('?', '?') (1:5 if 5 is best, 5:1 if 1 is)"
    ]


def test_an_import_withdraws_the_verdicts_of_a_judge_with_an_unknown_scale(tmp_path: Path):
    imported = fiducial("import", samples(tmp_path, [1, 5, None]), "--out", tmp_path / "out")
    assert imported.code == 0
    assert "gpt_score: 1 failed\n" in imported.out
    assert "faithful: 3 graded" in imported.out
    verdicts = list(read_records(tmp_path / "out" / "verdicts.jsonl", Verdict))
    assert [(verdict.by, verdict.outcome) for verdict in verdicts if verdict.by == "gpt_score"] == [
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
        grades = [(verdict.by, verdict.score) for verdict in verdicts]
        assert grades == [
            ("gpt_score", 0.0), ("faithful", 0.5), ("gpt_score", 1.0), ("faithful", 0.5), ("gpt_score", 0.5), ("faithful", 0.5),
        ]  # fmt: skip


def test_one_scale_for_all_judges_has_no_name(tmp_path: Path):
    path = samples(tmp_path, [10, 0])
    found = fd.read(path, score_scale=(0, 10)).verdicts
    assert [verdict.score for verdict in found] == [1.0, 0.05, 0.0, 0.05]


@each_row(
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


@each_row(("value", "score"), [(1, 0.0), (5, 1.0), (2, 0.25), (True, 1.0), ("pass", 1.0)])
def test_a_number_is_read_on_the_scale_of_its_tool(value: Any, score: float):
    assert scored("stars", value, ends=(1.0, 5.0)).score == score


@pytest.mark.parametrize("number", [0, 0.5, 7, math.inf])
def test_a_number_outside_the_scale_of_its_tool_is_no_score(number: float):
    with pytest.raises(RecordError, match=f"got {number}"):
        scored("stars", number, ends=(1.0, 5.0))


@pytest.mark.parametrize(
    ("names", "apart"),
    [
        (["a", "b", "a"], ["a", "b", "a#2"]),
        (["a", "a", "a#2"], ["a", "a#3", "a#2"]),
        (["a", "a#2", "a#2", "a", "a"], ["a", "a#2", "a#2#2", "a#3", "a#4"]),
    ],
)
def test_scores_of_one_name_are_numbered_past_names_in_use(names: list[str], apart: list[str]):
    assert [
        numbered_name.by for numbered_name in numbered_names([ImportedScore(name) for name in names])
    ] == apart


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
    assert "--score-scale 'gpt=?:?'`" in untold.err


def test_a_scale_for_an_unknown_judge_is_refused(tmp_path: Path):
    path = tmp_path / "wide.csv"
    path.write_text("id,judge_a,human\n1,1,1\n2,0,0\n", "utf-8")
    with pytest.raises(UsageError, match=r"there is no judge 'judge_b' \(did you mean 'judge_a'\?\)"):
        fd.calibrate(path, score_scale={"judge_b": (1, 5)})


def test_a_message_outside_the_command_line_names_the_argument(tmp_path: Path):
    path = tmp_path / "wide.csv"
    path.write_text("id,judge_a,judge_b,human\n1,1,4,1\n2,0,2,0\n", "utf-8")
    with pytest.raises(
        fd.FiducialError, match=r"1:5 if 5 is best.*score_scale=\{'judge_b': \('\?', '\?'\)\}"
    ):
        fd.calibrate(path, map={"score": "judge_a", "judge_b": "score"})


def rated(folder: Path, **columns: list[Any]) -> Path:
    """Write a table of questions and answers with further columns."""
    path = folder / "rated.csv"
    header = ",".join(("question", "answer", *columns))
    lines = [
        ",".join(map(str, (f"Q{n}?", "A", *row))) for n, row in enumerate(zip(*columns.values(), strict=True))
    ]
    path.write_text("\n".join([header, *lines]), "utf-8")
    return path


def test_a_word_that_is_no_grade_is_called_an_unknown_grade(tmp_path: Path):
    found = fd.read(rated(tmp_path, thumbs=["up", "down"], gpt_score=["yes", "quite"])).skipped
    assert [skipped.reason for skipped in found] == ["the score 'quite' is an unknown grade"]


def test_a_1_with_an_error_of_rounding_is_a_1(tmp_path: Path):
    almost = [1.0000000000000002, 0.5, -1e-17]
    rows = [
        {"item_id": f"i{n}", "judge": "j", "score": score, "label": n % 2} for n, score in enumerate(almost)
    ]
    for verdicts in (
        fd.read(samples(tmp_path, almost)).verdicts,
        fd.read(rated(tmp_path, gpt_score=almost)).verdicts,
    ):
        assert [verdict.score for verdict in verdicts if verdict.by == "gpt_score"] == [1.0, 0.5, 0.0]
    assert fd.calibrate(rows)["j"].n == 3


def test_a_scale_for_a_judge_without_scores_is_refused_by_imports(tmp_path: Path):
    path = samples(tmp_path, [1, 5])
    message = r"names 'gpt_scor', which has no score \(did you mean 'gpt_score'\?\); scores are by gpt_score, faithful"
    with pytest.raises(UsageError, match=message):
        fd.read(path, score_scale={"gpt_scor": (1, 5)})
    refused = fiducial("import", path, "--score-scale", "gpt_scor=1:5", "--out", tmp_path / "out")
    assert (refused.code, (tmp_path / "out").exists()) == (2, False)
    with pytest.raises(UsageError, match="'nobody', which has no score"):
        fd.read(rated(tmp_path, gpt_score=[1, 5]), score_scale={"nobody": (1, 5)})


def test_two_scales_for_one_judge_and_one_without_a_name_are_refused(tmp_path: Path):
    path = samples(tmp_path, [1, 5])
    two = ("--score-scale", "gpt_score=1:5", "--score-scale", "gpt_score=0:10")
    assert (
        "two scales for gpt_score; give one" in fiducial("import", path, *two, "--out", tmp_path / "out").err
    )
    unnamed = fiducial("import", path, "--score-scale", "=1:5", "--out", tmp_path / "out")
    assert "'=1:5' names no judge" in unnamed.err


@pytest.mark.parametrize("name", ["a=b", "a:b", "a=1:5"])
def test_a_judge_may_have_any_name(tmp_path: Path, name: str):
    path = samples(tmp_path, [1, 5], name)
    done = fiducial("import", path, "--score-scale", f"{name}=1:5", "--out", tmp_path / "out")
    assert done.code == 0
    verdicts = read_records(tmp_path / "out" / "verdicts.jsonl", Verdict)
    assert [verdict.score for verdict in verdicts if verdict.by == name] == [0.0, 1.0]


def test_a_metric_with_a_scale_is_read_although_some_values_are_words(tmp_path: Path):
    found = fd.read(samples(tmp_path, [1, "good", 5]), score_scale={"gpt_score": (1, 5)})
    assert [verdict.score for verdict in found.verdicts if verdict.by == "gpt_score"] == [0.0, None, 1.0]


def test_a_score_off_the_scale_of_its_tool_is_no_verdict():
    assert scored("metric", 4, ends=(1, 5)).score == 0.75
    with pytest.raises(RecordError, match=r"expected a score in \[1, 5\] from 'metric', got 7"):
        scored("metric", 7, ends=(1, 5))
    assert scored("metric", 1, ends=(0, 0)).score == 1.0


def test_a_number_beyond_all_floats_is_refused_with_its_field():
    with pytest.raises(RecordError, match=r"is too large for a number") as caught:
        FieldReader({"metric": {"score": 10**400}}).node("metric").number("score")
    assert caught.value.field == "metric.score"


@each_row("ends", [(10**400, 0.5), (0.5, 10**400), (0, 10**400), (-1e308, 1e308)])
def test_ends_that_make_no_scale_are_ignored(ends: tuple[float, float]):
    assert scored("metric", 1, ends=ends).score == 1.0


def test_a_tag_with_ratings_is_listed_with_the_options_that_read_it(tmp_path: Path):
    path = rated(tmp_path, quality=[1, 5, 3, 3], steps=[1, 2, 3, 3], judge_score=[0, 100, 30, 20])
    imported = fiducial("import", path, "--out", tmp_path / "out").out
    assert (
        "if 'quality' holds ratings (1:5 if 5 is best, 5:1 if 1 is): by people, --map label=quality --label-scale '?:?'; by a judge, --score-scale 'quality=?:?'\n"
        in imported
    )
    assert "--score-scale 'judge_score=?:?'" in imported
    assert "steps=" not in imported
    assert "by a judge, score_scale={'quality': ('?', '?')}" in repr(fd.read(path))
    found = fd.read(path, map={"label": "quality"}, label_scale=(1, 5), score_scale={"judge_score": (0, 100)})
    assert [(verdict.by, verdict.score) for verdict in found.verdicts[:2]] == [
        ("judge_score", 0.0),
        ("quality", 0.0),
    ]
