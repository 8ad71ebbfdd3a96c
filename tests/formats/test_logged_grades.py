"""Scores and trials beside the messages of a chat log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from each_row import each_row

import fiducial as fd


def line(number: int, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": f"Hello {number}"}, {"role": "assistant", "content": "Hello"}]
    return {"id": "a", "messages": messages} | more


def logged(path: Path, *lines: dict[str, Any]) -> fd.Reading:
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return fd.read(path)


def test_a_score_and_a_trial_are_kept(tmp_path: Path):
    read = logged(tmp_path / "log.jsonl", *(line(at, trial=at, score=at / 2) for at in range(3)))
    assert (read.format, len(read.cases), [output.trial for output in read.outputs]) == (
        "openai",
        1,
        [0, 1, 2],
    )
    assert [(verdict.by, verdict.trial, verdict.score) for verdict in read.verdicts] == [
        ("score", 0, 0.0),
        ("score", 1, 0.5),
        ("score", 2, 1.0),
    ]


@each_row(
    ("score", "found"), [({"right": 1, "short": 0}, {"right": 1.0, "short": 0.0}), ("pass", {"score": 1.0})]
)
def test_scores_may_be_several_or_words(score: Any, found: dict[str, float], tmp_path: Path):
    read = logged(tmp_path / "log.jsonl", line(0, score=score))
    assert {verdict.by: verdict.score for verdict in read.verdicts} == found


def test_a_score_that_cannot_be_read_is_listed_and_costs_only_itself(tmp_path: Path):
    read = logged(tmp_path / "log.jsonl", line(0, score="perhaps"))
    assert (len(read.outputs), len(read.verdicts), [skipped.field for skipped in read.skipped]) == (
        1,
        0,
        ["score"],
    )


def test_a_score_within_a_session_is_named_as_not_read(tmp_path: Path):
    assert "'score'" in repr(logged(tmp_path / "log.jsonl", line(0, session_id="s", score=1)))


def test_rows_of_one_id_and_two_questions_without_a_trial_are_listed(tmp_path: Path):
    read = logged(tmp_path / "log.jsonl", line(0), line(1))
    assert len(read.outputs) == 1
    assert "trial" in read.skipped[0].reason
