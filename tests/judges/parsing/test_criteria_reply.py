"""Replies that judge all criteria of a rubric at once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from each_row import each_row

from fiducial.errors import DecodingError
from fiducial.judges.parsing import criteria_parser
from fiducial.records import Criterion

CRITERIA = [
    Criterion(text="Says so.", points=5, tags=["axis:accuracy"]),
    Criterion(text="Is rude.", points=-4),
    Criterion(text="Adds why.", points=3),
]
parse = criteria_parser(CRITERIA)


def reply(*met: Any, first: int = 1) -> str:
    return json.dumps(
        {
            "criteria": [
                {"number": number, "reason": "r", "met": each} for number, each in enumerate(met, first)
            ]
        }
    )


def test_points_are_added_and_divided_by_the_positive_ones():
    reading = parse(reply(1, 1, 0))
    assert reading.score == 1 / 8
    assert (reading.details["achieved"], reading.details["possible"]) == (1, 8)
    assert [row["met"] for row in reading.details["criteria"]] == [1, 1, 0]
    assert reading.details["criteria"][0]["tags"] == ["axis:accuracy"]


def test_the_score_stays_within_its_bounds_and_the_points_are_kept():
    reading = parse(reply(0, 1, 0))
    assert (reading.score, reading.details["achieved"]) == (0.0, -4)


def test_the_order_of_the_entries_makes_no_difference():
    entries = [{"number": 3, "met": 1}, {"number": 1, "met": 1}, {"number": 2, "met": 0}]
    assert parse(json.dumps({"criteria": entries})).score == 1.0


@each_row(
    ("text", "why"),
    [
        (reply(1, 1), "no verdict on criterion 3"),
        (reply(1, 1, 0, 1), "no criterion 4"),
        (reply(1, 1, 0, first=0), "no criterion 0"),
        (reply(1, 0.5, 0), "met 0 or 1"),
        (reply(1, "yes", 0), "met 0 or 1"),
        ('{"criteria": {}}', "a list of criteria"),
        ('{"criteria": [1]}', "for each criterion"),
        ('{"criteria": [{"number": true, "met": 1}]}', "has a number"),
        ('{"criteria": [{"number": 1, "met": 1}, {"number": 1, "met": 0}]}', "two different verdicts"),
        ("1", "not JSON|was expected|JSON"),
        ("", "not JSON"),
    ],
)
def test_a_reply_that_leaves_one_out_or_judges_otherwise_is_unreadable(text: str, why: str):
    with pytest.raises(DecodingError, match=why):
        parse(text)


def test_verdicts_may_stand_in_a_fence_with_keys_in_any_letters():
    fenced = f"```json\n{reply(1, 0, 1).replace('met', 'Met').replace('criteria', 'Criteria')}\n```"
    assert parse(fenced) == parse(reply(1, 0, 1))
