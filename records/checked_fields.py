"""Checks of the fields that code outside this package gives records.

Those in files are checked as they are decoded.
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
_EXPECTED = re.compile(r"Expected `([^`]*)`(?:, got `([^`]*)`)?(.*)", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `([^`]*)`")
_UNKNOWN = re.compile(r"Object contains unknown field `([^`]*)`")
_WORDS = {
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
    """Metaclass of records whose fields are checked if other code than this package gives them.

    Within the package, type checkers do that, and records are made by the million.
    """

    if not TYPE_CHECKING:  # so that type checkers see the fields of each record

        def __call__(cls, *args: Any, **fields: Any) -> Any:  # noqa: N805 - of a metaclass
            """Return a record, of checked fields if other code gives them."""
            caller = sys._getframe(1).f_globals.get("__name__", "")  # noqa: SLF001 - as in argument_checks
            if caller.partition(".")[0] == _PACKAGE:
                return super().__call__(*args, **fields)
            return _checked(cls, args, fields)


def _checked(record_type: type[T], args: tuple[Any, ...], fields: Mapping[str, Any]) -> T:
    """Return a record of these fields.

    Raises:
        UsageError: A field is unknown, missing or of another type.
    """
    name = record_type.__name__
    if args:
        raise UsageError(f"{name} takes its fields by name, got {reprlib.repr(args[0])} without one")
    plain = {field: _plain(value) for field, value in fields.items()}
    try:
        return convert(plain, record_type)
    except msgspec.ValidationError as error:
        raise UsageError(f"{name}{_problem(str(error), record_type, fields)}") from error
    except RecursionError as error:
        raise UsageError(f"{name}: its fields are nested too deeply") from error


def _plain(value: Any) -> Any:
    """Return numpy's numbers, alone or in a mapping, as Python's."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in cast("dict[Any, Any]", value).items()}
    if isinstance(value, bool | int | float) and type(value) in {bool, int, float}:
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def _problem(message: str, record_type: type[Any], fields: Mapping[str, Any]) -> str:
    """Return a message of msgspec with the field in front, in words: ``.score: expected ...``."""
    problem, at, place = message.rpartition(" - at `")
    if not at:
        problem, place = message, ""
    key = place.startswith("key` in")
    path = place.removeprefix("key` in `").rstrip("`").removeprefix("$").removeprefix(".")
    if missing := _MISSING.fullmatch(problem):
        return f".{path}{'.' if path else ''}{missing[1]}: missing"
    if (unknown := _UNKNOWN.fullmatch(problem)) and not path:
        names = [field.name for field in msgspec.structs.fields(cast("type[msgspec.Struct]", record_type))]
        return f": {unknown_field(unknown[1], names, 'it')}"
    if expected := _EXPECTED.fullmatch(problem):
        words = " or ".join(_WORDS.get(part, part) for part in expected[1].split(" | "))
        kind = _WORDS.get(str(expected[2]), expected[2])
        shown = f", got {reprlib.repr(fields[path])}" if path in fields and not key else f", got {kind}"
        problem = f"expected {words}{expected[3]}{shown if expected[2] or path in fields else ''}"
        return f".{path}: {'a key is no text: ' if key else ''}{problem}"
    told, _, _ = explained(message, record_type).partition(" - at `$")
    return f".{path}: {told[:1].lower()}{told[1:]}" if path else f": {told}"
