"""Heat map of agreement by row and column."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ..items.naming import apart
from ..text.number_text import decimal
from .drawing import WIDTH, box, svg, text

_NAMES = 150.0
"""Width of the names of rows, in pixels."""
_LETTERS = 24
_HIGH = 22.0


def heat(
    title: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, Sequence[float | None]]],
    *,
    good: bool = True,
) -> Markup:
    """Draw a heat map of shares by row and column, with the number in each cell.

    Colour is stronger for larger shares, in one of two hues by whether large is ``good``.

    Columns are named by letters above, and in full below, since names are longer than cells.
    """
    wide = min(60.0, (WIDTH - _NAMES) / max(len(columns), 1))
    letters = [chr(ord("A") + number) if number < 26 else str(number) for number in range(len(columns))]  # noqa: PLR2004 - of the alphabet
    shapes = [
        text(_NAMES + (n + 0.5) * wide, 14, letter, "name", anchor="middle")
        for n, letter in enumerate(letters)
    ]
    names = apart([name for name, _ in rows], _LETTERS)
    for number, (name, shares) in enumerate(rows):
        y = 22 + number * _HIGH
        short = names[number]
        shapes.append(text(_NAMES - 8, y + 15, short, anchor="end", room=_LETTERS, full=name))
        for column, share in enumerate(shares):
            shapes += _share(_NAMES + column * wide, y, wide, share, f"{name}, {columns[column]}", good=good)
    below = 22 + len(rows) * _HIGH
    shapes += [
        text(8, below + 18 + n * 16, f"{letter}  {name}", room=52)
        for n, (letter, name) in enumerate(zip(letters, columns, strict=True))
    ]
    return svg(
        "heat", WIDTH, below + 16 * len(columns) + 10, title, shapes, description=_description(columns, rows)
    )


def _share(x: float, y: float, wide: float, share: float | None, label: str, *, good: bool) -> list[Markup]:
    if share is None:
        return [text(x + wide / 2, y + 15, "-", "share", anchor="middle")]
    return [
        box(
            x + 1,
            y + 1,
            wide - 2,
            _HIGH - 2,
            "agree" if good else "differ",
            strength=0.05 + 0.5 * share,
            description=f"{label}: {decimal(share)}",
        ),
        text(x + wide / 2, y + 15, decimal(share), "share", anchor="middle"),
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
