"""Recorded replies of a real model: each is read as the score that stands in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from fiducial.data import demo_path
from fiducial.judges.parsing import ReplyParser
from fiducial.judges.parsing.declared_parser import choice_parser
from fiducial.judges.parsing.json_reply import json_parser
from fiducial.judges.parsing.parsed_reply import RAW_SCORE
from fiducial.judges.parsing.step_reply import STEP_NAMED, step_parser
from fiducial.judges.parsing.written_score import number_parser, tags_parser
from fiducial.records.scale import Scale

SCORES = Scale(0, 100, None)
"""A scale that holds every recorded score, so that the number itself is kept."""

_TAGGED = re.compile(r"<S1>(.*)</S1>\s*<S2>([^<]*)</S2>\s*", re.DOTALL)
_TAGS, _STEP = tags_parser(SCORES, reasons=["S1"]), step_parser("S2", ["S1"])
_ALONE = number_parser(SCORES)
_OBJECTS = [json_parser(SCORES), json_parser(SCORES, alone=True)]
_WORDS = {"first": 1.0, "second": 0.0, "tie": 0.5}
_CHOICE = choice_parser(Scale(step=0.5), _WORDS)


def _texts(path: Path) -> Iterable[str]:
    rows = map(json.loads, path.read_bytes().splitlines())
    return [row["reply"]["text"] for row in rows if "reply" in row]


def _raw(parse: ReplyParser, text: str) -> tuple[float, str | None]:
    reading = parse(text)
    return reading.details[RAW_SCORE], reading.reason


def _is_read(text: str) -> bool:
    """Return whether a reply is read as its score and reason, found without a parser."""
    if tagged := _TAGGED.fullmatch(text):
        reason, score = tagged[1].strip(), tagged[2].strip()
        if score == "none":
            return _STEP(text).details[STEP_NAMED] == 0
        return _raw(_TAGS, text) == (float(score), reason)
    if text.strip() in _WORDS:
        return _CHOICE(text).score == _WORDS[text.strip()]
    if not text.startswith("{"):
        return _raw(_ALONE, text) == (float(text), None)
    decoded = json.loads(text)
    if "score" not in decoded:  # statements of an answer, or criteria
        return True
    return all(_raw(parse, text) == (decoded["score"], decoded["reason"]) for parse in _OBJECTS)


@pytest.mark.parametrize("name", ["audit", "suite"])
def test_each_reply_that_comes_along_is_read_as_what_stands_in_it(name: str):
    texts = _texts(demo_path(f"replies/{name}.jsonl"))
    assert [text for text in texts if not _is_read(text)] == []


@pytest.mark.reference
def test_each_recorded_reply_is_read_as_what_stands_in_it(reference: Path):
    texts = [text for path in sorted((reference / "recorded").glob("*.jsonl")) for text in _texts(path)]
    print(f"{len(texts):,} recorded replies are read as their scores")
    assert len(texts) > 6_000
    assert [text for text in texts if not _is_read(text)] == []
