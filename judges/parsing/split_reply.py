"""Read replies that split an answer into statements.

A splitter must neither add to the answer nor leave much out. So each statement comes with a quote from the answer, and statements and
quotes are compared with the answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from ...errors import DecodingError
from .json_objects import lone_object
from .parsed_reply import ParsedReply, ReplyParser

MIN_COVERED = 0.5
"""Minimum share of the answer's letters and digits that the quotes cover. Greetings and headings may be left out."""

MIN_FAMILIAR = 0.6
"""Minimum share of a statement's runs of three characters that occur in answer or question. Names may replace pronouns."""

MAX_STATEMENTS = 1_000
"""Maximum number of statements of one answer."""

_KEYS = frozenset({"statements", "statement", "quote"})

_RUN_LENGTH = 3  # characters
_DIGITS = re.compile(r"[0-9]+")
_THOUSANDS_SEPARATOR = re.compile(r"(?<=[0-9])[.,'\u00a0\u202f ](?=[0-9])")


class Statement(NamedTuple):
    """One statement of an answer, with its quote from the answer."""

    text: str
    quote: str


def statements_parser(answer: str, question: str) -> ReplyParser:
    """Return a parser of one answer's statements, which may use names from the question.

    The score is the share of the answer that the quotes cover; the details contain the statements, each text once. A reply is
    unreadable if it has no statements, if a quote is not in the answer, if a statement adds something to answer and question, or if
    the quotes leave out half of the answer.
    """

    def parse(text: str) -> ParsedReply:
        statements = _read(text)  # before the answer is prepared, which may be much longer than the reply
        answer_characters = _squeeze(answer)
        source = _ascii_digits(f"{answer}\n{question}")
        numbers = _numbers(source) | _numbers(_THOUSANDS_SEPARATOR.sub("", source))
        source_runs = _runs(_squeeze(source))
        for statement in statements:
            _require_no_additions(statement, numbers, source_runs)
        covered = _covered_share(answer_characters, statements)
        if covered < MIN_COVERED:
            raise DecodingError(f"the statements quote only {100 * covered:.0f} % of the answer")
        distinct = {statement.text: statement for statement in statements}
        return ParsedReply(
            covered, details={"statements": [statement._asdict() for statement in distinct.values()]}
        )

    return parse


def _read(text: str) -> list[Statement]:
    decoded = lone_object(text, _KEYS).get("statements")
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
    added_numbers = _numbers(_THOUSANDS_SEPARATOR.sub("", text)) - numbers
    # A number is in the source if it is there either with or without thousands separators.
    if added_numbers and not _numbers(text) <= numbers:
        raise DecodingError(f"the number {min(added_numbers)[:20]} is in a statement and not in the answer")
    runs = _runs(_squeeze(text))
    if len(runs & source_runs) < MIN_FAMILIAR * len(runs):
        raise DecodingError(f"a statement says what the answer does not: {statement.text[:60]!r}")


def _covered_share(squeezed: str, statements: list[Statement]) -> float:
    """Return the share of the answer's letters and digits that the quotes cover.

    Raises:
        DecodingError: A quote is not in the answer.
    """
    marks = bytearray(len(squeezed))
    end = 0
    for statement in statements:
        quote = _squeeze(statement.quote)
        start = squeezed.find(quote, end)
        if start < 0:  # statements are not in the answer's order, or two quote the same sentence
            start = squeezed.find(quote)
        if start < 0:
            raise DecodingError(f"a quote is not in the answer: {statement.quote[:60]!r}")
        marks[start : start + len(quote)] = b"\1" * len(quote)
        end = start + len(quote)
    return marks.count(1) / len(marks)


def _squeeze(text: str) -> str:
    """Return the letters and digits of a text in lower case.

    Other characters are left out, since models change quotes, dashes, spaces and emphasis when they copy.
    """
    return "".join(character for character in text.casefold() if character.isalnum())


def _ascii_digits(text: str) -> str:
    return "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character for character in text
    )


def _numbers(text: str) -> set[str]:
    return set(_DIGITS.findall(text))


def _runs(squeezed: str) -> set[str]:
    """Return the runs of three characters; a shorter text is its only run."""
    return {squeezed[start : start + _RUN_LENGTH] for start in range(max(1, len(squeezed) - _RUN_LENGTH + 1))}
