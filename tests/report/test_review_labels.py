"""The page's own functions, run by node where it is installed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from review_page import in_node, key_of

from fiducial.records import Verdict, decode_record

ITEM: dict[str, Any] = {
    "case_id": "a|\ud800é",
    "system": "s",
    "trial": 2,
    "evidence": {"review": {"sample": "open", "seed": 7, "of": 90}},
}


def lines(answer: dict[str, object], note: str = "") -> list[str]:
    key = key_of(ITEM)
    state = {"answers": {key: answer}, "notes": {key: note}, "name": "ann"}
    return in_node("labelLines(items, state)", items=[ITEM | {"trial": 3}, ITEM], state=state).splitlines()


@pytest.mark.parametrize(
    ("typed", "score"),
    [
        ("1", 1), ("0", 0), ("0.75", 0.75), ("0,5", 0.5), (".5", 0.5), (" 3/4 ", 0.75), ("0/4", 0), ("", None), ("4/3", None),
        ("1.2", None), ("-1", None), ("1/0", None), ("0/0", None), ("x", None), ("1e-3", None), ("3/", None),
    ],
)  # fmt: skip
def test_a_fraction_is_read_as_typed_or_refused(typed: str, score: float | None):
    assert in_node("parseScore(typed)", typed=typed) == score


def test_an_answer_is_a_verdict_of_a_person_that_says_how_the_output_was_chosen():
    (line,) = lines({"score": 0.25, "informed": False}, note="  the date is wrong ")
    label = decode_record(line.encode(), Verdict)
    assert label == Verdict(
        case_id="a|\ud800é",
        system="s",
        trial=2,
        by="ann",
        source="human",
        outcome="graded",
        score=0.25,
        reason="the date is wrong",
        evidence={"review": {"sample": "open", "seed": 7, "of": 90}},
    )


def test_what_cannot_be_told_is_undecided_and_has_no_score():
    (line,) = lines({"score": None, "informed": False})
    label = decode_record(line.encode(), Verdict)
    assert (label.outcome, label.score, label.reason) == ("undecided", None, None)


def test_an_answer_changed_after_looking_at_the_verdicts_says_so():
    (line,) = lines({"score": 1, "informed": True})
    assert json.loads(line)["evidence"]["review"]["changed_after_verdicts"] is True


def test_the_next_unanswered_item_is_found_around_the_end():
    items = [ITEM | {"trial": trial} for trial in range(3)]
    answers = {key_of(item): True for item in items[1:]}
    assert in_node("nextOpen(items, answers, 1)", items=items, answers=answers) == 0
    assert in_node("nextOpen(items, answers, 0)", items=items, answers=answers) == 0
    assert in_node("nextOpen(items.slice(1), answers, 0)", items=items, answers=answers) == -1


@pytest.mark.parametrize(
    ("sample", "name", "file"),
    [
        ("open", "ann", "labels-ann.jsonl"),
        ("decided", "Ann B/../c", "labels-decided-Ann-B-..-c.jsonl"),
        ("open", "Éva", "labels-Éva.jsonl"),
    ],
)
def test_files_of_samples_and_people_are_told_apart(sample: str, name: str, file: str):
    assert in_node("fileNameFor(sample, person)", sample=sample, person=name) == file
