"""Result trees: found, read and refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

from fiducial.errors import InputError
from fiducial.formats.bfcl import (
    CATEGORIES,
    ResultFile,
    ResultIndex,
    find_results,
    read_outputs,
    read_results,
    to_output,
)
from fiducial.records import ToolCall


def write(path: Path, *lines: Any):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return path


def test_files_are_found_by_system_and_category(tmp_path: Path):
    write(tmp_path / "b/live/BFCL_v4_live_simple_result.json", "")
    write(tmp_path / "a/agentic/memory/kv/BFCL_v4_memory_kv_result.json", "")
    write(tmp_path / "a/non_live/BFCL_v3_simple_python_result.json", "")
    found = [(file.system, file.category.name) for file in find_results(tmp_path).files]
    assert found == [("a", "simple_python"), ("a", "memory_kv"), ("b", "live_simple")]


def test_only_wanted_categories_are_found(tmp_path: Path):
    write(tmp_path / "a/live/BFCL_v4_live_simple_result.json", "")
    write(tmp_path / "a/live/BFCL_v4_live_multiple_result.json", "")
    found = find_results(tmp_path, [CATEGORIES["live_simple"]]).files
    assert [file.category.name for file in found] == ["live_simple"]


def test_categories_that_bfcl_does_not_score_are_passed_over_and_named(tmp_path: Path):
    write(tmp_path / "a/live/BFCL_v4_live_simple_result.json", "")
    prepared = write(tmp_path / "a/agentic/memory/kv/BFCL_v4_memory_kv_prereq_result.json", "")
    assert find_results(tmp_path).unscored == [prepared]


def test_an_unknown_category_is_an_error_that_names_the_file(tmp_path: Path):
    write(tmp_path / "a/non_live/BFCL_v3_easy_result.json", "")
    with pytest.raises(InputError, match=r"BFCL_v3_easy_result.json: 'easy' is not a category"):
        find_results(tmp_path)


def test_two_files_of_one_category_are_an_error(tmp_path: Path):
    write(tmp_path / "a/live/BFCL_v4_live_simple_result.json", "")
    write(tmp_path / "a/old/BFCL_v3_live_simple_result.json", "")
    with pytest.raises(InputError, match="two files of category live_simple"):
        find_results(tmp_path)


def test_a_tree_without_results_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="found no"):
        find_results(tmp_path)


def test_a_tree_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="expected a folder"):
        find_results(tmp_path / "result")


def test_nan_and_lone_surrogates_are_read_as_python_wrote_them(tmp_path: Path):
    path = write(tmp_path / "r.json", '{"id": "a_0", "result": "\\ud800", "latency": NaN}\n')
    line = next(read_results(path))
    assert line.result == "\ud800"
    assert math.isnan(line.fields["latency"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"result": ""}', "1: id: expected a text, got None"),
        ('{"id": 3, "result": ""}', "1: id: expected a text, got 3"),
        ('{"id": "a_0"}', "1: result: is missing"),
        ("null", "1: expected a JSON object"),
    ],
)
def test_a_line_that_is_no_result_is_named(tmp_path: Path, text: str, message: str):
    path = write(tmp_path / "r.json", text)
    with pytest.raises(InputError, match=message):
        list(read_results(path))


def test_an_index_reads_answers_in_any_order(tmp_path: Path):
    path = write(tmp_path / "r.json", {"id": "a_1", "result": 1}, "\n", {"id": "a_0", "result": 0})
    index = ResultIndex(path)
    assert index.lines == {"a_1": 1, "a_0": 3}
    assert [line.result for line in index.read(["a_0", "a_1"])] == [0, 1]


def test_an_id_that_is_there_twice_is_refused_with_both_lines(tmp_path: Path):
    path = write(tmp_path / "r.json", {"id": "a_0", "result": 1}, {"id": "a_0", "result": 2})
    with pytest.raises(InputError, match="2: id: the id 'a_0' is already on line 1"):
        ResultIndex(path)


SIMPLE, MULTI_TURN = CATEGORIES["simple_python"], CATEGORIES["multi_turn_base"]


def test_a_text_becomes_the_text_of_an_output():
    output = to_output("simple_python_0", "s", SIMPLE, "[f(a=1)]")
    assert (output.text, output.tool_calls) == ("[f(a=1)]", None)


@each_row(
    ("result", "calls"),
    [
        ([], []),
        ([{"f": '{"a": 1}'}], [ToolCall(name="f", arguments='{"a": 1}')]),
        ([{"f": {"a": 1}}], [ToolCall(name="f", arguments={"a": 1})]),
        ([{"f": "{}", "g": "{}"}], [ToolCall(name="f", arguments="{}")]),
        ([{"f": [1]}], [ToolCall(name="f", arguments="[1]")]),
    ],
)
def test_a_list_becomes_native_calls_with_their_arguments_verbatim(result: Any, calls: Any):
    assert to_output("simple_python_0", "s", SIMPLE, result).tool_calls == calls


@each_row("result", [None, 3, [1], [{}], {"f": "{}"}])
def test_what_is_neither_keeps_its_json_as_text(result: Any):
    output = to_output("simple_python_0", "s", SIMPLE, result)
    assert output.tool_calls is None
    assert output.text == json.dumps(result)


def test_turns_keep_texts_and_calls_apart():
    output = to_output("multi_turn_base_0", "s", MULTI_TURN, [[[{"f": "{}"}], "done"], []])
    assert output.turns == [[[ToolCall(name="f", arguments="{}")], "done"], []]


def test_a_conversation_that_broke_off_has_its_message_as_text():
    output = to_output("multi_turn_base_0", "s", MULTI_TURN, "Error during inference: timeout")
    assert (output.turns, output.text) == (None, "Error during inference: timeout")


def test_every_line_of_a_file_becomes_an_output_of_its_system(tmp_path: Path):
    path = write(tmp_path / "r.json", {"id": "a_0", "result": "x"}, {"id": "a_1", "result": "y"})
    outputs = list(read_outputs([ResultFile("sys", SIMPLE, path)]))
    assert [(output.case_id, output.system, output.text) for output in outputs] == [
        ("a_0", "sys", "x"),
        ("a_1", "sys", "y"),
    ]
