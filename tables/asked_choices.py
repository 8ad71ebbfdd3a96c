"""Questions about a table that only the user can answer, gathered into one error.

`AskedChoices` collects what is unknown (a column, the scores of words, a scale); its error shows counts, example rows
and the options to complete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import ChoiceNeeded, OpenChoice
from ..spelling import spelled_pairs, spelled_scale, together, turned_pairs
from .grades import UNKNOWN, is_missing

_MAX_EXAMPLE_ROWS = 3
_MAX_SHOWN_VALUES = 8
_MAX_SHOWN_CELLS = 5
_MAX_VALUE_CHARS = 40
_UNKNOWN_ENDS = (UNKNOWN, UNKNOWN)


class AskedChoices:
    """Open arguments of a table, and what is asked about each.

    Args:
        rows: First rows of the table, for counts and examples.
        first: The column that examples show first.

    Attributes:
        choices: The questions so far.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]], *, first: str | None = None) -> None:
        self.choices: list[OpenChoice] = []
        self._rows = rows
        self._columns: list[tuple[str, str]] = []
        self._words: dict[str, object] = {}
        self._scales: dict[str, dict[str | None, None]] = {}
        self._shown: dict[str, None] = {} if first is None else {first: None}

    def column(self, field: str, candidates: Sequence[str], question: str) -> None:
        """Ask which column is a field.

        A single candidate is named in the option, for the user to confirm.
        """
        name = candidates[0] if len(candidates) == 1 else UNKNOWN
        self._columns.append((field, name))
        self._shown |= dict.fromkeys(candidates)
        counts = {candidate: len(self.values(candidate)) for candidate in candidates}
        self._add(OpenChoice("map", field, question, counts, self._examples()))

    def columns(self, field: str, names: Iterable[str]) -> None:
        """Propose columns of a field without a question, such as those of several judges."""
        self._columns += [(field, name) for name in names]
        self._shown |= dict.fromkeys(names)

    def words(self, column: str, scores: Mapping[str, object], question: str) -> None:
        """Ask for the scores of words in a column.

        Args:
            column: The column.
            scores: The score of each word, or ``?`` if only the user knows it.
            question: The question.
        """
        rows_by_word = Counter(map(str, self.values(column)))
        self._shown |= {column: None}
        for word, score in scores.items():
            self._words.setdefault(word, score)
        counts = {word: rows_by_word[word] for word in scores}
        first_unknown = next((word for word, score in scores.items() if score == UNKNOWN), "")
        self._add(OpenChoice("map_label", first_unknown, question, counts, self._examples()))

    def scale(self, name: str, column: str, question: str, judge: str | None = None) -> None:
        """Ask for the worst and the best grade of a column: ``label_scale`` or ``score_scale``."""
        self._scales.setdefault(name, {})[judge] = None
        self._shown |= {column: None}
        counts = dict(Counter(map(str, self.values(column))).most_common(_MAX_SHOWN_VALUES))
        self._add(OpenChoice(name, judge or "", question, counts, self._examples()))

    @property
    def options(self) -> str:
        """The open arguments, as the command line or Python spells them."""
        scales = [
            spelled_scale(name, ":".join(_UNKNOWN_ENDS), judge)
            for name, judges in self._scales.items()
            for judge in judges
        ]
        return together(
            spelled_pairs("map", self._columns) if self._columns else "",
            spelled_pairs("map_label", self._words) if self._words else "",
            *scales,
        )

    @property
    def arguments(self) -> dict[str, Any]:
        """The open arguments in Python, with ``?`` for what the caller replaces."""
        arguments: dict[str, Any] = {}
        if self._columns:
            arguments["map"] = turned_pairs(self._columns)
        if self._words:
            arguments["map_label"] = dict(self._words)
        for name, judges in self._scales.items():
            scale_by_judge = {judge: _UNKNOWN_ENDS for judge in judges if judge is not None}
            arguments[name] = scale_by_judge or _UNKNOWN_ENDS
        return arguments

    def error(
        self,
        problem: str = "",
        remedy: str = "",
        *,
        path: object | None = None,
        line: int | None = None,
        column: str | None = None,
    ) -> ChoiceNeeded:
        """Return the error that asks all questions at once.

        Args:
            problem: What was found, with counts.
            remedy: Words before the options.
            path: The file.
            line: The line of the first value.
            column: The column to name.
        """
        questions = dict.fromkeys(choice.question for choice in self.choices)
        rows = "; ".join(map(_row_text, self._examples()))
        is_open = UNKNOWN in self.options
        remedy = remedy or (f"replace each {UNKNOWN}" if is_open else "if that is right, add it")
        parts = [problem, *questions, f"rows: {rows}" if rows else "", f"{remedy}: {self.options}"]
        error = ChoiceNeeded("; ".join(filter(None, parts)), path=path, line=line, field=column)
        error.choices, error.arguments, error.options = tuple(self.choices), self.arguments, self.options
        return error

    def _add(self, choice: OpenChoice) -> None:
        self.choices.append(choice)

    def values(self, column: str) -> list[Any]:
        """Return the values of a column, without empty cells."""
        return [row[column] for row in self._rows if column in row and not is_missing(row[column])]

    def _examples(self) -> tuple[dict[str, Any], ...]:
        """Return up to three rows with different values in the columns that matter."""
        first_row = [name for row in self._rows[:1] for name in row]
        # A column may be shown that no row has, such as "#", which numbers repeats.
        present = {name for row in self._rows for name in row}
        names = [name for name in dict.fromkeys((*self._shown, *first_row)) if name in present]
        names = names[:_MAX_SHOWN_CELLS]
        examples: dict[str, dict[str, Any]] = {}
        for row in self._rows:
            cells = {name: row.get(name) for name in names}
            if any(not is_missing(value) for value in cells.values()):
                examples.setdefault(repr(cells), cells)
            if len(examples) == _MAX_EXAMPLE_ROWS:
                break
        return tuple(examples.values())


def _row_text(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_short(value)}" for name, value in row.items())


def counted_values(values: Iterable[Any]) -> str:
    """Return the most frequent values with their counts: ``'A' (62), 'B' (38)``."""
    counts = Counter(map(_short, values))
    listed = ", ".join(f"{value} ({count:,})" for value, count in counts.most_common(_MAX_SHOWN_VALUES))
    more = len(counts) - _MAX_SHOWN_VALUES
    return listed if more <= 0 else f"{listed} and {more:,} other values"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_VALUE_CHARS else f"{text[: _MAX_VALUE_CHARS - 3]}..."
