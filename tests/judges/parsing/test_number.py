"""Replies whose score is a bare number."""

from __future__ import annotations

import pytest

from fiducial.errors import DecodingError
from fiducial.judges.parsing.number import number_parser
from fiducial.judges.scale import Scale

FRACTION = Scale(0, 1, None)


@pytest.mark.parametrize(
    ("reply", "score"), [("1", 1), ("0\n", 0), ("**1**", 1), ("`0`", 0), ('"1".', 1), ("1.0", 1)]
)
def test_a_lone_number_is_read(reply: str, score: float) -> None:
    assert number_parser(Scale())(reply).score == score


@pytest.mark.parametrize(
    "reply", ["", "Score: 1", "1 0", "1, because", "11", "2", "one", "<S2>1</S2>", "1\n\n0"]
)
def test_a_number_in_company_is_not(reply: str) -> None:
    with pytest.raises(DecodingError):
        number_parser(Scale())(reply)


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("of 4 pieces 3 hold, so 0.75", 0.75),
        ("```\n0.5\n```", 0.5),
        ("0.75/1", 0.75),
        ("rule 3 applies. 1.", 1),
        ("[2] says 1", 1),
    ],
)
def test_the_last_number_is_read(reply: str, score: float) -> None:
    assert number_parser(FRACTION, pick="last")(reply).score == score


@pytest.mark.parametrize("reply", ["", "none", "3/4", "first 1, then 7", "0.5x", "v1.2.3"])
def test_a_last_number_off_the_scale_is_not(reply: str) -> None:
    with pytest.raises(DecodingError):
        number_parser(FRACTION, pick="last")(reply)


def test_only_what_follows_the_heading_is_read_and_the_rest_is_the_reason() -> None:
    parse = number_parser(FRACTION, pick="last", after="## Final score")
    reading = parse("1. supported by [3]\n## Final score\n0.5\n")
    assert (reading.score, reading.reason) == (0.5, "1. supported by [3]")
    with pytest.raises(DecodingError, match="Final score"):
        parse("0.5")
