"""Replies of honest judges, in the styles that models have: each is read as its score."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from fiducial.judges.parsing import ReplyParser
from fiducial.judges.parsing.declared_parser import choice_parser
from fiducial.judges.parsing.json_reply import json_parser
from fiducial.judges.parsing.parsed_reply import RAW_SCORE
from fiducial.judges.parsing.step_reply import STEP_NAMED, step_parser
from fiducial.judges.parsing.written_score import number_parser, tags_parser
from fiducial.records.scale import Scale

GRADES = Scale(1, 5, 1)
WORDS = {"first": 1.0, "second": 0.0, "tie": 0.5}
REASONS = [
    "The response says Paris, as the criterion demands.",
    "Of 3 points, 2 hold: the price is 84 euros, not 128, and 1 of 2 dates is right.",
    "1. right tool\n2. the date is 2026-05-14\n3. nothing invented",
    "- **Right tools**: yes\n- **Runnable**: yes, `nights=2` is an integer\n- *From the request*: all 4 values",
    "## Findings\n\nThe call `book(nights=2)` matches; a 5 would need all of it.",
    'It quotes "42,000 megalitres", which rounds 41,870.',
    "The ratio is 0.75, i.e. 75 %, and 3/4 of the pieces hold.",
    'The argument {"city": "Rome", "nights": 2} is what was asked.',
    "```python\nbook(city='Rome', nights=2)\n```\nis right.",
    "Points 1, 2 and 4 hold; point 3 fails, since the value 7 was not given.",
    "The answer uses <b>bold</b> and `x < 3`, which doesn't matter.",
    "Se\u00f1or Garc\u00eda\u2019s answer \u201cyes\u201d is right. \u7b54\u6848\u6b63\u786e\u3002",
    "Compared with a score of 5, a few details are missing.",
    "Step 3 reads the file, step 4 writes 8 into it. Nothing is wrong.",
    "The first output is right; the second is wrong about 2 of 3 facts.",
    "It says 'I cannot'; the price is $5.00 (not $4.50) at 9:30, says GPT-4 v1.2.3.",
]
TAGGED = [
    "<S1>{reason}</S1>\n<S2>{score}</S2>",
    "<S1>{reason}</S1><S2>{score}</S2>\n\n",
    "  <S1> {reason} </S1>\r\n\r\n<S2> {score} </S2>  ",
    "<s1>{reason}</s1>\n<s2>{score}</s2>",
    "<S1>{reason}</S1>\n**<S2>{score}</S2>**",
    "<S1>{reason}</S1>\n<S2>**{score}**</S2>",
    "<S1>{reason}</S1>\n`<S2>{score}</S2>`",
    "<S1>{reason}</S1> <S2>{score}</S2>.",
    "```\n<S1>{reason}</S1>\n<S2>{score}</S2>\n```",
    "```xml\n<S1>{reason}</S1>\n<S2>{score}</S2>\n```\n",
    "Here is my judgement:\n\n<S1>{reason}</S1>\n<S2>{score}</S2>",
    "<think>Hmm. {reason} Or <S2>9</S2>?</think>\n<S1>{reason}</S1>\n<S2>{score}</S2>",
    "### Reasons\n<S1>{reason}</S1>\n\n---\n\n### Score\n<S2>{score}</S2>",
    "<S2>{score}</S2>\n<S1>{reason}</S1>",
    "<S1>{reason}\n<S2>{score}</S2>",
    "{reason}\n\n<S2>{score}</S2>",
    "{reason}\nScore: {score}\n<S2>{score}</S2>",
    "<S1>{reason}</S1>\n<S2>{score}</S2><|im_end|>",
]
HEADED = [
    "{reason}\nScore: {score}",
    "{reason}\n\nScore:\n{score}\n",
    "{reason}\n**Score:** {score}",
    "{reason}\nScore: **{score}**.",
    "```\n{reason}\nScore: {score}\n```",
    "Reason: {reason}\n\nFinal Score: {score}\n\n",
    'Score: {score}\n{reason}\nScore: "{score}"',
]
OBJECT = '{{"reason": {json}, "score": {score}}}'
OBJECTS = [
    OBJECT,
    '{{\n  "score": "{score}",\n  "reason": {json}\n}}\n',
    f"```json\n{OBJECT}\n```",
    f"Here is the JSON:\n\n```\n{OBJECT}\n```\n",
    f"{{reason}}\n\n{OBJECT}",
    f"<think>{{reason}}</think>{OBJECT}",
    '{{"score": {score}}}\n\nExplanation: {reason}',
    f"My score is {{score}}.\n**{OBJECT}**",
    f'Draft: {{{{"score": {{score}}}}}}\nFinal: {OBJECT}',
    '{{"criteria": {{"a": {score}, "b": 1}}, "reason": {json}, "score": {score}}}',
]


def _replies(styles: Iterable[str], scores: Iterable[str]) -> Iterator[tuple[str, str]]:
    for style, reason, score in product(styles, REASONS, scores):
        yield style.format(reason=reason, score=score, json=json.dumps(reason)), score


def _misread(
    parse: ReplyParser, replies: Iterable[tuple[str, str]], score_of: Callable[[Any], object]
) -> tuple[int, list[str]]:
    """Return the number of replies, and those that are read as another score."""
    found = [(reply, score, score_of(parse(reply))) for reply, score in replies]
    return len(found), [reply for reply, score, read in found if str(read) != score]


def _grade(reading: Any) -> str:
    return f"{reading.details[RAW_SCORE]:g}"


def test_tagged_grades_are_read():
    parse = tags_parser(GRADES, reasons=["S0", "S1"])
    assert _misread(parse, _replies(TAGGED, ["1", "4", "5"]), _grade) == (864, [])


def test_tagged_steps_and_choices_are_read():
    steps = _replies(TAGGED, ["1", "12"])
    assert _misread(step_parser("S2", ["S1"]), steps, lambda read: read.details[STEP_NAMED]) == (576, [])
    choose = choice_parser(Scale(step=0.5), WORDS, tag="S2", reasons=["S1"])
    names = {score: word for word, score in WORDS.items()}
    choices = _replies(TAGGED, ["second"])
    assert _misread(choose, choices, lambda read: names[read.score]) == (288, [])


def test_grades_after_a_heading_are_read():
    for pick in ("alone", "last"):
        parse = number_parser(GRADES, pick=pick, after="Score:")
        assert _misread(parse, _replies(HEADED, ["1", "4"]), _grade) == (224, [])


def test_grades_in_objects_are_read():
    assert _misread(json_parser(GRADES), _replies(OBJECTS, ["1", "4"]), _grade) == (320, [])
