"""The user's line that called the public API: warnings point at it, from any thread."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

_PACKAGE = __name__.partition(".api.")[0]


class CallingLine(NamedTuple):
    """Line of code that called the API.

    Attributes:
        file: Its file.
        number: Its number.
        variables: Variables of its module.
    """

    file: str
    number: int
    variables: dict[str, Any]


_caller: ContextVar[CallingLine | None] = ContextVar("caller", default=None)
"""Line that called the API; threads and event loops that work for it inherit it."""


@contextmanager
def caller_known(line: CallingLine | None = None) -> Generator[CallingLine]:
    """Remember the line outside the package that called, unless an outer call did.

    Args:
        line: The line, for a coroutine: it may run in another task, which does not know its caller.
    """
    line = _caller.get() or line or _calling_line()
    token = _caller.set(line)
    try:
        yield line
    finally:
        _caller.reset(token)


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's code that called the API."""
    line = _caller.get() or _calling_line()
    registry = line.variables.setdefault("__warningregistry__", {})
    module = line.variables.get("__name__") or "<unknown>"
    warnings.warn_explicit(message, category, line.file, line.number, module=module, registry=registry)


def _calling_line() -> CallingLine:
    frame = sys._getframe()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - as `logging` finds its caller
    while frame.f_back is not None and _is_internal_module(str(frame.f_globals.get("__name__", ""))):
        frame = frame.f_back
    return CallingLine(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)


def _is_internal_module(module: str) -> bool:
    return module in {_PACKAGE, "contextlib"} or module.startswith(f"{_PACKAGE}.")
