"""Tables without a question are refused, unless their rows are of use without one."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.errors import ColumnsError

ANSWER = {"answer": "It is there."}

NEEDS_NONE: list[dict[str, Any]] = [
    ANSWER | {"expected_answer": "there"},
    ANSWER | {"context": "It is there."},
    ANSWER | {"criterion": "It is polite."},
    ANSWER | {"label": "good"},
    ANSWER | {"judge_score": 0.5},
]


@each_row("row", NEEDS_NONE)
def test_answers_that_can_be_graded_alone_and_grades_are_read(row: dict[str, Any]):
    assert len(fd.read([row]).outputs) == 1


@pytest.mark.parametrize("row", [ANSWER, {"expected_answer": "there"}, {"context": "It is there."}])
def test_cases_that_nobody_can_answer_or_grade_are_refused(row: dict[str, Any]):
    with pytest.raises(
        ColumnsError, match=r"no question column found; .* name it: map=\{'query': 'COLUMN'\}"
    ):
        fd.read([row])


def test_a_criterion_grades_answers_alone():
    assert len(fd.read([ANSWER], criterion="It is polite.").outputs) == 1


def test_a_column_of_empty_questions_is_named():
    with pytest.raises(ColumnsError, match="no row has a question in 'question'"):
        fd.read([ANSWER | {"question": None}])
