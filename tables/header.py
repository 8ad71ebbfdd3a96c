"""Header of a CSV or TSV file: which row it is, and what the user said about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple, TypeAlias

from ..errors import ChoiceNeeded, ColumnsError, InputError, OpenChoice
from ..spelling import either, flag, setting, without
from .first_row import has_known_name, is_like_data

_MAX_TITLE_ROWS = 100
"""Maximum number of title rows above the header."""

_COMPARED_ROWS = 20
"""Number of rows below the header by which it is recognised."""

_SHOWN_ROWS = 3
"""Number of rows that a question about the header shows."""

_MAX_UNPADDED_TITLES = 3
"""Maximum number of title rows without separators above a header with no known name."""

_MIN_EQUAL_ROWS = 3
"""Minimum number of rows of one width that show that rows of one cell above them are titles."""

NumberedCells: TypeAlias = tuple[int, list[str]]
"""Line on which a row ends, and its cells."""


class HeaderChoice(NamedTuple):
    """The user's choice about the header of a table.

    Attributes:
        present: Whether there is one, or None if the user has not said.
        names: Names of the columns, which replace those of a header.
        asks: Whether a header that looks like data is asked about.
        has_settings: Whether a setting can answer that, as for the main table of a command.
    """

    present: bool | None = None
    names: tuple[str, ...] = ()
    asks: bool = True
    has_settings: bool = True


UNSAID = HeaderChoice()
"""Choice of a user who said nothing: the first row with several filled cells, unless it looks like data."""

OF_SECOND_TABLE = HeaderChoice(has_settings=False)
"""The same choice for a second table, such as one of labels."""

ANY_HEADER = HeaderChoice(asks=False)
"""Choice of the first row with several filled cells, whatever it looks like."""


class Header(NamedTuple):
    """Header of a table, and the rows below it.

    Attributes:
        names: The names of the columns.
        line: The line on which the header ends, or 0 without a header.
        rows: The rows below it.
    """

    names: list[str]
    line: int
    rows: Iterator[NumberedCells]


def find_header(rows: Iterator[NumberedCells], choice: HeaderChoice, path: object) -> Header:
    """Find the header of a table.

    Raises:
        ChoiceNeeded: The first row may be data, and the user has not said.
        ColumnsError: The first row of a second table may be data; no setting answers that.
        InputError: The user gave more or fewer names than there are columns.
    """
    if choice.present is False or (choice.names and choice.present is None):
        return _without_header(rows, choice.names, path)
    (line, names), rows = _split_header(rows)
    following = list(islice(rows, _COMPARED_ROWS))
    if choice.names:
        _require_name_per_column(choice.names, len(names), path, line)
        names = [*choice.names]
    elif (
        choice.asks
        and choice.present is None
        and (sign := is_like_data(names, [cells for _, cells in following]))
    ):
        shown = [names, *(cells for _, cells in following)][:_SHOWN_ROWS]
        raise _doubtful_header(sign, shown, path, line, by_setting=choice.has_settings)
    return Header(names, line, chain(following, rows))


def _without_header(rows: Iterator[NumberedCells], names: Sequence[str], path: object) -> Header:
    """Return the columns with the user's names, or numbered by the first row with cells."""
    seen: list[NumberedCells] = []
    for line, cells in rows:
        seen.append((line, cells))
        if any(map(str.strip, cells)):
            if names:
                _require_name_per_column(names, len(cells), path, line)
            names = names or [f"column_{number}" for number in range(1, len(cells) + 1)]
            break
    return Header([*names], 0, chain(seen, rows))


def _require_name_per_column(names: Sequence[str], columns: int, path: object, line: int) -> None:
    if len(names) != columns:
        named = setting("column_names", either(",".join(names), repr([*names])))
        raise InputError(
            f"{named}: {len(names)} names, but the row has {columns} cells", path=path, line=line
        )


def _doubtful_header(
    sign: str, rows: Sequence[Sequence[str]], path: object, line: int, *, by_setting: bool
) -> ColumnsError:
    """Return the error for a first row that may be data.

    Args:
        sign: Why it looks like data.
        rows: The first rows.
        path: The file.
        line: The line of the first row.
        by_setting: Whether a setting can answer; otherwise the user has to change the file.
    """
    problem = f"the first row looks like data, not like a header: {sign}"
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

    The header is the first row with several filled cells, and rows of one cell above it are titles. If all rows have one
    cell, the first is the header of a single column.
    """
    seen: list[NumberedCells] = []
    titles: list[int] = []
    for line, cells in rows:
        filled_cells = sum(map(bool, map(str.strip, cells)))
        if filled_cells > 1:
            following = list(islice(rows, _COMPARED_ROWS))
            if titles and not _is_below_titles(cells, following, [seen[title][1] for title in titles]):
                rows = chain([(line, cells)], following, rows)
                break
            return _header_below_title((line, cells), following, rows)
        if filled_cells:
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

    A spreadsheet pads titles to the width of the table. Other titles are few, or stand above a known column name.
    """
    if all(len(title) > 1 for title in titles) or has_known_name(cells):
        return True
    widths = [len(row) for _, row in following if any(row)]
    have_equal_widths = len(widths) >= _MIN_EQUAL_ROWS and set(widths) == {len(cells)}
    return have_equal_widths and len(titles) <= _MAX_UNPADDED_TITLES


def _header_below_title(
    first: NumberedCells, following: list[NumberedCells], rows: Iterator[NumberedCells]
) -> tuple[NumberedCells, Iterator[NumberedCells]]:
    """Return the header and the rows below it, without a title that contains the separator."""
    second_index = next((index for index, (_, cells) in enumerate(following) if any(cells)), None)
    if second_index is not None:
        second = following[second_index]
        is_title = len(second[1]) > len(first[1]) and not has_known_name(first[1])
        if is_title and has_known_name(second[1]):
            return second, chain(following[second_index + 1 :], rows)
    return first, chain(following, rows)
