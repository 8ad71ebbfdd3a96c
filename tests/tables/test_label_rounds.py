"""Rounds in which labels were added to outputs."""

from __future__ import annotations

from typing import Any

from each_row import each_row

from fiducial.records import Verdict
from fiducial.tables.label_rounds import in_next_round, n_rounds, round_added, rounds_of_outputs


def label(case: int, score: float | None = 1.0, by: str = "ann", **evidence: Any) -> Verdict:
    outcome: Any = "graded" if score is not None else "undecided"
    return Verdict(
        case_id=str(case),
        system="s",
        source="human",
        by=by,
        outcome=outcome,
        score=score,
        evidence=evidence,
    )


def test_the_first_labels_are_a_round_without_a_number():
    first = [label(0), label(1)]
    assert in_next_round([], first) == first
    assert n_rounds(first) == 1
    assert n_rounds([]) == 0


def test_labels_of_further_outputs_are_the_next_round():
    before = [label(0), label(1)]
    second = in_next_round(before, [label(2), label(3)])
    assert [round_added(verdict) for verdict in second] == [2, 2]
    third = in_next_round([*before, *second], [label(4)])
    assert [round_added(verdict) for verdict in third] == [3]
    assert n_rounds([*before, *second, *third]) == 3


def test_labels_of_labelled_outputs_keep_their_round():
    before = [label(0), label(1, added_in=2)]
    again = in_next_round(before, [label(0, 0.0), label(1, by="bob"), label(1)])
    assert [round_added(verdict) for verdict in again] == [1, 2, 2]
    assert again[2] == before[1]
    assert sorted(rounds_of_outputs([*before, *again]).values()) == [1, 2]


def test_an_output_that_nobody_could_decide_has_no_round_yet():
    before = [label(0), label(1, None)]
    assert [round_added(verdict) for verdict in in_next_round(before, [label(1)])] == [2]


@each_row("number", [0, -1, "2", None, 2.0, [2]])
def test_evidence_that_is_no_round_is_the_first(number: Any):
    assert round_added(label(0, added_in=number)) == 1
