"""``fiducial cases`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from command import fiducial

from fiducial.cli.cases import command
from fiducial.errors import FiducialError, InputError, UsageError
from fiducial.records import Case, Output, read_records


def cases(*arguments: Any) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_categories_and_groups_become_cases(bfcl_data: Path, tmp_path: Path):
    out = tmp_path / "cases.jsonl"
    result = cases("bfcl", bfcl_data, "--category", "memory", "simple_python", "--out", out)
    assert result.stdout == f"6 cases in {out}\n"
    assert [case.id for case in read_records(out, Case)][:4] == [
        "simple_python_0",
        "simple_python_1",
        "simple_python_2",
        "memory_kv_0-garden-0",
    ]


def test_a_result_tree_becomes_outputs(bfcl_data: Path, tmp_path: Path):
    folder = tmp_path / "result/gardener/non_live"
    folder.mkdir(parents=True)
    line = json.dumps({"id": "simple_python_2", "result": [{"garden.prune": "{}"}]})
    (folder / "BFCL_v4_simple_python_result.json").write_text(line)
    out, outputs = tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    cases(
        "bfcl", bfcl_data, "--category", "simple_python", "--out", out,
        "--results", tmp_path / "result", "--outputs-out", outputs,
    )  # fmt: skip
    [output] = read_records(outputs, Output)
    assert (output.case_id, output.system) == ("simple_python_2", "gardener")


def test_an_answer_to_nothing_is_refused_and_no_outputs_are_left(bfcl_data: Path, tmp_path: Path):
    folder = tmp_path / "result/gardener/non_live"
    folder.mkdir(parents=True)
    (folder / "BFCL_v4_simple_python_result.json").write_text('{"id": "simple_python_9", "result": ""}')
    out, outputs = tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    result = cases(
        "bfcl", bfcl_data, "--category", "simple_python", "--out", out,
        "--results", tmp_path / "result", "--outputs-out", outputs,
    )  # fmt: skip
    assert "gardener answers 'simple_python_9', which is not an entry" in str(result.exception)
    assert not outputs.exists()


def test_results_need_a_place_to_go(bfcl_data: Path, tmp_path: Path):
    result = cases("bfcl", bfcl_data, "--out", tmp_path / "c", "--results", tmp_path)
    assert isinstance(result.exception, UsageError)


@pytest.mark.parametrize(
    ("options", "kind"), [(("--category", "nonsense"), UsageError), (("--category", "multiple"), InputError)]
)
def test_what_is_not_there_leaves_no_cases_file(
    bfcl_data: Path, tmp_path: Path, options: tuple[str, ...], kind: type[FiducialError]
):
    result = cases("bfcl", bfcl_data, "--out", tmp_path / "cases.jsonl", *options)
    assert isinstance(result.exception, kind)
    assert not list(tmp_path.iterdir())


def test_chat_logs_become_cases_and_outputs(tmp_path: Path):
    log, out, outputs = tmp_path / "log.jsonl", tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    asked = {"role": "user", "content": "Hello?"}
    log.write_text(
        json.dumps({"messages": [asked, {"role": "assistant", "content": "Yes."}]})
        + "\n"
        + json.dumps({"messages": [asked]})
    )
    result = cases(
        "openai", log, "--out", out, "--outputs-out", outputs, "--criterion", "Says yes.", "--system", "me"
    )
    assert result.stdout == f"2 cases in {out}\n1 output in {outputs}\n"
    assert {case.reference["criterion"] for case in read_records(out, Case)} == {"Says yes."}
    [output] = read_records(outputs, Output)
    assert (output.case_id, output.system, output.text) == ("chat-000001", "me", "Yes.")


def test_a_line_that_is_no_chat_leaves_nothing_behind(tmp_path: Path):
    log = tmp_path / "log.jsonl"
    log.write_text('{"messages": [{"role": "user", "content": "Hi"}]}\n{"message": []}\n')
    result = cases("openai", log, "--out", tmp_path / "cases.jsonl")
    assert isinstance(result.exception, InputError)
    assert f"{log}:2" in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]


def test_a_log_that_is_refused_names_the_import_that_skips(tmp_path: Path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"query": "Hi", "response": "Hello"}\n{"query": 3}\n')
    refused = fiducial("cases", "azure", rows, "--out", tmp_path / "cases.jsonl")
    lenient = f"`fiducial import azure {rows} --out FOLDER` lists what it skips"
    assert (refused.code, lenient in refused.err) == (2, True), refused.err
    assert fiducial("import", "azure", rows, "--out", tmp_path / "FOLDER").code == 0


def test_azure_rows_become_cases_and_outputs_that_can_be_run(tmp_path: Path):
    rows, out, outputs = tmp_path / "rows.jsonl", tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    call: dict[str, Any] = {"type": "tool_call", "name": "f", "arguments": {}}
    given: list[dict[str, Any]] = [
        {"query": "Call f.", "tool_calls": [call], "tool_definitions": [{"name": "f"}]},
        {"query": "Where?", "response": "Rome.", "context": "It is in Rome."},
        {"query": "2+2?", "response": "4", "ground_truth": "four"},
    ]
    rows.write_text("".join(json.dumps(row) + "\n" for row in given))
    result = cases("azure", rows, "--out", out, "--outputs-out", outputs, "--system", "me")
    assert result.stdout == f"3 cases in {out}\n3 outputs in {outputs}\n"
    kinds = [case.kind for case in read_records(out, Case)]
    assert kinds == ["any_call", "grounded_answer", "open_answer"]
    judges = ("--judge", "tool_call_accuracy", "groundedness", "rubric", "--model", "baseline")
    run = fiducial(
        "run", "-v", out, "--outputs", outputs, "--rules", "strict", *judges, "--out", tmp_path / "run"
    )
    assert (run.code, run.out.count("1 graded")) == (0, 3)
