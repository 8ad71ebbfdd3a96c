"""Function documents whose parameters have no schema around them, as xLAM's."""

from __future__ import annotations

import json
from typing import Any

from each_row import each_row

import fiducial as fd
from fiducial.formats.tool_documents import plain_document


def xlam(types: dict[str, str]) -> dict[str, Any]:
    parameters = {name: {"description": "d", "type": each} for name, each in types.items()}
    call = {"name": "find", "arguments": {"item": "lamp"}}
    tools = [{"name": "find", "description": "Find.", "parameters": parameters}]
    return {"id": 1, "query": "A lamp?", "answers": json.dumps([call]), "tools": json.dumps(tools)}


def test_a_case_with_flat_parameters_can_be_checked():
    read = fd.read([xlam({"item": "str", "near": "str, optional"})])
    (case,) = read.cases
    assert case.kind == "tool_call"
    right = fd.Output(
        case_id="1", system="s", tool_calls=[fd.ToolCall(name="find", arguments={"item": "lamp"})]
    )
    assert fd.check(case, right).score == 1.0
    wrong = fd.Output(
        case_id="1", system="s", tool_calls=[fd.ToolCall(name="find", arguments={"item": "rug"})]
    )
    assert fd.check(case, wrong).score == 0.0


@each_row(
    ("stated", "type_"),
    [("str", "string"), ("int, optional", "integer"), ("List[int]", "array"), ("Dict[str, Any]", "object"), ("bool", "boolean"),
     ("float", "number"), ("Optional[str]", "string"), ("Set[str]", "array"), ("string", "string"), ("Callable", None), ("Union[int, str]", None)],
)  # fmt: skip
def test_types_of_python_are_named_as_in_json_schema(stated: str, type_: str | None):
    document = plain_document({"name": "f", "parameters": {"x": {"type": stated}}})
    assert document["parameters"]["properties"]["x"].get("type") == type_


@each_row(
    "parameters",
    [
        {"type": "object", "properties": {"x": {"type": "string"}}},
        {"properties": {"x": {"type": "string"}}},
        {},
        {"$ref": "#/x"},
    ],
)
def test_a_schema_is_left_as_it_is(parameters: dict[str, Any]):
    tool = {"name": "f", "parameters": parameters}
    assert plain_document(tool) is tool


def test_parameters_in_a_list_are_properties():
    document = plain_document({"name": "f", "parameters": [{"name": "x", "type": "str", "required": True}]})
    assert document["parameters"] == {"type": "object", "properties": {"x": {"type": "string"}}}
