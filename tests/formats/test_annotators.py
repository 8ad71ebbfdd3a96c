"""Tables that several people labelled."""

from __future__ import annotations

from pathlib import Path

import pytest

import fiducial as fd

LONG = """id,question,answer,annotator,label
a,Where?,Rome,anna,good
a,Where?,Rome,bob,bad
b,When?,1999,anna,good
b,When?,1999,bob,good
c,Who?,Ada,anna,bad
"""
WIDE = """id,question,answer,Anna M.,Björn
a,Where?,Rome,good,bad
b,When?,1999,good,good
c,Who?,Ada,bad,
"""
SAID = [("a", "anna", 1.0), ("a", "bob", 0.0), ("b", "anna", 1.0), ("b", "bob", 1.0), ("c", "anna", 0.0)]


def written(tmp_path: Path, text: str) -> Path:
    (tmp_path / "rows.csv").write_text(text)
    return tmp_path / "rows.csv"


def test_a_row_per_person_is_a_label_of_each_and_one_output(tmp_path: Path):
    found = fd.read(written(tmp_path, LONG))
    assert (len(found.outputs), len(found.skipped), found.cases[0].tags) == (3, 0, {})
    people = [verdict for verdict in found.verdicts if verdict.source == "human"]
    assert [(person.case_id, person.by, person.score) for person in people] == SAID
    majority = [verdict for verdict in found.verdicts if verdict.by == "majority"]
    assert [(verdict.case_id, verdict.outcome, verdict.score) for verdict in majority] == [("a", "undecided", None), ("b", "graded", 1.0)]  # fmt: skip


def test_columns_of_people_are_named_one_by_one(tmp_path: Path):
    path = written(tmp_path, WIDE)
    found = fd.read(path, map={"Anna M.": "label", "Björn": "label"})
    assert [verdict.by for verdict in found.verdicts] == ["Anna M.", "Björn", "majority"] * 2 + ["Anna M.", "majority"]  # fmt: skip
    assert [verdict.score for verdict in found.verdicts if verdict.by == "majority"] == [None, 1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "map_"), [(LONG, {}), (WIDE, {"Anna M.": "label", "Björn": "label"})], ids=["long", "wide"]
)
def test_where_people_disagree_there_is_no_label(tmp_path: Path, text: str, map_: dict[str, str]):
    path = written(tmp_path, text)
    found = fd.read(path, map=map_)
    found.save(tmp_path / "in")
    run = fd.evaluate(
        tmp_path / "in" / "cases.jsonl",
        tmp_path / "in" / "outputs.jsonl",
        judges="rubric",
        model="baseline",
        labels=tmp_path / "in" / "labels.jsonl",
        out=tmp_path / "run",
    )
    rows = [{"id": output.case_id, "judge_score": 1} for output in found.outputs]
    for numbers in (
        fd.calibrate(run)["rubric/lexical@baseline"],
        fd.calibrate(rows, labels=path, map=map_)["judge_score"],
    ):
        assert (numbers.n + numbers.n_missing, numbers.n_unlabelled) == (2, 1)


def test_a_blank_cell_of_labels_takes_no_label_away(tmp_path: Path):
    (tmp_path / "labels.csv").write_text("id,label\na,\nb,1\n")
    rows = [{"item_id": each, "judge": "j", "score": 1, "label": 0} for each in "ab"]
    assert fd.calibrate(rows, labels=tmp_path / "labels.csv")["j"].n == 2


def test_a_second_persons_words_are_no_judge(tmp_path: Path):
    path = written(tmp_path, WIDE.replace("bad,\n", "bad,good\n"))
    found = fd.read(path, map={"label": "Anna M."})
    assert {(verdict.by, verdict.source) for verdict in found.verdicts} == {("Anna M.", "human")}
    assert found.tags == ["Björn"]


def test_an_import_proposes_the_id_and_every_persons_column(tmp_path: Path):
    rows = "".join(f"t{n},Why {n}?,So {n} it is,{'good' if n % 2 else 'bad'},{'bad' if n % 3 else 'good'}\n" for n in range(12))  # fmt: skip
    path = written(tmp_path, "Task ID,question,answer,Anna M.,Björn\n" + rows + "t12,Why?,So,unsure,good\n")
    found = fd.read(path)
    assert "map={'id': 'Task ID', 'label': '?'}" in repr(found)
    assert "the label could be 'Anna M.', 'Björn'" in repr(found)
    assert len(fd.read(path, map={"id": "Task ID", "label": "Anna M.", "Björn": "label"}, map_label={"unsure": None}).skipped) == 0  # fmt: skip


def test_the_same_answer_again_without_a_name_says_what_to_add(tmp_path: Path):
    found = fd.read(written(tmp_path, LONG.replace("annotator", "batch").replace("bad", "good")))
    assert "name who graded it in a column `annotator`" in found.skipped[0].reason
