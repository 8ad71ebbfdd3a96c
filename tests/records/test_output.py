"""Outputs with results among their steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

from fiducial.errors import RecordError
from fiducial.records import (
    Case,
    Output,
    Record,
    ToolCall,
    ToolResults,
    Verdict,
    decode_record,
    encode_record,
    read_records,
)
from fiducial.records.output import (
    calls_made,
    last_text,
    messages_asked,
    planted_step,
    steps_by_turn,
    turns_asked,
)

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


A, B, C = ([ToolCall(name=name)] for name in "abc")


def case(turns: int = 3) -> Case:
    return Case(
        id="c",
        kind="multi_turn",
        messages=[[{"role": "user", "content": f"turn {number}"}] for number in range(turns)],
    )


def output(*turns: list[Any], **fields: Any) -> Output:
    return Output(case_id="c", system="s", turns=list(turns), **fields)


@pytest.mark.parametrize(
    ("made", "counts"),
    [
        (output([A, ToolResults(results=["x"]), "said"], [B], [C]), [2, 1, 1]),
        (output([A], [], [C]), [1, 1, 1]),
        (output([A]), [1, 1, 1]),
        (Output(case_id="c", system="s", text="t", tool_calls=A), [2, 1, 1]),
    ],
)
def test_every_step_counts_and_so_does_a_turn_without_any(made: Output, counts: list[int]):
    assert steps_by_turn(case(), made) == counts


@each_row(
    ("faulty", "step"),
    [
        (output([A, B], [C], [B]), (4, 4)),
        (output([A, C], [C], [A]), (2, 4)),
        (output([A], [C], [A]), (1, 3)),
        (output([A, B], [], [A]), (3, 4)),
        (output([A, B, C], [C], [A]), (3, 5)),
        (output([A, B], [C]), (4, 4)),
    ],
)
def test_a_fault_is_where_the_outputs_part(faulty: Output, step: tuple[int, int]):
    assert planted_step(case(), output([A, B], [C], [A]), faulty) == step


def test_equal_outputs_have_no_planted_step():
    assert planted_step(case(1), output([A]), output([A, ToolResults(results=["x"])])) is None


def test_messages_of_a_simulated_user_take_the_place_of_the_cases():
    asked = [[{"role": "user", "content": "another"}]]
    assert turns_asked(case(), output([A], asked=asked)) == asked
    assert steps_by_turn(case(), output([A], asked=asked)) == [1]


def test_messages_are_those_that_the_agent_was_given():
    asked: list[Any] = [[{"role": "user", "content": "another"}]]
    said = Case(id="c", kind="multi_turn", messages=[[{"role": "user", "content": "first"}], asked[0]])
    plain = Output(case_id="c", system="s", turns=[["done"], ["done"]])
    assert [message["content"] for message in messages_asked(said, plain)] == ["first", "another"]
    assert messages_asked(said, Output(case_id="c", system="s", turns=[["done"]], asked=asked)) == asked[0]


@pytest.mark.parametrize("record_type", [Output, Verdict])
def test_a_trial_below_0_is_refused_with_its_line(record_type: type[Record]):
    fields = {"case_id": "c", "system": "s", "trial": -1}
    if record_type is Verdict:
        fields |= {"by": "ada", "source": "human", "outcome": "undecided"}
    with pytest.raises(RecordError, match=r"^rows\.jsonl:3: trial: Expected `int` >= 0$"):
        decode_record(json.dumps(fields).encode(), record_type, path=Path("rows.jsonl"), line=3)


def test_a_call_in_the_place_of_a_step_is_told_what_a_step_is(tmp_path: Path):
    path = tmp_path / "outputs.jsonl"
    path.write_text('{"case_id": "a", "system": "s", "turns": [[{"name": "go", "arguments": {}}, "ok"]]}\n')
    with pytest.raises(
        RecordError, match=r"turns\[0\]\[0\]: unknown field 'name'; .*the calls of a step are a list"
    ):
        list(read_records(path, Output))


def test_calls_and_text_of_an_output_with_nothing_but_turns_are_those_of_its_turns():
    call = ToolCall(name="ls")
    turns: list[Any] = [[[call], ToolResults(results=["a"]), "One."], [[call], "Two."]]
    output = Output(case_id="c", system="s", turns=turns)
    assert (calls_made(output), last_text(output)) == ([call, call], "Two.")
    # A model that was asked in turns has an empty list where it made no call.
    assert calls_made(Output(case_id="c", system="s", turns=[["One."]], tool_calls=[])) == []
    assert calls_made(Output(case_id="c", system="s", turns=[["One."]])) is None
    whole = Output(case_id="c", system="s", text="All.", tool_calls=[call], turns=turns)
    assert (calls_made(whole), last_text(whole)) == ([call], "All.")
