"""Replies that name the first wrong step."""

from __future__ import annotations

import pytest
from each_row import each_row

from fiducial.errors import DecodingError
from fiducial.judges.parsing.step_reply import STEP_NAMED, bounded_step_parser, step_parser

parse = bounded_step_parser(step_parser("S2", ["S1"]), 12)


@each_row(
    ("reply", "step"),
    [
        ("<S1>why</S1>\n<S2>5</S2>", 5),
        ("<S1>why</S1>\n<S2> 12 </S2>", 12),
        ("<s2>**3**</s2>", 3),
        ("<S2>none</S2>", 0),
        ("<S2>None.</S2>", 0),
        ("<S2>0</S2>", 0),
        ("<think>step 3, or <S2>4</S2>?</think><S1>why</S1><S2>7</S2>", 7),
        ("<S1>It says <S2>none</S2> at step 3.</S1><S2>4</S2>", 4),
        ("8", 8),
        ("none", 0),
    ],
)
def test_a_step_or_none_is_read(reply: str, step: int):
    reading = parse(reply)
    assert (reading.details[STEP_NAMED], reading.score) == (step, float(step == 0))


@each_row(
    "reply",
    [
        "",
        "I like turtles.",
        "<S2></S2>",
        "<S2>13</S2>",
        "<S2>-1</S2>",
        "<S2>2.5</S2>",
        "<S2>5 or 6</S2>",
        "<S2>5</S2><S2>6</S2>",
        "<S2>none</S2><S2>3</S2>",
        "<S2>4</S2> again: <S2>4</S2>",
        "<S2>step 5</S2>",
        "<S2>nowhere</S2>",
        "<S2>1e1</S2>",
        "<S2>99999999999999999999</S2>",
        "the first wrong step is 5",
    ],
)
def test_anything_else_is_unreadable(reply: str):
    with pytest.raises(DecodingError):
        parse(reply)


def test_a_step_beyond_the_last_is_named_in_the_reason():
    with pytest.raises(DecodingError, match="there is no step 40: they are numbered from 1 to 12"):
        parse("<S2>40</S2>")


def test_the_reason_is_kept():
    assert parse("<S1>it booked the wrong day</S1><S2>2</S2>").reason == "it booked the wrong day"
