"""Scores and labels in the cells of a row: of judges, people, or an export by fiducial.

Each cell has a reader of its own, so that an unreadable cell does not cost the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from ..errors import RecordError
from ..records import Verdict
from ..records.scale import Scale
from ..records.typed_values import convert
from ..spelling import spelled_pairs, spelled_scale, together
from ..tables.grades import (
    UnknownGradeError,
    as_number,
    asked_scale,
    grade_score,
    has_word,
    is_missing,
    majority,
    map_label_options,
    no_grade,
    usual_ends,
)
from ..tables.standing_labels import MAJORITY
from .field_reader import FieldReader
from .imported_scores import ImportedScore, ScoreConverter, scored, unscored
from .json_values import is_object
from .recognized_grades import RecognizedGrades

ScoreReader: TypeAlias = Callable[[], Iterable[ImportedScore]]
"""Function that reads the scores in one cell."""

_NO_SCORE_REASON = "there is no score"


class RowGrades(NamedTuple):
    """Settings by which the grades in a row are read.

    Attributes:
        columns: The table's columns of grades.
        converter: Converter of judges' scores.
        people: Scale of people's grades.
        answered: Whether the row has an answer, so that an empty cell is a missing score.
    """

    columns: RecognizedGrades
    converter: ScoreConverter
    people: Scale
    answered: bool = False

    def judge_score(self, judge: str, value: Any) -> float | None:
        """Return a judge's score in [0, 1], or None if the cell is empty.

        Raises:
            UnknownGradeError: It is neither a known word nor a number on the judge's scale.
        """
        scale = self.converter.scale_of(judge)
        return grade_score(value, scale, beside_numbers=judge in self.columns.numeric)


def verdicts_in(fields: FieldReader) -> list[ImportedScore]:
    """Return the verdicts in a row that fiducial exported."""
    verdicts = convert(fields.unpacked("verdicts") or [], list[Verdict])
    return [
        ImportedScore(
            verdict.by,
            verdict.score,
            verdict.outcome,
            verdict.reason,
            verdict.source,
            verdict.evidence,
            verdict.repeat,
        )
        for verdict in verdicts
    ]


def score_readers(fields: FieldReader, column: str, grades: RowGrades) -> Iterator[ScoreReader]:
    """Yield the readers of the field ``score``: one, or one per judge if the cell is an object."""
    value = fields.unpacked("score")
    if is_object(value):
        scores = FieldReader(value, column)
        yield from (partial(_score, name, value[name], scores.path(name), grades) for name in value)
    elif value is not None or grades.answered:
        yield partial(_score, column, value, column, grades)


def _score(by: str, value: Any, field: str, grades: RowGrades) -> list[ImportedScore]:
    grades.columns.require_direction(by)
    number, unscaled = as_number(value), grades.columns.unscaled
    if by in unscaled and number is not None:
        option = together(spelled_pairs("map", {"label": by}), asked_scale("label_scale", unscaled[by]))
        raise RecordError(
            f"the scores are not all from 0 to 1: {_score_scale(by, unscaled[by])}; if people gave them: {option}",
            field=by,
        )
    if not isinstance(value, str) or number is not None:
        return [scored(by, _grade_in(value), field=field, absent=_NO_SCORE_REASON)]
    try:
        score = grades.judge_score(by, value)
    except UnknownGradeError:
        raise RecordError(f"expected a score in [0, 1] from {by!r}, got {value!r}", field=field) from None
    if score is None:
        return [unscored(by, "not_applicable", _NO_SCORE_REASON)]
    return [ImportedScore(by, score, evidence={"value": value}, field=field)]


def judge_scores(by: str, value: Any, grades: RowGrades) -> list[ImportedScore]:
    """Return the score in a judge's column, or an empty list if there is no answer to score."""
    grades.columns.require_direction(by)
    number, unscaled = as_number(value), grades.columns.unscaled
    if by in unscaled and number is not None:
        raise RecordError(f"the scores are not all from 0 to 1: {_score_scale(by, unscaled[by])}", field=by)
    try:
        score = grades.judge_score(by, _grade_in(value))
    except UnknownGradeError as error:
        remedy = ""
        if number is not None and 0 <= number < math.inf:
            remedy = f": {_score_scale(by, usual_ends([number]))}"
        raise RecordError(f"the score {value!r} is {error}{remedy}", field=by) from None
    if score is not None:
        return [ImportedScore(by, score, evidence={} if score == _grade_in(value) else {"value": value})]
    expects_score = grades.answered or not is_missing(value)
    return [unscored(by, "not_applicable", _NO_SCORE_REASON)] if expects_score else []


def _score_scale(by: str, ends: str) -> str:
    return asked_scale("score_scale", ends, by)


def label_readers(
    people: Mapping[str, Any], grades: Scale, columns: RecognizedGrades, by: str | None = None
) -> Iterator[ScoreReader]:
    """Yield the readers of people's labels, and then of the majority of several people.

    If a row has one label and names who gave it (``by``), that person is its author.
    """
    authors = {column: by if by is not None and len(people) == 1 else column for column in people}
    cells = [
        partial(_label, column, value, grades, columns, authors[column]) for column, value in people.items()
    ]
    yield from cells
    if len(cells) > 1:
        yield partial(_majority, cells, [*people.values()], grades)


def _label(column: str, value: Any, grades: Scale, columns: RecognizedGrades, by: str) -> list[ImportedScore]:
    """Return the label in a person's column, or an empty list for an empty cell."""
    if not is_missing(value):
        columns.require_direction(column)
    number, unscaled = as_number(value), columns.unscaled
    if column in unscaled and number is not None and not has_word(grades, number):
        raise RecordError(
            f"the labels are not all from 0 to 1: name their worst and best with {asked_scale('label_scale', unscaled[column])}",
            field=column,
        )
    try:
        score = grade_score(value, grades)
    except UnknownGradeError as error:
        if isinstance(value, str) and number is None:
            raise RecordError(
                f"unknown label {value!r}: map it with {map_label_options([value])} (1 for pass, 0 for fail, {no_grade()})",
                field=column,
            ) from None
        raise RecordError(
            f"the label {value!r} is {error}: give the scale with {spelled_scale('label_scale', 'WORST:BEST')}",
            field=column,
        ) from None
    if score is None:
        return []
    evidence = {} if score == _grade_in(value) else {"value": value}
    return [ImportedScore(by, score, source="human", evidence=evidence)]


def _majority(cells: Iterable[ScoreReader], values: list[Any], grades: Scale) -> list[ImportedScore]:
    """Return the majority of people's labels, ungraded for a tie or an unreadable label."""
    labels: list[ImportedScore] = []
    problem = "people disagree"
    for read in cells:
        try:
            labels += read()
        except RecordError:
            problem = "a grade cannot be read"
    if not labels:
        return []
    majority_score = majority(values, grades) if problem == "people disagree" else None
    if majority_score is None:
        return [unscored(MAJORITY, "undecided", problem, source="construction")]
    return [ImportedScore(MAJORITY, majority_score, source="construction")]


def _grade_in(value: Any) -> Any:
    number = as_number(value) if isinstance(value, str) else None
    return value if number is None else number
