from __future__ import annotations

from pathlib import Path

import pytest
from each_row import each_row

from fiducial.api.selecting import selected, selected_files, selected_labels
from fiducial.errors import UsageError
from fiducial.records import Case, Output, Verdict, read_records, write_records

CASES = [
    Case(id="a", kind="no_call", tags={"category": "live", "hard": True}),
    Case(id="b", kind="no_call", tags={"category": "live", "hops": 3}),
    Case(id="x=1", kind="no_call"),
]


@each_row(
    ("only", "ids"),
    [
        (["a"], ["a"]),
        (["category=live"], ["a", "b"]),
        (["hard=true"], ["a"]),
        (["hops=3"], ["b"]),
        (["x=1"], ["x=1"]),
        (["x=1", "a", "hops=3"], ["a", "b", "x=1"]),
    ],
)
def test_cases_are_selected_by_id_and_tag(only: list[str], ids: list[str]):
    assert [case.id for case in selected(CASES, only)] == ids


@pytest.mark.parametrize("only", ["c", "category=memory", "nothing=1", "b=c"])
def test_a_selection_without_a_case_is_refused_in_its_own_words(only: str):
    with pytest.raises(UsageError, match=f"{only}: no case has this id or tag"):
        list(selected(CASES, ["a", only]))


def test_selected_cases_and_outputs_are_written_beside_the_result(tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", CASES)
    write_records(
        tmp_path / "outputs.jsonl", [Output(case_id=case.id, system="s", text="") for case in CASES]
    )
    files = (tmp_path / "cases.jsonl", [tmp_path / "outputs.jsonl"], ["b"], tmp_path / "run")
    cases, [outputs] = selected_files(*files)
    assert (cases.name, outputs.name) == ("run.only.cases.jsonl", "run.only.outputs.jsonl")
    assert [case.id for case in read_records(cases, Case)] == ["b"]
    assert [output.case_id for output in read_records(outputs, Output)] == ["b"]
    assert selected_files(*files) == (cases, [outputs])
    with pytest.raises(UsageError, match="another selection"):
        selected_files(files[0], files[1], ["a"], files[3])


def test_an_output_with_a_workspace_stays_in_its_folder(tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", CASES)
    write_records(tmp_path / "outputs.jsonl", [Output(case_id="a", system="s", workspace="w")])
    with pytest.raises(UsageError, match="artifacts run --only"):
        selected_files(tmp_path / "cases.jsonl", [tmp_path / "outputs.jsonl"], ["a"], tmp_path / "run")


def test_labels_of_the_selection_are_written_beside_the_result_and_a_table_stays_as_it_is(tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", CASES)
    labels = [
        Verdict(case_id=case.id, system="s", by="ann", source="human", outcome="graded", score=1.0)
        for case in CASES[:2]
    ]
    write_records(tmp_path / "labels.jsonl", labels)
    (tmp_path / "grades.csv").write_text("id,grade\na,pass\n")
    run = tmp_path / "run"
    cases, _ = selected_files(tmp_path / "cases.jsonl", [], ["b"], run)
    chosen = selected_labels(tmp_path / "labels.jsonl", cases, run)
    assert chosen == tmp_path / "run.only.labels.jsonl"
    assert chosen is not None
    assert [label.case_id for label in read_records(chosen, Verdict)] == ["b"]
    assert selected_labels(tmp_path / "grades.csv", cases, run) == tmp_path / "grades.csv"
    unlabelled, _ = selected_files(tmp_path / "cases.jsonl", [], ["x=1"], tmp_path / "other")
    assert selected_labels(tmp_path / "labels.jsonl", unlabelled, tmp_path / "other") is None
