"""Proposals of columns for scores and labels that no name shows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ColumnsError
from ..records.scale import Scale, judge_scale
from ..spelling import command
from .amount_columns import is_never_grades
from .asked_choices import AskedChoices
from .column_names import (
    FIELDS,
    columns_by_field,
    is_label_like,
    is_person,
    is_score_like,
    map_options,
    names_judge,
    normal,
)
from .fault_columns import ask_direction
from .grade_columns import MAX_GRADES, GradeColumns
from .grades import as_number, ends_question, is_above_one, unknown_words, usual_ends
from .known_labels import label_names, other_grades
from .layout import TableForm
from .unnamed_ids import WITHIN_ITEM, find_unnamed_id, identity_of

_SHOWN = 12
"""Columns that an error describes; the others are counted."""
_MAX_WORDS = 5
"""Most words of a column that could be labels in words of its own."""
_MAX_ID_LENGTH = 80
"""Longest value of a column that could be ids; longer ones are texts."""


class ColumnProposals:
    """Columns that could be scores or labels, and the options that say so.

    Args:
        rows: First rows of the table.
        grades: The columns that were found.
        form: Scales of scores and labels.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]], grades: GradeColumns, form: TableForm) -> None:
        self._rows, self._grades = rows, grades
        self._scales, self._label_scale = form.scores, form.labels

    def no_score(self, *, labelled: bool) -> ColumnsError:
        """Return the error for a table without a known column of scores."""
        free = self._grades.free()
        possible = list(filter(self._grades.may_be_scores, free))
        of_judges = [each for each in possible if not (is_label_like(each) or is_person(each))]
        candidates = sorted(of_judges or possible, key=lambda each: not self._is_numeric(each))
        shown = ", ".join(f"{each!r} ({self._could_be(each)})" for each in self._grades.present[:_SHOWN])
        more = (
            "" if len(self._grades.present) <= _SHOWN else f" and {len(self._grades.present) - _SHOWN} more"
        )
        label = self._grades.columns.get("label")
        known = f"; label is {label!r}" if label is not None else ""
        problem = (
            "no column is known to be the judge's score (null or an empty cell where it gave none)"
            f"{known}; the columns are {shown}{more}"
        )
        candidates = candidates or self._with_the_words_of_labels(free)
        if not candidates:
            options = map_options({"score": "COLUMN"})
            error = ColumnsError(f"{problem}; {self._ungraded()}name it with {options}", field="score")
            error.options = options
            return error
        asked = AskedChoices(self._rows)
        judges = self._likely_judges(candidates)
        if len(judges) > 1:
            asked.columns("score", judges)
        else:
            asked.column("score", judges or candidates, "which column is the score")
        if not (labelled or self._has_labels()) and len(candidates) > 1:
            asked.column("label", candidates, "which column is the label, if any")
        if "item_id" not in self._grades.columns:
            for field, column in self._unnamed_id({"score": judges[0]} if judges else {}).items():
                asked.columns(field, [column])
        self._ask_meaning(asked, judges or candidates, judge_scale(self._scales), "score_scale")
        self._ask_words(asked, judges or candidates)
        self._ask_label_scale(asked)
        return asked.error(problem, column="score")

    def _ungraded(self) -> str:
        """Say what reads a table of answers that no judge has graded; empty for other tables."""
        fields = columns_by_field(self._grades.present, {})
        if not {"query", "response"} <= fields.keys():
            return ""
        reads = command("import", "TABLE", out="imported")
        return f"if no judge graded these answers yet, `{reads}` reads them for one; else "

    def _ask_words(self, asked: AskedChoices, proposed: Sequence[str]) -> None:
        """Ask for the words of proposed scores and of the label, if every proposed column has some."""
        words = {
            each: unknown_words(self._grades.values(each), judge_scale(self._scales, each))
            for each in proposed
        }
        if not all(words.values()):
            return
        for each in label_names(self._grades):
            words[each] = unknown_words(self._grades.values(each), self._label_scale)
        for each, unknown in words.items():
            if unknown:
                asked.words(each, unknown, f"what do the words of {each!r} mean")

    def _with_the_words_of_labels(self, free: Sequence[str]) -> list[str]:
        """Return the columns with the same words as the label."""
        values = self._grades.values(self._grades.columns.get("label", ""))
        words = set(map(str, values))
        alike = [each for each in free if words and set(map(str, self._grades.values(each))) == words]
        return list(filter(self._grades.may_be_grades, alike))

    def _ask_label_scale(self, asked: AskedChoices) -> None:
        """Ask for the scale of labels that were found, if it is unknown."""
        columns = [self._grades.columns["label"]] if "label" in self._grades.columns else self._grades.people
        ends = self.unknown_ends(columns, self._label_scale)
        if ends:
            asked.scale("label_scale", columns[0], ends_question(columns[0], ends))

    def _has_labels(self) -> bool:
        return "label" in self._grades.columns or bool(self._grades.people)

    def _likely_judges(self, candidates: Sequence[str]) -> Sequence[str]:
        """Return the columns to propose as scores: several only beside labels, if named like judges.

        Empty if the user has to choose one of several.
        """
        if len(candidates) == 1:
            return candidates
        if not self._has_labels() or "judge" in self._grades.columns:
            return []
        named = [candidate for candidate in candidates if names_judge(candidate) or is_score_like(candidate)]
        ends = self.unknown_ends(named[:1], judge_scale(self._scales))
        return [each for each in named if self.unknown_ends([each], judge_scale(self._scales)) == ends]

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

    def _has_few_words(self, name: str) -> bool:
        """Return whether a column has a few words, each more than once, as grades have."""
        counts = Counter(map(str, self._grades.values(name)))
        return 1 < len(counts) <= _MAX_WORDS and min(counts.values()) > 1

    def _could_be(self, name: str) -> str:
        for field, column in self._grades.columns.items():
            if column == name:
                return field
        values = self._grades.values(name)
        if is_never_grades(name):
            return "no grade"
        if self._grades.may_be_scores(name):
            return "could be score or label"
        distinct = len({repr(value) for value in values})
        if (
            values
            and distinct == len(self._rows)
            and self._grades.may_be_names(name)
            and max(map(_length, values)) <= _MAX_ID_LENGTH
        ):
            return "could be item_id"
        few = 1 < distinct <= MAX_GRADES and self._grades.may_be_names(name) and not _is_text(name)
        return "could be system or judge" if few else "text" if distinct else "empty"

    def could_be_labels(self) -> str:
        """Name columns that could hold labels, and the option that reads them; empty if none."""
        grades = self._grades
        free = [each for each in grades.free() if grades.may_be_grades(each) and not _is_text(each)]
        candidates = [each for each in free if grades.is_on_scale(each)]
        candidates = candidates or [each for each in free if self._is_numeric(each)]
        candidates = candidates or [each for each in free if self._has_few_words(each)]
        if not candidates:
            return ""
        asked = AskedChoices(self._rows)
        asked.column("label", candidates, "")
        self._ask_meaning(asked, candidates, self._label_scale, "label_scale")
        return f" (could be {_listed(candidates)}: `{asked.options}`)"

    def _ask_meaning(
        self,
        asked: AskedChoices,
        columns: Sequence[str],
        scale: Scale,
        name: str,
        judge: str | None = None,
    ) -> None:
        """Ask which values of proposed columns are good, and for the scale of numbers above 1."""
        if len(columns) == 1 and ask_direction(
            asked,
            columns[0],
            self._grades.values(columns[0]),
            scale,
            judge=name == "score_scale",
            others=other_grades(self._grades, columns[0]),
        ):
            return
        ends = [self.unknown_ends([column], scale) for column in columns]
        if ends and all(ends):
            asked.scale(name, columns[0], ends_question(columns[0], ends[0]), judge)

    def unknown_ends(self, columns: Sequence[str], scale: Scale) -> str:
        """Return the usual ends of these grades; empty if their scale is known or [0, 1]."""
        numbers = [as_number(value) for column in columns for value in self._grades.values(column)]
        known = [number for number in numbers if number is not None and math.isfinite(number)]
        if scale.reads_numbers or not known or min(known) < 0 or not is_above_one(max(known)):
            return ""
        return usual_ends(known)


def _is_text(name: str) -> bool:
    """Return whether a column is called like questions or contexts, which are no grades."""
    return normal(name) in {*FIELDS["query"], *FIELDS["context"]}


def _listed(names: Sequence[str]) -> str:
    return " or ".join(map(repr, names[:3]))


def _length(value: Any) -> int:
    return len(str(value))
