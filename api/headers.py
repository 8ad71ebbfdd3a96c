"""Header of a CSV file, as callers describe it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from ..errors import UsageError
from ..spelling import setting
from ..tables.header import HeaderChoice


class HeaderReading(TypedDict, total=False):
    """Options for the header of CSV and TSV.

    Attributes:
        header: Whether the first row is a header; None takes it for one unless it looks like data.
        column_names: Names of the columns, in place of a header, or of its names if ``header`` is True.
    """

    header: bool | None
    column_names: Sequence[str] | None


def header_choice(header: bool | None, column_names: Sequence[str] | None) -> HeaderChoice:  # noqa: FBT001 - passed on from a caller's options
    """Return what a caller says about the header of a table.

    Raises:
        UsageError: A name is empty, still a ``?``, or given twice; or ``header`` is no truth value.
    """
    names = tuple(column_names or ())
    if isinstance(column_names, str) or not all(isinstance(name, str) and name.strip() for name in names):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all typed
        raise UsageError(
            f"{setting('column_names')}: expected the names of all columns, got {column_names!r}"
        )
    if "?" in names:
        raise UsageError(f"{setting('column_names')}: replace each ? with the name of a column")
    if len(set(names)) < len(names):
        raise UsageError(f"{setting('column_names')}: a name is given twice")
    if header not in {None, True, False}:
        raise UsageError(f"{setting('header')}: say True, False or None, got {header!r}")
    return HeaderChoice(header, names)
