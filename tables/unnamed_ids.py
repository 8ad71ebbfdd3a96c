"""Columns that repeat like ids of items, in tables whose id column no name shows.

Without the id each row would count as an item of its own, and intervals would be too narrow.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import ChoiceNeeded, OpenChoice
from .column_names import FIELDS, normal
from .grades import is_missing
from .id_columns import likely_id
from .layout import IN_ORDER, Layout
from .named_columns import map_options
from .table_rows import as_whole

_MIN_IDS = 5
"""Minimum number of distinct ids; a column with fewer values is a category."""

_MAX_SHOWN_ROWS = 3
"""Maximum number of rows that an error shows."""

_MIN_UNCERTAIN_IDS = 10
"""Minimum number of distinct ids if even repetition is the only evidence."""

_MIN_EVEN_SHARE = 0.8
"""Minimum share of values that occur equally often: ids do, categories seldom do."""

_MAX_REPEATS = 10
"""Maximum number of rows of an item and judge, on average."""

_ID_WORDS = frozenset({"id", "ids", "item", "case", "example", "sample", "question", "ticket", "row", "key"})


WITHIN_ITEM = ("judge", "system", "trial", "repeat", "order")
"""Fields by which several rows of one item differ."""


class UnnamedId(NamedTuple):
    """A column that repeats like ids of items.

    Attributes:
        column: Its name.
        certain: Whether there is more evidence than values that repeat equally often.
        values: Number of distinct values.
        repeats: The column that numbers rows of an item and judge, ``#`` if no column does, or "" without repeats.
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
    group_of_rows = [tuple(_text(row.get(name)) for name in groups) for row in rows]
    label_of_rows = [tuple(_text(row.get(name)) for name in labels) for row in rows]
    candidates: list[UnnamedId] = []
    for name in free:
        values = [as_whole(row.get(name)) for row in rows]
        if all(isinstance(value, str | int) and not isinstance(value, bool) for value in values):
            candidate = _as_id(name, [_text(value) for value in values], group_of_rows, label_of_rows)
            candidates += [] if candidate is None else [candidate]
    if not candidates:
        return None
    best = max(
        candidates, key=lambda column: (column.certain, _is_named_like_ids(column.column), column.values)
    )
    return best._replace(repeats=_numbering(rows, best, free, group_of_rows)) if best.repeats else best


def identity_of(found: UnnamedId) -> dict[str, str]:
    """Return the fields of a column of ids, as `--map` takes them."""
    return {"item_id": found.column} | ({"repeat": found.repeats} if found.repeats else {})


def require_named_id(rows: Sequence[Mapping[str, Any]], layout: Layout) -> str:
    """Return a warning if a column may be the id, or "" if none may be.

    Raises:
        ChoiceNeeded: A column is certainly the id; without it, dependent rows would count as independent.
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
    rows_shown = tuple(dict(row) for row in rows[:_MAX_SHOWN_ROWS])
    error.choices = (OpenChoice("map", "item_id", question, {found.column: len(rows)}, rows_shown),)
    raise error


def require_pairing_id(layout: Layout, rows: Sequence[Mapping[str, Any]]) -> None:
    """Require a known id for a file of one system, if a column could pair its rows with others.

    Raises:
        ChoiceNeeded: Ids or questions could pair the rows, and the user has not named their column.
    """
    if not (layout.system and layout.numbered):
        return
    name = likely_id(rows, layout.unused) or _question_column(rows, layout.unused)
    if name is not None:
        options = map_options({"item_id": name})
        error = ChoiceNeeded(
            f"each file holds a system, and nothing pairs their rows; name the id with {options}",
            field="item_id",
        )
        error.options, error.arguments = options, {"map": {"item_id": name}}
        rows_shown = tuple(dict(row) for row in rows[:_MAX_SHOWN_ROWS])
        question = "what pairs the rows of the files"
        error.choices = (OpenChoice("map", "item_id", question, {name: len(rows)}, rows_shown),)
        raise error


def _question_column(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str | None:
    name = next((name for name in names if normal(name) in FIELDS["query"]), None)
    questions = {_text(row.get(name)) for row in rows} if name is not None else set[str]()
    return name if len(questions) == len(rows) and "" not in questions else None


def _as_id(
    name: str,
    values: Sequence[str],
    group_of_rows: Sequence[Hashable],
    label_of_rows: Sequence[tuple[str, ...]],
) -> UnnamedId | None:
    """Return a column as ids, or None if its values do not repeat like ids."""
    counts = Counter(values)
    n_pairs = len(set(zip(values, group_of_rows, strict=True)))
    if len(counts) < _MIN_IDS or "" in counts or len(values) > _MAX_REPEATS * n_pairs:
        return None
    ((usual_count, values_with_it),) = Counter(counts.values()).most_common(1)
    if usual_count == 1 or values_with_it < _MIN_EVEN_SHARE * len(counts):
        return None
    # Each value once per judge or system: the rows are items crossed with these.
    is_crossed = n_pairs == len(values) and len(set(group_of_rows)) > 1
    certain = is_crossed or _have_one_label(values, label_of_rows)
    if not certain and len(counts) < _MIN_UNCERTAIN_IDS:
        return None
    return UnnamedId(name, certain, len(counts), "" if n_pairs == len(values) else IN_ORDER)


def _have_one_label(values: Sequence[str], label_of_rows: Sequence[tuple[str, ...]]) -> bool:
    """Return whether rows of one value share a label, while the values differ in theirs.

    At least half of the values must have several labelled rows.
    """
    labels_of_value: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for value, label_of_row in zip(values, label_of_rows, strict=True):
        if any(label_of_row):
            labels_of_value[value].append(label_of_row)
    labels = labels_of_value.values()
    rows_agree = all(len(set(labels_of_rows)) == 1 for labels_of_rows in labels)
    n_compared = sum(len(labels_of_rows) > 1 for labels_of_rows in labels)
    values_differ = len({labels_of_rows[0] for labels_of_rows in labels}) > 1
    return rows_agree and values_differ and 2 * n_compared >= len(set(values))


def _numbering(
    rows: Sequence[Mapping[str, Any]],
    id_column: UnnamedId,
    free: Sequence[str],
    group_of_rows: Sequence[Hashable],
) -> str:
    """Return the column that numbers rows of an item and judge, or ``#`` if there is none."""
    for name in free:
        numbers = [_text(row.get(name)) for row in rows]
        if (
            name != id_column.column
            and all(map(str.isdecimal, numbers))
            and len(set(numbers)) <= _MAX_REPEATS
        ):
            keys = {
                (_text(row.get(id_column.column)), group_of_row, number)
                for row, group_of_row, number in zip(rows, group_of_rows, numbers, strict=True)
            }
            if len(keys) == len(rows):
                return name
    return IN_ORDER


def _is_named_like_ids(column: str) -> bool:
    return not _ID_WORDS.isdisjoint(normal(column).split("_"))


def _text(value: Any) -> str:
    return "" if is_missing(value) else str(as_whole(value)).strip()
