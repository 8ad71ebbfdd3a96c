"""Guesses of columns for fields without a known column name.

A guess is never used by itself: the next step of an import proposes it to the user. `TableColumns` collects what an
import read, and `guessed` guesses by the words in a column's name and by its values.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ..records.scale import UNDECLARED_SCALE
from .amount_columns import is_never_grades
from .column_names import (
    FIELDS,
    HEADERS,
    is_number_field,
    is_person,
    is_rating,
    is_score_like,
    is_session,
    normal,
)
from .fault_columns import direction_options, is_fault
from .grade_columns import MAX_GRADES, GradeColumns
from .grades import (
    UNKNOWN,
    UnknownGradeError,
    as_number,
    grade_score,
    is_above_one,
    is_missing,
    usual_ends,
)
from .id_columns import likely_id

_WORDS_OF_FIELDS: Mapping[str, tuple[str, ...]] = {
    "accepted_answers": ("correct", "expected", "gold", "golden", "truth", "reference", "ideal", "target"),
    "response": ("reply", "response", "answer", "answered", "output", "completion", "says", "said"),
    "query": ("question", "ask", "asks", "asked", "query", "prompt", "user", "customer", "input", "request", "message"),
}  # fmt: skip
"""Words in column names by field. The first field wins: ``expected output`` is a reference, and no response."""

_REFERENCE_NAMES = frozenset(FIELDS["accepted_answers"]) - {"accepted_answers"}

_IDENTITY_FIELDS = {"id", "cluster", "system", "trial"}
"""Fields of a joined table that only identify the case or the output of a row."""

_CALL_START = re.compile(r"\A\[?[A-Za-z_][\w.]*+\(")
"""Beginning of a call: ``book(``."""

_USUAL_BEST = (5, 10)
"""Best ratings of the usual scales: five stars and ten points."""

_MAX_SYSTEMS = 12
_MAX_GRADE_LENGTH = 30
_MAX_UNKNOWN_WORDS = 3
"""Maximum number of different words, such as "unsure", beside pass and fail in a column of grades."""
_SYSTEM_WORDS = ("system", "model", "bot", "agent", "assistant", "version", "variant", "llm")


class TableColumns:
    """Facts about the columns of the tables that an import read.

    Attributes:
        fields: The column of each field.
        grades: Columns of judges (``score``) and of several people (``label``), besides those of fields.
        tags: Columns that are not fields.
        guesses: Fields without a column, each with a tag that may hold it.
        raters: Tags that may be labels by their values, if there are several.
        asked: Tags named after a fault that may be labels, each with the options that ask which value is good.
        ratings: Tags that may be ratings, each with its likely scale: ``1:5``.
        pairing: The column whose equal values pair rows of several systems, if no column is known to be the id.
        unread: Columns of logged calls that look like grades, each with a file that has it.
        unread_ids: The column of the cases' ids in those files, if there is one.
        own_folders: Number of folders that fiducial made, which were not read.
        cut_off: Number of logged answers that ended at the token limit.
        attempts: Number of answers to a question that was answered before, where no column tells them apart.
        systems: The system of each file, if tables of several systems name none.
    """

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.grades: dict[str, list[str]] = {"score": [], "label": []}
        self.tags: list[str] = []
        self.guesses: dict[str, str] = {}
        self.raters: list[str] = []
        self.asked: dict[str, str] = {}
        self.ratings: dict[str, str] = {}
        self.pairing: str | None = None
        self.unread: dict[str, Path] = {}
        self.unread_ids: dict[str, str] = {}
        self.own_folders = 0
        self.cut_off = 0
        self.attempts = 0
        self.systems: dict[Path, str] = {}

    def add(
        self, rows: Sequence[Mapping[str, Any]], fields: Mapping[str, str], others: Iterable[str]
    ) -> None:
        """Add a table by its first rows.

        Args:
            rows: The first rows.
            fields: The column of each field.
            others: Further columns of grades.
        """
        self.fields |= fields
        taken = {*fields.values(), *others, *self.tags}
        tags = list(dict.fromkeys(name for row in rows for name in row if name not in taken))
        self.tags += tags
        known = {*self.fields, *(["label"] if others else [])}
        self.guesses |= guessed(rows, tags, known)
        if self.guesses.get("label") == UNKNOWN:
            self.raters = list(dict.fromkeys([*self.raters, *possible_raters(rows, tags)]))
        if not {"label", "score", "judge"} & {*known, *self.guesses}:
            faults = [column for column in _columns_of(rows, filter(is_fault, tags)) if column.is_grades]
            self.asked |= {fault.name: direction_options(fault.name, fault.values) for fault in faults}
        self.ratings |= rated(rows, tags)
        if "id" not in fields:
            candidates = (self.guesses.get("id"), fields.get("query"), self.guesses.get("query"))
            self.pairing = _pairing(rows, filter(None, candidates), fields.get("system"))

    def add_references(self, rows: Sequence[Mapping[str, Any]], fields: Mapping[str, str]) -> None:
        """Add the tags of a joined table, and guesses if it has neither references nor grades."""
        header = dict.fromkeys(name for row in rows for name in row)
        tags = [name for name in header if name not in {*fields.values(), *self.tags} and not is_person(name)]
        self.tags += tags
        if not fields.keys() - _IDENTITY_FIELDS:
            self.guesses |= _guessed_references(_columns_of(rows, tags))

    def note_unread(
        self, row: Mapping[str, Any], path: Path, case_id: str, *, in_session: bool = False
    ) -> None:
        """Note columns of a logged call that look like grades or references but are not read.

        Args:
            row: The logged call.
            path: Its file.
            case_id: The id of its case; empty if the log has none.
            in_session: Whether the call is part of a session, whose scores are not read either.
        """
        if case_id and str(path) not in self.unread_ids:
            columns_with_id = [
                name for name, value in row.items() if not is_missing(value) and str(value) == case_id
            ]
            id_columns = [name for name in columns_with_id if is_session(name) or normal(name).endswith("id")]
            self.unread_ids |= {str(path): name for name in id_columns[:1]}
        scores = [name for name in row if normal(name) in FIELDS["score"]] if in_session else []
        for name in [*_grades_or_references(tuple(row)), *scores]:
            value = row[name]
            has_reference = is_reference(name) and value is not None and value != ""
            is_short_text = isinstance(value, str) and len(value) <= _MAX_GRADE_LENGTH
            if has_reference or is_short_text or isinstance(value, int | float):
                self.unread.setdefault(name, path)


def _pairing(rows: Sequence[Mapping[str, Any]], names: Iterable[str], system: str | None) -> str | None:
    """Return the first column that has one value in rows of several systems.

    If the first rows are of only one system, it is the first candidate, since later rows may be of other systems.
    """
    candidates = [*names]
    if system is None or len({str(row.get(system)) for row in rows}) < 2:  # noqa: PLR2004 - one system
        return candidates[0] if candidates else None
    for name in candidates:
        pairs = {(str(row[name]), str(row.get(system))) for row in rows if not is_missing(row.get(name))}
        # More pairs than values: some value has rows of two systems.
        if len(pairs) > len({value for value, _ in pairs}):
            return name
    return None


def rated(rows: Sequence[Mapping[str, Any]], names: Iterable[str]) -> dict[str, str]:
    """Return the columns that may be ratings, each with its likely scale: ``1:5``.

    A column of any name counts if its numbers repeat and the largest is the end of a usual scale.
    """
    scales: dict[str, str] = {}
    for name in names:
        numbers = [as_number(row[name]) for row in rows if not is_missing(row.get(name))]
        if is_number_field(name) or not numbers or None in numbers:
            continue
        finite = [number for number in numbers if number is not None and math.isfinite(number)]
        if len(finite) < len(numbers) or min(finite) < 0 or not is_above_one(max(finite)):
            continue
        is_named = is_rating(name) or is_score_like(name)
        repeats = len(set(finite)) <= min(MAX_GRADES, len(finite) - 1)
        if is_named or (repeats and max(finite) in _USUAL_BEST and all(map(float.is_integer, finite))):
            scales[name] = f"{UNKNOWN}:{UNKNOWN}" if is_fault(name) else usual_ends(finite)
    return scales


@lru_cache(HEADERS)
def _grades_or_references(names: tuple[str, ...]) -> list[str]:
    return [name for name in names if is_rating(name) or is_reference(name)]


def is_reference(name: str) -> bool:
    """Return whether a column of logged calls looks like accepted answers that are not read."""
    return normal(name) in _REFERENCE_NAMES


class _Column(NamedTuple):
    name: str
    words: frozenset[str]
    values: list[Any]

    @property
    def is_text(self) -> bool:
        return any(isinstance(value, str) and " " in value.strip() for value in self.values)

    @property
    def is_calls(self) -> bool:
        """True if its texts look like calls: ``book(city="Rome")``."""
        return bool(self.values) and all(
            isinstance(value, str) and _CALL_START.match(value.strip()) and value.rstrip("] \n").endswith(")")
            for value in self.values
        )

    @property
    def is_grades(self) -> bool:
        """True if its words mean both pass and fail, with few others, such as "unsure"."""
        counts = Counter(str(value) for value in self.values if as_number(value) is None)
        scores = {word: _score(word) for word in counts}
        unknown = [word for word, score in scores.items() if score is None]
        return (
            {0.0, 1.0} <= set(scores.values())
            and len(unknown) <= _MAX_UNKNOWN_WORDS
            and sum(counts[word] for word in unknown) <= len(self.values) / 4
            and all(len(word) <= _MAX_GRADE_LENGTH for word in unknown)
        )

    @property
    def is_label(self) -> bool:
        """True if it has words of grades, and its name is no fault, of which "yes" may be bad."""
        return not is_fault(self.name) and self.is_grades


def _score(word: str) -> float | None:
    try:
        return grade_score(word, UNDECLARED_SCALE)
    except UnknownGradeError:
        return None


def guessed(
    rows: Sequence[Mapping[str, Any]], free: Iterable[str], known: Iterable[str]
) -> Mapping[str, str]:
    """Guess a free column for each missing field: id, question, answers, label, system.

    Returns:
        The column of each field, or ``?`` for the label if several may be it. Further columns of answers, perhaps of other
        systems, are reversed: ``{"response": "answer_a", "answer_b": "response"}``.
    """
    free = [*free]
    columns = _columns_of(rows, free)
    guesses: dict[str, str] = {}
    for field, words in _WORDS_OF_FIELDS.items():
        texts = [column for column in columns if column.is_text and column.name not in guesses.values()]
        guesses |= _guess_first(field, (column for column in texts if column.words & set(words)))
    if "query" not in guesses and "messages" not in known:
        guesses |= _guess_first(
            "query", (column for column in columns if column.is_text and column.name not in guesses.values())
        )
    id_candidates = (column.name for column in columns if column.name not in guesses.values())
    id_column = likely_id(rows, id_candidates)
    if id_column is not None:
        guesses["id"] = id_column
    labels = possible_raters(rows, free)
    if labels and not {"score", "judge"} & set(known):
        guesses["label"] = labels[0] if len(labels) == 1 else UNKNOWN
    guesses |= _guess_first("system", (column for column in columns if _names_systems(column, guesses)))
    known_fields = {*known, *(("query",) if "messages" in known else ())}
    new_guesses = {field: name for field, name in guesses.items() if field not in known_fields}
    # Grades, a system or calls belong to the one answer of a row; further answers would share them.
    is_of_one_answer = {"label", "score", "system", "tool_calls", "verdicts"} & {*known, *new_guesses}
    answers = [] if is_of_one_answer else _further_answers(columns, new_guesses)
    return new_guesses | dict.fromkeys(answers, "response")


def possible_raters(rows: Sequence[Mapping[str, Any]], free: Iterable[str]) -> list[str]:
    """Return the columns whose values are like people's labels."""
    grades = GradeColumns(rows, {}, (UNDECLARED_SCALE,), lambda _: False)
    return [
        column.name
        for column in _columns_of(rows, free)
        if column.is_label and not is_never_grades(column.name) and not grades.is_result(column.name)
    ]


def _guessed_references(columns: Sequence[_Column]) -> dict[str, str]:
    """Guess the columns of expected calls, accepted answers and labels in a joined table."""
    calls = _guess_first("expected_calls", (column for column in columns if column.is_calls))
    words = set(_WORDS_OF_FIELDS["accepted_answers"])
    answers = _guess_first("accepted_answers", (column for column in columns if column.words & words))
    return (calls or answers) | _guess_first("label", (column for column in columns if column.is_label))


def _columns_of(rows: Sequence[Mapping[str, Any]], names: Iterable[str]) -> list[_Column]:
    """Return the columns of these names with their values, without empty cells."""
    return [
        _Column(
            name,
            frozenset(re.findall(r"[a-z]+", name.lower())),
            [row[name] for row in rows if not is_missing(row.get(name))],
        )
        for name in names
    ]


def _further_answers(columns: Iterable[_Column], guesses: Mapping[str, str]) -> list[str]:
    """Return columns named like the column of answers, each perhaps of another system."""
    answer_words = re.findall(r"[a-z]+", guesses.get("response", "").lower())
    if not answer_words:
        return []

    def is_alike(name: str) -> bool:
        """Return whether a name has the same word for an answer at its beginning or its end."""
        words = re.findall(r"[a-z]+", name.lower())
        return bool(words) and any(
            words[end] == answer_words[end] and words[end] in _WORDS_OF_FIELDS["response"] for end in (0, -1)
        )

    free = (column for column in columns if column.name not in guesses.values())
    return [column.name for column in free if column.is_text and is_alike(column.name)]


def _guess_first(field: str, columns: Iterable[_Column]) -> dict[str, str]:
    first = next(iter(columns), None)
    return {} if first is None else {field: first.name}


def _names_systems(column: _Column, guesses: Mapping[str, str]) -> bool:
    """Return whether a column is called a system or model, and its few values repeat."""
    values = {str(value) for value in column.values}
    are_few = 1 < len(values) <= min(_MAX_SYSTEMS, len(column.values) - 1)
    are_numbers = all(as_number(value) is not None for value in column.values)
    return (
        are_few
        and not are_numbers
        and bool(column.words & set(_SYSTEM_WORDS))
        and column.name not in guesses.values()
    )
