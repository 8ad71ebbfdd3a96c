"""Check the fields of records that code outside this package makes.

Records in files are checked when they are decoded.
"""

from __future__ import annotations

import re
import reprlib
import sys
from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from ..errors import UsageError
from .explanations import explained, unknown_field
from .typed_values import convert

_PACKAGE = __name__.partition(".")[0]
# Messages of msgspec.
_WRONG_TYPE = re.compile(r"Expected `([^`]*)`(?:, got `([^`]*)`)?(.*)", re.DOTALL)
_MISSING_FIELD = re.compile(r"Object missing required field `([^`]*)`")
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `([^`]*)`")
_WORDS_BY_TYPE = {
    "array": "a list",
    "bool": "True or False",
    "float": "a number",
    "int": "a whole number",
    "null": "None",
    "object": "a mapping",
    "str": "a text",
}

T = TypeVar("T")


class CheckedFields(msgspec.StructMeta):
    """Metaclass of records whose fields are checked if code outside this package makes them.

    For the package itself type checkers do that: it makes records by the million, so checks would take too long.
    """

    if not TYPE_CHECKING:  # so that type checkers see the fields of each record

        def __call__(cls, *args: Any, **fields: Any) -> Any:  # noqa: N805 - of a metaclass
            """Return a record; check its fields if the caller is not in this package."""
            caller = sys._getframe(1).f_globals.get("__name__", "")  # noqa: SLF001 - as in argument_checks
            if caller.partition(".")[0] == _PACKAGE:
                return super().__call__(*args, **fields)
            return _make_checked(cls, args, fields)


def _make_checked(record_type: type[T], args: tuple[Any, ...], fields: Mapping[str, Any]) -> T:
    """Return a record of these fields, checked.

    Raises:
        UsageError: A field is unknown, missing or of another type.
    """
    name = record_type.__name__
    if args:
        raise UsageError(f"{name} takes its fields by name, got {reprlib.repr(args[0])} without one")
    plain_fields = {field: _with_python_numbers(value) for field, value in fields.items()}
    try:
        return convert(plain_fields, record_type)
    except msgspec.ValidationError as error:
        raise UsageError(f"{name}{_problem_in_words(str(error), record_type, fields)}") from error
    except RecursionError as error:
        raise UsageError(f"{name}: its fields are nested too deeply") from error


def _with_python_numbers(value: Any) -> Any:
    """Return a value with numpy's numbers, alone or in a mapping, as Python's."""
    if isinstance(value, dict):
        return {key: _with_python_numbers(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, bool | int | float) and type(value) in {bool, int, float}:
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def _problem_in_words(message: str, record_type: type[Any], fields: Mapping[str, Any]) -> str:
    """Return msgspec's message in our words, with the field first: ``.score: expected ...``."""
    problem, separator, place = message.rpartition(" - at `")
    if not separator:
        problem, place = message, ""
    is_about_key = place.startswith("key` in")
    path = place.removeprefix("key` in `").rstrip("`").removeprefix("$").removeprefix(".")
    if missing := _MISSING_FIELD.fullmatch(problem):
        return f".{path}{'.' if path else ''}{missing[1]}: missing"
    if (unknown := _UNKNOWN_FIELD.fullmatch(problem)) and not path:
        names = [field.name for field in msgspec.structs.fields(cast("type[msgspec.Struct]", record_type))]
        return f": {unknown_field(unknown[1], names, 'it')}"
    if expected := _WRONG_TYPE.fullmatch(problem):
        words = " or ".join(_WORDS_BY_TYPE.get(part, part) for part in expected[1].split(" | "))
        kind = _WORDS_BY_TYPE.get(str(expected[2]), expected[2])
        got = (
            f", got {reprlib.repr(fields[path])}" if path in fields and not is_about_key else f", got {kind}"
        )
        problem = f"expected {words}{expected[3]}{got if expected[2] or path in fields else ''}"
        return f".{path}: {'a key is no text: ' if is_about_key else ''}{problem}"
    explanation, _, _ = explained(message, record_type).partition(" - at `$")
    return f".{path}: {explanation[:1].lower()}{explanation[1:]}" if path else f": {explanation}"
