"""Decode calls written as JSON: ``[{"function": "f", "parameters": {"a": 1}}]``.

Other text may surround them.

Strict rules also read calls in a reply that is all JSON, although source text was requested: ``[{"name": ..., "arguments": ...}]`` and
``[{name: {argument: value}}]``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, cast

from ...errors import DecodingError
from ...records.python_syntax import MAX_CODE, bounded_code

_FIRST_OBJECT = re.compile(r"\[\s*\{")
_LAST_OBJECT = re.compile(r"\}\s*\]")


def decode_json_calls(text: str) -> list[dict[Any, Any]]:
    """Read the first list of objects in a text as calls ``{function: parameters}``.

    Items that are no objects are skipped. As in BFCL, text that is not JSON counts as no calls, not as a failure; and a list of objects
    among the parameters ends the outer list early, so that the JSON is broken and nothing is read.
    """
    try:
        items: Any = json.loads(bounded_code(list_of_objects(text)))
    except json.JSONDecodeError:
        return []
    except (RecursionError, ValueError) as error:
        raise DecodingError("the JSON is nested too deeply or has too long a number") from error
    if not isinstance(items, list | dict | str):
        raise DecodingError(f"expected a list of calls, got {type(items).__name__}")
    return [
        _bfcl_call(cast("dict[str, Any]", item))
        for item in cast("Iterable[Any]", items)
        if isinstance(item, dict)
    ]


def decode_json_calls_strictly(text: str) -> list[dict[Any, Any]]:
    """Read the first list of objects in a text, and refuse a list of anything else."""
    opening = _FIRST_OBJECT.search(text)
    start = opening.start() if opening else text.find("[")
    items = _read_or_refuse(lambda: _READER.raw_decode(bounded_code(text[start:]))[0])
    calls: list[dict[Any, Any]] = []
    # [None] makes anything but a list fail as an item that is no call does.
    for item in cast("list[Any]", items) if isinstance(items, list) else [None]:
        call = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        if not isinstance(call.get("function"), str) or "parameters" not in call:
            raise DecodingError("expected a list of objects with function and parameters")
        calls.append({call["function"]: call["parameters"]})
    return calls


def load_json_strictly(text: str) -> Any:
    """Read JSON; unlike ``json.loads``, refuse NaN, Infinity and duplicate keys."""
    return _read_or_refuse(lambda: _READER.decode(text))


def list_of_objects(text: str) -> str:
    r"""Return the match of ``\[\s*{.*?}\s*(?:,\s*{.*?}\s*)*\]`` within the outermost brackets.

    The expression is BFCL's, but matching it can take quadratic time. Wherever it starts, it ends at the first closing brace before a
    closing bracket, so two linear searches find the same.
    """
    start, end = text.find("["), text.rfind("]")
    if 0 <= start < end:
        text = text[start : end + 1]
    first_object = _FIRST_OBJECT.search(text)
    last_object = _LAST_OBJECT.search(text, first_object.end()) if first_object else None
    return text[first_object.start() : last_object.end()] if first_object and last_object else text


def _bfcl_call(item: dict[str, Any]) -> dict[Any, Any]:
    try:
        return {item["function"]: item["parameters"]}
    except KeyError as error:
        raise DecodingError(f"a call lacks {error}") from error
    except TypeError as error:
        raise DecodingError(f"a function's name cannot be used: {error}") from error


def _read_or_refuse(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except RecursionError as error:
        raise DecodingError("the JSON is nested too deeply") from error
    except ValueError as error:
        raise DecodingError(f"not JSON: {error}") from error


def _require_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key comes twice")
    return values


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_READER = json.JSONDecoder(object_pairs_hook=_require_unique_keys, parse_constant=_reject_constant)


_NAME_KEYS, _ARGUMENT_KEYS = ("name", "function"), ("arguments", "parameters")
_CALL_KEYS = frozenset({"id", "type", *_NAME_KEYS, *_ARGUMENT_KEYS})


def read_json_reply(text: str) -> list[dict[Any, Any]] | None:
    """Return the calls of a reply that is a JSON call or list of calls, or None for any other.

    A single object needs a name and arguments: ``{"Rome": {...}}`` may be data.
    """
    code = text.strip("`\r\n ").removeprefix("json").strip()
    # Nearly all replies are ruled out here, before JSON is parsed.
    if not code.startswith(("[", "{")) or '"' not in code or len(code) > MAX_CODE:
        return None
    try:
        value = load_json_strictly(code)
        items = cast("list[Any]", value) if isinstance(value, list) else [value]
        calls = [_read_json_call(item, alone=not isinstance(value, list)) for item in items]
    except DecodingError:
        return None
    calls_read = [call for call in calls if call is not None]
    return calls_read if calls_read and len(calls_read) == len(calls) else None


def _read_json_call(item: Any, *, alone: bool) -> dict[Any, Any] | None:
    if not isinstance(item, dict) or not item:
        return None
    fields = cast("dict[str, Any]", item)
    inner_call: Any = fields.get("function")
    # OpenAI's form has name and arguments in an inner object.
    if isinstance(inner_call, dict) and fields.keys() <= {"id", "type", "function"} and "name" in inner_call:
        return _read_json_call(inner_call, alone=True)
    name = next((fields[key] for key in _NAME_KEYS if isinstance(fields.get(key), str)), None)
    arguments = next((fields[key] for key in _ARGUMENT_KEYS if key in fields), None)
    if name is not None and fields.keys() <= _CALL_KEYS:
        return _with_arguments(name, arguments)
    name, arguments = next(iter(fields.items()))
    if alone or len(fields) != 1 or not isinstance(arguments, dict):
        return None
    return {name: arguments}


def _with_arguments(name: str, arguments: Any) -> dict[Any, Any] | None:
    if isinstance(arguments, str):
        arguments = load_json_strictly(arguments)
    return {name: arguments} if isinstance(arguments, dict) else None
