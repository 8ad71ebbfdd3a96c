"""Single values of a row of a calibration table: read strictly, refused in one line."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...errors import InputError
from ...records.grade_columns import is_missing
from ...records.grades import GradeScale, UnknownGradeError
from .calibration_table import AMOUNTS, PROBABILITY, ROUND

_TRUTH = {"true": 1.0, "false": 0.0}
"""Booleans, as data frames write them into CSV."""


class UnreadGradeError(InputError):
    """A cell that holds no grade."""


def number_of(value: object, field: str) -> float:
    """Read a number within its column's range; NaN where missing.

    The column is one for which `is_number_field` holds.
    """
    if field == ROUND:
        return _round_of(value)
    if field not in AMOUNTS:
        number = unit_of(value, field)
        if number == 0.0 and field == PROBABILITY:
            raise InputError("expected a number above 0: what cannot be drawn has no label", field=field)
        return number
    if is_missing(value):
        return math.nan
    number = _float(value)
    if not 0.0 <= number < math.inf:
        raise InputError(f"expected a number of at least 0 or null, got {_shown(value)}", field=field)
    return number


def _round_of(value: object) -> float:
    if is_missing(value):
        return math.nan
    number = _float(value)
    if not (1.0 <= number < math.inf and number.is_integer()):
        raise InputError(f"expected a whole number from 1 on, or null, got {_shown(value)}", field=ROUND)
    return number


def name_of(value: object, field: str) -> str:
    """Read a name: a text or a whole number.

    Any other value, here as below, is an InputError that names the field.
    """
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise InputError(f"expected a name, got {_shown(value)}", field=field)
    return str(value)


def cluster_of(value: object, field: str) -> str | None:
    """Read a cluster name; None where missing, so that the item is its own cluster."""
    return None if is_missing(value) else name_of(value, field)


def unit_of(value: object, field: str) -> float:
    """Read a number in [0, 1]; NaN where missing."""
    if is_missing(value):
        return math.nan
    number = _float(value)
    if not 0.0 <= number <= 1.0:
        raise InputError(f"expected a number in [0, 1] or null, got {_shown(value)}", field=field)
    return number


def grade_of(value: object, field: str, scale: GradeScale) -> float:
    """Read a grade in [0, 1]; NaN where missing."""
    try:
        score = scale.score(value)
    except UnknownGradeError as error:
        raise UnreadGradeError(
            f"expected a number in [0, 1] or null, got {_shown(value)}", field=field
        ) from error
    return math.nan if score is None else score


def text_of(value: object, field: str) -> str | None:
    """Read a slice value as text; None where missing, or for a list or an object."""
    if is_missing(value):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if not isinstance(value, str | int | float):
        raise InputError(f"expected a text or a number, got {_shown(value)}", field=field)
    return str(value)


def absent(field: str, columns: Iterable[str]) -> InputError:
    """Return the error for rows that lack a required column.

    It lists the columns present, for those who must name another one with ``--column``.
    """
    shown = ", ".join(repr(name) for name in columns)
    there_are = f"the columns are {shown if len(shown) <= 120 else f'{shown[:117]}...'}"  # noqa: PLR2004 - fits on a line
    null = " (null or an empty cell where there is no verdict)" if field == "score" else ""
    return InputError(f"missing{null}; {there_are}", field=field)


def _float(value: Any) -> float:
    """Return the value as a number, or infinity, which every column refuses, if it is none."""
    if isinstance(value, str) and value.strip().lower() in _TRUTH:
        return _TRUTH[value.strip().lower()]
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.inf


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - fits on a line
