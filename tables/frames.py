"""Conversion of data frames to rows, and of rows to data frames."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import pandas as pd


def is_frame(value: Any) -> bool:
    """Return whether a value is a pandas DataFrame, without importing pandas."""
    is_of_pandas = any(kind.__module__.partition(".")[0] == "pandas" for kind in type(value).__mro__)
    return is_of_pandas and hasattr(value, "columns")


def frame_rows(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the rows of a frame.

    Args:
        frame: A frame; NaN, NaT and NA are missing values.

    Yields:
        One dict per row, with plain Python values, and None for missing ones.

    Raises:
        InputError: Two columns have the same name.
    """
    names = [str(name) for name in frame.columns]
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError("the frame has two columns of this name", field=name)
    columns = [_values_of_column(frame.iloc[:, position]) for position in range(len(names))]
    for row in zip(*columns, strict=True):
        yield dict(zip(names, row, strict=True))


def is_plain_frame(frame: pd.DataFrame) -> bool:
    """Return whether a frame has only text, finite numbers, booleans and missing values.

    JSON keeps all of these unchanged.
    """
    return all(_is_plain(frame.iloc[:, position]) for position in range(frame.shape[1]))


def _is_plain(column: pd.Series[Any]) -> bool:
    if column.dtype.kind in "biu":  # booleans and integers
        return True
    values = column.tolist()
    return set(map(type, values)) <= _PLAIN_TYPES and math.inf not in values and -math.inf not in values


def _values_of_column(column: pd.Series[Any]) -> list[Any]:
    values, missing = column.tolist(), column.isna().to_numpy()
    if not missing.any():
        return values
    return [None if is_missing else value for value, is_missing in zip(values, missing.tolist(), strict=True)]


_PLAIN_TYPES = {str, int, float, bool, type(None)}


def data_frame(rows: Any, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Make a data frame of rows.

    Raises:
        MissingExtraError: pandas is not installed.
    """
    try:
        import pandas as pd  # noqa: PLC0415 - slow to import
    except ImportError as error:
        raise MissingExtraError("tables", "a data frame") from error
    return pd.DataFrame(rows, columns=None if columns is None else list(columns))
