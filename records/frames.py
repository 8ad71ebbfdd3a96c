"""Data frames: rows of one as mappings, and frames made of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd


def is_frame(value: Any) -> bool:
    """Return whether a value is a pandas DataFrame, without importing pandas."""
    return any(kind.__module__.partition(".")[0] == "pandas" for kind in type(value).__mro__) and hasattr(
        value, "columns"
    )


def frame_rows(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the rows of a frame.

    Args:
        frame: What is NaN, NaT or NA in it is missing.

    Yields:
        A dict a row, values as Python's own; None where one is missing.
    """
    names = [str(name) for name in frame.columns]
    columns = [frame.iloc[:, position].tolist() for position in range(len(names))]
    for row in zip(*columns, strict=True):
        yield {name: _none_if_missing(value) for name, value in zip(names, row, strict=True)}


def _none_if_missing(value: Any) -> Any:
    if type(value) in {str, list, dict}:
        return value
    # NaN, NaT and pandas' NA are the only scalars that are not equal to themselves, or do not say.
    return None if not hasattr(value, "__len__") and (value == value) is not True else value  # noqa: PLR0124


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
