"""ToolBench's queries, answers and annotations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from each_row import each_row

import fiducial as fd

FINAL = json.dumps({"return_type": "give_answer", "final_answer": "Toy Story."})
GAVE_UP = json.dumps({"return_type": "give_up_and_restart"})
TOOL = {
    "name": "find",
    "description": "d",
    "parameters": {"type": "object", "properties": {"q": {"type": "string"}}},
}


def item(final: str) -> dict[str, Any]:
    return {
        "query": "Find a film.",
        "available_tools": [TOOL],
        "answer": {"method": "cot", "final_answer": final, "answer_details": []},
    }


def read_of(value: Any, path: Path) -> fd.Reading:
    path.write_text(json.dumps(value))
    return fd.read(path)


def test_answers_by_id_are_outputs_of_their_method(tmp_path: Path):
    read = read_of({"1187": item(FINAL), "29": item(GAVE_UP)}, tmp_path / "G1.json")
    assert (read.format, [case.id for case in read.cases]) == ("toolbench", ["1187", "29"])
    assert [(output.system, output.text, output.error) for output in read.outputs] == [
        ("cot", "Toy Story.", None),
        ("cot", "", "the answer is empty"),
    ]
    assert read.cases[0].tools[0]["function"]["name"] == "find"


def test_an_api_is_a_tool_with_its_parameters(tmp_path: Path):
    api = {"api_name": "nfts", "api_description": "d", "required_parameters": [{"name": "owner", "type": "STRING", "description": "x"}], "optional_parameters": []}  # fmt: skip
    read = read_of(
        [{"api_list": [api], "query": "Which?", "query_id": 7, "relevant APIs": [["N", "nfts"]]}],
        tmp_path / "q.json",
    )
    function = read.cases[0].tools[0]["function"]
    assert (read.cases[0].id, function["parameters"]["properties"]["owner"]["type"]) == ("7", "string")


@each_row(
    ("word", "score"),
    [("AnswerStatus.Solved", 1.0), ("AnswerStatus.Unsolved", 0.0), ("AnswerStatus.Unsure", None)],
)
def test_annotations_are_repeated_verdicts(word: str, score: float | None, tmp_path: Path):
    value = {"1": {"query": "Which?", "task_solvable": "Solvable", "is_solved": {"0": word, "1": word}}}
    verdicts = read_of(value, tmp_path / "pass.json").verdicts
    assert [(verdict.by, verdict.repeat, verdict.score) for verdict in verdicts] == [
        ("tooleval", 0, score),
        ("tooleval", 1, score),
    ]


def test_a_raw_answer_is_named_after_its_file(tmp_path: Path):
    value = {
        "win": True,
        "tree": {},
        "answer_generation": {
            "valid_data": True,
            "final_answer": FINAL,
            "function": [TOOL],
            "query": "Find.",
        },
    }
    read = read_of(value, tmp_path / "82217_DFS_woFilter_w2.json")
    assert (read.cases[0].id, read.outputs[0].text) == ("82217", "Toy Story.")


@each_row(("tools", "field"), [(7, "1187.available_tools"), ([["find"]], "1187.available_tools[0]")])
def test_tools_that_are_no_list_of_objects_are_told_with_their_field(tools: Any, field: str, tmp_path: Path):
    read = read_of(
        {"1187": {**item(FINAL), "available_tools": tools}, "29": item(FINAL)}, tmp_path / "G1.json"
    )
    assert [case.id for case in read.cases] == ["29"]
    assert [skipped.field for skipped in read.skipped] == [field]
