"""Convert replies to call texts, the form in which calls are stored and executed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, cast

import msgspec

from ...errors import DecodingError
from ...records import ToolCall
from ...records.python_syntax import parse_expression, unparse
from ..decoding.json_calls import read_json_reply
from ..decoding.python_calls import call_nodes
from ..decoding.replies import decode_tool_calls, is_no_arguments
from ..decoding.text_replies import decode_prompt
from ..decoding.wrapping import wrap
from ..finding import shorten


def native_call_texts(calls: Iterable[Mapping[Any, Any]]) -> list[str]:
    """Return native calls as BFCL writes them: ``name(k=1,k2='x')``."""
    return [
        f"{name}({_write_arguments(arguments, repr, ',')})"
        for call in calls
        for name, arguments in call.items()
    ]


def prompt_call_texts(calls: Iterable[Mapping[Any, Any]]) -> list[str]:
    """Return calls decoded from text as BFCL writes them: ``name(k=1, k2='x')``."""
    return [
        f"{name}({_write_arguments(arguments, _write_value, ', ')})"
        for call in calls
        for name, arguments in call.items()
    ]


def _write_arguments(arguments: Any, write: Callable[[Any], str], separator: str) -> str:
    if not isinstance(arguments, dict):
        raise DecodingError(f"expected named arguments, got {type(arguments).__name__}")
    values_by_name = cast("dict[Any, Any]", arguments)
    return separator.join(f"{name}={write(value)}" for name, value in values_by_name.items())


def _write_value(value: Any) -> str:
    """Return a value as source text; a dict whose values are dicts is a nested call, as decoded."""
    if not isinstance(value, dict):
        return repr(value)
    items = cast("dict[Any, Any]", value)
    if not items:
        raise DecodingError("an empty dict as an argument cannot be told from a nested call without a name")
    if all(isinstance(item, dict) for item in items.values()):
        name, arguments = next(iter(items.items()))
        return f"{name}({_write_arguments(arguments, _write_value, ', ')})"
    return "{" + ", ".join(f"'{key}': {_write_value(item)}" for key, item in items.items()) + "}"


def canonical_call(call: str) -> str:
    """Return a call in a canonical form, with sorted arguments, for comparing it with others."""
    try:
        node = parse_expression(call)
    except DecodingError:
        return call
    if isinstance(node, ast.Call):
        node.keywords.sort(key=lambda keyword: keyword.arg or "")
    return ast.dump(node)


ReplyReader: TypeAlias = Callable[[Any], list[str]]
"""Returns the call texts of a reply, text or native; raises DecodingError if it cannot be read."""


def read_prompt(raw: Any) -> list[str]:
    """Read a text reply as BFCL does.

    Positional arguments are dropped, and bare names become texts.

    Raises:
        DecodingError: The reply is not a text, or not a list of calls.
    """
    return prompt_call_texts(decode_prompt(_require_text(raw)))


def read_prompt_exactly(raw: Any) -> list[str]:
    """Read the calls of a text reply, in JSON or as source text, and keep all their arguments."""
    if (calls := read_json_reply(_require_text(raw))) is not None:
        return native_call_texts(calls)
    return [unparse(node) for node in call_nodes(wrap(_require_text(raw)))]


def read_native(raw: Any) -> list[str]:
    """Read native calls: ToolCalls, or BFCL's ``{name: arguments}``.

    Arguments are an object or its JSON text.

    Raises:
        DecodingError: The reply is something else.
    """
    if not isinstance(raw, list):
        raise DecodingError(f"expected a list of calls, got {type(raw).__name__}")
    return native_call_texts(decode_tool_calls([_as_tool_call(item) for item in cast("list[Any]", raw)]))


def read_native_exactly(raw: Any) -> list[str]:
    """Read native calls as `read_native` does; an empty text or null means no arguments."""
    return read_native(
        [_with_empty_arguments(item) for item in cast("list[Any]", raw)] if isinstance(raw, list) else raw
    )


def _with_empty_arguments(item: Any) -> Any:
    """Return a call with an empty object as arguments if they are an empty text or null."""
    # An item that is not in BFCL's form is left to `read_native`, which reports it.
    if isinstance(item, dict) and len(cast("dict[Any, Any]", item)) != 1:
        return cast("Any", item)
    call = _as_tool_call(item)
    if isinstance(call.arguments, str) and is_no_arguments(call.arguments):
        return msgspec.structs.replace(call, arguments={})
    return cast("Any", item)


def read_call_texts(raw: Any) -> list[str]:
    """Return a list of call texts unchanged."""
    if not isinstance(raw, list):
        raise DecodingError(f"expected a list of call texts, got {type(raw).__name__}")
    return [_require_text(call) for call in cast("list[Any]", raw)]


def _require_text(raw: Any) -> str:
    if not isinstance(raw, str):
        raise DecodingError(f"expected a text, got {type(raw).__name__}")
    return raw


def _as_tool_call(item: Any) -> ToolCall:
    if isinstance(item, ToolCall):
        return item
    if not isinstance(item, dict) or not item:
        raise DecodingError(f"expected a call as {{name: arguments}}, got {shorten(item)}")
    name, arguments = next(iter(cast("dict[str, Any]", item).items()))
    return ToolCall(name=name, arguments=arguments)
