"""Accepted answers in one cell, and columns that name the system."""

from __future__ import annotations

from typing import Any

from each_row import each_row

import fiducial as fd


@each_row(
    ("column", "value", "answers"),
    [
        ("Gold answers", "porter | lift, carry | lift", ["porter", "lift, carry", "lift"]),
        ("gold_answers", "a||b|c", ["a", "b|c"]),
        ("golden_answers", "a|b", ["a", "b"]),
        ("accepted_answers", "one", ["one"]),
        ("gold_answers", '["a | b", "c"]', ["a | b", "c"]),
        ("gold_answers", "['a | b']", ["a | b"]),
        ("gold_answers", "a; b", ["a; b"]),
        ("gold_answer", "ls | wc", ["ls | wc"]),
        ("expected", "ls | wc", ["ls | wc"]),
        ("answers", {"text": ["a", "b"], "answer_start": [1, 2]}, ["a", "b"]),
        ("answers", {"value": "a", "aliases": ["b"]}, ["a", "b"]),
    ],
)
def test_bars_separate_answers_only_in_a_column_of_several(column: str, value: Any, answers: list[str]):
    read = fd.read([{"question": "Who?", column: value, "response": "a"}])
    assert read.cases[0].reference == {"answers": answers}


@each_row("column", ["generator", "LLM", "model_id", "Model Name", "model"])
def test_a_column_of_models_names_the_system(column: str):
    read = fd.read([{"question": "Who?", "answer": "a", column: "gpt-x"}])
    assert read.outputs[0].system == "gpt-x"


def test_a_model_beside_its_id_is_the_system():
    read = fd.read([{"question": "Who?", "answer": "a", "model_id": "17", "model": "gpt-x"}])
    assert (read.outputs[0].system, read.tags) == ("gpt-x", ["model_id"])


def test_rows_under_any_key_are_read():
    read = fd.read([{"question": "Who?", "answers": "Ann"}])
    assert read.tags == ["answers"]  # beside no response it may be the response
