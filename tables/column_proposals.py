"""Proposals of columns for scores and labels, where names do not tell.

Nothing is chosen here: an error lists the columns and what they could be, with options that the user completes.
"""

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
from .column_names import FIELDS, is_label_like, is_person, is_score_like, names_judge, normal
from .fault_columns import ask_direction
from .grade_columns import MAX_GRADES, GradeColumns
from .grades import as_number, ends_question, is_above_one, unknown_words, usual_ends
from .known_labels import label_names, other_grades
from .layout import TableForm
from .named_columns import columns_by_field, map_options
from .unnamed_ids import WITHIN_ITEM, find_unnamed_id, identity_of

_MAX_SHOWN_COLUMNS = 12
"""Maximum number of columns that an error describes; the others are counted."""

_MAX_WORDS = 5
"""Maximum number of different words in a column of labels whose words are not known."""

_MAX_ID_LENGTH = 80
"""Maximum length of an id; longer values are texts."""


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
        """Return the error for a table without a known column of scores.

        Args:
            labelled: Whether labels come from another file, so that no column of them is proposed.
        """
        free = self._grades.free()
        possible = list(filter(self._grades.may_be_scores, free))
        not_like_labels = [column for column in possible if not (is_label_like(column) or is_person(column))]
        # Columns of numbers first: they are scores more often than words are.
        candidates = sorted(not_like_labels or possible, key=lambda column: not self._is_numeric(column))
        shown = ", ".join(
            f"{column!r} ({self._could_be(column)})" for column in self._grades.present[:_MAX_SHOWN_COLUMNS]
        )
        more = (
            ""
            if len(self._grades.present) <= _MAX_SHOWN_COLUMNS
            else f" and {len(self._grades.present) - _MAX_SHOWN_COLUMNS} more"
        )
        label = self._grades.columns.get("label")
        known_label = f"; label is {label!r}" if label is not None else ""
        problem = (
            "no column is known to be the judge's score (null or an empty cell where it gave none)"
            f"{known_label}; the columns are {shown}{more}"
        )
        candidates = candidates or self._columns_like_label(free)
        if not candidates:
            options = map_options({"score": "COLUMN"})
            error = ColumnsError(
                f"{problem}; {self._hint_for_answers()}name it with {options}", field="score"
            )
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

    def _hint_for_answers(self) -> str:
        """Return the command that imports a table of ungraded answers, or "" for other tables."""
        fields = columns_by_field(self._grades.present, {})
        if not {"query", "response"} <= fields.keys():
            return ""
        import_command = command("import", "TABLE", out="imported")
        return f"if no judge graded these answers yet, `{import_command}` reads them for one; else "

    def _ask_words(self, asked: AskedChoices, proposed: Sequence[str]) -> None:
        """Ask what the words of scores and label mean, if every proposed column has unknown ones."""
        words = {
            column: unknown_words(self._grades.values(column), judge_scale(self._scales, column))
            for column in proposed
        }
        if not all(words.values()):
            return
        for column in label_names(self._grades):
            words[column] = unknown_words(self._grades.values(column), self._label_scale)
        for column, unknown in words.items():
            if unknown:
                asked.words(column, unknown, f"what do the words of {column!r} mean")

    def _columns_like_label(self, free: Sequence[str]) -> list[str]:
        """Return the columns with the same set of values as the label."""
        values = self._grades.values(self._grades.columns.get("label", ""))
        words = set(map(str, values))
        alike = [column for column in free if words and set(map(str, self._grades.values(column))) == words]
        return list(filter(self._grades.may_be_grades, alike))

    def _ask_label_scale(self, asked: AskedChoices) -> None:
        columns = [self._grades.columns["label"]] if "label" in self._grades.columns else self._grades.people
        ends = self.unknown_ends(columns, self._label_scale)
        if ends:
            asked.scale("label_scale", columns[0], ends_question(columns[0], ends))

    def _has_labels(self) -> bool:
        return "label" in self._grades.columns or bool(self._grades.people)

    def _likely_judges(self, candidates: Sequence[str]) -> Sequence[str]:
        """Return the columns to propose as scores, or an empty list if the user has to choose one.

        Several columns are proposed only in a table with labels, and only if they are named like judges and share a scale.
        """
        if len(candidates) == 1:
            return candidates
        if not self._has_labels() or "judge" in self._grades.columns:
            return []
        judges = [candidate for candidate in candidates if names_judge(candidate) or is_score_like(candidate)]
        ends = self.unknown_ends(judges[:1], judge_scale(self._scales))
        return [column for column in judges if self.unknown_ends([column], judge_scale(self._scales)) == ends]

    def _unnamed_id(self, named: Mapping[str, str]) -> dict[str, str]:
        """Return the options that name a column that is certainly the id, else an empty mapping."""
        columns = {**self._grades.columns, **named}
        free = [column for column in self._grades.free() if column not in named.values()]
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
        """Return the field of a column, or what its values could be."""
        for field, column in self._grades.columns.items():
            if column == name:
                return field
        values = self._grades.values(name)
        if is_never_grades(name):
            return "no grade"
        if self._grades.may_be_scores(name):
            return "could be score or label"
        n_distinct = len({repr(value) for value in values})
        if (
            values
            and n_distinct == len(self._rows)
            and self._grades.may_be_names(name)
            and max(map(_text_length, values)) <= _MAX_ID_LENGTH
        ):
            return "could be item_id"
        is_category = 1 < n_distinct <= MAX_GRADES and self._grades.may_be_names(name)
        if is_category and not _is_text(name):
            return "could be system or judge"
        return "text" if n_distinct else "empty"

    def could_be_labels(self) -> str:
        """Name columns that could be labels, with the option that reads them; "" if there is none."""
        grades = self._grades
        free = [column for column in grades.free() if grades.may_be_grades(column) and not _is_text(column)]
        candidates = [column for column in free if grades.is_on_scale(column)]
        candidates = candidates or [column for column in free if self._is_numeric(column)]
        candidates = candidates or [column for column in free if self._has_few_words(column)]
        if not candidates:
            return ""
        asked = AskedChoices(self._rows)
        asked.column("label", candidates, "")
        self._ask_meaning(asked, candidates, self._label_scale, "label_scale")
        return f" (could be {_join_names(candidates)}: `{asked.options}`)"

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
        """Return the likely ends of these grades, or "" if their scale is known or [0, 1]."""
        numbers = [as_number(value) for column in columns for value in self._grades.values(column)]
        finite = [number for number in numbers if number is not None and math.isfinite(number)]
        if scale.reads_numbers or not finite or min(finite) < 0 or not is_above_one(max(finite)):
            return ""
        return usual_ends(finite)


def _is_text(name: str) -> bool:
    """Return whether a column is named like questions or contexts, which are no grades."""
    return normal(name) in {*FIELDS["query"], *FIELDS["context"]}


def _join_names(names: Sequence[str]) -> str:
    return " or ".join(map(repr, names[:3]))


def _text_length(value: Any) -> int:
    return len(str(value))
