"""Columns of a foreign table of scores, found by their names and what is in them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import ColumnsError
from ...records.column_names import (
    TABLE_FIELDS,
    is_label_like,
    is_person,
    is_score_like,
    normal,
    resolve,
)
from ...records.grades import UnknownGradeError, number
from .calibration_table import PERSON
from .cells import is_missing, is_number
from .layout import Layout, TableForm

_MOST_GRADES = 12
"""Numbers outside the scale are grades only where so few different ones occur, such as 1 to 5."""

_LONGEST_WORD = 30
_MOST_WORDS = 20
"""A column with more different words is a text, not a grade."""

_SHOWN = 12

_CONTRACT = frozenset(TABLE_FIELDS)


def layout_of(
    rows: Sequence[Mapping[str, Any]],
    told: Mapping[str, str],
    *,
    form: TableForm,
    judge: str | None = None,
    labelled: bool = False,
) -> Layout:
    """Find what the columns of a table are.

    Args:
        rows: The first of its rows.
        told: What the user says of columns: a name of the contract and a column, in either order.
        form: The meaning of scores and labels.
        judge: The judge of all rows, where no column names it; None to name it like its column.
        labelled: Whether labels come from elsewhere, so that none are missed.

    Raises:
        InputError: No column can be the score; the message lists the columns and what to type.
        UsageError: A name that was told is neither a column nor one of the contract.
    """
    return _Finder(rows, told, form).layout(judge, labelled=labelled)


class _Finder:
    """Looks for the columns of one table."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], told: Mapping[str, str], form: TableForm) -> None:
        self._rows = rows
        self._form = form
        self._there = list(dict.fromkeys(name for row in rows for name in row))
        self.columns = _told_columns(told, self._there)
        self._taken = set(self.columns.values())

    def layout(self, judge: str | None, *, labelled: bool) -> Layout:
        """Return the layout; see `layout_of`."""
        told = dict(self.columns)
        self._usual("item_id", self._is_name)
        self._usual("judge", self._is_name)
        self._usual("label", self._is_grade)
        people = [each for each in self._free() if is_person(each) and self._is_grade(each)]
        if len(people) > 1:
            self.columns |= {f"{PERSON}{each}": each for each in people}
            self._taken |= set(people)
        if "label" not in self.columns and len(people) < 2:  # noqa: PLR2004 - one person is the label
            self._like("label", is_label_like)
        scores = self._scores(judge)
        voted = tuple(people) if len(people) > 1 and "label" not in self.columns else ()
        renamed = {ours: theirs for ours, theirs in self.columns.items() if ours != theirs}
        layout = Layout(renamed, scores, "item_id" not in self.columns, voted)
        plain = not (scores or voted or layout.numbered or renamed.keys() - told.keys())
        return (
            layout
            if plain
            else Layout(renamed, scores, layout.numbered, voted, self._told(layout, labelled=labelled))
        )

    def _scores(self, judge: str | None) -> dict[str, str]:
        """Return the score columns by judge; empty where rows name their judge."""
        self._usual("score", self._is_grade)
        judged = "judge" in self.columns
        if "score" not in self.columns:
            like = [each for each in self._free() if is_score_like(each) and self._is_grade(each)]
            fitting = [each for each in like if self._fits(each)] or like
            if len(fitting) > 1 and not judged:
                self._taken |= set(fitting)
                return {each: each for each in fitting}
            if len(fitting) == 1:
                self._take("score", fitting[0])
        if "score" not in self.columns and "label" in self.columns:
            left = [each for each in self._free() if self._is_grade(each) and self._fits(each)]
            if len(left) == 1:
                self._take("score", left[0])
        if "score" not in self.columns:
            raise self._no_score()
        column = self.columns["score"]
        if judged:
            return {}
        return {judge or ("judge" if normal(column) in {"score", "scores"} else column): column}

    def _free(self) -> list[str]:
        free = (each for each in self._there if each not in self._taken)
        return [each for each in free if each not in _CONTRACT and not is_number(each)]

    def _take(self, ours: str, theirs: str) -> None:
        self.columns[ours] = theirs
        self._taken.add(theirs)

    def _usual(self, ours: str, suits: Callable[[str], bool]) -> None:
        if ours in self.columns:
            return
        if ours in self._there:  # its own name counts, whatever is in it
            self._take(ours, ours)
            return
        by_name = {normal(each): each for each in reversed(self._free())}
        for alias in TABLE_FIELDS[ours]:
            if alias in by_name and suits(by_name[alias]):
                self._take(ours, by_name[alias])
                return

    def _like(self, ours: str, like: Callable[[str], bool]) -> None:
        found = [each for each in self._free() if like(each) and self._is_grade(each)]
        fitting = [each for each in found if self._fits(each)] or found
        if len(fitting) == 1:
            self._take(ours, fitting[0])

    def _values(self, name: str) -> list[Any]:
        return [row[name] for row in self._rows if name in row and not is_missing(row[name])]

    def _is_name(self, name: str) -> bool:
        return all(
            isinstance(value, str | int) and not isinstance(value, bool) for value in self._values(name)
        )

    def _fits(self, name: str) -> bool:
        """Return whether every value is a grade on the scale."""
        values = self._values(name)
        return bool(values) and all(map(self._can_be_read, values))

    def _can_be_read(self, value: Any) -> bool:
        for scale in (self._form.scores, self._form.labels):
            try:
                scale.score(value)
            except UnknownGradeError:
                continue
            return True
        return False

    def _is_grade(self, name: str) -> bool:
        """Return whether a column's values could be grades, known or not."""
        values = self._values(name)
        if not values or not all(isinstance(value, str | int | float) for value in values):
            return False
        unknown = {value for value in values if not self._can_be_read(value)}
        if not unknown:
            return True
        numbers = [number(value) for value in unknown]
        if None not in numbers:
            return len(unknown) <= _MOST_GRADES
        words = {str(value) for value in unknown}
        return len(words) <= min(_MOST_WORDS, max(2, len(values) // 2)) and all(
            len(each) <= _LONGEST_WORD for each in words
        )

    def _told(self, layout: Layout, *, labelled: bool) -> str:
        """Describe the columns that were found, for a note."""
        renamed = {ours: theirs for ours, theirs in layout.columns.items() if not ours.startswith(PERSON)}
        parts = [f"{ours} is {theirs!r}" for ours, theirs in renamed.items()]
        if len(layout.scores) > 1:
            parts.append(f"judges are {', '.join(map(repr, layout.scores))}")
        if layout.people:
            parts.append(f"label is the majority of {', '.join(map(repr, layout.people))}; ties have none")
        elif "label" not in self.columns and not labelled:
            could = [each for each in self._free() if self._fits(each)]
            parts.append(
                "no label"
                + (f" (could be {_listed(could)}: `--map label={shlex.quote(could[0])}`)" if could else "")
            )
        if layout.numbered:
            parts.append("item_id is the row number")
        return f"columns: {'; '.join(parts)}" if parts else ""

    def _no_score(self) -> ColumnsError:
        grades = sorted(filter(self._is_grade, self._free()), key=lambda each: not self._is_numeric(each))
        shown = ", ".join(f"{each!r} ({self._could_be(each)})" for each in self._there[:_SHOWN])
        more = "" if len(self._there) <= _SHOWN else f" and {len(self._there) - _SHOWN} more"
        column = grades[0] if grades else "COLUMN"
        other = f" --map label={grades[1]}" if len(grades) > 1 and "label" not in self.columns else ""
        options = f"--map score={column}{other}"
        error = ColumnsError(
            f"no column is known to be the judge's score (null or an empty cell where it gave none); the columns are {shown}{more}"
            f"; name it with {options}",
            field="score",
        )
        error.options = options
        return error

    def _is_numeric(self, name: str) -> bool:
        return all(number(value) is not None for value in self._values(name))

    def _could_be(self, name: str) -> str:
        for ours, theirs in self.columns.items():
            if theirs == name:
                return ours
        values = self._values(name)
        if self._is_grade(name):
            return "could be score or label"
        distinct = len({repr(value) for value in values})
        if values and distinct == len(self._rows) and self._is_name(name) and max(map(_length, values)) <= 80:  # noqa: PLR2004 - longer ones are texts
            return "could be item_id"
        few = 1 < distinct <= _MOST_GRADES and self._is_name(name)
        return "could be system or judge" if few else "text" if distinct else "empty"


def _told_columns(told: Mapping[str, str], there: Sequence[str]) -> dict[str, str]:
    """Map contract names to the columns that the user names.

    A column that no row has yet keeps the name as given.
    """
    columns: dict[str, str] = {}
    for left, right in told.items():
        if _is_ours(left) and (right in there or not (_is_ours(right) and left in there)):
            columns[left] = right
        elif _is_ours(right):
            columns[right] = left
        else:
            columns |= resolve(there, {left: right}, TABLE_FIELDS, usual=False)
    return columns


def _is_ours(name: str) -> bool:
    return name in _CONTRACT or is_number(name)


def _listed(names: Sequence[str]) -> str:
    return " or ".join(map(repr, names[:3]))


def _length(value: Any) -> int:
    return len(str(value))
