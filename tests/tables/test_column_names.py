from __future__ import annotations

from each_row import each_row

from fiducial.tables.column_names import is_score_like


@each_row(
    ("name", "scores"),
    [
        ("judge_correctness", True),
        ("Model rating", True),
        ("groundedness_score", True),
        ("model", False),
        ("Model version", False),
        ("model_name", False),
        ("judge_id", False),
        ("human_score", False),
        ("gpt4_grade", True),
        ("Judge 2", True),
        ("automobile", False),
        ("modeling", False),
    ],
)
def test_a_column_of_names_or_of_people_is_no_judges_score(name: str, scores: bool):
    assert is_score_like(name) == scores
