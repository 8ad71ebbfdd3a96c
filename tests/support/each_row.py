"""Tables inside one test: every row is tried, and those that fail are named together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

Row = TypeVar("Row")


def failing(rows: Iterable[Row], attempt: Callable[[Row], object]) -> dict[Row, str]:
    """Return the errors of the rows at which an attempt fails; none is `{}`."""
    found: dict[Row, str] = {}
    for row in rows:
        try:
            attempt(row)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - whatever it is, its row is named
            found[row] = f"{type(error).__name__}: {error}"
    return found
