"""Repeated outputs are named with their first place, and with what to type."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fiducial as fd
from fiducial.api.reading import import_files


def reasons(path: Path, text: str) -> list[str]:
    path.write_text(text)
    return [skipped.reason for skipped in fd.read(path).skipped]


def logged(case_id: str, answer: str) -> str:
    message = {"role": "user", "content": "Go"}
    return json.dumps({"id": case_id, "model": "m", "messages": [message], "response": answer}) + "\n"


def test_a_repeated_line_of_a_log_names_the_first(tmp_path: Path):
    text = logged("a", "Gone") + logged("b", "Gone") + logged("a", "Gone")
    assert reasons(tmp_path / "log.jsonl", text) == ["repeated: a is already in line 1; skipped"]


def test_another_answer_in_a_log_is_counted_as_a_trial_on_request(tmp_path: Path):
    log = tmp_path / "log.jsonl"
    (reason,) = reasons(log, logged("a", "Gone") + logged("a", "Stayed"))
    told = "'m' already answered 'a', trial 0, in line 1; count repeated attempts as trials with "
    assert reason.startswith(told)
    assert [output.trial for output in fd.read(log, system="m").outputs] == [0, 1]


@pytest.mark.parametrize(
    ("label", "named"),
    [("", "the attempt"), ("good", "who graded it in a column `annotator`, or the attempt")],
)
def test_columns_tell_repeated_rows_of_a_table_apart(label: str, named: str, tmp_path: Path):
    text = f"id,question,answer,label\na,Why?,So,good\na,Why?,So,{label}\n"
    told = f"repeated: a is already in line 2; name {named} in a column `trial`"
    assert reasons(tmp_path / "rows.csv", text) == [told]


def test_a_grade_counts_if_an_earlier_row_of_the_output_has_none(tmp_path: Path):
    path = tmp_path / "rows.csv"
    assert reasons(path, "id,question,answer,label\na,Why?,So,\na,Why?,So,bad\n") == []
    found = fd.read(path)
    assert (len(found.outputs), [verdict.score for verdict in found.verdicts]) == (1, [0.0])


def test_other_answers_of_nobody_named_are_attempts(tmp_path: Path):
    path = tmp_path / "rows.csv"
    lines = ["a,Why?,So,ann,1", "a,Why?,No,ann,0", "a,Why?,So,bob,1", "a,Why?,No,bob,1"]
    path.write_text("\n".join(["id,question,answer,annotator,label", *lines, ""]))
    found = fd.read(path)
    assert [(output.trial, output.text) for output in found.outputs] == [(0, "So"), (1, "No")]
    people = [
        (verdict.trial, verdict.by, verdict.score) for verdict in found.verdicts if verdict.source == "human"
    ]
    assert people == [(0, "ann", 1.0), (1, "ann", 0.0), (0, "bob", 1.0), (1, "bob", 1.0)]
    imported = import_files([path], tmp_path / "out")
    assert (imported.attempts, imported.skipped) == (1, 0)


@pytest.mark.parametrize("column", ["system,bot", "trial,0"])
def test_rows_that_a_column_tells_apart_are_not_numbered(column: str, tmp_path: Path):
    name, value = column.split(",")
    rows = f"id,question,answer,{name}\na,Why?,So,{value}\na,Why?,No,{value}\n"
    (reason,) = reasons(tmp_path / "rows.csv", rows)
    assert "already answered 'a', trial 0, in line 2" in reason
