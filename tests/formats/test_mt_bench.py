"""MT-Bench's questions, answers and judgments, alone and in a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fiducial as fd
from fiducial.errors import InputError

PROMPT = "Please rate the response on a scale of 1 to 10 by strictly following this format."


def saved(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def question(number: int) -> dict[str, Any]:
    return {"question_id": number, "category": "writing", "turns": ["Write.", "Rewrite."]}


def answer(number: int) -> dict[str, Any]:
    choices = [{"index": 0, "turns": ["First.", "Second."]}, {"index": 1, "turns": ["Third.", "Fourth."]}]
    return {"question_id": number, "answer_id": "x", "model_id": "m", "choices": choices, "tstamp": 1.0}


def judgment(number: int, score: float, **more: Any) -> dict[str, Any]:
    judged = {
        "model": "m",
        "judge": ["gpt-4", "single-v1"],
        "judgment": "Good. [[8]]",
        "score": score,
        "turn": 1,
    }
    return {"question_id": number, "user_prompt": PROMPT, **judged, **more}


def test_a_folder_has_cases_of_several_turns_outputs_and_verdicts(tmp_path: Path):
    folder = tmp_path / "bench"
    saved(folder / "question.jsonl", [question(81), question(82)])
    saved(folder / "answer.jsonl", [answer(81)])
    saved(folder / "judgment.jsonl", [judgment(81, 10)])
    read = fd.read(folder, as_="mt-bench")
    assert (len(read.cases), [(output.trial, output.text) for output in read.outputs]) == (
        2,
        [(0, "Second."), (1, "Fourth.")],
    )
    assert read.outputs[0].turns == [["First."], ["Second."]]
    assert [(verdict.by, verdict.system, verdict.score) for verdict in read.verdicts] == [
        ("gpt-4/single-v1", "m", 1.0)
    ]


def test_a_score_is_on_the_scale_that_the_prompt_names_and_a_failed_one_is_none(tmp_path: Path):
    read = fd.read(
        saved(tmp_path / "judgments.jsonl", [judgment(81, 1), judgment(82, 5.5), judgment(83, -1)])
    )
    assert [(verdict.outcome, verdict.score) for verdict in read.verdicts] == [
        ("graded", 0.0),
        ("graded", 0.5),
        ("unparsable", None),
    ]


def test_without_the_prompt_the_scale_is_asked(tmp_path: Path):
    path = saved(tmp_path / "judgments.jsonl", [judgment(81, 8, user_prompt="")])
    with pytest.raises(InputError, match="score_scale"):
        fd.read(path)
    assert fd.read(path, score_scale=(1, 10)).verdicts[0].score == pytest.approx(7 / 9)


def test_answers_without_their_questions_say_where_these_are(tmp_path: Path):
    with pytest.raises(InputError, match=r"question\.jsonl"):
        fd.read(saved(tmp_path / "answer.jsonl", [answer(81)]))
