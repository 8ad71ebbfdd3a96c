"""Layout of tables of pairwise verdicts, found by the names and cells of columns.

`pair_layout` finds both outputs or systems of a row, and the columns of choices between them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import ChoiceNeeded
from ..tables.asked_choices import AskedChoices, counted_values
from ..tables.column_names import FIELDS, is_person
from ..tables.grades import UNKNOWN, as_number, is_missing
from ..tables.named_columns import columns_by_field, judges_named_by_user, people_named_by_user
from .json_values import is_list, is_object, parsed
from .pair_choices import ChoiceDialect, PairedChoice, choice_of, dialect_of
from .pair_layouts import (
    AUTHORS,
    CHOSEN,
    GAMES,
    IDS,
    JUDGMENTS,
    LISTS,
    ONE_HOT,
    ONE_HOT_TIES,
    ORDERS,
    OUTPUTS,
    QUESTIONS,
    SYSTEMS,
    PairColumns,
    by_normal_name,
    chooses_between,
    first_of,
    in_pairs,
    is_choosing,
    pair_of_columns,
    role_of_column,
)

_PREFERENCE_NUMBERS = frozenset((*map(float, range(-5, 6)), 0.5, 1.5))
"""Numbers that may say how much better one output is than the other, with halves for ties."""

_LETTERS = ("A", "B")


class ChoiceColumn(NamedTuple):
    """A column of choices between two outputs.

    Attributes:
        name: Its name.
        role: Whose choices they are: ``label`` or ``judge``, or "" if unknown.
        dialect: The meaning of its words and numbers.
    """

    name: str
    role: str
    dialect: ChoiceDialect


class PairLayout(NamedTuple):
    """Meaning of the columns of a table of pairs.

    Attributes:
        outputs: Columns of both outputs, or None if the table has none, or one column of lists.
        systems: Columns of both systems.
        output_list: The column with lists of both outputs.
        system_list: The column with lists of both systems.
        special: Name of a layout without a column of choices: ``one_hot``, ``games``, ``judgments`` or ``chosen``.
    """

    outputs: PairColumns | None
    systems: PairColumns | None
    output_list: str | None
    system_list: str | None
    id: str | None
    question: str | None
    author: str | None
    order: str | None
    choices: tuple[ChoiceColumn, ...]
    special: str = ""

    @property
    def columns(self) -> frozenset[str]:
        """The columns that have a meaning."""
        pairs = [name for ends in (self.outputs, self.systems) if ends for name in ends[:2]]
        single = (self.output_list, self.system_list, self.id, self.question, self.author, self.order)
        special = (*ONE_HOT, *ONE_HOT_TIES, *GAMES, JUDGMENTS) if self.special else ()
        return frozenset((*pairs, *filter(None, single), *(choice.name for choice in self.choices), *special))

    @property
    def names(self) -> tuple[str, str]:
        """Names of both systems for rows that name none."""
        columns = self.outputs
        return _LETTERS if columns is None else (columns.first, columns.second)


def pair_layout(
    rows: Sequence[Mapping[str, Any]],
    mapping: Mapping[str, str] | None = None,
    words: Mapping[str, float | None] | None = None,
) -> PairLayout | None:
    """Return the layout of a table of pairs by its first rows, or None for any other table.

    Args:
        rows: First rows.
        mapping: Columns that the user named.
        words: Scores of words that the user gave, 1 for the first output.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    column_by_name = by_normal_name(columns)
    fields = columns_by_field(columns, _mapping_of_texts(mapping or {}), use_aliases=False)
    chosen_columns = tuple(column_by_name.get(name, "") for name in CHOSEN)
    outputs = PairColumns(*chosen_columns) if all(chosen_columns) else pair_of_columns(columns, OUTPUTS)
    systems = pair_of_columns(columns, SYSTEMS)
    list_columns = {
        content: None if outputs else _list_column(rows, column_by_name, names)
        for content, names in LISTS.items()
    }
    layout = PairLayout(
        outputs=outputs,
        systems=systems,
        output_list=list_columns["outputs"],
        system_list=list_columns["systems"],
        id=fields.get("id") or first_of(column_by_name, IDS),
        question=fields.get("query") or first_of(column_by_name, QUESTIONS),
        author=first_of(column_by_name, AUTHORS),
        order=first_of(column_by_name, ORDERS),
        choices=(),
        special="chosen" if all(chosen_columns) else _special_layout(rows, column_by_name),
    )
    if layout.special:
        free_columns = _free_columns(columns, layout)
        extra_choices = [
            choice
            for choice in _choice_columns(rows, free_columns, layout, mapping or {}, words or {})
            if choice.name not in _columns_of_special(layout)
        ]
        return layout._replace(choices=tuple(extra_choices))
    choices = _choice_columns(rows, _free_columns(columns, layout), layout, mapping or {}, words or {})
    has_pair = bool(outputs or systems or layout.output_list)
    if not choices or not (has_pair or _share_letters(rows, choices)):
        return None
    return layout._replace(choices=tuple(choices))


def _mapping_of_texts(mapping: Mapping[str, str]) -> dict[str, str]:
    names = ("id", "query", "case_id", "item_id", "question")
    return {first: second for first, second in mapping.items() if first in names or second in names}


def _columns_of_special(layout: PairLayout) -> set[str]:
    return {*ONE_HOT, *ONE_HOT_TIES} if layout.special == "one_hot" else {*GAMES, JUDGMENTS}


def _list_column(
    rows: Sequence[Mapping[str, Any]], column_by_name: Mapping[str, str], names: frozenset[str]
) -> str | None:
    """Return the column whose cells are all lists of two, or None."""
    column = first_of(column_by_name, sorted(names))
    cells = (
        [parsed(row.get(column)) for row in rows if column in row and not is_missing(row[column])]
        if column
        else []
    )
    return column if cells and all(is_list(cell) and len(cell) == 2 for cell in cells) else None  # noqa: PLR2004 - a pair


def _special_layout(rows: Sequence[Mapping[str, Any]], column_by_name: Mapping[str, str]) -> str:
    """Return the name of the special layout of a table, or "" if it has none."""
    if all(name in column_by_name for name in ONE_HOT):
        return "one_hot"
    if all(name in column_by_name for name in GAMES):
        return "games"
    cells = (
        [parsed(row.get(column_by_name[JUDGMENTS])) for row in rows] if JUDGMENTS in column_by_name else []
    )
    judgments = [item for cell in cells if is_list(cell) for item in cell if item is not None]
    are_decisions = all(is_object(judgment) and "decision" in judgment for judgment in judgments)
    return "judgments" if judgments and are_decisions else ""


def _free_columns(columns: Sequence[str], layout: PairLayout) -> list[str]:
    """Return the columns that may be choices."""
    pairs = [name for ends in (layout.outputs, layout.systems) if ends for name in ends[:2]]
    taken = {*pairs, layout.output_list, layout.system_list, layout.id, layout.question, layout.order}
    return [name for name in columns if name not in taken and (name != layout.author or is_choosing(name))]


def _choice_columns(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    layout: PairLayout,
    mapping: Mapping[str, str],
    words: Mapping[str, float | None],
) -> list[ChoiceColumn]:
    """Return the columns of choices that the user named, else those recognised."""
    people, judges = _named_by_user(rows, mapping, "label"), _named_by_user(rows, mapping, "score")
    end_of_lists = "" if layout.output_list is None and layout.system_list is None else "1"
    end = next((ends.end for ends in (layout.outputs, layout.systems) if ends is not None), end_of_lists)
    candidates: list[ChoiceColumn] = []
    has_several_people = sum(map(is_person, columns)) > 2  # noqa: PLR2004 - two may each be of one output
    # A pair of columns such as score_a and score_b grades one output each, and is no choice.
    of_one_output = {name for name in in_pairs(columns) if not (is_person(name) and has_several_people)}
    for name in columns:
        role = "label" if name in people else "judge" if name in judges else role_of_column(name)
        values = [row[name] for row in rows if name in row and not is_missing(row[name])]
        dialect = dialect_of(name, values, "" if name in of_one_output else end, words)
        choices = [
            choice_of(row[name], dialect, systems_of(row, layout))
            for row in rows
            if name in row and not is_missing(row[name])
        ]
        is_named_by_user = name in people or name in judges
        if is_named_by_user or _are_choices(
            name, [choice for choice in choices if choice is not None], len(choices)
        ):
            candidates.append(ChoiceColumn(name, role, dialect))
    named_by_user = {*people, *judges}
    # Columns that the user named replace those found for the same role.
    named_roles = {*(["label"] if people else []), *(["judge", ""] if judges else [])}
    return [column for column in candidates if column.name in named_by_user or column.role not in named_roles]


def _named_by_user(
    rows: Sequence[Mapping[str, Any]], mapping: Mapping[str, str], field: str
) -> tuple[str, ...]:
    """Return the columns that a user named as labels or as scores."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    several_columns = (people_named_by_user if field == "label" else judges_named_by_user)(columns, mapping)
    mapping_of_field = {left: right for left, right in mapping.items() if field in {left, right}}
    only_column = columns_by_field(columns, mapping_of_field, use_aliases=False).get(field)
    return several_columns or ((only_column,) if only_column else ())


def _are_choices(name: str, choices: Sequence[PairedChoice], cell_count: int) -> bool:
    """Return whether cells are choices: half of them under a name of choices, else clearly all."""
    graded = [choice for choice in choices if choice.score is not None]
    if not graded:
        return False
    if is_choosing(name):
        return 2 * len(graded) >= cell_count
    return len(choices) == cell_count and all(choice.is_named or ">" in str(choice.word) for choice in graded)


def _has_one_answer(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether rows have one answer each, so that letters are no choice between two."""
    return "response" in columns_by_field([name for row in rows[:1] for name in row], {}, FIELDS)


def _share_letters(rows: Sequence[Mapping[str, Any]], choices: Sequence[ChoiceColumn]) -> bool:
    """Return whether judge and label choose by the same letters, without columns of outputs."""
    roles = {choice.role for choice in choices}
    words = {
        choice.name: {
            str(row[choice.name]).strip().upper() for row in rows if not is_missing(row.get(choice.name))
        }
        for choice in choices
    }
    are_letters = all(
        used_words <= {*_LETTERS, "TIE"} and used_words & {*_LETTERS} for used_words in words.values()
    )
    is_choice = any(chooses_between(choice.name) for choice in choices) and not _has_one_answer(rows)
    return are_letters and {"judge", "label"} <= roles and is_choice


def unread_numbers(
    rows: Sequence[Mapping[str, Any]], words: Mapping[str, float | None] | None = None
) -> ChoiceNeeded | None:
    """Return the error for pairs whose choices are numbers of unknown meaning, else None."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    outputs, systems = pair_of_columns(columns, OUTPUTS), pair_of_columns(columns, SYSTEMS)
    in_list = None if outputs else _list_column(rows, by_normal_name(columns), LISTS["outputs"])
    ends = outputs or systems or (PairColumns("the first", "the second") if in_list else None)
    if ends is None or pair_layout(rows, {}, words) is not None:
        return None
    chooses = chooses_between if ends.end == "" else is_choosing
    for name in columns:
        if not chooses(name) or name in in_pairs(columns):
            continue
        values = [row[name] for row in rows if not is_missing(row.get(name))]
        numbers = sorted(
            {
                number
                for value in values
                if (number := as_number(value)) is not None and not math.isnan(number)
            }
        )
        possible = _PREFERENCE_NUMBERS if chooses_between(name) else {-1.0, 0.0, 1.0, 2.0, 3.0}
        if not numbers or not all(as_number(value) is not None for value in values):
            continue
        if chooses_between(name) and not possible.issuperset(numbers) and 0 <= numbers[0] < numbers[-1] <= 1:
            # Once 0 and 1 have a meaning, so have the numbers between them.
            return _meaning_question(rows, name, ["0", "1"], ends)
        if possible.issuperset(numbers):
            return _meaning_question(rows, name, [f"{number:g}" for number in numbers], ends)
    return None


def _meaning_question(
    rows: Sequence[Mapping[str, Any]], name: str, words: Sequence[str], ends: PairColumns
) -> ChoiceNeeded:
    asked = AskedChoices(rows, first=name)
    question = f"which of {', '.join(words)} means that {ends.first!r} is better (1), that {ends.second!r} is (0), and which a tie (0.5)?"
    asked.words(name, dict.fromkeys(words, UNKNOWN), question)
    counts = counted_values(asked.values(name))
    return asked.error(
        f"{name!r} chooses between {ends.first!r} and {ends.second!r} by {counts}, and nothing says which is meant",
        column=name,
    )


def systems_of(row: Mapping[str, Any], layout: PairLayout) -> tuple[str, str] | None:
    """Return the names of a row's systems, or None if it has none."""
    if layout.systems is not None:
        names: list[Any] = [row.get(name) for name in layout.systems[:2]]
    elif layout.system_list is not None:
        names = parsed(row.get(layout.system_list)) or []
    else:
        return None
    present = [str(name) for name in names if not is_missing(name)]
    return (present[0], present[1]) if len(present) == 2 else None  # noqa: PLR2004 - a pair
