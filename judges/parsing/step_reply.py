"""Read replies that name the first wrong step of a trajectory, or say that none is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import DecodingError
from ...records.scale import Scale
from .parsed_reply import ParsedReply, ReplyParser, bare_reply, one_score, without_thoughts
from .score_tag import ScoreTag, tagged_reason
from .second_score import SecondScore
from .written_number import lone_number, strip_decoration

STEP_NAMED, STEP_COUNT = "step", "steps"
"""Evidence keys: the step that the judge names (0 for none), and the number of steps."""

_STEP_NUMBERS = Scale(0, 1_000_000, 1)
"""Whole numbers from 0. The upper end is arbitrary: `bounded_step_parser` knows a trajectory's number of steps."""
_NONE = "none"


def step_parser(tag: str, reasons: Sequence[str] = ()) -> ReplyParser:
    """Return a parser of step numbers between tags.

    The score is 1 if the judge names no step (``none`` or 0), else 0; the details contain the step. A reply is unreadable if it has two
    answers outside the reasons, or one that is neither a whole number nor ``none``. A reply that is only the answer needs no tags.
    """
    where = f"between <{tag}> and </{tag}>"

    def read(written: str) -> float:
        return _step(written, where)

    answer = ScoreTag(tag, reasons, read, _STEP_NUMBERS, SecondScore.named(tag, read, _STEP_NUMBERS))

    def parse(text: str) -> ParsedReply:
        reply = without_thoughts(text)
        step = answer.find(reply)
        if step is None:
            step = one_score([read(bare_reply(text))], _STEP_NUMBERS, where)
        step = int(step)
        return ParsedReply(float(step == 0), tagged_reason(reply, reasons), {STEP_NAMED: step})

    return parse


def _step(written: str, where: str) -> float:
    if strip_decoration(written).casefold() == _NONE:
        return 0.0
    if numbers := lone_number(written):
        return numbers[0]
    raise DecodingError(f"no step {where}, but {written.strip()[:40]!r}")


def bounded_step_parser(parse: ReplyParser, count: int) -> ReplyParser:
    """Return a parser that refuses numbers above a trajectory's number of steps."""

    def parse_bounded(text: str) -> ParsedReply:
        reading = parse(text)
        if (step := reading.details[STEP_NAMED]) > count:
            raise DecodingError(f"there is no step {step}: they are numbered from 1 to {count}")
        return reading

    return parse_bounded
