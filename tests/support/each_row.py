"""Tables inside one test: every row is tried, and those that fail are named together."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar, cast

import pytest

Row = TypeVar("Row")

_FAILURES = (Exception, pytest.fail.Exception)
_MAX_NAME_LENGTH = 300


def failing(rows: Iterable[Row], attempt: Callable[[Row], object]) -> dict[Row, str]:
    """Return the errors of the rows at which an attempt fails; none is `{}`."""
    found: dict[Row, str] = {}
    for row in rows:
        try:
            attempt(row)
        except _FAILURES as error:
            found[row] = f"{type(error).__name__}: {error}"
    return found


def each_row(
    names: str | tuple[str, ...], rows: Iterable[Any] | Callable[[], Iterable[Any]]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Try a test with every row, as ``pytest.mark.parametrize`` does, but as one test.

    For rows that take no time: a test costs more than they do. Each row has a ``tmp_path`` of its own; other fixtures are the same for
    all rows. Rows that a function returns are made when the test runs.
    """
    keys = (names,) if isinstance(names, str) else names
    given = rows if callable(rows) else list(rows)

    def named(row: Any) -> dict[str, Any]:
        return {names: row} if isinstance(names, str) else dict(zip(names, row, strict=True))

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        assert set(keys) <= set(signature.parameters), f"{test.__name__} has no {keys}"

        @wraps(test)
        def tried(**fixtures: Any) -> None:
            table = [named(row) for row in (given() if callable(given) else given)]
            assert table, "no rows: nothing is tested"
            assert not _wrapped(keys, table), (
                f"each row of {keys[0]} is a tuple of one: write the value alone"
            )
            tries = [_error(test, _own_folder(fixtures, place), row) for place, row in enumerate(table)]
            _conclude([error for error in tries if error], len(table))

        left = [each for name, each in signature.parameters.items() if name not in keys]
        vars(tried).update(
            __signature__=signature.replace(parameters=left),
            rows=getattr(test, "rows", 1) * (1 if callable(given) else len(given)),
        )
        return tried

    return decorated


def _wrapped(keys: tuple[str, ...], table: list[dict[str, Any]]) -> bool:
    """Return whether rows of one name are tuples of one, which the test would get."""
    values = [row[keys[0]] for row in table]
    return len(keys) == 1 and all(
        isinstance(value, tuple) and len(cast("tuple[Any, ...]", value)) == 1 for value in values
    )


def _own_folder(fixtures: dict[str, Any], place: int) -> dict[str, Any]:
    """Return the fixtures of a row, its folder made."""
    if "tmp_path" not in fixtures:
        return fixtures
    folder = fixtures["tmp_path"] / str(place)
    folder.mkdir()
    return fixtures | {"tmp_path": folder}


def _error(test: Callable[..., None], fixtures: dict[str, Any], row: dict[str, Any]) -> BaseException | None:
    """Return what a row fails with, or is skipped for; it names the row."""
    try:
        test(**fixtures, **row)
    except (*_FAILURES, pytest.skip.Exception, BaseExceptionGroup) as error:
        error.add_note(f"row: {row!r}"[:_MAX_NAME_LENGTH])
        return error
    return None


def _conclude(errors: list[BaseException], number: int) -> None:
    """Fail with the rows that fail; skip if none does and some could not be tried."""
    failures = [error for error in errors if not isinstance(error, pytest.skip.Exception)]
    if failures:
        raise BaseExceptionGroup(f"{len(failures)} of {number} rows fail", failures)
    if errors:
        pytest.skip(f"{len(errors)} of {number} rows: {errors[0]}")
