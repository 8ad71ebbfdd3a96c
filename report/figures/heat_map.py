"""Heat map: shares by row and column, in colour and as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

from markupsafe import Markup

from ..items.naming import apart
from ..text.number_text import decimal
from .drawing import WIDTH, box, svg, text

_NAMES_WIDTH = 150.0
"""Width of the names of rows, in pixels."""
_NAME_LETTERS = 24
"""Longest name of a row, in letters, for that width."""
_ROW_HEIGHT = 22.0
"""Height of a row, in pixels."""


def heat(
    title: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, Sequence[float | None]]],
    *,
    good: bool = True,
) -> Markup:
    """Draw a heat map of shares, with the number in each cell.

    Columns have letters above, which are explained below, since names are longer than cells.

    Args:
        title: Title of the figure.
        columns: Names of the columns.
        rows: Name of each row, and its shares by column, None for an empty cell.
        good: Whether a large share is good, which sets the hue; its size sets the strength.
    """
    cell_width = min(60.0, (WIDTH - _NAMES_WIDTH) / max(len(columns), 1))
    numbers_after_z = map(str, range(len(ascii_uppercase), len(columns)))
    column_letters = [*ascii_uppercase[: len(columns)], *numbers_after_z]
    shapes = [
        text(_NAMES_WIDTH + (index + 0.5) * cell_width, 14, letter, "name", anchor="middle")
        for index, letter in enumerate(column_letters)
    ]
    names = apart([name for name, _ in rows], _NAME_LETTERS)
    for number, (name, shares) in enumerate(rows):
        y = 22 + number * _ROW_HEIGHT
        short = names[number]
        shapes.append(text(_NAMES_WIDTH - 8, y + 15, short, anchor="end", room=_NAME_LETTERS, full=name))
        for column, share in enumerate(shares):
            shapes += _cell_shapes(
                _NAMES_WIDTH + column * cell_width,
                y,
                cell_width,
                share,
                f"{name}, {columns[column]}",
                good=good,
            )
    bottom = 22 + len(rows) * _ROW_HEIGHT
    shapes += [
        text(8, bottom + 18 + index * 16, f"{letter}  {name}", room=52)
        for index, (letter, name) in enumerate(zip(column_letters, columns, strict=True))
    ]
    return svg(
        "heat", WIDTH, bottom + 16 * len(columns) + 10, title, shapes, description=_description(columns, rows)
    )


def _cell_shapes(
    x: float, y: float, width: float, share: float | None, label: str, *, good: bool
) -> list[Markup]:
    if share is None:
        return [text(x + width / 2, y + 15, "-", "share", anchor="middle")]
    return [
        box(
            x + 1,
            y + 1,
            width - 2,
            _ROW_HEIGHT - 2,
            "agree" if good else "differ",
            strength=0.05 + 0.5 * share,
            description=f"{label}: {decimal(share)}",
        ),
        text(x + width / 2, y + 15, decimal(share), "share", anchor="middle"),
    ]


def _description(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[float | None]]]) -> str:
    return "; ".join(
        f"{name}: "
        + ", ".join(
            f"{column} {'none' if share is None else decimal(share)}"
            for column, share in zip(columns, shares, strict=True)
        )
        for name, shares in rows
    )
