"""Recognition of the columns of a table of scores by their names and values.

`GradeColumns` searches for grades, `ColumnProposals` words the errors; `_Finder` decides, and asks where only the user
knows: which column is the label, which end of a scale is best, what words mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import UsageError
from ..records.scale import Scale, judge_scale, named_judges
from ..spelling import spelled_pairs, spelled_scale
from .asked_choices import AskedChoices, counted_values
from .column_names import FIELDS, OF_PERSON, TABLE_FIELDS, is_number_field, normal
from .column_proposals import ColumnProposals
from .fault_columns import ask_direction, direction_options
from .grade_columns import GradeColumns
from .grades import (
    OPEN_ENDS,
    UNKNOWN,
    are_sides,
    as_number,
    grade_score,
    no_grade,
    unknown_words,
)
from .known_labels import ask_labels, label_names, other_grades
from .layout import IN_ORDER, Layout, TableForm
from .named_columns import columns_by_field, judges_named_by_user, people_named_by_user, require_one_id

_MAX_STEPS = 10
"""Maximum number of steps of a scale whose grades a note lists."""

_FIELD_NAMES = frozenset(TABLE_FIELDS)


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
        judge: Judge of all rows if no column names judges; by default it is named after its column.
        labelled: Whether labels come from another file, so that the note does not say that they are missing.

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
        if columns.get("score") == "":
            raise UsageError(
                f"{spelled_pairs('map', {'score': ''})}: a table of scores needs a column of them"
            )
        people = people_named_by_user(present, columns)
        self._judges = judges_named_by_user(present, columns)
        # ``repeat=#`` numbers rows of an item in order, unless a column is called ``#``.
        self._number_repeats = columns.get("repeat") == IN_ORDER and IN_ORDER not in present
        if self._number_repeats:
            columns = {left: right for left, right in columns.items() if left != "repeat"}
        person_and_judge_columns = {*people, *self._judges}
        columns = {
            left: right for left, right in columns.items() if not {left, right} & person_and_judge_columns
        }
        self._named_by_user = _named_columns(columns, [*present])
        self._grades = GradeColumns(
            rows,
            self._named_by_user,
            (judge_scale(form.scores), form.labels),
            lambda name: name in _FIELD_NAMES or name in FIELDS["trial"] or is_number_field(name),
        )
        self._grades.assign_people(people)
        self._proposals = ColumnProposals(rows, self._grades, form)

    def layout(self, judge: str | None, *, labelled: bool) -> Layout:
        """Return the layout; see `layout_of`."""
        grades = self._grades
        grades.find_by_usual_name("item_id", grades.may_be_names)
        self._find_trial()
        if self._named_by_user.get("label") != "":
            grades.find_labels()
            self._require_clear_label(labelled=labelled)
        grades.find_judge()
        grades.columns |= {f"{OF_PERSON}{person}": person for person in grades.people}
        scores = self._scores(judge, labelled=labelled)
        self._require_known_words(list(scores.values()) or [grades.columns["score"]], labelled=labelled)
        voters = tuple(grades.people) if "label" not in grades.columns else ()
        renamed = {field: column for field, column in grades.columns.items() if field != column}
        if renamed.get("score") == "judge":
            del renamed["score"]  # the rows of the layout have the score under its own name
        layout = Layout(
            renamed,
            scores,
            "item_id" not in grades.columns,  # then rows are numbered
            voters,
            self._number_repeats,
            tuple(grades.free()),
            self._scale_option(list(scores.values()) or [grades.columns["score"]]),
        )
        has_guessed = scores or voters or layout.numbered or renamed.keys() - self._named_by_user.keys()
        if not (has_guessed or judge_scale(self._scales).is_declared or grades.ignored):
            return layout
        return replace(layout, note=self._note(layout, labelled=labelled))

    def _find_trial(self) -> None:
        """Find the column that numbers trials by its usual names: ``epoch``, ``attempt``."""
        grades = self._grades
        if "trial" in {*grades.present, *grades.columns}:
            return
        taken = grades.columns.values()
        candidates = [
            column for column in grades.present if normal(column) in FIELDS["trial"] and column not in taken
        ]
        if len(candidates) == 1 and all(map(_is_count, grades.values(candidates[0]))):
            grades.assign("trial", candidates[0])

    def _scores(self, judge: str | None, *, labelled: bool) -> dict[str, str]:
        """Return the score columns by judge, or an empty mapping if rows name their judge."""
        names_judges = "judge" in self._grades.columns
        if self._judges and not names_judges:
            self._grades.assign_judges(self._judges)
            self._require_direction(self._judges, named=True)
            return {column: column for column in self._judges}
        columns = self._grades.find_scores(
            several=not names_judges, named=() if names_judges else named_judges(self._scales)
        )
        if not columns:
            raise self._proposals.no_score(labelled=labelled)
        if names_judges:
            self._require_direction(columns)
            return {}
        columns = self._require_direction(columns)
        if len(columns) > 1:
            return {column: column for column in columns}
        (column,) = columns
        return {judge or ("judge" if normal(column) in {"score", "scores"} else column): column}

    def _require_clear_label(self, *, labelled: bool) -> None:
        """Ask which column is the label if several could be, and which of its values are good."""
        grades, asked = self._grades, AskedChoices(self._rows)
        if labelled:
            grades.contested = []
        ask_labels(asked, grades, self._label_scale)
        if asked.choices:
            raise asked.error(column=next(iter([*label_names(grades), *grades.contested])))

    def _require_known_words(self, scores: Sequence[str], *, labelled: bool) -> None:
        """Ask what the words of scores and labels mean, if both columns have unknown words.

        The unknown words of a single column are asked about when they are read, since the error then names a line.
        """
        grades, asked = self._grades, AskedChoices(self._rows)
        label = grades.columns.get("label") or None
        unknown = {
            score: unknown_words(grades.values(score), judge_scale(self._scales, score)) for score in scores
        }
        if label is not None:
            unknown[label] = unknown_words(grades.values(label), self._label_scale)
        elif not (labelled or grades.people):
            unknown |= self._same_words(unknown)
            asked.columns("label", [column for column in unknown if column not in scores])
        columns = [column for column, words in unknown.items() if words]
        if len(columns) < 2 and not any(are_sides(unknown[column]) for column in columns):  # noqa: PLR2004 - one is asked with its line
            return
        for column in columns:
            counts = counted_values(grades.values(column))
            asked.words(column, unknown[column], f"{column!r} has words that are not known: {counts}")
        raise asked.error(remedy=f"replace each {UNKNOWN}, 1 for pass, 0 for fail, {no_grade()}")

    def _same_words(self, unknown: Mapping[str, Mapping[str, object]]) -> dict[str, Mapping[str, object]]:
        """Return the free column with the same unknown words as a score, if there is only one.

        It may be the label.
        """
        grades = self._grades
        matches = [
            (column, words)
            for words in unknown.values()
            if words
            for column in grades.free()
            if unknown_words(grades.values(column), self._label_scale).keys() == words.keys()
        ]
        return dict(matches) if len(matches) == 1 else {}

    def _require_direction(self, columns: Sequence[str], *, named: bool = False) -> Sequence[str]:
        """Return the score columns whose best score is known.

        Raises:
            ChoiceNeeded: No column is left, or the user named one whose best score is unknown.
        """
        questions = {column: self._score_direction(column) for column in columns}
        directed = [column for column in columns if not questions[column]]
        if len(directed) < len(columns) and (named or not directed):
            asked = AskedChoices(self._rows)
            for column in columns:
                ask_direction(
                    asked,
                    column,
                    self._grades.values(column),
                    judge_scale(self._scales, column),
                    judge=True,
                    others=other_grades(self._grades, column),
                )
            raise asked.error(column=next(column for column in columns if questions[column]))
        self._grades.ignored += [column for column in columns if questions[column]]
        if len(directed) == 1:
            self._grades.assign("score", directed[0])
        return directed

    def _score_direction(self, column: str) -> str:
        """Return the options that ask which scores of a column are good, or "" if that is known."""
        scale = judge_scale(self._scales, column)
        return direction_options(column, self._grades.values(column), scale, judge=True)

    def _note(self, layout: Layout, *, labelled: bool) -> str:
        """Describe the columns that were found, for a note."""
        parts = [
            f"{field} is {column!r}"
            for field, column in layout.columns.items()
            if column and not field.startswith(OF_PERSON)
        ]
        if layout.scores == {"judge": "judge"}:
            parts.append("score is 'judge'")
        if len(layout.scores) > 1:
            parts.append(f"judges are {', '.join(map(repr, layout.scores))}")
        if layout.people:
            parts.append(f"label is the majority of {', '.join(map(repr, layout.people))}; ties have none")
        elif not self._grades.columns.get("label") and not labelled:
            could_be = "" if "label" in self._named_by_user else self._proposals.could_be_labels()
            parts.append(f"no label{could_be}")
        if layout.numbered:
            parts.append("item_id is the row number")
        if self._grades.ignored:
            parts.append(f"not used as scores: {', '.join(map(self._unused_text, self._grades.ignored))}")
        if steps := _steps(judge_scale(self._scales)):
            parts.append(f"scores {steps}")
        return f"columns: {'; '.join(parts)}" if parts else ""

    def _unused_text(self, column: str) -> str:
        """Describe a column that is not used, with the option that makes it readable."""
        if asked := self._score_direction(column):
            return f"{column!r}, which names a fault ({asked} says which score is good)"
        ends = self._proposals.unknown_ends([column], judge_scale(self._scales))
        return (
            f"{column!r} ({spelled_scale('score_scale', OPEN_ENDS, column)} reads it)"
            if ends
            else repr(column)
        )

    def _scale_option(self, columns: Sequence[str]) -> str:
        """Return the option for the scale of scores, or "" if it is known or [0, 1]."""
        ends = self._proposals.unknown_ends(columns, judge_scale(self._scales))
        return spelled_scale("score_scale", OPEN_ENDS) if ends else ""


def _named_columns(named: Mapping[str, str], present: Sequence[str]) -> dict[str, str]:
    """Map fields to the columns that the user named, even if no row has such a column yet.

    Either side of a pair may be the field; a side that is a column of the table is the column.
    """
    columns: dict[str, str] = {}
    for first, second in named.items():
        if _is_field(first) and (second in present or not (_is_field(second) and first in present)):
            assignment = {first: second}
        elif _is_field(second):
            assignment = {second: first} if first in present or second not in columns else {}
        else:
            assignment = columns_by_field(present, {first: second}, TABLE_FIELDS, use_aliases=False)
        if "item_id" in assignment and columns.get("item_id") in present:
            require_one_id("item_id", columns["item_id"], assignment["item_id"])
        columns |= assignment
    return columns


def _is_count(value: Any) -> bool:
    number = None if isinstance(value, bool) else as_number(value)
    return number is not None and number >= 0 and number.is_integer()


def _is_field(name: str) -> bool:
    return name in _FIELD_NAMES or is_number_field(name)


def _steps(scale: Scale) -> str:
    """Return the score of each grade, ``1 is 0, 2 is 0.25``, for a short scale of whole numbers."""
    worst, best = scale.ends
    if not (
        scale.is_declared
        and worst.is_integer()
        and best.is_integer()
        and 1 <= abs(best - worst) <= _MAX_STEPS
    ):
        return ""
    direction = 1 if best > worst else -1
    grades = range(int(worst), int(best) + direction, direction)
    return ", ".join(f"{grade} is {grade_score(grade, scale) or 0.0:.3g}" for grade in grades)
