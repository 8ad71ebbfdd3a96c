"""Guesses of columns for fields without a known column name."""

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
    is_score_like,
    is_session,
    normal,
)
from .fault_columns import direction_options, is_fault
from .grade_columns import MAX_GRADES, GradeColumns, is_rating
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

_WORDS: Mapping[str, tuple[str, ...]] = {
    "accepted_answers": ("correct", "expected", "gold", "golden", "truth", "reference", "ideal", "target"),
    "response": ("reply", "response", "answer", "answered", "output", "completion", "says", "said"),
    "query": ("question", "ask", "asks", "asked", "query", "prompt", "user", "customer", "input", "request", "message"),
}  # fmt: skip
"""Words in the names of columns by field; a column is a guess for the first field with one of its words."""

_REFERENCES = frozenset(FIELDS["accepted_answers"]) - {"accepted_answers"}

_IDENTITY = {"id", "cluster", "system", "trial"}
"""Fields of a joined table that only identify the case or the output of a row."""

_CALL = re.compile(r"\A\[?[A-Za-z_][\w.]*+\(")
"""Beginning of a call: ``book(``."""

_USUAL_BEST = (5, 10)
_MAX_SYSTEMS = 12
_MAX_GRADE_LENGTH = 30
_MAX_OTHERS = 3
"""Maximum number of different words, such as "unsure", beside pass and fail in a column of grades."""
_SYSTEM = ("system", "model", "bot", "agent", "assistant", "version", "variant", "llm")


class TableColumns:
    """Columns of the tables that were read.

    Attributes:
        fields: The column of each field.
        grades: Columns of judges (``score``) and of several people (``label``), besides those of fields.
        tags: Columns that are not fields.
        guesses: Fields without a column, each with a tag that may hold it.
        raters: Tags that may be labels by their values, if there are several.
        asked: Tags named after a fault that may be labels, each with the options that say which of its values is good.
        ratings: Tags that may be ratings, each with its likely scale: ``1:5``.
        pairing: The column whose values pair rows of several systems, if none is known to be the id.
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
        """Add a table: its first rows, the columns of its fields, and those of further grades."""
        self.fields |= fields
        taken = {*fields.values(), *others, *self.tags}
        tags = list(dict.fromkeys(name for row in rows for name in row if name not in taken))
        self.tags += tags
        graded = {"label": ""} if others else {}
        self.guesses |= guessed(rows, tags, {*self.fields, *graded})
        if self.guesses.get("label") == UNKNOWN:
            self.raters = list(dict.fromkeys([*self.raters, *possible_raters(rows, tags)]))
        if not {"label", "score", "judge"} & {*self.fields, *graded, *self.guesses}:
            faults = [column for column in _columns_of(rows, filter(is_fault, tags)) if column.is_grades]
            self.asked |= {fault.name: direction_options(fault.name, fault.values) for fault in faults}
        self.ratings |= rated(rows, tags)
        if "id" not in fields:
            named = (self.guesses.get("id"), fields.get("query"), self.guesses.get("query"))
            self.pairing = _pairing(rows, filter(None, named), fields.get("system"))

    def add_references(self, rows: Sequence[Mapping[str, Any]], fields: Mapping[str, str]) -> None:
        """Add a joined table: its tags, and guesses if it has neither references nor grades."""
        header = dict.fromkeys(name for row in rows for name in row)
        tags = [name for name in header if name not in {*fields.values(), *self.tags} and not is_person(name)]
        self.tags += tags
        if not fields.keys() - _IDENTITY:
            self.guesses |= _guessed_references(_columns_of(rows, tags))

    def note_unread(
        self, row: Mapping[str, Any], path: Path, case_id: str, *, in_session: bool = False
    ) -> None:
        """Note columns of a logged call that are not read but look like grades or references.

        ``case_id`` is the id of the call's case; empty if the log has none. In a session, scores are not read, too.
        """
        if case_id and str(path) not in self.unread_ids:
            same = [name for name, value in row.items() if not is_missing(value) and str(value) == case_id]
            known = [name for name in same if is_session(name) or normal(name).endswith("id")]
            self.unread_ids |= {str(path): name for name in known[:1]}
        scores = [name for name in row if normal(name) in FIELDS["score"]] if in_session else []
        for name in [*_grades_or_references(tuple(row)), *scores]:
            value = row[name]
            holds_reference = is_reference(name) and value is not None and value != ""
            is_short_text = isinstance(value, str) and len(value) <= _MAX_GRADE_LENGTH
            if holds_reference or is_short_text or isinstance(value, int | float):
                self.unread.setdefault(name, path)


def _pairing(rows: Sequence[Mapping[str, Any]], names: Iterable[str], system: str | None) -> str | None:
    """Return the first column with a value in rows of several systems.

    With rows of only one system, it is the first candidate: later rows may be of others.
    """
    candidates = [*names]
    if system is None or len({str(row.get(system)) for row in rows}) < 2:  # noqa: PLR2004 - one system
        return candidates[0] if candidates else None
    for name in candidates:
        pairs = {(str(row[name]), str(row.get(system))) for row in rows if not is_missing(row.get(name))}
        if len(pairs) > len({value for value, _ in pairs}):
            return name
    return None


def rated(rows: Sequence[Mapping[str, Any]], names: Iterable[str]) -> dict[str, str]:
    """Return the columns that may be ratings, each with its likely scale: ``1:5``.

    The name need not show it, if the numbers repeat and the largest is the end of a usual scale.
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
    return normal(name) in _REFERENCES


class _Column(NamedTuple):
    name: str
    words: frozenset[str]
    values: list[Any]

    @property
    def is_text(self) -> bool:
        """True if it has texts of several words."""
        return any(isinstance(value, str) and " " in value.strip() for value in self.values)

    @property
    def is_calls(self) -> bool:
        """True if its texts look like calls: ``book(city="Rome")``."""
        return bool(self.values) and all(
            isinstance(value, str) and _CALL.match(value.strip()) and value.rstrip("] \n").endswith(")")
            for value in self.values
        )

    @property
    def is_grades(self) -> bool:
        """True if it holds words for both pass and fail, and few others, such as "unsure"."""
        words = Counter(str(value) for value in self.values if as_number(value) is None)
        scores = {word: _score(word) for word in words}
        unknown = [word for word, score in scores.items() if score is None]
        return (
            {0.0, 1.0} <= set(scores.values())
            and len(unknown) <= _MAX_OTHERS
            and sum(words[word] for word in unknown) <= len(self.values) / 4
            and all(len(word) <= _MAX_GRADE_LENGTH for word in unknown)
        )

    @property
    def is_label(self) -> bool:
        """True if it holds grades of which it is known which is good."""
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
        The column of each field, ``?`` for the label if there are several, and the field of each further column of answers:
        ``{"response": "answer_a", "answer_b": "response"}``.
    """
    free = [*free]
    columns = _columns_of(rows, free)
    guesses: dict[str, str] = {}
    for field, words in _WORDS.items():
        text = [column for column in columns if column.is_text and column.name not in guesses.values()]
        guesses |= _first(field, (column for column in text if column.words & set(words)))
    if "query" not in guesses and "messages" not in known:
        guesses |= _first(
            "query", (column for column in columns if column.is_text and column.name not in guesses.values())
        )
    if (
        name := likely_id(rows, (column.name for column in columns if column.name not in guesses.values()))
    ) is not None:
        guesses["id"] = name
    labels = possible_raters(rows, free)
    if labels and not {"score", "judge"} & set(known):
        guesses["label"] = labels[0] if len(labels) == 1 else UNKNOWN
    guesses |= _first("system", (column for column in columns if _names_systems(column, guesses)))
    hidden = {*known, *(("query",) if "messages" in known else ())}
    shown = {field: name for field, name in guesses.items() if field not in hidden}
    is_of_one_answer = {"label", "score", "system", "tool_calls", "verdicts"} & {*known, *shown}
    answers = [] if is_of_one_answer else _further_answers(columns, shown)
    return shown | dict.fromkeys(answers, "response")


def possible_raters(rows: Sequence[Mapping[str, Any]], free: Iterable[str]) -> list[str]:
    """Return the columns that may be people's labels by their values."""
    grades = GradeColumns(rows, {}, (UNDECLARED_SCALE,), lambda _: False)
    return [
        column.name
        for column in _columns_of(rows, free)
        if column.is_label and not is_never_grades(column.name) and not grades.is_result(column.name)
    ]


def _guessed_references(columns: Sequence[_Column]) -> dict[str, str]:
    """Guess the columns of a joined table that hold expected calls, accepted answers or labels."""
    calls = _first("expected_calls", (column for column in columns if column.is_calls))
    words = set(_WORDS["accepted_answers"])
    answers = _first("accepted_answers", (column for column in columns if column.words & words))
    return (calls or answers) | _first("label", (column for column in columns if column.is_label))


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
    words = re.findall(r"[a-z]+", guesses.get("response", "").lower())
    if not words:
        return []
    return [
        column.name
        for column in columns
        if column.is_text
        and column.name not in guesses.values()
        and (alike := re.findall(r"[a-z]+", column.name.lower()))
        and any(a == b and a in _WORDS["response"] for a, b in ((alike[0], words[0]), (alike[-1], words[-1])))
    ]


def _first(field: str, columns: Iterable[_Column]) -> dict[str, str]:
    first = next(iter(columns), None)
    return {} if first is None else {field: first.name}


def _names_systems(column: _Column, guesses: Mapping[str, str]) -> bool:
    """Return whether a column is called a system or model, and holds a few repeated names."""
    values = {str(value) for value in column.values}
    few = 1 < len(values) <= min(_MAX_SYSTEMS, len(column.values) - 1)
    are_numbers = all(as_number(value) is not None for value in column.values)
    return (
        few and not are_numbers and bool(column.words & set(_SYSTEM)) and column.name not in guesses.values()
    )
