from __future__ import annotations

from each_row import each_row

from fiducial.tables.column_names import is_score_like, shown_columns


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


def test_a_message_names_ten_columns_and_counts_the_others():
    names = [f"k{number}" for number in range(12)]
    assert shown_columns(names[:10]) == ", ".join(map(repr, names[:10]))
    assert shown_columns(names) == f"{', '.join(map(repr, names[:10]))} and 2 more"
