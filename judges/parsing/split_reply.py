"""Read replies that split an answer into statements, which must quote the answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from ...errors import DecodingError
from .json_objects import lone_object
from .parsed_reply import ParsedReply, ReplyParser

MIN_COVERED = 0.5
"""Least share of an answer's letters and digits that the quotes cover: greetings and headings may be left out."""

MIN_FAMILIAR = 0.6
"""Least share of a statement's runs of three characters that occur in answer or question: names may replace pronouns."""

MAX_STATEMENTS = 1_000

_KNOWN = frozenset({"statements", "statement", "quote"})

_RUN = 3
_DIGITS = re.compile(r"[0-9]+")
_THOUSANDS = re.compile(r"(?<=[0-9])[.,'\u00a0\u202f ](?=[0-9])")


class Statement(NamedTuple):
    """One statement of an answer, with its quote from the answer."""

    text: str
    quote: str


def statements_parser(answer: str, question: str) -> ReplyParser:
    """Return a parser of one answer's statements, which may use names from the question.

    The score is the share of the answer that the quotes cover; the details hold the statements, each text once. A reply is
    unreadable without statements, with a quote that is not in the answer, with a statement that adds something to answer and
    question, or if it leaves out half of the answer.
    """

    def parse(text: str) -> ParsedReply:
        statements = _read(text)  # before the answer, which may be much longer
        squeezed = _squeeze(answer)
        source = _ascii_digits(f"{answer}\n{question}")
        numbers = _numbers(source) | _numbers(_THOUSANDS.sub("", source))
        source_runs = _runs(_squeeze(source))
        for statement in statements:
            _require_no_additions(statement, numbers, source_runs)
        covered = _covered(squeezed, statements)
        if covered < MIN_COVERED:
            raise DecodingError(f"the statements quote only {100 * covered:.0f} % of the answer")
        distinct = {statement.text: statement for statement in statements}
        return ParsedReply(
            covered, details={"statements": [statement._asdict() for statement in distinct.values()]}
        )

    return parse


def _read(text: str) -> list[Statement]:
    decoded = lone_object(text, _KNOWN).get("statements")
    if not isinstance(decoded, list) or not decoded:
        raise DecodingError("expected a list of statements under 'statements', with at least one")
    entries = cast("list[Any]", decoded)
    if len(entries) > MAX_STATEMENTS:
        raise DecodingError(f"{len(entries)} statements are more than {MAX_STATEMENTS}")
    return [_statement(entry) for entry in entries]


def _statement(entry: Any) -> Statement:
    fields: Mapping[str, Any] = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    text, quote = fields.get("statement"), fields.get("quote")
    if not (isinstance(text, str) and isinstance(quote, str) and _squeeze(text) and _squeeze(quote)):
        raise DecodingError("a statement is an object with a 'quote' and a 'statement', none of them empty")
    return Statement(text.strip(), quote.strip())


def _require_no_additions(statement: Statement, numbers: set[str], source_runs: set[str]) -> None:
    text = _ascii_digits(statement.text)
    added = _numbers(_THOUSANDS.sub("", text)) - numbers
    if added and not _numbers(text) <= numbers:
        raise DecodingError(f"the number {min(added)[:20]} is in a statement and not in the answer")
    runs = _runs(_squeeze(text))
    if len(runs & source_runs) < MIN_FAMILIAR * len(runs):
        raise DecodingError(f"a statement says what the answer does not: {statement.text[:60]!r}")


def _covered(squeezed: str, statements: list[Statement]) -> float:
    """Return the share of the answer's letters and digits that the quotes cover.

    A quote that is not in the answer is an error.
    """
    marks = bytearray(len(squeezed))
    end = 0
    for statement in statements:
        quote = _squeeze(statement.quote)
        start = squeezed.find(quote, end)
        if start < 0:  # two statements of one sentence quote it twice
            start = squeezed.find(quote)
        if start < 0:
            raise DecodingError(f"a quote is not in the answer: {statement.quote[:60]!r}")
        marks[start : start + len(quote)] = b"\1" * len(quote)
        end = start + len(quote)
    return marks.count(1) / len(marks)


def _squeeze(text: str) -> str:
    """Keep letters and digits alone.

    Models change quotes, dashes, spaces and emphasis when they copy.
    """
    return "".join(character for character in text.casefold() if character.isalnum())


def _ascii_digits(text: str) -> str:
    """Replace the digits of every script with ASCII digits.

    A number is the same in Arabic, Thai or full-width digits.
    """
    return "".join(str(unicodedata.decimal(each)) if each.isdecimal() else each for each in text)


def _numbers(text: str) -> set[str]:
    return set(_DIGITS.findall(text))


def _runs(squeezed: str) -> set[str]:
    return {squeezed[start : start + _RUN] for start in range(max(1, len(squeezed) - _RUN + 1))}
