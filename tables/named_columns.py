"""Columns of a table's fields: as the user named them (``--map``), else by usual names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice

from ..errors import UsageError
from ..records.explanations import nearest
from ..spelling import spelled_pairs
from .column_names import FIELDS, HEADERS, LABEL_FIELDS, is_person, normal

_ASKING_SPEAKERS, _ANSWERING_SPEAKERS = ("user", "human", "customer"), ("assistant", "ai", "bot", "chatbot")
"""Columns of a chat that are named after speakers. They count in pairs, since one alone is as often an id or a grade."""

_LAST_RESORT_NAMES = frozenset({"model_name", "model_id", "generator", "llm"})
"""Names that count for a field only if no other column has one of its names."""

UNREAD_FIELDS = ("label", "score")
"""Fields that the user may switch off (``label=``). Columns with their usual names become tags."""


def person_column(columns: Iterable[str]) -> str | None:
    """Return the column that names the person who graded a row, or None if there is none."""
    return next((name for name in columns if normal(name) in LABEL_FIELDS["by"]), None)


def people_named_by_user(columns: Iterable[str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """Return the label columns that the user named, one per person, if there are several."""
    return _several_named_by_user(columns, mapping, "label")


def judges_named_by_user(columns: Iterable[str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """Return the score columns that the user named, one per judge, if there are several."""
    return _several_named_by_user(columns, mapping, "score")


def _several_named_by_user(columns: Iterable[str], mapping: Mapping[str, str], field: str) -> tuple[str, ...]:
    present, aliases = list(columns), {field, *FIELDS[field]}
    found_columns = (
        column_named(present, second if first in aliases else first)
        for first, second in mapping.items()
        if first in aliases or second in aliases
    )
    columns_of_field = tuple(dict.fromkeys(column for column in found_columns if column is not None))
    return columns_of_field if len(columns_of_field) > 1 else ()


def people_columns(columns: Iterable[str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """Return the label columns of several people: those the user named, else a numbered series."""
    present = list(columns)
    return people_named_by_user(present, mapping) or tuple(filter(is_person, present))


def column_named(columns: Iterable[str], name: str) -> str | None:
    """Return the column that the user named, or None unless exactly one fits.

    Spaces, case and punctuation may differ, as long as that leaves one column.
    """
    present = list(columns)
    if name in present:
        return name
    for form in (normal, _letters_and_digits):
        alike = [column for column in present if form(name) and form(column) == form(name)]
        if alike:
            return alike[0] if len(alike) == 1 else None
    return None


def require_chosen_columns(mapping: Mapping[str, str]) -> None:
    """Require that no ``?`` of a proposed ``--map`` was left in place of a name.

    Raises:
        UsageError: A name is still ``?``.
    """
    for first, second in mapping.items():
        if "?" in {first, second}:
            raise UsageError(f"replace the ? in {map_options({first: second})} with a name")


_MAX_SHOWN_COLUMNS = 10
"""Maximum number of columns that a message names."""


def shown_columns(names: Collection[str]) -> str:
    """Return the names of columns for a message: all, or the first ten and their number."""
    shown = ", ".join(map(repr, islice(names, _MAX_SHOWN_COLUMNS)))
    return (
        shown if len(names) <= _MAX_SHOWN_COLUMNS else f"{shown} and {len(names) - _MAX_SHOWN_COLUMNS:,} more"
    )


def map_options(columns: Mapping[str, str]) -> str:
    """Return the option that names columns: ``--map 'query=User asks'``."""
    return spelled_pairs("map", columns)


def _letters_and_digits(name: str) -> str:
    return normal(name).replace("_", "")


def columns_by_field(
    columns: Iterable[str],
    mapping: Mapping[str, str],
    fields: Mapping[str, tuple[str, ...]] = FIELDS,
    *,
    use_aliases: bool = True,
) -> dict[str, str]:
    """Return the column of each field; the user may write ``field=column`` or the reverse.

    Args:
        columns: The columns of the table.
        mapping: A field and its column, or a column and its field (``--map``).
        fields: The fields, with their usual names.
        use_aliases: Whether columns are also found by their usual names.

    Raises:
        UsageError: A name that the user gave is neither a field nor a column, or two columns are named as the id.
    """
    present = list(columns)
    aliases = {alias: field for field, names in fields.items() for alias in (field, *names)}
    resolved: dict[str, str] = {}
    switched_off = {first for first, second in mapping.items() if not second and first in UNREAD_FIELDS}
    for first, second in mapping.items():
        if first in switched_off:
            continue
        if first in aliases and (column := column_named(present, second)) is not None:
            require_one_id(aliases[first], resolved.get(aliases[first], column), column)
            resolved[aliases[first]] = column
        elif second in aliases and (column := column_named(present, first)) is not None:
            require_one_id(aliases[second], resolved.get(aliases[second], column), column)
            resolved[aliases[second]] = column
        elif first not in aliases and second not in aliases:
            hint = nearest(first, list(fields))
            raise UsageError(f"{first}={second}: neither is a field{hint}; fields are {', '.join(fields)}")
    if use_aliases:
        _add_usually_named(resolved, present, aliases)
    for field in UNREAD_FIELDS:
        if field in switched_off:
            resolved.pop(field, None)
        if field in fields and _several_named_by_user(present, mapping, field):
            resolved.pop(field, None)
    return resolved


def require_one_id(field: str, earlier: str, column: str) -> None:
    """Require that a table has one column as the id; a table of labels may have another.

    Raises:
        UsageError: The columns differ.
    """
    if field in FIELDS["id"] and column != earlier:
        raise UsageError(
            f"{spelled_pairs('map', {field: column})}: {field} is {earlier!r} already; name one column"
        )


@lru_cache(HEADERS)
def known_fields(columns: tuple[str, ...], mapping: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """Return the column of each field of an imported row.

    The result is cached, because `columns_by_field` takes longer than reading the rest of a short row.
    """
    return columns_by_field(columns, dict(mapping))


def _add_usually_named(resolved: dict[str, str], present: Sequence[str], aliases: Mapping[str, str]) -> None:
    """Add the columns that have one of the usual names of a field."""
    taken = {name for field, name in resolved.items() if field != "id"}  # a question may be the id, too
    if not resolved.keys() & {"query", "messages", "response"} and "query" in aliases:
        resolved |= _speakers(present, taken)
        taken |= {resolved[field] for field in ("query", "response") if field in resolved}
    field_of_name = {normal(alias): field for alias, field in aliases.items()}
    for name in sorted(present, key=lambda column: normal(column) in _LAST_RESORT_NAMES):
        field = field_of_name.get(normal(name))
        if field is not None and field not in resolved and name not in taken:
            resolved[field] = name
            taken.add(name)
    if "accepted_answers" in aliases:
        resolved |= _answers_with_responses(resolved, [name for name in present if name not in taken])


def _answers_with_responses(resolved: Mapping[str, str], free: Iterable[str]) -> dict[str, str]:
    """Take the column `answers` for accepted answers, if the table has responses or tools, too."""
    has_reference = not resolved.keys().isdisjoint({"accepted_answers", "expected_calls"})
    has_task = not resolved.keys().isdisjoint({"response", "tool_definitions"})
    if has_reference or not has_task:
        return {}
    name = next((name for name in free if normal(name) == "answers"), None)
    return {} if name is None else {"accepted_answers": name}


def _speakers(present: Sequence[str], taken: AbstractSet[str]) -> dict[str, str]:
    """Return the columns of question and answer named after a chat's speakers, if both exist."""
    free = {normal(name): name for name in present if name not in taken}
    query_column = next((free[name] for name in _ASKING_SPEAKERS if name in free), None)
    response_column = next((free[name] for name in _ANSWERING_SPEAKERS if name in free), None)
    return {"query": query_column, "response": response_column} if query_column and response_column else {}
