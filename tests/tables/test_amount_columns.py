"""Columns that measure or describe a row are proposed neither as scores nor as labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from each_row import each_row

import fiducial as fd
from fiducial.errors import ChoiceNeeded, ColumnsError
from fiducial.tables.amount_columns import is_amount, is_never_grades
from fiducial.tables.column_errors import unknown_columns
from fiducial.tables.layout import TableForm
from fiducial.tables.named_columns import map_options
from fiducial.tables.recognition import layout_of

AMOUNTS = (
    "price_per_example time_per_example dataset latency_ms cost (USD)|numTokens|prompt_tokens|response_length|created_at|row_index|seed|"
    "judge_cost|human_time|score_time|num_correct|n_errors|rating_count|label_id|annotator_id|judge_confidence|quality.suggestion.score"
)


@each_row("name", [*AMOUNTS.split("|", maxsplit=1)[0].split(" ", 3)[:3], *AMOUNTS.split("|")[1:]])
def test_a_name_with_a_unit_or_a_count_is_no_grade(name: str) -> None:
    assert is_amount(name)


@each_row(
    "name",
    [
        "time_score",
        "is_correct",
        "first_time_right",
        "Note",
        "grade",
        "second opinion",
        "helpfulness",
        "price_ok",
    ],
)
def test_a_word_for_grades_says_otherwise(name: str) -> None:
    assert not is_never_grades(name)


def test_no_amount_is_proposed_whatever_its_values(tmp_path: Path) -> None:
    rows = [
        {"instruction": f"Why is it {n}?", "preference": 1 + n % 2, "price_per_example": n % 2, "time_s": n % 3, "dataset": "a" if n % 2 else "b",
         "annotator": n % 2, "idx": n % 2, "prompt_tokens": n % 2}
        for n in range(12)
    ]  # fmt: skip
    with pytest.raises(ColumnsError) as asked:
        fd.calibrate(rows)
    assert asked.value.options == "map={'score': 'preference'}, score_scale=('?', '?')"
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows))
    printed = fiducial("import", path, "--out", tmp_path / "in")
    assert not any(f"label={name}" in printed.out + printed.err for name in rows[0])


@each_row(
    ("judge", "human"),
    [
        (("A", "B"), ("model_a", "model_b")),
        (("first", "second"), ("first", "second")),
        (("left", "right"), ("left", "right")),
        (("Assistant 1", "Assistant 2"), ("1st", "2nd")),
    ],
)
def test_words_of_a_choice_are_asked_all_in_one_command_that_works(
    judge: tuple[str, str], human: tuple[str, str]
) -> None:
    rows: list[dict[str, Any]] = [
        {"id": n, "gpt_pick": judge[n % 2], "human_pick": human[n // 2 % 2]} for n in range(12)
    ]
    with pytest.raises(ChoiceNeeded) as asked:
        fd.calibrate(rows)
    arguments = asked.value.arguments
    assert arguments["map_label"] == dict.fromkeys([*judge, *human], "?")
    words = {judge[0]: 1, judge[1]: 0, human[0]: 1, human[1]: 0}
    found = fd.calibrate(rows, map=arguments.get("map"), map_label=words)
    assert found["gpt_pick"].accuracy.value == 0.5


def test_a_column_of_ids_is_no_label_but_one_of_a_few_words_may_be() -> None:
    rows = [
        {"Ticket": n, "GPT verdict": "ok" if n % 2 else "not ok", "Reviewed by Anna": "gut" if n % 3 else "schlecht"}
        for n in range(1, 7)
    ]  # fmt: skip
    note = layout_of(rows, {}, form=TableForm()).note
    assert map_options({"label": "Reviewed by Anna"}) in note
    assert "Ticket" not in note


def test_no_column_is_proposed_as_question_and_label_at_once() -> None:
    row = {"name": "x", "comment": "It works well for me", "result": "fail"}
    assert map_options({"response": "comment"}) in unknown_columns(row)
    known = {"response": "comment", "label": "result"}
    assert map_options(known) in unknown_columns(row, known)
