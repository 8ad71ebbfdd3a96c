"""Rows that share an id and ask different questions: only the user knows what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..tables.asked_choices import AskedChoices
from ..tables.grades import as_number, is_missing
from ..tables.named_columns import map_options


def require_one_question(rows: Sequence[Mapping[str, Any]], fields: Mapping[str, str], path: Path) -> None:
    """Refuse a table whose ids repeat with other questions, unless a column numbers the trials.

    Raises:
        ChoiceNeeded: There is such an id among the first rows: its rows may be trials, or cases of their own.
    """
    names = fields.get("id"), fields.get("query")
    if None in names or "trial" in fields or "messages" in fields:
        return
    name, question = map(str, names)
    asked_of: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        if not (is_missing(row.get(name)) or is_missing(row.get(question))):
            asked_of.setdefault(str(row[name]), {}).setdefault(str(row[question]), row)
    several = {row_id: questions for row_id, questions in asked_of.items() if len(questions) > 1}
    if not several:
        return
    first = next(iter(several))
    asked = AskedChoices([*several[first].values()], first=name)
    many = f"{len(several):,} of {len(asked_of):,} ids repeat with another question, first {first!r}"
    asked.column("trial", _numbers(rows, name, {*fields.values()}), "which column numbers the trials")
    own = map_options({"cluster": name})
    raise asked.error(
        many,
        f"if each row is a case of its own, {own}; if they are trials, name the column that numbers them",
        path=path,
        column=name,
    )


def _numbers(rows: Sequence[Mapping[str, Any]], name: str, taken: set[str]) -> list[str]:
    """Return the columns of whole numbers that tell rows of an id apart, if there is one."""
    found: list[str] = []
    for column in dict.fromkeys(name for row in rows for name in row if name not in taken):
        numbers = [as_number(row.get(column)) for row in rows]
        keys = {(str(row.get(name)), number) for row, number in zip(rows, numbers, strict=True)}
        are_whole = all(number is not None and number >= 0 and number.is_integer() for number in numbers)
        if are_whole and len(keys) == len(rows) > len(set(numbers)):
            found.append(column)
    return found if len(found) == 1 else []
