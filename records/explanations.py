"""Explain errors in records: known fields and values, the nearest valid name, hints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal, get_args, get_origin

import msgspec

from ..spelling import command

# Messages of msgspec.
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `([^`]*)`")
_INVALID_CHOICE = re.compile(r"Invalid enum value '(.*)'", re.DOTALL)
_AT_PATH = " - at `$"
# A field, or an index or key in brackets.
_PATH_STEP = re.compile(r"\.(\w+)|\[[^\[\]]*\]")
_JSON_LINES_HINT = "expected JSON Lines, one object a line"
_GOT_LIST = "Expected `object`, got `array`"
_SWAPPED_FILES_HINTS = {
    ("Case", "case_id"): "; these look like outputs, where cases are expected",
    ("Output", "id"): "; these look like cases, where outputs are expected",
}
"""Hint that cases and outputs are swapped, by record and unknown field."""
_CALL_AS_STEP_HINT = "; the calls of a step are a list, even one: turns: [[[{name, arguments}], text], ...]"
"""Hint that a turn holds a call where it should hold a step."""
_FIELDS_OF_CALL_AS_STEP = {("ToolResults", "name"), ("ToolResults", "arguments")}
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def _import_hint() -> str:
    return f"; `{command('import', 'FILE', out='FOLDER')}` reads other tools' files"


def explained(message: str, record_type: Any, noun: str | None = None) -> str:
    """Add the possible fields or values to the message of a decoding error.

    Args:
        message: The message, in msgspec's form.
        record_type: Type of the record that could not be decoded.
        noun: Name of the record, with its article; by default that of its type.
    """
    problem, separator, location = message.partition(_AT_PATH)
    path = location.rstrip("`")
    types = _types_at(record_type, path)
    unknown = _UNKNOWN_FIELD.fullmatch(problem)
    if unknown is not None:
        owner: type[msgspec.Struct] | None = next(filter(_is_record, types), None)
        if owner is None:
            return message
        return f"{_explain_field(unknown[1], owner, path, noun)}{separator}{location}"
    invalid_choice = _INVALID_CHOICE.fullmatch(problem)
    known_values = [
        str(value) for type_ in types if get_origin(type_) is Literal for value in get_args(type_)
    ]
    if invalid_choice is None or not known_values:
        return message
    return f"{problem}; known are {', '.join(known_values)}{nearest(invalid_choice[1], known_values)}{separator}{location}"


def _explain_field(name: str, owner: type[msgspec.Struct], path: str, noun: str | None) -> str:
    """Return the message for an unknown field of a record at a path."""
    record_name = noun if noun is not None and not path else _with_article(owner)
    fields = [field.name for field in msgspec.structs.fields(owner)]
    hint = "" if path else _wrong_file_hint(owner.__name__, name, fields)
    if (owner.__name__, name) in _FIELDS_OF_CALL_AS_STEP:
        hint = _CALL_AS_STEP_HINT
    return f"{unknown_field(name, fields, record_name)}{hint}"


def _wrong_file_hint(record: str, name: str, fields: list[str]) -> str:
    """Return a hint that the file has other records, or is another tool's; empty if not."""
    swapped = _SWAPPED_FILES_HINTS.get((record, name))
    if swapped is not None:
        return swapped
    # A field unlike all known ones suggests another tool's file.
    return _import_hint() if record in {"Case", "Output"} and not nearest(name, fields) else ""


def unknown_field(name: str, field_names: Iterable[str], called: str) -> str:
    """Return the error message for an unknown field.

    ``called`` is the name, with an article, of the object that has the known fields.
    """
    fields = list(field_names)
    has = f"has: {', '.join(fields)}" if fields else "has no fields"
    return f"unknown field {name!r}; {called} {has}{nearest(name, fields)}"


def nearest(name: str, names: Iterable[str]) -> str:
    """Return a hint such as `` (did you mean 'x'?)``, or an empty text if no known name is near."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for errors

    # A caller in Python may look up anything, such as a number.
    nearest_names = get_close_matches(str(name), list(names), n=1)
    return f" (did you mean {nearest_names[0]!r}?)" if nearest_names else ""


_MAX_NAMES = 8
"""An error lists this many known names, and counts the others."""


def known_names(name: str, names: Iterable[str]) -> str:
    """Return a hint on an unknown name: the nearest known one, or else the first known ones."""
    all_names = list(names)
    if near := nearest(name, all_names):
        return near
    # A single name more is listed: "and 1 others" would be no shorter.
    others_counted = f" and {len(all_names) - _MAX_NAMES:,} others" if len(all_names) > _MAX_NAMES + 1 else ""
    return f"; there are {', '.join(all_names[:_MAX_NAMES] if others_counted else all_names)}{others_counted}"


def not_utf8(error: UnicodeDecodeError) -> str:
    """Return the error message for invalid UTF-8."""
    utf16 = error.object[:2] in {b"\xff\xfe", b"\xfe\xff"}
    return f"not UTF-8: byte 0x{error.object[error.start]:02x}; save it as UTF-8{' (it is UTF-16)' if utf16 else ''}"


def line_hint(message: str, raw: bytes) -> str:
    """Return a hint for a line that is no object, or an empty text for any other problem."""
    if message != _GOT_LIST and not message.startswith("not JSON: Expecting"):
        return ""
    line = raw.strip(b"\xef\xbb\xbf \t\r\n")
    if line in {b"{", b"["}:  # the first line of indented JSON
        return f"; {_JSON_LINES_HINT} (`jq -c . FILE` writes it so, `jq -c '.[]' FILE` a list)"
    return "" if line.startswith(b"{") else f"; {_JSON_LINES_HINT}"


def _types_at(record_type: Any, path: str) -> list[Any]:
    """Return the types that a value at a path, such as ``.claims[0]``, may have."""
    types: list[Any] = [record_type]
    for step in _PATH_STEP.finditer(path):
        types = [inner for type_ in types for inner in _types_in(type_, step[1])]
    return types


def _types_in(kind: Any, field: str | None) -> list[Any]:
    """Return the types that a field of a type may have or, if ``field`` is None, its items."""
    if field is None:
        # The last argument is the type of a list's items, or of a dict's values.
        inner = get_args(kind)[-1:] if get_origin(kind) in {list, dict} else ()
    elif _is_record(kind):
        inner = [info.type for info in msgspec.structs.fields(kind) if info.encode_name == field]
    else:
        inner = ()
    return [member for inner_type in inner for member in _union_members(inner_type)]


def _union_members(kind: Any) -> list[Any]:
    if get_origin(kind) in {Literal, list, dict, None}:
        return [kind]
    return [part for arg in get_args(kind) for part in _union_members(arg)]


def _is_record(kind: Any) -> bool:
    return isinstance(get_origin(kind) or kind, type) and issubclass(get_origin(kind) or kind, msgspec.Struct)


def _with_article(kind: type[Any]) -> str:
    name = _CAPITAL.sub(" ", kind.__name__.removeprefix("_")).lower()
    if name.endswith("s"):
        return f"a record of {name}"
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}"  # no `u`: a usage
