"""Choices in a row of a table of pairs, each with its author and the order that was shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import RecordError
from ..tables.column_names import normal
from ..tables.grades import as_number, is_missing
from .json_values import is_list, is_object, parsed
from .pair_choices import ChoiceDialect, PairedChoice, choice_of
from .pair_layouts import GAMES, JUDGMENTS, ONE_HOT, ONE_HOT_TIES, by_normal_name, is_judge_name
from .pair_tables import ChoiceColumn, PairLayout, systems_of

_SWAPPED_WORDS = frozenset({"true", "yes", "ba", "b_a", "b_first", "swapped", "swap", "reversed", "reverse", "flipped", "second_first", "2_1", "21"})  # fmt: skip
_UNSWAPPED_WORDS = frozenset(
    {"false", "no", "ab", "a_b", "a_first", "original", "normal", "first_first", "1_2", "12", "0"}
)
_AUTHORLESS_NAMES = frozenset(
    {
        "winner",
        "choice",
        "preference",
        "verdict",
        "judgment",
        "judgement",
        "decision",
        "vote",
        "pick",
        "label",
        "annotation",
    }
)
"""Names of columns of choices that do not say whose choices they are."""


class PairChoice(NamedTuple):
    """A choice, and who made it.

    Attributes:
        by: The judge or the person.
        is_person: Whether it is a person's.
        choice: The choice, for the output that the table names first.
        second_first: Whether the other output was shown first.
    """

    by: str
    is_person: bool
    choice: PairedChoice
    second_first: bool = False


def choices_in(row: Mapping[str, Any], layout: PairLayout) -> Iterator[PairChoice]:
    """Yield a row's choices.

    Raises:
        RecordError: The outputs were shown in the other order, and a choice does not say which order it means.
    """
    systems, swapped = systems_of(row, layout), _is_swapped(row, layout)
    author = None if layout.author is None else _author(row.get(layout.author))
    if layout.special:
        yield from _special_choices(row, layout, systems, author)
    for column in layout.choices:
        value = row.get(column.name)
        choice = choice_of(value, column.dialect, systems)
        if choice is None:
            choice = PairedChoice(None, "unparsable", word=value)
        if swapped and choice.score not in {None, 0.5} and not choice.is_named:
            raise RecordError(
                f"{value!r} was chosen with the second output shown first, and may mean the first shown or the first column; "
                "write the name of the output's column, or of its system",
                field=column.name,
            )
        by, is_person = _author_of_choice(column, author, layout.author)
        yield PairChoice(by, is_person, choice, second_first=swapped)


def _author(value: Any) -> str | None:
    value = parsed(value)
    if is_list(value):
        return "/".join(map(str, value)) or None
    return None if is_missing(value) else str(value)


def _author_of_choice(
    column: ChoiceColumn, author: str | None, author_column: str | None
) -> tuple[str, bool]:
    """Return who chose, and whether that is a person."""
    author_is_judge = author_column is not None and normal(author_column).startswith("judge")
    author_applies = column.role == "" or (
        normal(column.name) in _AUTHORLESS_NAMES and (column.role == "judge") == author_is_judge
    )
    if author is not None and author_applies and author_column != column.name:
        return author, column.role == "label" or (column.role == "" and not is_judge_name(author))
    return column.name, column.role == "label"


def _special_choices(
    row: Mapping[str, Any], layout: PairLayout, systems: tuple[str, str] | None, author: str | None
) -> Iterator[PairChoice]:
    """Yield the choices of a layout without a column of choices."""
    column_by_name, dialect = by_normal_name(row), ChoiceDialect()
    if layout.special == "chosen":
        yield PairChoice("chosen", True, PairedChoice(1.0, is_named=True))
    elif layout.special == "one_hot":
        yield PairChoice(
            author or "winner", author is None or not is_judge_name(author), _one_hot(row, column_by_name)
        )
    elif layout.special == "games":
        # The second game shows the second model first.
        for number, game in enumerate(GAMES):
            value = row.get(column_by_name.get(game, game))
            choice = choice_of(value, dialect, systems) or PairedChoice(None, "unparsable", word=value)
            yield PairChoice(author or "judge", False, choice, second_first=number == 1)
    else:
        for number, judgment in enumerate(_judgments(row.get(column_by_name.get(JUDGMENTS, JUDGMENTS)))):
            choice = choice_of(
                judgment.get("decision") if is_object(judgment) else None, dialect
            ) or PairedChoice(None, "unparsable")
            # The second decision is about the swapped pair, and names outputs as they were shown.
            is_swapped = number == 1
            if is_swapped and choice.score is not None:
                choice = choice._replace(score=1.0 - choice.score)
            yield PairChoice(author or "judge", False, choice, second_first=is_swapped)


def _judgments(cell: Any) -> list[Any]:
    """Return the judgments in a cell; anything but a list is a judgment by itself."""
    judgments = parsed(cell)
    if not judgments or is_missing(judgments):
        return []
    return judgments if is_list(judgments) else [judgments]


def _one_hot(row: Mapping[str, Any], column_by_name: Mapping[str, str]) -> PairedChoice:
    marked_columns = [
        name
        for name in (*ONE_HOT, *ONE_HOT_TIES)
        if name in column_by_name and as_number(row.get(column_by_name[name])) == 1.0
    ]
    if len(marked_columns) != 1:
        return PairedChoice(None, "unparsable", word=", ".join(marked_columns) or None)
    (marked_column,) = marked_columns
    if marked_column in ONE_HOT:
        return PairedChoice(float(marked_column == ONE_HOT[0]), is_named=True, word=marked_column)
    return PairedChoice(0.5, is_named=True, both_bad=ONE_HOT_TIES[marked_column], word=marked_column)


def _is_swapped(row: Mapping[str, Any], layout: PairLayout) -> bool:
    """Return whether the second output was shown first, by the column that says so."""
    value = None if layout.order is None else row.get(layout.order)
    if is_missing(value):
        return False
    plain = normal(str(value))
    if isinstance(value, bool) or plain in _SWAPPED_WORDS | _UNSWAPPED_WORDS:
        return plain in _SWAPPED_WORDS
    is_flag = layout.order is not None and normal(layout.order) != "order"
    if is_flag and plain == "1":
        return True
    raise RecordError(
        f"{value!r} does not say which output was shown first; write AB or BA", field=layout.order
    )
