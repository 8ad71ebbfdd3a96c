"""Several files, each of one system or one judge, named after the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from each_row import each_row

import fiducial as fd
from fiducial.errors import ColumnsError


def saved(path: Path, score: float, name: str = "id", **more: Any) -> Path:
    rows = [{name: f"q{number}", "judge_score": score if number else 0.5, **more} for number in range(12)]
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".csv":
        lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    else:
        path.write_text(
            json.dumps(rows) if path.suffix == ".json" else "".join(json.dumps(row) + "\n" for row in rows)
        )
    return path


@each_row(
    "names",
    [("base.jsonl", "other.jsonl"), ("base.csv", "other.json"), ("a/results.jsonl", "b/results.jsonl")],
)
def test_a_file_of_each_system_names_it(names: tuple[str, str], tmp_path: Path):
    files = [saved(tmp_path / name, score) for name, score in zip(names, (1.0, 0.0), strict=True)]
    (pair,) = fd.compare(files, by="system").pairs
    expected = ("base", "other") if "/" not in names[0] else ("a/results", "b/results")
    assert ((pair.a, pair.b), pair.n, pair.difference.value) == (expected, 12, pytest.approx(11 / 12))


def test_the_command_does_so_too(tmp_path: Path):
    files = [saved(tmp_path / name, score) for name, score in (("base.jsonl", 1.0), ("other.jsonl", 0.0))]
    done = fiducial("compare", *files, "--by", "system", "--json", tmp_path / "c.json")
    assert (done.code, "prefers base" in done.out) == (0, True)
    assert json.loads((tmp_path / "c.json").read_text())["pairs"][0]["n"] == 12


def test_a_column_of_systems_is_kept(tmp_path: Path):
    files = [
        saved(tmp_path / f"{name}.jsonl", score, system=name * 2) for name, score in (("x", 1.0), ("y", 0.0))
    ]
    (pair,) = fd.compare(files, by="system").pairs
    assert (pair.a, pair.b) == ("xx", "yy")


def test_a_column_that_may_pair_the_systems_is_asked(tmp_path: Path):
    files = [
        saved(tmp_path / f"{name}.jsonl", score, "prompt_id") for name, score in (("x", 1.0), ("y", 0.0))
    ]
    with pytest.raises(ColumnsError, match="prompt_id"):
        fd.compare(files, by="system")
    assert fd.compare(files, by="system", map={"item_id": "prompt_id"}).pairs[0].n == 12


def test_an_import_with_peoples_labels_compares_systems_without_a_judge(tmp_path: Path):
    rows = [
        {"id": f"q{number}", "question": "Why?", "answer": name, "system": name, "human_label": label}
        for number in range(12)
        for name, label in (("x", "pass"), ("y", "fail" if number else "pass"))
    ]
    fd.read(rows).save(tmp_path / "imported")
    (pair,) = fd.compare(tmp_path / "imported", by="system").pairs
    assert (pair.a, pair.b, pair.n) == ("x", "y", 12)


def test_questions_pair_the_systems_of_files_without_ids(tmp_path: Path):
    files = [tmp_path / "x.jsonl", tmp_path / "y.jsonl"]
    for file, score in zip(files, (1.0, 0.0), strict=True):
        rows = [
            {"question": f"Where is {number}?", "score": score if number else 0.5} for number in range(12)
        ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(fd.ChoiceNeeded) as caught:
        fd.compare(files, by="system")
    assert caught.value.arguments == {"map": {"item_id": "question"}}
    (pair,) = fd.compare(files, by="system", **caught.value.arguments).pairs
    assert (pair.n, pair.difference.value) == (12, pytest.approx(11 / 12))


def test_a_second_answer_of_another_model_asks_for_the_system(tmp_path: Path):
    path = tmp_path / "rows.csv"
    path.write_text("id,model,judge,score\n1,a,g,1\n1,b,g,0\n2,a,g,1\n2,b,g,1\n")
    with pytest.raises(fd.FiducialError, match="system") as caught:
        fd.compare([path], by="system")
    assert "repeat" not in str(caught.value)
    (pair,) = fd.compare([path], by="system", map={"system": "model"}).pairs
    assert (pair.a, pair.b, pair.n) == ("a", "b", 2)
