"""Replies in JSON."""

from __future__ import annotations

import json
from contextlib import suppress

import msgspec
import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.errors import DecodingError
from fiducial.judges.parsing.json_reply import Pieces, json_parser
from fiducial.records.scale import PASS_OR_FAIL, Scale

parse = json_parser(PASS_OR_FAIL)
strict = json_parser(PASS_OR_FAIL, alone=True, all_of=["a", "b"])


@each_row(
    ("reply", "score"),
    [
        ('{"score": 1, "reason": "fine"}', 1),
        ('{"reason": "fine {really}", "score": "0"}', 0),
        ('```json\n{"score": 1}\n```', 1),
        ('I think {so}: {"score": 0}. Done.', 0),
        ('{"score": 1} {"score": 1.0}', 1),
        ('{"score": 1, "score": 1}', 1),
        ('<think>{"score": 0}</think>{"score": 1}', 1),
        ('{"nested": {"score": 0}, "score": 1}', 1),
        ('It says {" and {so.\n{"score": 0}', 0),
        ('It says "{" twice: "{". {"score": 0}', 0),
        ('My score is 1.\n{"score": 1}', 1),
        ('{"score": 1}\n\nExplanation: of 3 facts, 2 hold.', 1),
        (json.dumps({"reason": 'It says {"score": 1} {"', "score": 0}), 0),
        ("'{\"score\": 1}'", 1),
        ('{"Score": 1, "Reason": "fine"}', 1),
        ('{"score": 1} {"SCORE": 1.0}', 1),
        ('{"reason": "first line\n\tsecond line", "score": 0}', 0),
        ('The verdict:\n{"reason": "it says\n{\n", "SCORE": 0}', 0),
    ],
)
def test_one_score_is_read(reply: str, score: float) -> None:
    assert parse(reply).score == score


@each_row(
    "reply",
    [
        "",
        "1",
        "[1]",
        '{"verdict": "incorrect", "why": "it booked the wrong flight"}',
        "I am sorry, I cannot decide between {these} options: maybe.",
        '{"score": 1} {"score": 0}',
        '{"score": 1, "score": 0}',
        '{"score": true}',
        '{"score": null}',
        '{"score": "high"}',
        '{"score": 2}',
        '{"score": NaN}',
        '{"score": 1',
        '"{\\"score\\": 1}"',
        "{" * 100_000,
        'It says {"score": 1} {" which is wrong. {"score": 0}',
        '{"score": 1} {score: 0}',
        '{"score": 1} {"Score": 0}',
        '{"score": 1, "Score": 0}',
        '{"Score": 0, "reason": "it says {\\"score\\": 1}", "SCORE": 1}',
        '{"nested": {"Score": 1}}',
        '{"\u017fcore": 1, "score": 0}',
        '{"score": 1} {"verdict": {"score": 0}}',
        '{"score": 1} {"score": 0',
        '{"score": 1} and "score": 0',
        '{"reason": "It says {"score": 1}, which is wrong", 0}',
        'It says "Rome. {"score": 1}", which is wrong.',
        '{"score": 1}\n0',
        '{"score": 1} My score is zero.',
    ],
)
def test_anything_else_is_unreadable(reply: str) -> None:
    with pytest.raises(DecodingError):
        parse(reply)


@pytest.mark.parametrize("piece", ['"y": "\\udc00"', f'"y": {"9" * 30}', '"y": [1e999]'])
def test_whatever_stands_beside_a_score_can_be_written_to_a_file(piece: str) -> None:
    read = json_parser(Scale(step=None), fraction_of=Pieces("pieces", "holds"))
    reason = '"\\ud83d\\ude00 \\ud800"'
    reading = read(f'{{"reason": {reason}, "score": 1, "pieces": [{{"holds": 1, {piece}}}]}}')
    assert reading.reason == "\U0001f600 \ufffd"
    assert msgspec.json.encode(reading.details)


@pytest.mark.parametrize("score", ["9" * 400, "-" + "9" * 400, "9" * 5000])
def test_numbers_of_any_length_are_off_the_scale_and_no_more(score: str) -> None:
    with pytest.raises(DecodingError):
        parse(f'{{"score": {score}}}')


def test_structured_replies_are_the_object_and_nothing_else() -> None:
    assert strict('{"a": 1, "b": 1, "score": 1}').details == {"criteria": {"a": 1.0, "b": 1.0}}
    with pytest.raises(DecodingError):
        strict('Here: {"a": 1, "b": 1, "score": 1}')


@pytest.mark.parametrize("thinking", ["", "<think>no {</think>", "It may be {0}.\n</think>\n"])
def test_thinking_before_a_structured_reply_is_passed_over(thinking: str) -> None:
    assert strict(thinking + '{"a": 1, "b": 1, "score": 1}').score == 1


def test_a_tag_that_a_reason_quotes_ends_no_thinking() -> None:
    assert strict('{"reason": "it ends in </think>", "a": 0, "b": 1, "score": 0}').score == 0


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ('{"score": 1}', "lacks 'a'"),
        ('{"a": 1, "score": 1}', "lacks 'b'"),
        ('{"a": 5, "b": 1, "score": 1}', "not on the scale"),
        ('{"a": 1e999, "b": 1, "score": 1}', "not on the scale"),
    ],
)
def test_a_structured_reply_has_every_criterion_on_the_scale(reply: str, why: str) -> None:
    with pytest.raises(DecodingError, match=why):
        strict(reply)


def test_a_score_that_does_not_follow_from_the_criteria_is_unreadable() -> None:
    with pytest.raises(DecodingError, match="criteria"):
        strict('{"a": 1, "b": 0, "score": 1}')


shares = json_parser(Scale(0, 1, None), fraction_of=Pieces("pieces", "supported"))


def test_a_score_that_is_the_share_of_its_pieces_is_read_exactly() -> None:
    reading = shares('{"pieces": [{"supported": 1}, {"supported": 0}, {"supported": 1}], "score": 0.67}')
    assert reading.score == 2 / 3
    assert len(reading.details["pieces"]) == 3
    assert shares('{"score": 0.4}').score == 0.4


@each_row("pieces", ['[{"supported": 1}]', "[]", '[{"supported": 0.5}]', '[{"held": 1}]', "[1]", "7"])
def test_a_score_that_is_not_the_share_of_its_pieces_is_unreadable(pieces: str) -> None:
    with pytest.raises(DecodingError):
        shares(f'{{"pieces": {pieces}, "score": 0.5}}')


cited = json_parser(Scale(0, 1, None), fraction_of=Pieces("pieces", "supported", "indexes"), alone=True)


def test_a_piece_that_holds_names_what_it_rests_on() -> None:
    pieces = '{"supported": 1, "indexes": ["2"]}, {"supported": 0, "indexes": []}'
    assert cited(f'{{"pieces": [{pieces}], "score": 0.5}}').score == 0.5


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ('{"pieces": [{"supported": 1, "indexes": []}], "score": 1}', "cites nothing"),
        ('{"pieces": [{"supported": 1}], "score": 1}', "expected a list"),
        ('{"score": 1}', "lacks 'pieces'"),
    ],
)
def test_a_piece_that_holds_by_nothing_is_unreadable(reply: str, why: str) -> None:
    with pytest.raises(DecodingError, match=why):
        cited(reply)


@given(st.text(alphabet='{}"\\:scorea10, \n'))
def test_a_reply_is_read_or_refused_but_never_anything_else(reply: str) -> None:
    with suppress(DecodingError):
        assert parse(reply).score in {0, 1}


@pytest.mark.slow
@pytest.mark.parametrize("unit", ['{"a":', "{", "{}", '{"', "\\", '{"score":1,', "{}{"])
@pytest.mark.timeout(30)  # a search that goes back would take hours
def test_hostile_replies_take_linear_time(unit: str) -> None:
    with pytest.raises(DecodingError):
        parse(unit * ((1 << 20) // len(unit)))


@pytest.mark.attack("replies of judges")
def test_criteria_are_held_against_the_score_in_every_object() -> None:
    every = json_parser(PASS_OR_FAIL, all_of=["a", "b"])
    consistent = '{"a": 1, "b": 1, "score": 1}'
    assert every(f"{consistent} {consistent}").score == 1
    with pytest.raises(DecodingError, match="does not follow"):
        every(f'{{"a": 0, "b": 1, "score": 1}} {consistent}')


@each_row(
    ("reply", "score"),
    [
        ('```json\n{"a": 1, "b": 1, "score": 1}\n```', 1),
        ('```\n{"a": 1, "b": 0, "score": 0}\n```\n', 0),
        ('<think>{"score": 1}</think>\n```JSON\n{"A": 0, "B": 0, "Score": 0}\n```', 0),
        ('```json\n{"reason": "a thought </think> is\nquoted", "a": 1, "b": 1, "score": 1}\n```', 1),
    ],
)
def test_an_object_alone_may_stand_in_a_fence_with_line_breaks_and_keys_in_any_letters(
    reply: str, score: float
) -> None:
    assert strict(reply).score == score


@each_row(
    "reply",
    [
        '```json\n{"a": 1, "b": 1, "score": 1}\n``` {"a": 0, "b": 0, "score": 0} ```',
        'It says ```json\n{"a": 1, "b": 1, "score": 1}\n```',
        '```json\n{"a": 1, "b": 1, "score": 1}\n```\nbut 0',
        '```python\n{"a": 1, "b": 1, "score": 1}\n```',
        '```{"a": 1, "b": 1, "score": 1}',
        "``````",
        '{"a": 1, "A": 0, "b": 1, "score": 1}',
    ],
)
def test_an_object_beside_a_fence_or_with_two_values_of_a_key_is_not_read(reply: str) -> None:
    with pytest.raises(DecodingError):
        strict(reply)


def test_keys_of_pieces_are_read_in_any_letters_too() -> None:
    read = json_parser(Scale(0, 1, None), alone=True, fraction_of=Pieces("pieces", "holds"))
    reading = read('{"Pieces": [{"Holds": 1}, {"holds": 0}], "score": 0.5}')
    assert (reading.score, len(reading.details["pieces"])) == (0.5, 2)
