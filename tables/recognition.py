"""Recognition of the columns of a table of scores by their names and values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import ColumnsError
from ..spelling import spelled_pairs, spelled_scale, together
from .column_names import (
    FIELDS,
    OF_PERSON,
    TABLE_FIELDS,
    columns_by_field,
    is_number_field,
    judges_named_by_user,
    map_options,
    normal,
    people_named_by_user,
    require_one_id,
)
from .fault_columns import direction_options, direction_problem, label_direction
from .grade_columns import MOST_GRADES, GradeColumns
from .grades import GradeScale, as_number, is_above_one, usual_ends
from .layout import IN_ORDER, Layout, TableForm
from .unnamed_ids import WITHIN_ITEM, find_unnamed_id, identity_of

_SHOWN = 12
"""Columns that an error describes; the others are counted."""
_MOST_STEPS = 10
"""Steps of a scale whose grades a note lists."""
_LONGEST_ID = 80
"""Longest value of a column that could be ids; longer ones are texts."""

_CONTRACT = frozenset(TABLE_FIELDS)


def layout_of(
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, str],
    *,
    form: TableForm,
    judge: str | None = None,
    labelled: bool = False,
) -> Layout:
    """Recognise the columns of a table.

    Args:
        rows: First rows of the table.
        columns: Field and column names that the user gave, in either order.
        form: Scales of scores and labels.
        judge: Judge of all rows, if no column names it; None to name it after its column.
        labelled: Whether labels come from another file, so that the note does not mention missing ones.

    Raises:
        InputError: No column can be the score; the message lists the columns and what to type.
        UsageError: A name is neither a column nor a field.
    """
    return _Finder(rows, columns, form).layout(judge, labelled=labelled)


class _Finder:
    """Recognises the columns of one table."""

    def __init__(
        self, rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], form: TableForm
    ) -> None:
        self._rows = rows
        self._scales = form.scores
        self._label_scale = form.labels
        present = dict.fromkeys(name for row in rows for name in row)
        people = people_named_by_user(present, columns)
        self._judges = judges_named_by_user(present, columns)
        self._number_repeats = columns.get("repeat") == IN_ORDER not in present
        if self._number_repeats:
            columns = {left: right for left, right in columns.items() if left != "repeat"}
        named = {*people, *self._judges}
        columns = {left: right for left, right in columns.items() if not {left, right} & named}
        self._named_by_user = _named_columns(columns, [*present])
        self._grades = GradeColumns(
            rows,
            self._named_by_user,
            (form.scores.default, form.labels),
            lambda name: name in _CONTRACT or name in FIELDS["trial"] or is_number_field(name),
        )
        self._grades.assign_people(people)

    def layout(self, judge: str | None, *, labelled: bool) -> Layout:
        """Return the layout; see `layout_of`."""
        grades = self._grades
        grades.find_by_usual_name("item_id", grades.may_be_names)
        grades.find_by_usual_name("judge", grades.may_be_names)
        grades.find_labels()
        self._require_label_direction()
        grades.columns |= {f"{OF_PERSON}{each}": each for each in grades.people}
        scores = self._scores(judge)
        voters = tuple(grades.people) if "label" not in grades.columns else ()
        renamed = {field: column for field, column in grades.columns.items() if field != column}
        layout = Layout(
            renamed,
            scores,
            "item_id" not in grades.columns,
            voters,
            self._number_repeats,
            tuple(grades.free()),
            self._scale_option(list(scores.values()) or [grades.columns["score"]]),
        )
        recognised = scores or voters or layout.numbered or renamed.keys() - self._named_by_user.keys()
        if not (recognised or self._scales.default.ends or grades.ignored):
            return layout
        return replace(layout, note=self._note(layout, labelled=labelled))

    def _scores(self, judge: str | None) -> dict[str, str]:
        """Return the score columns by judge; empty if rows name their judge."""
        judged = "judge" in self._grades.columns
        if self._judges and not judged:
            self._grades.assign_judges(self._judges)
            self._with_direction(self._judges, named=True)
            return {each: each for each in self._judges}
        columns = self._grades.find_scores(several=not judged, named=() if judged else self._scales.by_judge)
        if not columns:
            raise self._no_score()
        if judged:
            self._with_direction(columns)
            return {}
        columns = self._with_direction(columns)
        if len(columns) > 1:
            return {each: each for each in columns}
        (column,) = columns
        return {judge or ("judge" if normal(column) in {"score", "scores"} else column): column}

    def _require_label_direction(self) -> None:
        """Refuse labels of a fault of which only the user knows which are good."""
        for column in (*filter(None, [self._grades.columns.get("label")]), *self._grades.people):
            if options := label_direction(self._rows, column, self._label_scale):
                raise _no_direction(column, options)

    def _with_direction(self, columns: Sequence[str], *, named: bool = False) -> Sequence[str]:
        """Return the score columns of which the best score is known.

        Raises:
            ColumnsError: There is none, or the user named another one.
        """
        asked = {each: self._score_direction(each) for each in columns}
        clear = [each for each in columns if not asked[each]]
        if len(clear) < len(columns) and (named or not clear):
            column = next(each for each in columns if asked[each])
            raise _no_direction(column, asked[column])
        self._grades.ignored += [each for each in columns if asked[each]]
        if len(clear) == 1:
            self._grades.assign("score", clear[0])
        return clear

    def _score_direction(self, column: str) -> str:
        """Return the options that ask which scores of a column are good; empty if known."""
        scale = self._scales.of(column)
        return direction_options(column, self._grades.values(column), scale, judge=True)

    def _note(self, layout: Layout, *, labelled: bool) -> str:
        """Describe the columns that were found, for a note."""
        parts = [
            f"{field} is {column!r}"
            for field, column in layout.columns.items()
            if not field.startswith(OF_PERSON)
        ]
        if len(layout.scores) > 1:
            parts.append(f"judges are {', '.join(map(repr, layout.scores))}")
        if layout.people:
            parts.append(f"label is the majority of {', '.join(map(repr, layout.people))}; ties have none")
        elif "label" not in self._grades.columns and not labelled:
            parts.append(f"no label{self._could_be_labels()}")
        if layout.numbered:
            parts.append("item_id is the row number")
        if self._grades.ignored:
            parts.append(f"not used as scores: {', '.join(map(self._ignored, self._grades.ignored))}")
        if steps := _steps(self._scales.default):
            parts.append(f"scores {steps}")
        return f"columns: {'; '.join(parts)}" if parts else ""

    def _ignored(self, column: str) -> str:
        """Return an unused column, with the option for its scale if that reads it."""
        if asked := self._score_direction(column):
            return f"{column!r}, which names a fault ({asked} says which score is good)"
        ends = self._unknown_ends([column])
        return f"{column!r} ({spelled_scale('score_scale', ends, column)} reads it)" if ends else repr(column)

    def _scale_option(self, columns: Sequence[str]) -> str:
        """Return the option for the scale of scores; empty if known or [0, 1]."""
        ends = self._unknown_ends(columns)
        return spelled_scale("score_scale", ends) if ends else ""

    def _unknown_ends(self, columns: Sequence[str]) -> str:
        """Return the usual ends of these scores; empty if their scale is known or [0, 1]."""
        numbers = [as_number(value) for column in columns for value in self._grades.values(column)]
        known = [number for number in numbers if number is not None and math.isfinite(number)]
        if self._scales.default.ends or not known or min(known) < 0 or not is_above_one(max(known)):
            return ""
        return usual_ends(known)

    def _could_be_labels(self) -> str:
        """Name columns that could hold labels, and the option that reads the first; empty if none."""
        grades = self._grades
        candidates = [each for each in grades.free() if grades.is_on_scale(each)]
        reads = ""
        if not candidates:
            candidates = [
                each for each in grades.free() if grades.may_be_grades(each) and self._is_numeric(each)
            ]
            values = [float(value) for each in candidates[:1] for value in grades.values(each)]
            reads = spelled_scale("label_scale", usual_ends(values)) if values else ""
        if not candidates:
            return ""
        asked = label_direction(self._rows, candidates[0], self._label_scale)
        if asked:
            reads = asked
        return (
            f" (could be {_listed(candidates)}: `{together(map_options({'label': candidates[0]}), reads)}`)"
        )

    def _no_score(self) -> ColumnsError:
        free = self._grades.free()
        grades = sorted(filter(self._grades.may_be_scores, free), key=lambda each: not self._is_numeric(each))
        shown = ", ".join(f"{each!r} ({self._could_be(each)})" for each in self._grades.present[:_SHOWN])
        more = (
            "" if len(self._grades.present) <= _SHOWN else f" and {len(self._grades.present) - _SHOWN} more"
        )
        column = grades[0] if grades else "COLUMN"
        judges = self._likely_judges(grades)
        other = {} if self._has_labels() or len(grades) < 2 else {"label": grades[1]}  # noqa: PLR2004 - a score beside it
        named = {"score": column, **other}
        identity = {} if "item_id" in self._grades.columns else self._unnamed_id(named)
        named_columns = [("score", each) for each in (column, *judges[1:])]
        options = together(
            spelled_pairs("map", [*named_columns, *(other | identity).items()]),
            self._score_direction(column) or (self._scale_option([column]) if grades else ""),
            label_direction(self._rows, other.get("label", ""), self._label_scale)
            or self._label_scale_option(),
        )
        error = ColumnsError(
            "no column is known to be the judge's score (null or an empty cell where it gave none); "
            f"the columns are {shown}{more}; name it{' and the item id' if identity else ''} with {options}",
            field="score",
        )
        error.options = options
        return error

    def _label_scale_option(self) -> str:
        """Return the option for the scale of labels that were found; empty if known or [0, 1]."""
        columns = [self._grades.columns["label"]] if "label" in self._grades.columns else self._grades.people
        numbers = [as_number(value) for column in columns for value in self._grades.values(column)]
        known = [number for number in numbers if number is not None and math.isfinite(number)]
        declared = self._label_scale.ends or self._label_scale.pass_at is not None
        if declared or not known or min(known) < 0 or not is_above_one(max(known)):
            return ""
        return spelled_scale("label_scale", usual_ends(known))

    def _has_labels(self) -> bool:
        return "label" in self._grades.columns or bool(self._grades.people)

    def _likely_judges(self, grades: Sequence[str]) -> Sequence[str]:
        """Return the columns to propose as scores: several only if labels are known."""
        if not self._has_labels() or "judge" in self._grades.columns:
            return grades[:1]
        numeric = [each for each in grades if self._is_numeric(each)]
        scale = self._scale_option(numeric[:1])
        return [each for each in numeric if self._scale_option([each]) == scale] or grades[:1]

    def _unnamed_id(self, named: Mapping[str, str]) -> dict[str, str]:
        """Return the fields of a column that is certainly the id; empty if there is none."""
        columns = {**self._grades.columns, **named}
        free = [each for each in self._grades.free() if each not in named.values()]
        labels = [columns["label"]] if "label" in columns else self._grades.people
        groups = [columns.get(name, name) for name in WITHIN_ITEM]
        found = find_unnamed_id(self._rows, free, groups=groups, labels=labels)
        return identity_of(found) if found is not None and found.certain else {}

    def _is_numeric(self, name: str) -> bool:
        return all(as_number(value) is not None for value in self._grades.values(name))

    def _could_be(self, name: str) -> str:
        for field, column in self._grades.columns.items():
            if column == name:
                return field
        values = self._grades.values(name)
        if self._grades.may_be_scores(name):
            return "could be score or label"
        distinct = len({repr(value) for value in values})
        if (
            values
            and distinct == len(self._rows)
            and self._grades.may_be_names(name)
            and max(map(_length, values)) <= _LONGEST_ID
        ):
            return "could be item_id"
        few = 1 < distinct <= MOST_GRADES and self._grades.may_be_names(name)
        return "could be system or judge" if few else "text" if distinct else "empty"


def _no_direction(column: str, options: str) -> ColumnsError:
    """Return the error for a column of which only the user knows which value is good."""
    error = ColumnsError(direction_problem(column, options), field=column)
    error.options = options
    return error


def _named_columns(named: Mapping[str, str], present: Sequence[str]) -> dict[str, str]:
    """Map fields to the columns that the user names, even if no row has such a column yet."""
    columns: dict[str, str] = {}
    for first, second in named.items():
        if _is_field(first) and (second in present or not (_is_field(second) and first in present)):
            found = {first: second}
        elif _is_field(second):
            found = {second: first} if first in present or second not in columns else {}
        else:
            found = columns_by_field(present, {first: second}, TABLE_FIELDS, use_aliases=False)
        if "item_id" in found and columns.get("item_id") in present:
            require_one_id("item_id", columns["item_id"], found["item_id"])
        columns |= found
    return columns


def _is_field(name: str) -> bool:
    return name in _CONTRACT or is_number_field(name)


def _listed(names: Sequence[str]) -> str:
    return " or ".join(map(repr, names[:3]))


def _length(value: Any) -> int:
    return len(str(value))


def _steps(scale: GradeScale) -> str:
    """Return the score of each grade of a short scale of whole numbers; empty for others."""
    worst, best = scale.ends or (0.0, 0.0)
    if not (worst.is_integer() and best.is_integer() and 1 <= abs(best - worst) <= _MOST_STEPS):
        return ""
    grades = range(int(worst), int(best) + (1 if best > worst else -1), 1 if best > worst else -1)
    return ", ".join(f"{grade} is {scale.score(grade) or 0.0:.3g}" for grade in grades)
