"""Outputs with results among their steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import RecordError
from fiducial.records import Output, ToolCall, ToolResults, decode_record, encode_record

LINE: dict[str, Any] = {
    "case_id": "c",
    "system": "s",
    "turns": [[[{"name": "ls", "arguments": {}}], {"results": ["a.txt", {"size": 3}]}, "There is one file."]],
}


def read(line: object) -> Output:
    return decode_record(json.dumps(line).encode(), Output, path=Path("outputs.jsonl"), line=1)


def test_results_may_stand_among_steps_and_come_back_as_they_were_read():
    output = read(LINE)
    assert output.turns == [
        [[ToolCall(name="ls")], ToolResults(results=["a.txt", {"size": 3}]), "There is one file."]
    ]
    assert read(json.loads(encode_record(output))) == output


def test_the_agents_turns_of_an_output_are_its_steps_without_results():
    assert read(LINE).agent_turns == [[[ToolCall(name="ls")], "There is one file."]]
    assert Output(case_id="c", system="s").agent_turns is None


def test_a_step_of_another_shape_is_refused_with_file_and_line():
    with pytest.raises(RecordError, match=r"outputs.jsonl:1.*result"):
        read(LINE | {"turns": [[{"result": "x"}]]})
