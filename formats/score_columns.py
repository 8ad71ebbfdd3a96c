"""Scores and labels in a row of a table: of judges, people, or an export of ours."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from ..errors import NO_GRADE, RecordError
from ..records import Verdict
from ..records.grades import PLAIN, GradeScale, UnknownGradeError, as_number, majority, usual_ends
from ..records.standing_labels import MAJORITY
from .field_reader import FieldReader
from .imported_scores import ImportedScore, ScoreScaling, scored, unscored
from .json_values import is_object

NO_COLUMNS: Mapping[str, str] = {}

ScoreReader: TypeAlias = Callable[[FieldReader, Mapping[str, str]], Iterable[ImportedScore]]
"""Reader of the scores of a row, from its fields and their columns."""


def verdicts_in(fields: FieldReader, names: Mapping[str, str]) -> list[ImportedScore]:
    """Return the verdicts of an exported output."""
    del names
    verdicts = msgspec.convert(fields.unpacked("verdicts") or [], list[Verdict])
    return [
        ImportedScore(each.by, each.score, each.outcome, each.reason, each.source, each.evidence, each.repeat)
        for each in verdicts
    ]


def score_in(
    fields: FieldReader, names: Mapping[str, str], *, unscaled: Mapping[str, str] = NO_COLUMNS
) -> list[ImportedScore]:
    """Return the score of a row, or several by name."""
    value = fields.unpacked("score")
    if value is None:
        return []
    by = names["score"]
    if by in unscaled and as_number(value) is not None:
        option = f"--map {shlex.quote(f'label={by}')} --label-scale {unscaled[by]}"
        raise RecordError(
            f"the scores are not all from 0 to 1: {_score_scale(by, unscaled[by])}; if people gave them: {option}",
            field=by,
        )
    if is_object(value):
        held = FieldReader(value, by)
        return [_scored(name, each, held.path(name)) for name, each in held.value.items()]
    return [_scored(by, value, by)]


def _score_scale(by: str, ends: str) -> str:
    return f"--score-scale {shlex.quote(f'{by}={ends}')}"


def _scored(by: str, value: Any, field: str) -> ImportedScore:
    number = None if _says_no_grade(value) else _grade_in(value)
    return scored(by, number, field=field, absent="there is no score")


def _says_no_grade(value: Any) -> bool:
    """Return whether a text says that there is no grade, such as ``n/a``."""
    try:
        return isinstance(value, str) and PLAIN.score(value) is None
    except UnknownGradeError:
        return False


def judge_scores(
    fields: FieldReader,
    names: Mapping[str, str],
    *,
    judges: list[tuple[str, Any]],
    scaling: ScoreScaling,
    unscaled: Mapping[str, str] = NO_COLUMNS,
) -> list[ImportedScore]:
    """Return judges' scores, one column each."""
    del fields, names
    return [
        score for by, value in judges for score in _judge_score(by, value, scaling.scale_of(by), unscaled)
    ]


def _judge_score(by: str, value: Any, scale: GradeScale, unscaled: Mapping[str, str]) -> list[ImportedScore]:
    """Return a judge's score in a cell; an empty list if there is none."""
    number = as_number(value)
    if by in unscaled and number is not None:
        raise RecordError(f"the scores are not all from 0 to 1: {_score_scale(by, unscaled[by])}", field=by)
    try:
        score = scale.score(_grade_in(value))
    except UnknownGradeError as error:
        remedy = "" if number is None or number < 0 else f": {_score_scale(by, usual_ends([number]))}"
        raise RecordError(f"the score {value!r} is {error}{remedy}", field=by) from None
    if score is None:
        return []
    return [ImportedScore(by, score, evidence={} if score == _grade_in(value) else {"value": value})]


def labels_in(
    fields: FieldReader,
    names: Mapping[str, str],
    *,
    people: Mapping[str, Any],
    grades: GradeScale,
    unscaled: Mapping[str, str] = NO_COLUMNS,
    by: str | None = None,
) -> list[ImportedScore]:
    """Return a person's labels, or several people's and then their majority.

    A row may name the person (``by``), whom its labels are then named after.
    """
    if "label" in names:
        people = {names["label"]: fields.get("label")}
    for name, value in people.items():
        number = as_number(value) if name in unscaled else None
        if number is not None and not grades.has_word(number):
            raise RecordError(
                f"the labels are not all from 0 to 1: name their worst and best with --label-scale {unscaled[name]}",
                field=name,
            )
    scores = [
        imported_score for name, value in people.items() for imported_score in _graded(name, value, grades)
    ]
    if by is not None and len(people) == 1:
        scores = [each._replace(by=by) for each in scores]
    agreed = majority([*people.values()], grades)
    if len(people) > 1 and scores:
        scores.append(
            ImportedScore(MAJORITY, agreed, source="construction")
            if agreed is not None
            else unscored(MAJORITY, "undecided", "people disagree", source="construction")
        )
    return scores


def _graded(by: str, value: Any, grades: GradeScale) -> list[ImportedScore]:
    try:
        score = grades.score(value)
    except UnknownGradeError as error:
        if isinstance(value, str) and as_number(value) is None:
            told = shlex.quote(f"{value}=1")
            raise RecordError(
                f"unknown label {value!r}: map it with --map-label {told} (0 for fail, {NO_GRADE})",
                field=by,
            ) from None
        raise RecordError(
            f"the label {value!r} is {error}: give the scale with --label-scale WORST:BEST", field=by
        ) from None
    if score is None:
        return []
    kept = {} if score == _grade_in(value) else {"value": value}
    return [ImportedScore(by, score, source="human", evidence=kept)]


def _grade_in(value: Any) -> Any:
    """Return the number in a cell; any other value unchanged."""
    number = as_number(value) if isinstance(value, str) else None
    return value if number is None else number
