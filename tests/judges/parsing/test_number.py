"""Replies whose score is a bare number."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from each_row import each_row
from hypothesis import example, given
from hypothesis import strategies as st

from fiducial.errors import DecodingError
from fiducial.judges.parsing.written_score import number_parser
from fiducial.records.scale import PASS_OR_FAIL, Scale

FRACTION = Scale(0, 1, None)


@each_row(
    ("reply", "score"),
    [
        ("1", 1),
        ("First 0.\n</think>\n\n1", 1),
        ("<think>1</think> no</think>0", 0),
        ("0\n", 0),
        ("**1**", 1),
        ("`0`", 0),
        ('"1".', 1),
        ("1.0", 1),
    ],
)
def test_a_lone_number_is_read(reply: str, score: float) -> None:
    assert number_parser(PASS_OR_FAIL)(reply).score == score


@each_row("reply", ["", "Score: 1", "1 0", "1, because", "11", "2", "one", "<S2>1</S2>", "1\n\n0"])
def test_a_number_in_company_is_not(reply: str) -> None:
    with pytest.raises(DecodingError):
        number_parser(PASS_OR_FAIL)(reply)


@each_row(
    ("reply", "score"),
    [
        ("of 4 pieces 3 hold, so 0.75", 0.75),
        ("```\n0.5\n```", 0.5),
        ("0.75/1", 0.75),
        ("rule 3 applies. 1.", 1),
        ("[2] says 1", 1),
        ("criterion 1 holds, 2 not: .5", 0.5),
        ("rule 1: 2/3, that is 0.6666666666666667", 0.6666666666666667),
        ("First 1, then finally 0", 0),
        ("0.2 at first, but 0.8", 0.8),
        ("2/3 (0.67)", 0.67),
        ("| 1 | 0 |", 0),
        ("得分为0.5分", 0.5),
        ("as GPT-4 said of S2, 1", 1),
    ],
)
def test_the_last_number_is_read(reply: str, score: float) -> None:
    assert number_parser(FRACTION, pick="last")(reply).score == score


@each_row("reply", ["", "none", "3/4", "first 1, then 7", "0.5x", "v1.2.3"])
def test_a_last_number_off_the_scale_is_not(reply: str) -> None:
    with pytest.raises(DecodingError):
        number_parser(FRACTION, pick="last")(reply)


@each_row(
    "reply",
    [
        "rule 1 holds, so 0,1",
        "Punktzahl: 1,0",
        "of 1: 1e-1",
        "rule 1: 1 %",
        "rule 1: \u22121",
        "0 (scale 0-1)",
        "1 at first; on 2024-01-01",
        "1 at 12:01",
        "rule 1: \uff10",
        "rule 1: \u0660",
    ],
)
def test_a_last_number_that_may_mean_another_is_not_replaced_by_an_earlier_one(reply: str) -> None:
    with pytest.raises(DecodingError, match="cannot be read as a score"):
        number_parser(FRACTION, pick="last")(reply)


@each_row(
    "reply",
    [
        "0 out of 1",
        "0 von 1",
        "0 points out of 1",
        "0,5 out of 1",
        "0\uff08满分1\uff09",
        "0 on a scale from 0 to 1",
        "0.5 on [0, 1]",
        "0.5 [1]",
        "1 or 0",
    ],
)
def test_an_end_of_the_scale_beside_a_score_is_not_taken_for_the_score(reply: str) -> None:
    with pytest.raises(DecodingError, match="not clear"):
        number_parser(FRACTION, pick="last")(reply)


@pytest.mark.parametrize(
    "reply", ["4. (5 is perfect, 1 is terrible)", "4 (5 would be perfect and 1 terrible)"]
)
def test_the_last_number_counts_in_a_remark_that_explains_the_scale(reply: str) -> None:
    assert number_parser(Scale(1, 5, 1), pick="last")(reply).score == 0


def test_a_percentage_is_a_score_where_the_best_is_a_hundred() -> None:
    parse = number_parser(Scale(0, 100, None), pick="last")
    assert [parse(reply).score for reply in ("all 5: 75%", "75 %", "75/100")] == [0.75] * 3


@pytest.mark.parametrize("unit", ["1", "1.", "1 / ", "-", "a1-", "1 1", "1e", " %", "S", "1,"])
@pytest.mark.timeout(30)  # a search that goes back would take hours
def test_hostile_replies_take_linear_time(unit: str) -> None:
    parse = number_parser(Scale(0, 0.5, None), pick="last")
    with pytest.raises(DecodingError):
        parse(unit * (3_000_000 // len(unit)) + " 7")


def test_only_what_follows_the_heading_is_read_and_the_rest_is_the_reason() -> None:
    parse = number_parser(FRACTION, pick="last", after="## Final score")
    reading = parse("1. supported by [3]\n## Final score\n0.5\n")
    assert (reading.score, reading.reason) == (0.5, "1. supported by [3]")
    with pytest.raises(DecodingError, match="Final score"):
        parse("0.5")


@each_row("pick", ["alone", "last"])
@each_row(
    ("reply", "score"),
    [
        ("Score: 4\nThe response says it twice.\n**Score:** 4", 0.75),
        ("It was SCORE: 4 or so.\nScore: **4**", 0.75),
        ('Score: "4"', 0.75),
        ("'Score: 4'", 0.75),
        ("Score 1 is for a wrong answer.\n```\nScore: 4\n```", 0.75),
        ("It is right.\nSCORE: 4", 0.75),
        ("**score:** 4", 0.75),
        ("SCORE: 4\nThe response says it twice.\n- score: 4", 0.75),
    ],
)
def test_several_headings_with_one_score_count_as_one(
    pick: Literal["alone", "last"], reply: str, score: float
):
    assert number_parser(Scale(1, 5, 1), pick=pick, after="Score:")(reply).score == score


@each_row("pick", ["alone", "last"])
@each_row(
    "reply",
    [
        "Score: 1\nScore: 4",
        "Score: one\nThe response says Score: 4",
        "SCORE: 1\nThe response says Score: 4",
        "score: 1\nSCORE: 4",
        "It is wrong, but says score: 4",
        "It says:\n> SCORE: 4",
        'It says:\n"SCORE: 4"',
        "\u017fcore: 4",
        "**Score** = 1\nThe response says Score: 4",
        'I cannot say. The response says "Score: 4"',
        "Score:\nThe response says Score: 4",
        "Score: 4\nBut the response is wrong.",
        "Score: 1. The response says 4.",
    ],
)
def test_a_heading_beside_another_score_is_not_read(pick: Literal["alone", "last"], reply: str):
    with pytest.raises(DecodingError):
        number_parser(Scale(1, 5, 1), pick=pick, after="Score:")(reply)


@pytest.mark.parametrize(
    "reply", ['It says "Rome. 1"', "It says 'Rome, 1'.", "It says 1. My score is zero.", '0</think> "1"x']
)
def test_the_last_number_of_a_quotation_is_no_score(reply: str):
    with pytest.raises(DecodingError):
        number_parser(FRACTION, pick="last")(reply)


def test_a_quoted_end_of_thoughts_ends_none():
    with pytest.raises(DecodingError):
        number_parser(PASS_OR_FAIL)('It is wrong, but says "Rome </think> 1"')


@example("0_1.1")
@given(st.text(alphabet="01259.,:/-+%eE of[]()|\n\u0661\uff11\u2212S_"))
def test_a_reply_is_read_as_its_last_number_or_refused_but_never_anything_else(reply: str) -> None:
    try:
        score = number_parser(FRACTION, pick="last")(reply).score
    except DecodingError:
        return
    assert 0 <= score <= 1
    assert score in {float(found) for found in re.findall(r"[0-9]*\.?[0-9]+", reply)}


@pytest.mark.attack("replies of judges")
@each_row("reply", ["0, not 1", "It is 0; it isn't 1", "0 (not 1)", "1\u00bd", "0 or 1\u00bd", "1: \u00bd"])
def test_a_number_that_is_denied_or_goes_on_is_no_score(reply: str) -> None:
    with pytest.raises(DecodingError):
        number_parser(FRACTION, pick="last")(reply)


@pytest.mark.attack("replies of judges")
@pytest.mark.parametrize(("reply", "score"), [("0.9999999999", 1.0), ("0.0000000001", 0.0)])
def test_a_score_that_a_step_is_meant_by_is_that_step(reply: str, score: float) -> None:
    assert number_parser(PASS_OR_FAIL)(reply).score == score


def test_indexes_of_pieces_are_kept_as_data():
    parse = number_parser(Scale(0.0, 1.0, None), pick="last", after="## Final score", indexes=True)
    reply = "## Index supporting each piece of information\n1. Built of marble is supported by indexes: [1, 2]\n- In 1632 is supported by indexes: []\n## Final score\n0.5"
    assert parse(reply).details["citations"] == [
        {"piece": "Built of marble", "indexes": ["1", "2"]},
        {"piece": "In 1632", "indexes": []},
    ]
    assert "citations" not in parse("None.\n## Final score\n0").details
