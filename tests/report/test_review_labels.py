"""The page's own functions, run by node where it is installed."""

from __future__ import annotations

import json
from typing import Any

from review_page import in_node, key_of

from fiducial.records import Verdict, decode_record

ITEM: dict[str, Any] = {
    "case_id": "a|\ud800é",
    "system": "s",
    "trial": 2,
    "evidence": {"review": {"sample": "open", "seed": 7, "of": 90}},
}


def lines(*answers: tuple[dict[str, object], str]) -> list[str]:
    """Return the line of each answer with its note, of which each is the only one of two items."""
    key = key_of(ITEM)
    states = [{"answers": {key: answer}, "notes": {key: note}, "name": "ann"} for answer, note in answers]
    asked = "states.map((state) => labelLines(items, state))"
    found: list[str] = in_node(asked, items=[ITEM | {"trial": 3}, ITEM], states=states)
    return [line for (line,) in map(str.splitlines, found)]


SCORES = {
    "1": 1, "0": 0, "0.75": 0.75, "0,5": 0.5, ".5": 0.5, " 3/4 ": 0.75, "0/4": 0, "": None, "4/3": None, "1.2": None,
    "-1": None, "1/0": None, "0/0": None, "x": None, "1e-3": None, "3/": None,
}  # fmt: skip


def test_a_fraction_is_read_as_typed_or_refused():
    read = in_node("typed.map(parseScore)", typed=list(SCORES))
    assert dict(zip(SCORES, read, strict=True)) == SCORES


def test_an_answer_is_a_verdict_of_a_person_that_says_how_the_output_was_chosen():
    told, undecided, changed = lines(
        ({"score": 0.25, "informed": False}, "  the date is wrong "),
        ({"score": None, "informed": False}, ""),
        ({"score": 1, "informed": True}, ""),
    )
    assert decode_record(told.encode(), Verdict) == Verdict(
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
    label = decode_record(undecided.encode(), Verdict)
    assert (label.outcome, label.score, label.reason) == ("undecided", None, None)
    assert "changed_after_verdicts" not in json.loads(undecided)["evidence"]["review"]
    assert json.loads(changed)["evidence"]["review"]["changed_after_verdicts"] is True


def test_the_next_unanswered_item_is_found_around_the_end():
    items = [ITEM | {"trial": trial} for trial in range(3)]
    answers = {key_of(item): True for item in items[1:]}
    asked = "[nextOpen(items, answers, 1), nextOpen(items, answers, 0), nextOpen(items.slice(1), answers, 0)]"
    assert in_node(asked, items=items, answers=answers) == [0, 0, -1]


def test_files_of_samples_and_people_are_told_apart():
    people = [["open", "ann"], ["decided", "Ann B/../c"], ["open", "Éva"]]
    assert in_node("people.map(([sample, name]) => fileNameFor(sample, name))", people=people) == [
        "labels-ann.jsonl",
        "labels-decided-Ann-B-..-c.jsonl",
        "labels-Éva.jsonl",
    ]
