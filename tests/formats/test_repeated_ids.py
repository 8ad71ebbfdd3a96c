"""Ids of a table that repeat with other questions."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import fiducial as fd


def rows(**more: list[Any]) -> list[dict[str, Any]]:
    made = [{"id": f"q{n // 2}", "question": f"Where is {n}?", "answer": f"At {n}"} for n in range(6)]
    return [{**row, **{name: values[n] for name, values in more.items()}} for n, row in enumerate(made)]


def saved(path: Path, made: list[dict[str, Any]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(made[0]))
        writer.writeheader()
        writer.writerows(made)
    return path


def test_other_questions_under_an_id_are_asked_about(tmp_path: Path):
    path = saved(tmp_path / "rows.csv", rows())
    for given in (path, rows()):
        with pytest.raises(fd.ChoiceNeeded, match="3 of 3 ids repeat") as caught:
            fd.read(given)
        assert caught.value.arguments == {"map": {"trial": "?"}}
    own = fd.read(path, map={"cluster": "id"})
    assert (len(own.cases), len(own.outputs), {case.cluster for case in own.cases}) == (
        6,
        6,
        {"q0", "q1", "q2"},
    )


def test_a_column_that_numbers_the_rows_of_an_id_is_proposed(tmp_path: Path):
    path = saved(tmp_path / "rows.csv", rows(draw_idx=[0, 1] * 3, length=[5] * 6))
    with pytest.raises(fd.ChoiceNeeded) as caught:
        fd.read(path)
    assert caught.value.arguments == {"map": {"trial": "draw_idx"}}
    found = fd.read(path, **caught.value.arguments)
    assert (len(found.cases), len(found.outputs), found.skipped) == (3, 6, [])


def test_a_known_column_of_trials_is_not_asked_about(tmp_path: Path):
    found = fd.read(saved(tmp_path / "rows.csv", rows(attempt=[0, 1] * 3)))
    assert (len(found.cases), len(found.outputs)) == (3, 6)


def test_the_same_question_again_is_not_asked_about(tmp_path: Path):
    made = [{**row, "question": f"Where is {row['id']}?"} for row in rows()]
    found = fd.read(saved(tmp_path / "rows.csv", made))
    assert (len(found.cases), len(found.outputs)) == (3, 6)
