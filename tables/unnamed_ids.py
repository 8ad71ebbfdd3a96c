"""Columns that repeat like ids of items, in tables whose id column is not recognised."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import ChoiceNeeded, OpenChoice
from .column_names import FIELDS, map_options, normal
from .grades import is_missing
from .id_columns import likely_id
from .layout import IN_ORDER, Layout
from .table_rows import as_whole

_MIN_IDS = 5
"""Fewest values of a column of ids; one with fewer is a category."""

_MAX_SHOWN = 3
"""Most rows that an error shows."""

_MIN_UNSURE = 10
"""Fewest values of a column that repeats evenly, without other evidence that these are ids."""

_EVEN = 0.8
"""Least share of values that occur equally often: ids do, categories seldom."""

_MAX_REPEATS = 10
"""Most rows of an item and judge, on average."""

_ID_WORDS = frozenset({"id", "ids", "item", "case", "example", "sample", "question", "ticket", "row", "key"})


WITHIN_ITEM = ("judge", "system", "trial", "repeat", "order")
"""Fields that tell rows of an item apart."""


class UnnamedId(NamedTuple):
    """A column that repeats like ids of items.

    Attributes:
        column: Its name.
        certain: Whether more than even repetition shows that it has ids.
        values: Number of distinct values.
        repeats: The column that numbers rows of an item and judge, ``#`` if none does; empty without repeats.
    """

    column: str
    certain: bool
    values: int
    repeats: str


def find_unnamed_id(
    rows: Sequence[Mapping[str, Any]],
    free: Sequence[str],
    *,
    groups: Sequence[str],
    labels: Sequence[str],
) -> UnnamedId | None:
    """Return the column that repeats like the ids of items, or None if there is none.

    It is certain if each value occurs once per judge, or if rows of a value always have the same label.

    Args:
        rows: Rows of the table.
        free: Columns that may hold ids.
        groups: Columns that tell rows of an item apart: judge, system, trial.
        labels: Columns of labels.
    """
    group = [tuple(_text(row.get(name)) for name in groups) for row in rows]
    label = [tuple(_text(row.get(name)) for name in labels) for row in rows]
    found: list[UnnamedId] = []
    for name in free:
        values = [as_whole(row.get(name)) for row in rows]
        if all(isinstance(each, str | int) and not isinstance(each, bool) for each in values):
            each = _as_id(name, [_text(value) for value in values], group, label)
            found += [] if each is None else [each]
    if not found:
        return None
    best = max(found, key=lambda each: (each.certain, _is_named_like_ids(each.column), each.values))
    return best._replace(repeats=_numbering(rows, best, free, group)) if best.repeats else best


def identity_of(found: UnnamedId) -> dict[str, str]:
    """Return the fields of a column of ids, as `--map` takes them."""
    return {"item_id": found.column} | ({"repeat": found.repeats} if found.repeats else {})


def require_named_id(rows: Sequence[Mapping[str, Any]], layout: Layout) -> str:
    """Refuse a table with an unnamed id column; return a warning if that is uncertain.

    Raises:
        ChoiceNeeded: A column certainly has ids, so that rows would falsely count as independent.
    """
    columns = layout.columns
    if "cluster" in columns or any("cluster" in row for row in rows[:1]):
        return ""
    labels = layout.people or (columns.get("label", "label"),)
    groups = [columns.get(name, name) for name in WITHIN_ITEM]
    found = find_unnamed_id(rows, layout.unused, groups=groups, labels=labels)
    if found is None:
        return ""
    cluster = map_options({"cluster": found.column})
    if not found.certain:
        return (
            "No id column: every row counts as its own item. If rows repeat items, add "
            f"{map_options(identity_of(found))}; if rows of one {found.column!r} depend on each other, {cluster}"
        )
    options = " ".join(filter(None, (map_options(identity_of(found)), layout.scale)))
    error = ChoiceNeeded(
        f"{found.column!r} looks like the item id ({found.values:,} values in {len(rows):,} rows), and rows of one item "
        f"are not independent; if each row is an item of its own, add {cluster}; else name the id with {options}",
        field="item_id",
    )
    error.options, error.arguments = options, {"map": identity_of(found)}
    question = "what repeats: is each row an item of its own, or is this column the item id"
    rows_shown = tuple(dict(row) for row in rows[:_MAX_SHOWN])
    error.choices = (OpenChoice("map", "item_id", question, {found.column: len(rows)}, rows_shown),)
    raise error


def require_pairing_id(layout: Layout, rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a file of one system without a known id, if ids or questions pair its rows.

    Raises:
        ChoiceNeeded: There is such a column, which pairs the systems.
    """
    if not (layout.system and layout.numbered):
        return
    name = likely_id(rows, layout.unused) or _question(rows, layout.unused)
    if name is not None:
        options = map_options({"item_id": name})
        error = ChoiceNeeded(
            f"each file holds a system, and nothing pairs their rows; name the id with {options}",
            field="item_id",
        )
        error.options, error.arguments = options, {"map": {"item_id": name}}
        rows_shown = tuple(dict(row) for row in rows[:_MAX_SHOWN])
        question = "what pairs the rows of the files"
        error.choices = (OpenChoice("map", "item_id", question, {name: len(rows)}, rows_shown),)
        raise error


def _question(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str | None:
    """Return the column of questions, if they tell all rows apart."""
    name = next((name for name in names if normal(name) in FIELDS["query"]), None)
    asked = {_text(row.get(name)) for row in rows} if name is not None else set[str]()
    return name if len(asked) == len(rows) and "" not in asked else None


def _as_id(
    name: str, values: Sequence[str], group: Sequence[Hashable], label: Sequence[tuple[str, ...]]
) -> UnnamedId | None:
    """Return a column as ids, or None if its values do not repeat like ids."""
    counts = Counter(values)
    pairs = len(set(zip(values, group, strict=True)))
    if len(counts) < _MIN_IDS or "" in counts or len(values) > _MAX_REPEATS * pairs:
        return None
    ((usual, times),) = Counter(counts.values()).most_common(1)
    if usual == 1 or times < _EVEN * len(counts):
        return None
    crossed = pairs == len(values) and len(set(group)) > 1
    certain = crossed or _have_one_label(values, label)
    if not certain and len(counts) < _MIN_UNSURE:
        return None
    return UnnamedId(name, certain, len(counts), "" if pairs == len(values) else IN_ORDER)


def _have_one_label(values: Sequence[str], label: Sequence[tuple[str, ...]]) -> bool:
    """Return whether rows of a value have the same label, and labels of values differ."""
    known: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for value, each in zip(values, label, strict=True):
        if any(each):
            known[value].append(each)
    compared = sum(len(each) > 1 for each in known.values())
    same = all(len(set(each)) == 1 for each in known.values())
    return same and 2 * compared >= len(set(values)) and len({each[0] for each in known.values()}) > 1


def _numbering(
    rows: Sequence[Mapping[str, Any]], found: UnnamedId, free: Sequence[str], group: Sequence[Hashable]
) -> str:
    """Return the column that tells rows of an item and judge apart; ``#`` if there is none."""
    for name in free:
        numbers = [_text(row.get(name)) for row in rows]
        if name != found.column and all(map(str.isdecimal, numbers)) and len(set(numbers)) <= _MAX_REPEATS:
            keys = {
                (_text(row.get(found.column)), each, number)
                for row, each, number in zip(rows, group, numbers, strict=True)
            }
            if len(keys) == len(rows):
                return name
    return IN_ORDER


def _is_named_like_ids(column: str) -> bool:
    return not _ID_WORDS.isdisjoint(normal(column).split("_"))


def _text(value: Any) -> str:
    return "" if is_missing(value) else str(as_whole(value)).strip()
