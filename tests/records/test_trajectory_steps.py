"""Steps of trajectories, and where two of them part."""

from __future__ import annotations

from typing import Any

import pytest

from fiducial.records import Case, Output, ToolCall, ToolResults
from fiducial.records.trajectory_steps import planted_step, steps_by_turn, turns_asked

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


@pytest.mark.parametrize(
    ("faulty", "step"),
    [
        (output([A, B], [C], [B]), (4, 4)),
        (output([A, C], [C], [A]), (2, 4)),
        (output([A], [C], [A]), (1, 3)),
        (output([A, B], [], [A]), (3, 4)),
        (output([A, B, C], [C], [A]), (3, 5)),
        (output([A, B], [C]), (4, 4)),
    ],
    ids=["changed", "changed early", "left out", "turn left out", "too many", "turn missing"],
)
def test_a_fault_is_where_the_outputs_part(faulty: Output, step: tuple[int, int]):
    assert planted_step(case(), output([A, B], [C], [A]), faulty) == step


def test_equal_outputs_have_no_planted_step():
    assert planted_step(case(1), output([A]), output([A, ToolResults(results=["x"])])) is None


def test_messages_of_a_simulated_user_take_the_place_of_the_cases():
    asked = [[{"role": "user", "content": "another"}]]
    assert turns_asked(case(), output([A], asked=asked)) == asked
    assert steps_by_turn(case(), output([A], asked=asked)) == [1]
