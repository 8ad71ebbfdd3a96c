"""Which label of an output stands: the last one, none after a tie."""

from __future__ import annotations

import pytest
from each_row import each_row

from fiducial.records import ItemKey, Verdict
from fiducial.tables.standing_labels import (
    MAJORITY,
    effective_source,
    is_tie,
    majority_verdict,
    standing_labels,
)

ITEM = ItemKey("c", "s", 0)
TIE = majority_verdict(ITEM, {"ann": 1.0, "bo": 0.0})
PASS, FAIL = (Verdict.on(ITEM, by="ann", source="human", score=score) for score in (1.0, 0.0))
SKIPPED = Verdict.on(ITEM, by="bo", source="human", outcome="undecided")


@each_row(
    ("labels", "standing"),
    [
        ([PASS, FAIL], FAIL),
        ([FAIL, PASS], PASS),
        ([PASS, TIE], None),
        ([TIE], None),
        ([TIE, FAIL], FAIL),
        ([PASS, SKIPPED], PASS),
        ([SKIPPED], None),
    ],
)
def test_the_last_label_stands_and_none_after_a_tie(labels: list[Verdict], standing: Verdict | None):
    assert standing_labels(labels).get(ITEM) == standing


def test_a_tie_takes_the_label_of_its_own_output_alone():
    other = Verdict.on(ItemKey("c", "s", 1), by="ann", source="human", score=1.0)
    assert standing_labels([PASS, other, TIE]) == {other.key: other}


@pytest.mark.parametrize(
    ("grades", "score"),
    [
        ({"ann": 1.0, "bo": 1.0, "cy": 0.0}, 1.0),
        ({"ann": 1.0, "bo": 0.0, "cy": 0.0}, 0.0),
        ({"ann": 0.5, "bo": 1.0}, 0.75),
        ({"ann": 1.0, "bo": 0.0}, None),
    ],
)
def test_several_people_make_one_label_unless_they_are_tied(grades: dict[str, float], score: float | None):
    label = majority_verdict(ITEM, grades)
    assert (label.by, label.score, is_tie(label)) == (MAJORITY, score, score is None)


def test_a_majority_of_people_counts_as_theirs_and_what_was_constructed_as_constructed():
    made = Verdict.on(ITEM, by="construction", source="construction", score=1.0)
    assert effective_source(majority_verdict(ITEM, {"ann": 1.0, "bo": 1.0})) == "human"
    assert effective_source(made) == "construction"
    assert not is_tie(Verdict.on(ITEM, by="construction", source="construction", outcome="undecided"))
