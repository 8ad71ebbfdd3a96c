"""Recognition of the columns of a table of scores by their names and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import UsageError
from ..records.scale import Scale, judge_scale, named_judges
from ..spelling import spelled_pairs, spelled_scale
from .asked_choices import AskedChoices, counted_values
from .column_names import (
    FIELDS,
    OF_PERSON,
    TABLE_FIELDS,
    columns_by_field,
    is_number_field,
    judges_named_by_user,
    normal,
    people_named_by_user,
    require_one_id,
)
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

_MAX_STEPS = 10
"""Steps of a scale whose grades a note lists."""

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
        if columns.get("score") == "":
            raise UsageError(
                f"{spelled_pairs('map', {'score': ''})}: a table of scores needs a column of them"
            )
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
            (judge_scale(form.scores), form.labels),
            lambda name: name in _CONTRACT or name in FIELDS["trial"] or is_number_field(name),
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
            "item_id" not in grades.columns,
            voters,
            self._number_repeats,
            tuple(grades.free()),
            self._scale_option(list(scores.values()) or [grades.columns["score"]]),
        )
        recognised = scores or voters or layout.numbered or renamed.keys() - self._named_by_user.keys()
        if not (recognised or judge_scale(self._scales).is_declared or grades.ignored):
            return layout
        return replace(layout, note=self._note(layout, labelled=labelled))

    def _find_trial(self) -> None:
        """Find the column that numbers trials by its usual names: ``epoch``, ``attempt``."""
        grades = self._grades
        if "trial" in {*grades.present, *grades.columns}:
            return
        named = [each for each in grades.present if normal(each) in FIELDS["trial"]]
        named = [each for each in named if each not in grades.columns.values()]
        if len(named) == 1 and all(map(_is_whole, grades.values(named[0]))):
            grades.assign("trial", named[0])

    def _scores(self, judge: str | None, *, labelled: bool) -> dict[str, str]:
        """Return the score columns by judge; empty if rows name their judge."""
        judged = "judge" in self._grades.columns
        if self._judges and not judged:
            self._grades.assign_judges(self._judges)
            self._with_direction(self._judges, named=True)
            return {each: each for each in self._judges}
        columns = self._grades.find_scores(
            several=not judged, named=() if judged else named_judges(self._scales)
        )
        if not columns:
            raise self._proposals.no_score(labelled=labelled)
        if judged:
            self._with_direction(columns)
            return {}
        columns = self._with_direction(columns)
        if len(columns) > 1:
            return {each: each for each in columns}
        (column,) = columns
        return {judge or ("judge" if normal(column) in {"score", "scores"} else column): column}

    def _require_clear_label(self, *, labelled: bool) -> None:
        """Ask which column is the label if several contest it, and which of its values are good."""
        grades, asked = self._grades, AskedChoices(self._rows)
        if labelled:
            grades.contested = []
        ask_labels(asked, grades, self._label_scale)
        if asked.choices:
            raise asked.error(column=next(iter([*label_names(grades), *grades.contested])))

    def _require_known_words(self, scores: Sequence[str], *, labelled: bool) -> None:
        """Ask for the words of scores and labels together, if neither column's words are known.

        Words of one column alone are asked where they are read, with the line of the first.
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
            asked.columns("label", [each for each in unknown if each not in scores])
        columns = [each for each, words in unknown.items() if words]
        if len(columns) < 2 and not any(are_sides(unknown[column]) for column in columns):  # noqa: PLR2004 - one is asked with its line
            return
        for each in columns:
            counts = counted_values(grades.values(each))
            asked.words(each, unknown[each], f"{each!r} has words that are not known: {counts}")
        raise asked.error(remedy=f"replace each {UNKNOWN}, 1 for pass, 0 for fail, {no_grade()}")

    def _same_words(self, unknown: Mapping[str, Mapping[str, object]]) -> dict[str, Mapping[str, object]]:
        """Return a free column with the same unknown words as a score, which may be its label."""
        grades = self._grades
        found = [
            (each, words)
            for words in unknown.values()
            if words
            for each in grades.free()
            if unknown_words(grades.values(each), self._label_scale).keys() == words.keys()
        ]
        return dict(found) if len(found) == 1 else {}

    def _with_direction(self, columns: Sequence[str], *, named: bool = False) -> Sequence[str]:
        """Return the score columns of which the best score is known.

        Raises:
            ChoiceNeeded: There is none, or the user named another one.
        """
        open_ = {column: self._score_direction(column) for column in columns}
        clear = [column for column in columns if not open_[column]]
        if len(clear) < len(columns) and (named or not clear):
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
            raise asked.error(column=next(column for column in columns if open_[column]))
        self._grades.ignored += [column for column in columns if open_[column]]
        if len(clear) == 1:
            self._grades.assign("score", clear[0])
        return clear

    def _score_direction(self, column: str) -> str:
        """Return the options that ask which scores of a column are good; empty if known."""
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
            parts.append(f"not used as scores: {', '.join(map(self._ignored, self._grades.ignored))}")
        if steps := _steps(judge_scale(self._scales)):
            parts.append(f"scores {steps}")
        return f"columns: {'; '.join(parts)}" if parts else ""

    def _ignored(self, column: str) -> str:
        """Return an unused column, with the option for its scale if that reads it."""
        if asked := self._score_direction(column):
            return f"{column!r}, which names a fault ({asked} says which score is good)"
        ends = self._proposals.unknown_ends([column], judge_scale(self._scales))
        return (
            f"{column!r} ({spelled_scale('score_scale', OPEN_ENDS, column)} reads it)"
            if ends
            else repr(column)
        )

    def _scale_option(self, columns: Sequence[str]) -> str:
        """Return the option for the scale of scores; empty if known or [0, 1]."""
        ends = self._proposals.unknown_ends(columns, judge_scale(self._scales))
        return spelled_scale("score_scale", OPEN_ENDS) if ends else ""


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


def _is_whole(value: Any) -> bool:
    number = None if isinstance(value, bool) else as_number(value)
    return number is not None and number >= 0 and number.is_integer()


def _is_field(name: str) -> bool:
    return name in _CONTRACT or is_number_field(name)


def _steps(scale: Scale) -> str:
    """Return the score of each grade of a short scale of whole numbers; empty for others."""
    worst, best = scale.ends
    if not (
        scale.is_declared
        and worst.is_integer()
        and best.is_integer()
        and 1 <= abs(best - worst) <= _MAX_STEPS
    ):
        return ""
    grades = range(int(worst), int(best) + (1 if best > worst else -1), 1 if best > worst else -1)
    return ", ".join(f"{grade} is {grade_score(grade, scale) or 0.0:.3g}" for grade in grades)
