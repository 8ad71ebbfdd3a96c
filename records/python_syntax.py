"""Parse untrusted text into a Python syntax tree.

Nothing is run, no warning is shown, and each failure is a DecodingError.
"""

from __future__ import annotations

import ast
import re
import threading
import warnings

from ..errors import DecodingError

MAX_CODE = 50_000
"""Longer code is refused, in characters. No real call is nearly as long, and this bounds the cost of a hostile reply."""

_MAY_WARN = re.compile(r"\\|[0-9]\.?[A-Za-z_]")
"""The compiler warns only about unknown escapes, and numbers directly followed by a word."""

_warnings_lock = threading.Lock()


def parse_expression(code: str) -> ast.expr:
    """Parse one Python expression of at most ``MAX_CODE`` characters."""
    try:
        if _MAY_WARN.search(bounded_code(code)):
            # Filters are global, so changing them is kept rare, short, and to one thread at a time.
            with _warnings_lock, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(code, mode="eval").body
        return ast.parse(code, mode="eval").body
    except SyntaxError as error:
        raise DecodingError(f"not Python: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise DecodingError(f"not Python that can be read: {_describe(error)}") from error


def bounded_code(code: str) -> str:
    """Return the code, or raise a DecodingError if it is longer than ``MAX_CODE``."""
    if len(code) > MAX_CODE:
        raise DecodingError(f"too large: {len(code):,} characters of code, at most {MAX_CODE:,} are read")
    return code


def unparse(node: ast.expr) -> str:
    """Return the source text of an expression, in Python's own layout."""
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError) as error:
        raise DecodingError(f"an expression that cannot be written: {_describe(error)}") from error


def _describe(error: Exception) -> str:
    if isinstance(error, RecursionError | MemoryError):
        return "nested too deeply"
    return str(error)


class Unquoted(str):
    """Source text in place of a value: a name, a call, a subscript, but no quoted text."""

    __slots__ = ()
