"""jinja's sandbox with limits on the work of a rendering.

Work is counted in turns of loops, and in characters that are read, made and printed. Every filter, test and call counts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from functools import wraps
from typing import Any, cast

import jinja2
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS
from jinja2.sandbox import ImmutableSandboxedEnvironment, safe_range

from .template_limits import FREE_CHARACTERS, TOO_LONG, TemplateLimitError, allowed_characters

MAX_TURNS = 100_000
"""Maximum turns of all loops in one rendering."""
MAX_SECONDS = 10.0
"""Maximum processor time of a rendering that loops, in seconds."""
_CALL_CHARACTERS = 64
"""Each call of a filter, test or method counts as this many characters, in addition to its value."""
_ITEM_CHARACTERS = 32
"""Each item of a list counts as this many characters."""
_MAX_FACTOR = 1e18
"""Maximum factor of a product, since a template could make huge integers by repeated multiplication."""
_MAX_DIGITS = 20
"""Maximum number of decimals to which a template can round."""
_MAX_INDENT = 100
"""Maximum number of blanks by which a template can indent lines."""


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


_JINJA: Mapping[str, Callable[..., Any]] = cast("Any", FILTERS)
_FILTERS = words_of(
    "abs capitalize count d default dictsort first float int items last length list lower map max min reject rejectattr reverse safe "
    "select selectattr sort string title trim truncate unique upper wordcount"
)
"""jinja's filters whose work is counted by the length of value and result; others: see `_own_filters`."""

_CHARACTER_FILTERS = words_of("list map max min reject select sort title unique")
"""Filters that take a text for a list of its characters."""

_METHODS = words_of(
    "capitalize count endswith find get index isalnum isalpha isdigit items keys lower lstrip rstrip split splitlines startswith "
    "strip title upper values cycle changed"
)
"""Methods of values and of a loop that a template may call."""


class _Work:
    """Counts the work of one rendering against its limits.

    The limit on characters depends on the values. It is computed only when the free characters are used up.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._characters = self._turns = 0
        self._allowed = FREE_CHARACTERS
        self._deadline: float | None = None

    def spend(self, characters: int) -> None:
        """Count characters that are read, made or printed."""
        self._characters += characters
        if self._characters > self._allowed:
            self._allowed = allowed_characters(self._values)
            if self._characters > self._allowed:
                raise TemplateLimitError(TOO_LONG)

    def turn(self) -> None:
        """Count a turn of a loop."""
        now = time.thread_time()
        self._deadline = now + MAX_SECONDS if self._deadline is None else self._deadline
        self._turns += 1
        if self._turns > MAX_TURNS or now > self._deadline:
            raise TemplateLimitError(
                f"the template's loops take more than {MAX_TURNS:,} turns, or {MAX_SECONDS:g} s"
            )


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """jinja's sandbox with limits on the work of a rendering."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined, autoescape=False
        )
        self._local = threading.local()
        self.globals = {"range": safe_range}
        self.filters = {name: self._charged(name, _JINJA[name]) for name in _FILTERS} | self._own_filters()

    def begin(self, values: Mapping[str, Any]) -> _Work:
        """Begin a rendering in this thread, and return its count of work; to be called before it."""
        work = self._local.work = _Work(values)
        return work

    def _spend(self, characters: int) -> None:
        work: _Work = self._local.work
        work.spend(characters)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Evaluate an operator, unless the result may be huge."""
        are_numbers = isinstance(left, int | float) and isinstance(right, int | float)
        if operator == "+" and not are_numbers:
            self._spend(_size(left) + _size(right))
        elif operator == "**" or not are_numbers:
            raise SecurityError(f"prompts can use {operator} only on numbers, and ** not at all")
        elif operator == "*" and max(abs(left), abs(right)) > _MAX_FACTOR:
            raise SecurityError(f"prompts cannot multiply numbers above {_MAX_FACTOR:g}")
        return super().call_binop(context, operator, left, right)

    def is_safe_callable(self, obj: Any) -> bool:
        """Return whether a function may be called: some methods of values, and jinja's ``range``."""
        return obj is safe_range or (
            getattr(obj, "__name__", None) in _METHODS and super().is_safe_callable(obj)
        )

    def call(self, context: Any, obj: Any, *args: Any, **kwargs: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride] - its own names begin with underscores
        """Call a method of a value, and count its work."""
        self._spend(_CALL_CHARACTERS + _size(getattr(obj, "__self__", None)))
        result = super().call(context, obj, *args, **kwargs)
        self._spend(_size(result))
        return result

    def call_test(self, name: str, value: Any, args: Any = None, *rest: Any, **kwargs: Any) -> Any:
        """Call a test, and count its work, as it may compare many values with a long one."""
        self._spend(_CALL_CHARACTERS + sum(map(_size, args or ())))
        return super().call_test(name, value, args, *rest, **kwargs)

    def _charged(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a filter that counts its work."""
        # Some filters take jinja's context or environment before the value.
        value_position = int(hasattr(function, "jinja_pass_arg"))
        takes_characters = name in _CHARACTER_FILTERS

        @wraps(function)
        def charged(*args: Any, **kwargs: Any) -> Any:
            value = args[value_position]
            self._spend(
                _CALL_CHARACTERS
                + (
                    _ITEM_CHARACTERS * len(value)
                    if takes_characters and isinstance(value, str)
                    else _size(value)
                )
            )
            result = function(*args, **kwargs)
            self._spend(_size(result))
            return result

        return charged

    def _own_filters(self) -> dict[str, Callable[..., Any]]:
        """Return filters with special limits, and the two that `bounded_template` inserts."""

        def turns_counted(values: Iterable[Any]) -> Iterator[Any]:
            work: _Work = self._local.work
            for value in values:
                work.turn()
                yield value

        def copy_counted(value: Any) -> Any:
            self._spend(_size(value))
            return value

        def join(values: Iterable[Any], between: Any = "", attribute: str | None = None) -> str:
            if attribute is not None:
                values = (self.getattr(value, attribute) for value in values)
            texts, separator = list(map(str, values)), str(between)
            self._spend(
                _CALL_CHARACTERS + sum(map(len, texts)) + len(texts) * (len(separator) + _ITEM_CHARACTERS)
            )
            return separator.join(texts)

        def replace(value: Any, old: Any, new: Any, count: int = -1) -> str:
            text, old, new = str(value), str(old), str(new)
            self._spend(_CALL_CHARACTERS + len(text) + text.count(old) * len(new))
            return text.replace(old, new, count)

        def indent(value: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:  # noqa: FBT001, FBT002 - as jinja has it
            text, margin = str(value), width if isinstance(width, str) else " " * min(width, _MAX_INDENT)
            self._spend(_CALL_CHARACTERS + len(text) + (len(text.splitlines()) + 1) * len(margin))
            return _JINJA["indent"](text, margin, first, blank)

        @jinja2.pass_eval_context
        def tojson(context: Any, value: Any, indent: int | None = None) -> str:
            text = _JINJA["tojson"](context, value, None if indent is None else min(indent, _MAX_INDENT))
            self._spend(_CALL_CHARACTERS + len(text))
            return text

        def rounded(value: float, precision: int = 0, method: str = "common") -> float:
            return _JINJA["round"](value, max(0, min(precision, _MAX_DIGITS)), method)

        filters = {"join": join, "replace": replace, "indent": indent, "tojson": tojson, "round": rounded}
        # No template can name a filter whose name begins with a space.
        return {**filters, " turns": turns_counted, " copied": copy_counted}


def _size(value: Any) -> int:
    """Return the characters that count for reading or making a value."""
    if isinstance(value, str):
        return len(value)
    return (
        _ITEM_CHARACTERS * len(cast("Sized", value))
        if isinstance(value, list | tuple | dict | range)
        else _CALL_CHARACTERS
    )
