from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.errors import RecordError
from fiducial.evaluation.inputs import EvaluationInputs
from fiducial.records import Case, Output, TagValue, write_records


def write_inputs(folder: Path, *outputs: Output) -> tuple[Path, Path]:
    write_records(folder / "cases.jsonl", [Case(id=name, kind="no_call") for name in "abc"])
    write_records(folder / "outputs.jsonl", outputs)
    return folder / "cases.jsonl", folder / "outputs.jsonl"


def test_every_output_comes_with_its_case(tmp_path: Path):
    cases, outputs = write_inputs(tmp_path, Output(case_id="b", system="s"), Output(case_id="a", system="s"))
    with EvaluationInputs(cases, [outputs]) as inputs:
        assert [case.id for case, _ in inputs.pairs()] == ["b", "a"]


def test_systems_that_share_no_case_owe_only_what_they_were_asked(tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", [Case(id=name, kind="any_call") for name in "abcd"])
    answers = [("a", "s"), ("b", "s"), ("c", "t")]
    outputs = [Output(case_id=name, system=system, text="") for name, system in answers]
    write_records(tmp_path / "outputs.jsonl", outputs)
    with EvaluationInputs(tmp_path / "cases.jsonl", [tmp_path / "outputs.jsonl"]) as inputs:
        assert inputs.survey.missing == {"s": 1, "t": 1}
        assert inputs.survey.missing_cases == {"s": "d", "t": "d"}
    write_records(tmp_path / "outputs.jsonl", [*outputs, Output(case_id="a", system="t", text="")])
    with EvaluationInputs(tmp_path / "cases.jsonl", [tmp_path / "outputs.jsonl"]) as inputs:
        assert inputs.survey.missing == {"s": 2, "t": 2}
        assert inputs.survey.missing_cases == {"s": "c", "t": "b"}


def test_models_of_a_log_owe_only_what_they_answered_even_where_both_answered_some(tmp_path: Path):
    tags: dict[str, TagValue] = {"source": "openai", "offers_tools": False}
    write_records(tmp_path / "cases.jsonl", [Case(id=name, kind="any_call", tags=tags) for name in "abcd"])
    outputs = [Output(case_id=name, system=system, text="") for name, system in ["as", "bs", "bt", "ct"]]
    write_records(tmp_path / "log.jsonl", outputs)
    with EvaluationInputs(tmp_path / "cases.jsonl", [tmp_path / "log.jsonl"]) as inputs:
        assert inputs.survey.missing == {"s": 1, "t": 1}  # d, which nobody answered


def test_a_system_in_a_file_of_its_own_was_asked_all_cases_of_a_log(tmp_path: Path):
    tags: dict[str, TagValue] = {"source": "openai", "offers_tools": False}
    write_records(tmp_path / "cases.jsonl", [Case(id=name, kind="any_call", tags=tags) for name in "abc"])
    for system, names in (("s", "abc"), ("t", "a")):
        outputs = [Output(case_id=name, system=system, text="") for name in names]
        write_records(tmp_path / f"{system}.jsonl", outputs)
    files = [tmp_path / "s.jsonl", tmp_path / "t.jsonl"]
    with EvaluationInputs(tmp_path / "cases.jsonl", files) as inputs:
        assert inputs.survey.missing == {"s": 0, "t": 2}
        assert inputs.survey.missing_cases == {"t": "b"}


def test_the_survey_counts_what_is_missing_by_system(tmp_path: Path):
    cases, outputs = write_inputs(
        tmp_path,
        Output(case_id="a", system="s"),
        Output(case_id="a", system="s", trial=1),
        *(Output(case_id=name, system="t") for name in "abc"),
    )
    with EvaluationInputs(cases, [outputs]) as inputs:
        survey = inputs.survey
    assert (survey.cases, survey.outputs, survey.missing) == (3, 5, {"s": 2, "t": 0})
    assert [facts.rows for facts in survey.files] == [3, 5]


def test_an_output_for_an_unknown_case_is_an_error(tmp_path: Path):
    cases, outputs = write_inputs(tmp_path, Output(case_id="a", system="s"), Output(case_id="x", system="s"))
    with pytest.raises(RecordError) as caught:
        EvaluationInputs(cases, [outputs])
    assert str(caught.value) == f"{outputs}:2: case_id: no case has the id 'x' in {cases}"


def test_the_same_output_twice_is_an_error_even_across_files(tmp_path: Path):
    cases, first = write_inputs(tmp_path, Output(case_id="a", system="s"))
    second = tmp_path / "more.jsonl"
    write_records(second, [Output(case_id="b", system="s"), Output(case_id="a", system="s")])
    with pytest.raises(RecordError) as caught:
        EvaluationInputs(cases, [first, second])
    assert str(caught.value) == f"{second}:2: repeats {first}:1 (case a, system s, trial 0)"


def test_a_workspace_is_found_from_the_folder_of_its_outputs_file(tmp_path: Path):
    cases, outputs = write_inputs(tmp_path, Output(case_id="a", system="s", workspace="work/a"))
    with EvaluationInputs(cases, [outputs]) as inputs:
        assert [output.workspace for output in inputs.outputs()] == [str(tmp_path / "work" / "a")]


@pytest.mark.parametrize("workspace", ["/etc", "..", "work/../../other", "a\0b"])
def test_a_workspace_outside_that_folder_is_an_error(tmp_path: Path, workspace: str):
    cases, outputs = write_inputs(tmp_path, Output(case_id="a", system="s", workspace=workspace))
    with pytest.raises(RecordError, match="workspace: expected a path inside the folder of this file"):
        EvaluationInputs(cases, [outputs])
