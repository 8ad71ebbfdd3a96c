"""The folder of an import: records of any order, and only of cases that are there."""

from pathlib import Path

import pytest

from fiducial.errors import InputError
from fiducial.formats.folder import import_summary, write_folder
from fiducial.formats.imported_scores import ScoreConverter
from fiducial.records import Case, Output, Source, Verdict

CASE = Case(
    id="a",
    kind="open_answer",
    messages=[{"role": "user", "content": "Where to?"}],
    reference={"criterion": "Names a city."},
)
OUTPUT = Output(case_id="a", system="s", text="Rome")


def test_an_output_may_come_before_its_case(tmp_path: Path) -> None:
    summary = write_folder([OUTPUT, CASE], tmp_path / "out", "own")
    assert (summary.outputs, summary.answered) == ({"s": 1}, {"open_answer": 1})


def test_an_output_without_a_case_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="an output answers the case 'b', which is not there"):
        write_folder([CASE, Output(case_id="b", system="s", text="Rome")], tmp_path / "out", "own")
    assert not (tmp_path / "out").exists()


def test_an_output_whose_case_was_deleted_by_hand_names_the_file(tmp_path: Path) -> None:
    write_folder([CASE, OUTPUT], tmp_path, "own")
    cases = tmp_path / "cases.jsonl"
    cases.write_text(cases.read_text().replace('"id":"a"', '"id":"b"'))
    with pytest.raises(InputError, match=r"outputs\.jsonl: an output answers the case 'a'"):
        import_summary(tmp_path)


def test_a_tie_of_people_counts_as_no_label_when_written_and_when_read(tmp_path: Path) -> None:
    said = Verdict(case_id="a", system="s", source="human", by="ann", outcome="graded", score=1.0)
    tie = Verdict(
        case_id="a", system="s", source="construction", by="majority", outcome="undecided", reason="tie"
    )
    written = write_folder([CASE, OUTPUT, said, tie], tmp_path, "own")
    assert written.labels == import_summary(tmp_path).labels == 1


def test_withdrawn_verdicts_of_a_person_and_judge_of_one_name_are_counted_no_longer(tmp_path: Path) -> None:
    authors: list[tuple[str, Source]] = [("ann", "human"), ("ann", "judge"), ("bob", "human")]
    verdicts = [
        Verdict(case_id="a", system="s", source=source, by=by, outcome="graded", score=1.0)
        for by, source in authors
    ]
    converter = ScoreConverter()
    converter.above_one["ann"] = 5.0
    summary = write_folder([CASE, OUTPUT, *verdicts], tmp_path / "out", "own", converter=converter)
    assert (summary.labels, summary.scored, summary.verdicts) == (1, False, {"bob": {"graded": 1}})
