"""Decode calls written as JSON: ``[{"function": "f", "parameters": {"a": 1}}]``.

Other text may surround them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, cast

from ...errors import DecodingError
from ...records.python_syntax import bounded_code

_FIRST_OBJECT = re.compile(r"\[\s*\{")
_LAST_OBJECT = re.compile(r"\}\s*\]")


def decode_json_calls(text: str) -> list[dict[Any, Any]]:
    """Read the first list of objects in a text: one ``{function: parameters}`` each.

    Other items are skipped. As in BFCL, text that is not JSON counts as no calls, not as a failure, and a list of objects among the
    parameters ends the outer list early, so that nothing is read.
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
        _decode_item(cast("dict[str, Any]", item))
        for item in cast("Iterable[Any]", items)
        if isinstance(item, dict)
    ]


def decode_json_calls_strictly(text: str) -> list[dict[Any, Any]]:
    """Read the first list of objects in a text; a list of anything else is a failure.

    Other text may surround it.
    """
    opening = _FIRST_OBJECT.search(text)
    start = opening.start() if opening else text.find("[")
    items = _guarded(lambda: _READER.raw_decode(bounded_code(text[start:]))[0])
    calls: list[dict[Any, Any]] = []
    for item in cast("list[Any]", items) if isinstance(items, list) else [None]:
        call = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        if not isinstance(call.get("function"), str) or "parameters" not in call:
            raise DecodingError("expected a list of objects with function and parameters")
        calls.append({call["function"]: call["parameters"]})
    return calls


def load_json_strictly(text: str) -> Any:
    """Read JSON; unlike ``json.loads``, refuse NaN, Infinity and duplicate keys."""
    return _guarded(lambda: _READER.decode(text))


def list_of_objects(text: str) -> str:
    r"""Return the match of ``\[\s*{.*?}\s*(?:,\s*{.*?}\s*)*\]`` within the outermost brackets.

    Wherever the lazy expression starts, it ends at the first closing brace before a closing bracket, so a linear search suffices.
    """
    start, end = text.find("["), text.rfind("]")
    if 0 <= start < end:
        text = text[start : end + 1]
    first = _FIRST_OBJECT.search(text)
    last = _LAST_OBJECT.search(text, first.end()) if first else None
    return text[first.start() : last.end()] if first and last else text


def _decode_item(item: dict[str, Any]) -> dict[Any, Any]:
    try:
        return {item["function"]: item["parameters"]}
    except KeyError as error:
        raise DecodingError(f"a call lacks {error}") from error
    except TypeError as error:
        raise DecodingError(f"a function's name cannot be used: {error}") from error


def _guarded(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except RecursionError as error:
        raise DecodingError("the JSON is nested too deeply") from error
    except ValueError as error:
        raise DecodingError(f"not JSON: {error}") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key comes twice")
    return values


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_READER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_reject_constant)
