"""Scores written as fractions, where a prompt asks for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.errors import DecodingError, PromptError
from fiducial.judges import load_judge
from fiducial.judges.parsing.written_score import fraction_of_best, number_parser, tags_parser
from fiducial.records.scale import PASS_OR_FAIL, Scale

UNIT = Scale(step=None)
WRITTEN = [
    "3/4",
    "3 / 4",
    "75 %",
    "75%",
    "0.75 out of 1",
    "0.75 of 1",
    "3 out of 4",
    "0.75",
    "**3/4**.",
    "75\uff05",
]


@each_row("text", WRITTEN)
def test_a_fraction_of_the_best_score_is_read_where_it_is_asked_for(text: str):
    assert number_parser(UNIT, fractions=True)(text).score == 0.75
    assert (
        number_parser(UNIT, pick="last", fractions=True)(f"Of the 4 pieces some hold: {text}").score == 0.75
    )
    assert tags_parser(UNIT, fractions=True)(f"<S2>{text}</S2>").score == 0.75


@pytest.mark.parametrize("text", ["3/4", "75 %", "0.75 out of 1"])
def test_a_fraction_is_no_score_where_none_was_asked_for(text: str):
    with pytest.raises(DecodingError):
        tags_parser(UNIT)(f"<S2>{text}</S2>")
    with pytest.raises(DecodingError):
        number_parser(UNIT)(text)


@each_row("text", ["5/4", "3/0", "-1/4", "101 %", "3/4/5", "3/4 or 1/4", "of 4", "3 4", "1e1 %", "3/x"])
def test_what_is_no_fraction_of_the_best_score_is_none(text: str):
    assert fraction_of_best(text, UNIT) == []
    with pytest.raises(DecodingError):
        tags_parser(UNIT, fractions=True)(f"<S2>{text}</S2>")


def test_a_fraction_between_the_steps_of_the_scale_is_off_it():
    parse = number_parser(Scale(0, 4, 1), fractions=True)
    assert parse("75 %").score == 0.75
    with pytest.raises(DecodingError, match="not on the scale"):
        parse("60 %")
    with pytest.raises(DecodingError, match="not on the scale"):
        number_parser(PASS_OR_FAIL, fractions=True)("1/2")


def test_two_fractions_do_not_agree_but_a_score_before_the_tag_may_be_the_same():
    parse = tags_parser(UNIT, fractions=True)
    assert parse("Score: 3/4, that is <S2>75 %</S2>").score == 0.75
    with pytest.raises(DecodingError, match="different scores"):
        parse("<S2>3/4</S2> <S2>1/4</S2>")


@given(part=st.integers(0, 500), whole=st.integers(1, 500))
def test_every_fraction_up_to_one_is_its_quotient(part: int, whole: int):
    expected = [part / whole] if part <= whole else []
    assert fraction_of_best(f"{part}/{whole}", UNIT) == expected
    assert fraction_of_best(f"{part} out of {whole}", UNIT) == expected


def test_pieces_may_be_counted_in_the_score():
    judge = load_judge("groundedness/explicit_2", model="m")
    reply = "<S1>1. one, indexes [1] <P>1</P>\n2. two, indexes [] <P>0</P>\n3. three, indexes [2] <P>1</P></S1><S2>2/3</S2>"
    assert judge.parse(reply).score == pytest.approx(2 / 3)
    with pytest.raises(DecodingError, match="pieces hold"):
        judge.parse(reply.replace("2/3", "1/3"))


def test_a_scale_that_does_not_begin_at_0_has_no_fractions(tmp_path: Path):
    path = tmp_path / "mine.prompty"
    path.write_text(
        "---\ninputs: {response: {type: string}}\nscale: {minimum: 1, maximum: 5}\n"
        "parse: {mode: number, fractions: true}\n---\nuser:\n{{response}}\n"
    )
    with pytest.raises(PromptError, match="need a scale that begins with 0"):
        load_judge(str(path), model="m")
