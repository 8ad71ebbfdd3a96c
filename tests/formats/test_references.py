"""Rows of a joined table that share an id."""

from __future__ import annotations

from pathlib import Path

import pytest

import fiducial as fd


def joined(folder: Path, rows: str) -> fd.Reading:
    (folder / "log.csv").write_text("id,question,answer\na,Why?,So\nb,Who?,She\n")
    (folder / "grades.csv").write_text(rows)
    return fd.read(folder / "log.csv", join=folder / "grades.csv")


@pytest.mark.parametrize(
    "rows", ["a,,\na,bad,\n", "a,bad,\na,,\n", "a,,x\na,bad,y\n", "a,,\na,,\na,bad,\na,bad,\n"]
)
def test_a_row_without_a_grade_is_no_second_row(rows: str, tmp_path: Path):
    found = joined(tmp_path, f"id,label,note\n{rows}")
    assert [(verdict.case_id, verdict.score) for verdict in found.verdicts] == [("a", 0.0)]
    assert not found.skipped


def test_tags_of_an_empty_row_are_kept(tmp_path: Path):
    found = joined(tmp_path, "id,label,topic,team\na,,ships,\na,bad,,red\n")
    assert found.cases[0].tags == {"topic": "ships", "team": "red"}


def test_a_second_grade_says_what_to_type(tmp_path: Path):
    found = joined(tmp_path, "id,label\na,good\na,bad\n")
    remedy = "delete one, or give each person a column: annotator_1, annotator_2"
    told = f"a second row has the id 'a', and another grade than line 2; {remedy}"
    assert [skipped.reason for skipped in found.skipped] == [told]
    people = joined(tmp_path, "id,annotator_1,annotator_2\na,good,bad\n")
    assert {verdict.by for verdict in people.verdicts} == {"annotator_1", "annotator_2", "majority"}


def test_a_second_reference_is_skipped(tmp_path: Path):
    found = joined(tmp_path, "id,expected_answer\na,Rome\na,Milan\n")
    assert [skipped.reason for skipped in found.skipped] == [
        "a second row has the id 'a', and other values than line 2; delete one"
    ]


def test_what_the_data_say_counts_before_what_the_joined_table_says(tmp_path: Path):
    (tmp_path / "log.csv").write_text(
        "id,question,answer,expected_answer,topic\na,Why?,So,Rome,ours\nb,Who?,She,,ours\n"
    )
    (tmp_path / "more.csv").write_text(
        "id,expected_answer,topic,team\na,Milan,theirs,red\nb,Oslo,theirs,blue\n"
    )
    found = fd.read(tmp_path / "log.csv", join=tmp_path / "more.csv")
    assert [case.tags for case in found.cases] == [
        {"topic": "ours", "team": "red"},
        {"topic": "ours", "team": "blue"},
    ]
    assert [case.reference["answers"] for case in found.cases] == [["Rome"], ["Oslo"]]
