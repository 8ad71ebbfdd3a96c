from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiducial.errors import InputError, RunFolderError
from fiducial.evaluation.inputs import EvaluationInputs
from fiducial.evaluation.labelling.joined_labels import join_labels
from fiducial.evaluation.labelling.trusted_labels import add_labels, adopt_labels, labelled_by
from fiducial.evaluation.store.run_store import RunStore
from fiducial.evaluation.store.run_writer import RunWriter
from fiducial.records import Case, ItemKey, Output, Verdict, read_records, write_json, write_records
from fiducial.tables.standing_labels import standing_labels


def label(number: int, score: float | None = 1.0, by: str = "ann", **more: Any) -> Verdict:
    given: dict[str, Any] = {"source": "human", "evidence": {"review": {"sample": "open"}}} | more
    outcome = "undecided" if score is None else "graded"
    return Verdict(case_id=str(number), system="s", by=by, outcome=outcome, score=score, **given)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    write_json(folder / "run.json", {"identity": {}})
    checked = (
        Verdict(case_id=str(n), system="s", by="none", source="checker", outcome="undecided")
        for n in range(9)
    )
    write_records(folder / "verdicts.jsonl", checked)
    return folder


@pytest.fixture
def inputs(tmp_path: Path) -> Iterator[EvaluationInputs]:
    write_records(tmp_path / "cases.jsonl", (Case(id=str(n), kind="any_call") for n in range(9)))
    write_records(tmp_path / "outputs.jsonl", (Output(case_id=str(n), system="s", text="") for n in range(9)))
    with EvaluationInputs(tmp_path / "cases.jsonl", [tmp_path / "outputs.jsonl"]) as opened:
        yield opened


def file_of(path: Path, *labels: Verdict) -> Path:
    write_records(path, labels)
    return path


def labels_in(run: Path) -> list[Verdict]:
    return list(read_records(run / "labels.jsonl", Verdict))


def test_labels_of_several_people_are_added_and_counted(run: Path, tmp_path: Path):
    ann = file_of(tmp_path / "ann", label(0), label(1, 0.0), label(2, None))
    bob = file_of(tmp_path / "bob", label(0, 0.0, by="bob"))
    added = add_labels(run, [ann, bob])
    assert (added.added, added.unchanged, added.people, added.skipped) == (4, 0, {"ann": 3, "bob": 1}, 1)
    assert labels_in(run) == [label(0), label(1, 0.0), label(2, None), label(0, 0.0, by="bob")]


def test_what_could_not_be_told_is_no_label(run: Path, tmp_path: Path):
    add_labels(run, [file_of(tmp_path / "ann", label(0), label(2, None))])
    assert RunStore(run).label_scores == {ItemKey("0", "s", 0): 1.0}
    assert labelled_by(RunStore(run), "ann") == {ItemKey("0", "s", 0), ItemKey("2", "s", 0)}
    assert labelled_by(RunStore(run), "bob") == set()


@pytest.mark.parametrize("source", ["human", "construction"])
def test_adding_the_same_file_twice_changes_nothing(run: Path, tmp_path: Path, source: str):
    file = file_of(tmp_path / "ann", label(0, source=source), label(1, source=source))
    add_labels(run, [file])
    before = (run / "labels.jsonl").read_bytes()
    again = add_labels(run, [file])
    assert (again.added, again.unchanged, (run / "labels.jsonl").read_bytes()) == (0, 2, before)


def test_a_person_who_changed_an_answer_is_taken_at_the_last_word(run: Path, tmp_path: Path):
    add_labels(run, [file_of(tmp_path / "ann", label(0, 1.0))])
    assert add_labels(run, [file_of(tmp_path / "ann", label(0, 0.0))]).added == 1
    assert RunStore(run).label_scores == {ItemKey("0", "s", 0): 0.0}


def test_labels_without_a_newline_at_the_end_are_not_lost(run: Path, tmp_path: Path):
    (run / "labels.jsonl").write_bytes(msgspec.json.encode(label(5, by="carl")))
    add_labels(run, [file_of(tmp_path / "ann", label(0))])
    assert [(verdict.case_id, verdict.by) for verdict in labels_in(run)] == [("5", "carl"), ("0", "ann")]


@pytest.mark.parametrize(
    ("bad", "field", "message"),
    [
        (label(0, source="judge"), "source", "a judge's verdict is not a label"),
        (label(77), "case_id", "the run has no output 77|s|0"),
        (label(0, evidence={"review": {"sample": "doubt"}}), "evidence.review.sample", "drawn by doubt"),
        (label(0, evidence={"review": {"sample": "suspected"}}), "evidence.review.sample", "flatter"),
        (label(0, evidence={"review": {"sample": "decided"}}), "evidence.review.sample", "--label-audit"),
    ],
)
def test_a_label_that_cannot_be_added_names_file_line_and_field_and_nothing_is_added(
    run: Path, tmp_path: Path, bad: Verdict, field: str, message: str
):
    file = file_of(tmp_path / "ann", label(1), bad)
    with pytest.raises(InputError, match=message) as error:
        add_labels(run, [file])
    assert (error.value.path, error.value.line, error.value.field) == (file, 2, field)
    assert not (run / "labels.jsonl").exists()


def test_labels_are_not_added_while_another_process_writes_the_run(run: Path, tmp_path: Path):
    with RunWriter(run), pytest.raises(RunFolderError, match="another process"):
        add_labels(run, [file_of(tmp_path / "ann", label(0))])


def test_a_labels_file_of_a_run_does_not_push_out_what_people_added(
    run: Path, tmp_path: Path, inputs: EvaluationInputs
):
    add_labels(run, [file_of(tmp_path / "ann", label(0), label(1, 0.0))])
    built = file_of(tmp_path / "built", label(3, by="construction", source="construction", evidence={}))
    with RunWriter(run) as folder:
        adopt_labels(built, inputs, folder)
        adopt_labels(built, inputs, folder)
    assert [(verdict.case_id, verdict.by) for verdict in labels_in(run)] == [
        ("0", "ann"),
        ("1", "ann"),
        ("3", "construction"),
    ]


def test_the_file_that_is_named_has_the_last_word(run: Path, tmp_path: Path, inputs: EvaluationInputs):
    add_labels(run, [file_of(tmp_path / "ann", label(0, 1.0))])
    with RunWriter(run) as folder:
        adopt_labels(file_of(tmp_path / "mended", label(0, 0.0)), inputs, folder)
    assert labels_in(run) == [label(0, 0.0)]


def test_labels_that_were_added_to_a_run_count_after_it_runs_again_with_its_file(
    run: Path, tmp_path: Path, inputs: EvaluationInputs
):
    built = label(3, by="construction", source="construction", evidence={})
    ann = label(3, 0.0, evidence={})
    file = file_of(tmp_path / "built", built, ann)
    with RunWriter(run) as folder:
        adopt_labels(file, inputs, folder)
    # One contradicts the file, one is of another output, and one is ann's second thought.
    bob, other, again = (
        label(3, 0.0, by="bob", evidence={}),
        label(4, evidence={}),
        label(3, 1.0, evidence={}),
    )
    assert join_labels(run, file_of(tmp_path / "added", bob, other, again)).added == 3
    added = labels_in(run)
    with RunWriter(run) as folder:
        adopt_labels(file, inputs, folder)
        adopt_labels(file, inputs, folder)
    kept = labels_in(run)
    assert kept[:2] == [built, ann]
    assert [(verdict.case_id, verdict.by, verdict.score) for verdict in kept[2:]] == [
        ("3", "bob", 0.0),
        ("4", "ann", 1.0),
        ("3", "ann", 1.0),
    ]
    assert standing_labels(kept) == standing_labels(added)
    # A review of the same output after them has the last word, and still has it.
    add_labels(run, [file_of(tmp_path / "review", label(3, 0.0, by="eve"))])
    with RunWriter(run) as folder:
        adopt_labels(file, inputs, folder)
    assert labels_in(run)[-1].by == "eve"


@pytest.mark.parametrize("sample", ["doubt", "suspected"])
def test_labels_that_were_not_sampled_evenly_do_not_become_those_of_a_run(
    run: Path, tmp_path: Path, inputs: EvaluationInputs, sample: str
):
    file = file_of(tmp_path / "ann", label(0, evidence={"review": {"sample": sample}}))
    with RunWriter(run) as folder, pytest.raises(InputError, match=r"evidence.review.sample"):
        adopt_labels(file, inputs, folder)


def test_labels_of_an_audit_may_replace_the_checkers_when_they_are_named(
    run: Path, tmp_path: Path, inputs: EvaluationInputs
):
    audit = label(0, evidence={"review": {"sample": "decided"}})
    with RunWriter(run) as folder:
        adopt_labels(file_of(tmp_path / "ann", audit), inputs, folder)
    assert labels_in(run) == [audit]


def test_labels_that_are_added_later_are_another_round(run: Path, tmp_path: Path):
    assert add_labels(run, [file_of(tmp_path / "1", label(0), label(1))]).rounds == 1
    assert all("added_in" not in verdict.evidence for verdict in labels_in(run))
    again = file_of(tmp_path / "2", label(1), label(2), label(0, 0.0, by="bob"))
    assert add_labels(run, [again]).rounds == 2
    assert {verdict.case_id: verdict.evidence.get("added_in", 1) for verdict in labels_in(run)} == {
        "0": 1,
        "1": 1,
        "2": 2,
    }
    before = labels_in(run)
    repeated = add_labels(run, [again])
    assert (repeated.added, repeated.unchanged, repeated.rounds) == (0, 3, 2)
    assert labels_in(run) == before


def test_a_longer_file_of_labels_is_another_round(run: Path, inputs: EvaluationInputs, tmp_path: Path):
    for count in (2, 2, 5):
        with RunWriter(run) as writer:
            adopt_labels(file_of(tmp_path / "l", *map(label, range(count))), inputs, writer)
    assert [verdict.evidence.get("added_in", 1) for verdict in labels_in(run)] == [1, 1, 2, 2, 2]
