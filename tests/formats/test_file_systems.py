"""Tables of several systems, a file each, that name none."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import fiducial as fd
from fiducial.api.reading import import_files

ASKED = ["Where?", "When?", "Who?"]


def answers(said: str, **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"q{number}", "question": asked, "answer": f"{said} {number}", "score": number % 2, **more}
        for number, asked in enumerate(ASKED)
    ]


def saved(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def systems(folder: Path, **options: Any) -> set[str]:
    return {output.system for output in fd.read(folder, **options).outputs}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_each_file_is_a_system_named_after_it(tmp_path: Path, suffix: str):
    files = [saved(tmp_path / f"{name}{suffix}", answers(name)) for name in ("base", "new")]
    assert systems(tmp_path) == {"base", "new"}
    imported = import_files(files, tmp_path / "out")
    assert (imported.outputs, imported.shared) == ({"base": 3, "new": 3}, 3)
    assert imported.file_systems == ["base", "new"]
    assert [(verdict.system, verdict.score) for verdict in fd.read(tmp_path).verdicts][3:] == [
        ("new", 0.0),
        ("new", 1.0),
        ("new", 0.0),
    ]


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path):
    for name in ("base", "new"):
        saved(tmp_path / name / "rows.jsonl", answers(name))
    assert systems(tmp_path) == {"base/rows", "new/rows"}


def test_files_without_ids_are_systems_if_they_answer_the_same_questions_otherwise(tmp_path: Path):
    for name in ("base", "new"):
        saved(
            tmp_path / f"{name}.jsonl",
            [{"question": row["question"], "answer": row["answer"]} for row in answers(name)],
        )
    assert systems(tmp_path) == {"base", "new"}
    paired = fd.read(tmp_path, map={"id": "question"})
    assert (len(paired.cases), len(paired.outputs)) == (3, 6)


@pytest.mark.parametrize(
    ("first", "second", "options", "found"),
    [
        (answers("one"), answers("one"), {}, {"logged"}),  # the same answers, judged twice
        (
            answers("one"),
            [{**row, "id": f"z{row['id']}"} for row in answers("two")],
            {},
            {"logged"},
        ),  # a split
        (answers("one", model="a"), answers("two", model="b"), {}, {"a", "b"}),
        (answers("one", trial=0), answers("two", trial=1), {}, {"logged"}),
        (answers("one"), answers("two"), {"system": "bot"}, {"bot"}),
    ],
)
def test_other_files_name_no_systems(
    tmp_path: Path,
    first: list[dict[str, Any]],
    second: list[dict[str, Any]],
    options: dict[str, Any],
    found: set[str],
):
    for name, rows in (("first", first), ("second", second)):
        saved(tmp_path / f"{name}.csv", rows)
    assert systems(tmp_path, **options) == found
