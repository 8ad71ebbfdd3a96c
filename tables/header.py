"""Header of a CSV or TSV file: which row it is, and what the user said about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple, TypeAlias

from ..errors import ChoiceNeeded, ColumnsError, InputError, OpenChoice
from ..spelling import either, flag, setting, without
from .first_row import has_known_name, is_like_data

_MAX_TITLE_ROWS = 100
"""Rows that may stand above the header."""

_LOOKED_AT = 20
"""Rows below the header by which it is recognised."""

_SHOWN = 3
"""Rows that a question about the header shows."""

_MAX_FREE_TITLES = 3
"""Most title rows without separators above a header with no known name."""

_ENOUGH = 3
"""Rows of one width that show that the rows of one cell above them are titles."""

NumberedCells: TypeAlias = tuple[int, list[str]]
"""Cells of a row, with the line on which it ends."""


class HeaderChoice(NamedTuple):
    """The user's word on the header of a table.

    Attributes:
        present: Whether there is one, or None if the user has not said.
        names: Names of the columns, in place of those of a header.
        asks: Whether a header that looks like data is asked about.
        has_settings: Whether settings answer that, as they do for the main table of a command.
    """

    present: bool | None = None
    names: tuple[str, ...] = ()
    asks: bool = True
    has_settings: bool = True


UNSAID = HeaderChoice()
"""The first row with several filled cells, if it does not look like data."""

OF_SECOND_TABLE = HeaderChoice(has_settings=False)
"""The same of a table beside the main one, such as one of labels."""

ANY_HEADER = HeaderChoice(asks=False)
"""The first row with several filled cells, whatever it looks like."""


class Header(NamedTuple):
    """Header of a table, and the rows below it.

    Attributes:
        names: The names of the columns.
        line: The line on which the header ends; 0 without one.
        rows: The rows.
    """

    names: list[str]
    line: int
    rows: Iterator[NumberedCells]


def find_header(rows: Iterator[NumberedCells], choice: HeaderChoice, path: object) -> Header:
    """Find the header of a table.

    Raises:
        ChoiceNeeded: The first row may be data, and the user has not said.
        ColumnsError: The same of a second table, which no setting describes.
        InputError: There are more or fewer names than columns.
    """
    if choice.present is False or (choice.names and choice.present is None):
        return _without_header(rows, choice.names, path)
    (line, names), rows = _split_header(rows)
    following = list(islice(rows, _LOOKED_AT))
    if choice.names:
        _require_as_many(choice.names, len(names), path, line)
        names = [*choice.names]
    elif (
        choice.asks
        and choice.present is None
        and (why := is_like_data(names, [cells for _, cells in following]))
    ):
        shown = [names, *(cells for _, cells in following)][:_SHOWN]
        raise _in_doubt(why, shown, path, line, by_setting=choice.has_settings)
    return Header(names, line, chain(following, rows))


def _without_header(rows: Iterator[NumberedCells], names: Sequence[str], path: object) -> Header:
    """Number the columns by the first row that is not blank, or name them as the user does."""
    seen: list[NumberedCells] = []
    for line, cells in rows:
        seen.append((line, cells))
        if any(map(str.strip, cells)):
            if names:
                _require_as_many(names, len(cells), path, line)
            names = names or [f"column_{number}" for number in range(1, len(cells) + 1)]
            break
    return Header([*names], 0, chain(seen, rows))


def _require_as_many(names: Sequence[str], columns: int, path: object, line: int) -> None:
    if len(names) != columns:
        named = setting("column_names", either(",".join(names), repr([*names])))
        raise InputError(
            f"{named}: {len(names)} names, but the row has {columns} cells", path=path, line=line
        )


def _in_doubt(
    why: str, rows: Sequence[Sequence[str]], path: object, line: int, *, by_setting: bool
) -> ColumnsError:
    """Return the question about the first row, by settings or by the file."""
    problem = f"the first row looks like data, not like a header: {why}"
    if not by_setting:
        return ColumnsError(f"{problem}; add a header to the file, such as id,label", path=path, line=line)
    names = ["?"] * len(rows[0])
    options = setting("column_names", either(f"'{','.join(names)}'", repr(names)))
    error = ChoiceNeeded(
        f"{problem}. If it is a header, add {flag('header')}; if it is data, {without('header')}, or name its columns: {options}",
        path=path,
        line=line,
    )
    examples = tuple({f"column_{number}": cell for number, cell in enumerate(row, 1)} for row in rows)
    error.choices = (OpenChoice("header", "", "is the first row a header or data?", {}, examples),)
    error.arguments, error.options = {"header": "?"}, options
    return error


def _split_header(rows: Iterator[NumberedCells]) -> tuple[NumberedCells, Iterator[NumberedCells]]:
    """Return the header, and the rows below it.

    It is the first row with several filled cells. Rows above it with one are titles; if every row at the beginning has one
    cell, the first is the header of a single column.
    """
    seen: list[NumberedCells] = []
    titles: list[int] = []
    for line, cells in rows:
        filled = sum(map(bool, map(str.strip, cells)))
        if filled > 1:
            following = list(islice(rows, _LOOKED_AT))
            if titles and not _is_below_titles(cells, following, [seen[title][1] for title in titles]):
                rows = chain([(line, cells)], following, rows)
                break
            return _below_title((line, cells), following, rows)
        if filled:
            titles.append(len(seen))
        seen.append((line, cells))
        if len(titles) == _MAX_TITLE_ROWS:
            break
    if not titles:
        return (0, []), rows
    return seen[titles[0]], chain(seen[titles[0] + 1 :], rows)


def _is_below_titles(
    cells: Sequence[str], following: Sequence[NumberedCells], titles: Sequence[Sequence[str]]
) -> bool:
    """Return whether rows of one cell are titles of the row below them, not a single column.

    Titles of a spreadsheet are padded to the width of the table; others are few, or above a known name.
    """
    if all(len(title) > 1 for title in titles) or has_known_name(cells):
        return True
    widths = [len(row) for _, row in following if any(row)]
    alike = len(widths) >= _ENOUGH and set(widths) == {len(cells)}
    return alike and len(titles) <= _MAX_FREE_TITLES


def _below_title(
    first: NumberedCells, following: list[NumberedCells], rows: Iterator[NumberedCells]
) -> tuple[NumberedCells, Iterator[NumberedCells]]:
    """Return the header and the rows below it; skip a title that contains the separator."""
    place = next((number for number, (_, cells) in enumerate(following) if any(cells)), None)
    if place is not None:
        second = following[place]
        is_title = len(second[1]) > len(first[1]) and not has_known_name(first[1])
        if is_title and has_known_name(second[1]):
            return second, chain(following[place + 1 :], rows)
    return first, chain(following, rows)
