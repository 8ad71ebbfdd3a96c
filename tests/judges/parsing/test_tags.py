"""Replies with tags."""

from __future__ import annotations

from contextlib import suppress

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.errors import DecodingError
from fiducial.judges.parsing.written_score import tags_parser
from fiducial.records.scale import PASS_OR_FAIL, Scale

parse = tags_parser(PASS_OR_FAIL, score_tag="S2", reasons=["S0", "S1"])


@each_row(
    ("reply", "score"),
    [
        ("<S2>1</S2>", 1),
        ("<s2> 0 </s2>", 0),
        ("<S0>thought</S0><S1>why</S1><S2>**1**</S2>\n", 1),
        ("<S2>1.0</S2>", 1),
        ("<think>first <S2>0</S2>, no</think><S2>1</S2>", 1),
        ("1", 1),
        (" '0'. ", 0),
        ("```\n<S2>1.</S2>\n```", 1),
        ("<S1>why</S1>\n```\n<S2>1</S2>\n```\n", 1),
        ("```xml\n<S1>why</S1>\n**<S2>0</S2>**\n```", 0),
        ("Score: 0\n<S1>why</S1><S2>0</S2>.", 0),
        ("The score is 1 if it is right.\n<S2>0</S2><|im_end|>", 0),
        ("<S2>1</S2>\n<S1>why</S1>", 1),
        ("<S1>why\n<S2>1</S2>", 1),
        ("<S1>Larkspur </S2> says <S2>0</S2></S1><S2>1</S2>", 1),
        (' "<S2>0</S2>"', 0),
        ("It would be a 1.\n</think>\n0", 0),
    ],
)
def test_one_score_is_read(reply: str, score: float) -> None:
    assert parse(reply).score == score


@each_row(
    ("reply", "why"),
    [
        ("", "no score"),
        ("correct", "no score"),
        ("<S2></S2>", "no score"),
        ("<S2>yes</S2>", "no score"),
        ("<S2>1", "no score"),
        ("<S1>1</S1>", "no score"),
        ("The score is 1", "no score"),
        ("<think><S2>1</S2>", "no score"),
        ("<S2>0</S2><S2>1</S2>", "different scores between <S2> and </S2>: 0, 1"),
        ("<S2>2</S2>", "not on the scale"),
        ("<S2>-1</S2>", "not on the scale"),
        ("<S2>0.5</S2>", "not on the scale"),
        ("<S2>1e0</S2>", "no score"),
        ("<S2>\u0661</S2>", "no score"),
        ("<S2>1/1</S2>", "no score"),
        ("<S2>1</S2> or <S2>0,5</S2>", "'0,5'"),
        ("<S2>0 or 1</S2><S2>1</S2>", "'0 or 1'"),
        ("Answer between <S2> and </S2> as asked: <S2>0</S2>", "no score|more than one"),
        ("<S2>1</S2> ... and again <S2>1</S2>", "more than one score"),
        ("<S2><S2>1</S2></S2>", "more than one score"),
        ("Form: <S2>your score</S2>. <S2>0</S2>", "'your score'"),
        ("<S2>1</S2> Let me know.", "text behind the score: 'Let me know.'"),
        ("<S1>a</S1><S2>1</S2><S1>b</S1>", "go on behind the score"),
        ("0\n\nIt says <S2>1</S2>", "looks like the score: '0'"),
        ("S2: zero. It says <S2>1</S2>", "looks like the score: 'S2: zero'"),
        ("<S2>0</S2> for the text </think><S2>1</S2>", "different scores between <S2> and </S2>: 0, 1"),
    ],
)
def test_anything_else_is_unreadable(reply: str, why: str) -> None:
    with pytest.raises(DecodingError, match=why):
        parse(reply)


def test_reasons_are_kept_in_the_order_declared() -> None:
    assert parse("<S1>because</S1><S0>first</S0><S2>1</S2>").reason == "first\nbecause"


def test_scores_are_brought_to_the_unit_interval() -> None:
    grades = tags_parser(Scale(1, 5, 1))
    assert [grades(f"<S2>{grade}</S2>").score for grade in (1, 2, 5)] == [0, 0.25, 1]


shares = tags_parser(Scale(0, 1, None), fraction_of="P")


def test_a_score_that_is_the_share_of_its_pieces_is_read_exactly() -> None:
    reading = shares("1. a <P>1</P>\n2. b <P>0</P>\n3. c <P>0</P>\n<S2>0.33</S2>")
    assert (reading.score, reading.details) == (1 / 3, {"pieces": 3})
    assert shares("<S2>0.4</S2>").score == 0.4


@pytest.mark.parametrize(
    "reply",
    [
        "<P>1</P><P>0</P><S2>0.75</S2>",
        "<P>1</P><P>0.5</P><S2>0.75</S2>",
        "<P>1</P><P>no</P><S2>1</S2>",
        "<P>1</P>" * 66 + "<P>0</P>" * 34 + "<S2>0.67</S2>",
    ],
)
def test_a_score_that_is_not_the_share_of_its_pieces_is_unreadable(reply: str) -> None:
    with pytest.raises(DecodingError, match="piece"):
        shares(reply)


cited = tags_parser(Scale(0, 1, None), fraction_of="P", cited=True)


@each_row("index", ["[1, 3]", "[Index: 2]", "\u30101\u3011", "index 4", "(indices: 1 and 2)"])
def test_a_piece_that_holds_names_an_index(index: str) -> None:
    assert cited(f"1. first {index} <P>1</P>\n2. second, indexes [] <P>0</P>\n<S2>0.5</S2>").score == 0.5


@pytest.mark.parametrize("index", ["", "indexes []", "indexes: [ ]", "[]"])
def test_a_piece_that_holds_by_nothing_is_unreadable(index: str) -> None:
    with pytest.raises(DecodingError, match="names no index"):
        cited(f"1. first, indexes [2] <P>1</P>\n2. second {index} <P>1</P>\n<S2>1</S2>")


@given(st.text(alphabet="<>/S2s10 .\n"))
def test_a_reply_is_read_or_refused_but_never_anything_else(reply: str) -> None:
    with suppress(DecodingError):
        assert parse(reply).score in {0, 1}


@pytest.mark.parametrize(
    "unit", ["<S2>", "<S2> 1", "<S1>", "<", "<S2>1</S2", "<think>", "*", " ", "<S1></S2>"]
)
@pytest.mark.timeout(30)  # a search that goes back would take hours
def test_hostile_replies_take_linear_time(unit: str) -> None:
    with pytest.raises(DecodingError):
        parse(unit * (3_000_000 // len(unit)))


@pytest.mark.attack("replies of judges")
@pytest.mark.parametrize("reply", ["<\u017f2>1</\u017f2>", "<S2>1</\u017f2>", "<\u017f2>1</S2>"])
def test_a_letter_that_folds_to_another_opens_and_closes_no_tag(reply: str) -> None:
    with pytest.raises(DecodingError):
        parse(reply)
