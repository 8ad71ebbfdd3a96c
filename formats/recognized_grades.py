"""Columns of grades in an imported table, recognised as in a table of scores.

`recognize_grades` looks at the first rows, and asks where only the user knows: a column, words, a scale, a direction.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import InputError, RecordError
from ..records.scale import Scale, judge_scale, named_judges
from ..spelling import spelled_pairs, spelled_scale, together
from ..tables.asked_choices import AskedChoices
from ..tables.column_names import TABLE_FIELDS, is_number_field, is_person, is_score_like, normal
from ..tables.fault_columns import direction_options, direction_problem, label_direction
from ..tables.grade_columns import GradeColumns
from ..tables.grades import (
    OPEN_ENDS,
    UNKNOWN,
    UnknownGradeError,
    as_number,
    asked_scale,
    ends_question,
    grade_score,
    has_word,
    is_above_one,
    usual_ends,
)
from ..tables.known_labels import label_names, require_known_labels, require_known_words
from ..tables.named_columns import (
    columns_by_field,
    judges_named_by_user,
    map_options,
    people_columns,
    people_named_by_user,
)
from .file_rows import FileRow
from .import_options import Options
from .json_values import is_object, parsed

LOOKED_AT = 512
"""Number of first rows by which columns of grades are recognised."""


class RecognizedGrades(NamedTuple):
    """Columns of grades recognised by a table's first rows, besides those known by name.

    Attributes:
        label: The column of a person's grades, or None if there is none, or several people have one each.
        judges: Columns of judges' scores.
        unscaled: Columns of grades above 1 without a scale, each with its likely scale, ``1:5``. A 1 may be the worst grade.
        unit: Columns of labels, and columns of scores, without a scale and without a number above 1 so far.
        numeric: Judges that gave a number, so that the word ``failed`` is no grade by them.
        undirected: Columns named after a fault, each with the options that ask which of its values is good.
        unnamed: Columns that could be a judge's scores by their values alone.
    """

    label: str | None = None
    judges: tuple[str, ...] = ()
    unscaled: Mapping[str, str] = {}
    unit: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    numeric: frozenset[str] = frozenset()
    undirected: Mapping[str, str] = {}
    unnamed: tuple[str, ...] = ()

    def require_direction(self, column: str) -> None:
        """Require that it is known which values of a column are good.

        Raises:
            RecordError: Only the user knows the column's direction.
        """
        if column in self.undirected:
            raise RecordError(direction_problem(column, self.undirected[column]), field=column)

    def require_early_scale(self, row: FileRow, grades: Scale) -> None:
        """Require that columns that were read as grades from 0 to 1 have no number above 1.

        Raises:
            InputError: A row has such a number, so that 1 may have been the worst grade in all earlier rows.
        """
        labels, scores = self.unit
        for column in (*labels, *scores):
            number = as_number(row.value.get(column))
            if (
                number is None
                or not math.isfinite(number)
                or has_word(grades, number)
                or not is_above_one(number)
            ):
                continue
            ends = usual_ends([number])
            remedy = f"add {asked_scale('label_scale', ends)}"
            if column not in labels:
                option_for_people = together(
                    spelled_pairs("map", {"label": column}), asked_scale("label_scale", ends)
                )
                remedy = f"add {asked_scale('score_scale', ends, column)}, or if people gave them: {option_for_people}"
            raise InputError(
                f"{number:g} is above 1, and all before it were read as grades from 0 to 1; {remedy}",
                path=row.position.path,
                line=row.position.line,
                field=column,
            )


def recognize_grades(rows: Sequence[Mapping[str, Any]], options: Options) -> RecognizedGrades:
    """Return the columns of grades, chosen as `calibrate` chooses them for a table of scores.

    Raises:
        ChoiceNeeded: Several columns could be the label, or only the user knows which of its values are good.
    """
    header = dict.fromkeys(name for row in rows for name in row)
    names = columns_by_field(header, options.columns)
    named_people = people_named_by_user(header, options.columns)
    columns = _grade_columns(rows, names, named_people, options)
    if options.columns.get("label") != "":
        columns.find_labels()
        require_known_labels(columns, rows, options.grades)
    columns.find_judge()
    score, label = names.get("score"), columns.columns.get("label")
    judges = (
        []
        if options.columns.get("score") == ""
        else [name for name in _judges(columns, names, options) if name != score]
    )
    people = {*filter(None, (label, *people_columns(header, options.columns)))}
    scores = [name for name in dict.fromkeys(filter(None, (score, *judges))) if name not in people]
    scales = options.converter.scales
    _require_known_words(columns, rows, [name for name in judges if name in scores], options)
    values_by_judge = _values_by_judge(rows, scores)
    undirected = _undirected_options(rows, people, values_by_judge, options)
    without_scale = {name for name in scores if not judge_scale(scales, name).is_declared}
    if options.grades.reads_numbers:
        people = set[str]()
    graded = people | without_scale
    unscaled = unscaled_grades(rows, [name for name in header if name in graded], options.grades)
    _ask_scales(rows, unscaled, people)
    return RecognizedGrades(
        label=None if named_people else label,
        judges=tuple(judges),
        unscaled=unscaled,
        unit=(
            frozenset(people - unscaled.keys() - undirected.keys()),
            frozenset(without_scale - unscaled.keys() - undirected.keys()),
        ),
        numeric=frozenset(judge for judge, values in values_by_judge.items() if any(map(_is_number, values))),
        undirected=undirected,
        unnamed=tuple(columns.unnamed) if not judges and score is None else (),
    )


def _grade_columns(
    rows: Sequence[Mapping[str, Any]],
    names: Mapping[str, str],
    people: Sequence[str],
    options: Options,
) -> GradeColumns:
    """Start the search for columns of grades with the columns that the user named."""
    columns_of_user = {"score": names["score"]} if "score" in names else {}
    if "label" in names and {"label", names["label"]} & {*options.columns, *options.columns.values()}:
        columns_of_user["label"] = names["label"]
    unavailable_columns = {
        *(name for field, name in names.items() if field not in {"label", *columns_of_user}),
        *people,
        *(TABLE_FIELDS.keys() - {"label", "score", "item_id", "judge"}),
    }
    scales = (judge_scale(options.converter.scales), options.grades)
    columns = GradeColumns(
        rows, columns_of_user, scales, lambda name: name in unavailable_columns or is_number_field(name)
    )
    columns.find_by_usual_name("item_id", columns.may_be_names)
    if people:
        columns.assign_people(people)
    return columns


def _require_known_words(
    columns: GradeColumns, rows: Sequence[Mapping[str, Any]], judges: Iterable[str], options: Options
) -> None:
    """Require that the words of labels and judges are known.

    In a table with labels, a column named like a judge's scores is asked about, too; without labels it is a tag.
    """
    scale_by_label = dict.fromkeys(label_names(columns), options.grades)
    score_like_columns = [
        name for name in columns.free() if is_score_like(name) and columns.may_be_scores(name)
    ]
    score = columns.columns.get("score")
    further_judges = [*score_like_columns, *filter(None, [score])] if scale_by_label else []
    if options.columns.get("score") == "":
        judges, further_judges = (), []
    scale_by_judge = {
        judge: judge_scale(options.converter.scales, judge)
        for judge in (*judges, *further_judges)
        if judge not in scale_by_label
    }
    require_known_words(columns, rows, scale_by_label | scale_by_judge)


def _ask_scales(
    rows: Sequence[Mapping[str, Any]], unscaled: Mapping[str, str], people: Collection[str]
) -> None:
    """Ask for the scales of grades above 1, since only the user knows which end is best.

    Raises:
        ChoiceNeeded: There are such grades.
    """
    asked_choices, remedies = AskedChoices(rows), dict[str, None]()
    for column, ends in unscaled.items():
        setting_name, judge = ("label_scale", None) if column in people else ("score_scale", column)
        asked_choices.scale(setting_name, column, ends_question(column, ends), judge)
        field = "score" if judge else "label"
        remedies[f"if {column!r} holds no grades, {map_options({field: ''})}"] = None
        if judge is not None:
            option_for_people = together(
                map_options({"label": column}), spelled_scale("label_scale", OPEN_ENDS)
            )
            remedies[f"if people gave {column!r}, {option_for_people}"] = None
    if asked_choices.choices:
        raise asked_choices.error(remedy=f"{'; '.join(remedies)}; else replace each {UNKNOWN}")


def _judges(columns: GradeColumns, names: Mapping[str, str], options: Options) -> list[str]:
    """Return the columns of judges' scores: those that the user named, else those found."""
    scales = options.converter.scales
    judges_with_scale, default = named_judges(scales), judge_scale(scales)
    judges = list(judges_named_by_user(columns.present, options.columns))
    named_by_user = {*judges, *judges_with_scale}
    if not judges and "verdicts" not in names:
        judges = columns.find_scores(
            several="judge" not in columns.columns, named=judges_with_scale, failures=True
        )
    candidates = dict.fromkeys((*judges, *(name for name in judges_with_scale if name in columns.present)))
    return [name for name in candidates if name in named_by_user or _is_judge(name, columns, default)]


def _values_by_judge(rows: Sequence[Mapping[str, Any]], columns: Iterable[str]) -> Mapping[str, list[Any]]:
    """Return the scores by judge, who is a column, or a key of the objects in a column."""
    values_by_judge = dict[str, list[Any]]()
    for column in columns:
        for value in (parsed(row.get(column)) for row in rows):
            for judge, score in (value if is_object(value) else {column: value}).items():
                values_by_judge.setdefault(judge, []).append(score)
    return values_by_judge


def _undirected_options(
    rows: Sequence[Mapping[str, Any]],
    people: Iterable[str],
    values_by_judge: Mapping[str, list[Any]],
    options: Options,
) -> dict[str, str]:
    """Return the columns and judges whose good values only the user knows, with options."""
    labels = {name: label_direction(rows, name, options.grades) for name in people}
    scales = options.converter.scales
    scores = {
        name: direction_options(name, values, judge_scale(scales, name), judge=True)
        for name, values in values_by_judge.items()
    }
    return {name: options_text for name, options_text in (labels | scores).items() if options_text}


def _is_number(value: Any) -> bool:
    number = None if isinstance(value, bool) else as_number(value)
    return number is not None and math.isfinite(number)


def _is_judge(name: str, columns: GradeColumns, scale: Scale) -> bool:
    """Return whether a column has a judge's scores.

    Words, and unreadable cells, count only in a column named like scores. Under other names, words are as often a
    second person's.
    """
    if is_person(name):
        return False
    if columns.has_failures(name):
        return True
    values = columns.values(name)
    try:
        scores = [grade_score(value, scale) for value in values]
    except UnknownGradeError:
        return False
    is_named = is_score_like(name) or normal(name) in TABLE_FIELDS["score"] or columns.is_judge(name)
    is_named = is_named or columns.columns.get("score") == name
    return bool(scores) and (is_named or all(as_number(value) is not None for value in values))


def unscaled_grades(
    rows: Sequence[Mapping[str, Any]], columns: Iterable[str | None], grades: Scale
) -> dict[str, str]:
    """Return the columns with numbers above 1, with their likely scale, ``1:5``.

    A number below 0 shows no scale, since it often marks an error.
    """
    scales: dict[str, str] = {}
    for column in dict.fromkeys(filter(None, columns)):
        values = [row.get(column) for row in rows]
        numbers = [
            number for value in values if (number := as_number(value)) is not None and math.isfinite(number)
        ]
        if any(is_above_one(number) and not has_word(grades, number) for number in numbers):
            scales[column] = usual_ends(numbers)
    return scales
