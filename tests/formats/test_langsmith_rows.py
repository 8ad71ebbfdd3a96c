"""Rows of LangSmith's `evaluate`, as objects and as `to_pandas` writes them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from each_row import each_row

import fiducial as fd

ROW: dict[str, Any] = {
    "example_id": "e1",
    "run_id": "r1",
    "inputs": {"question": "Where?"},
    "outputs": {"answer": "Rome"},
    "reference_outputs": {"answer": "Rome"},
    "results": [
        {"key": "right", "score": 1, "comment": "same"},
        {"key": "short", "score": None, "value": None},
    ],
}


@each_row(
    "row",
    [
        ROW,
        {**ROW, "results": {"results": ROW["results"]}},
        {**{name: value for name, value in ROW.items() if name != "results"}, "evaluation_results": {"results": ROW["results"]}},
    ],
)  # fmt: skip
def test_a_row_is_an_example_its_answer_and_its_scores(row: dict[str, Any], tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n")
    read = fd.read(path)
    assert (read.format, read.cases[0].id, read.outputs[0].text) == ("langsmith", "e1", "Rome")
    assert read.cases[0].reference == {"answers": ["Rome"]}
    assert [(verdict.by, verdict.outcome, verdict.score) for verdict in read.verdicts] == [
        ("right", "graded", 1.0),
        ("short", "not_applicable", None),
    ]


def test_a_row_with_nothing_but_its_example_and_scores_gives_verdicts(tmp_path: Path):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{"example_id": "e1", "results": [{"key": "right", "score": 0.5}]}]))
    assert [(verdict.case_id, verdict.score) for verdict in fd.read(path).verdicts] == [("e1", 0.5)]


def test_columns_of_to_pandas_are_read(tmp_path: Path):
    path = tmp_path / "rows.csv"
    row = {"inputs.question": "Where?", "outputs.answer": "Rome", "error": "", "reference.answer": "Rome",
           "feedback.right": "True", "feedback.near": "0.25", "execution_time": "0.1", "example_id": "e1", "id": "r1"}  # fmt: skip
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)
    read = fd.read(path)
    assert (read.format, read.outputs[0].text) == ("langsmith", "Rome")
    assert [(verdict.by, verdict.score) for verdict in read.verdicts] == [("right", 1.0), ("near", 0.25)]
