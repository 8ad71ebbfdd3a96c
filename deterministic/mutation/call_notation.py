"""Read the calls of an output, and write changed calls back in the same notation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import msgspec

from ...errors import DecodingError
from ...records import Case, Output, ToolCall
from ...records.python_syntax import Unquoted
from ..decoding.replies import asked_form, decode_output
from ..decoding.wrapping import PLAIN


class NamedCall(NamedTuple):
    """A call with named arguments."""

    name: str
    arguments: dict[str, Any]


def read_calls(case: Case, output: Output) -> list[NamedCall]:
    """Read the calls of a single-turn output, or none if they cannot be read and written back."""
    if asked_form(case) != PLAIN:  # the only form that `write_calls` can write
        return []
    try:
        decoded: Any = decode_output(output, strictly=True)
    except DecodingError:
        return []
    return named_calls(decoded)


def named_calls(decoded: Any) -> list[NamedCall]:
    """Return decoded calls, or none if one of them has no name or no named arguments."""
    items = cast("list[dict[str, Any]]", decoded) if isinstance(decoded, list) else []
    calls = [NamedCall(name, arguments) for item in items for name, arguments in item.items()]
    return calls if all(_has_named_arguments(call) for call in calls) else []


def write_calls(output: Output, calls: Sequence[NamedCall]) -> Output:
    """Return an output with other calls in the output's own notation."""
    if output.tool_calls is None:
        return msgspec.structs.replace(output, text=source_text(calls))
    as_text = any(isinstance(call.arguments, str) for call in output.tool_calls)
    return msgspec.structs.replace(output, tool_calls=native_calls(calls, as_text=as_text))


def native_calls(calls: Sequence[NamedCall], *, as_text: bool = False) -> list[ToolCall]:
    """Return calls as an API returns them, with arguments as an object or its JSON text."""
    return [
        ToolCall(
            name=call.name,
            arguments=json.dumps(call.arguments, ensure_ascii=False) if as_text else call.arguments,
        )
        for call in calls
    ]


def source_text(calls: Sequence[NamedCall]) -> str:
    """Return calls as Python source, ``[f(a=1), g(b='x')]``."""
    return f"[{', '.join(map(call_text, calls))}]"


def call_text(call: NamedCall) -> str:
    """Return one call as Python source."""
    return f"{call.name}({', '.join(f'{name}={_source_text_of_value(value)}' for name, value in call.arguments.items())})"


def _source_text_of_value(value: Any) -> str:
    """Return a value as Python source; `Unquoted` text stays unquoted."""
    match value:
        case Unquoted():
            return str(value)
        case list():
            return f"[{', '.join(map(_source_text_of_value, cast('list[Any]', value)))}]"
        case tuple():
            items = [_source_text_of_value(item) for item in cast("tuple[Any, ...]", value)]
            return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
        case dict():
            pairs = cast("dict[Any, Any]", value).items()
            return f"{{{', '.join(f'{_source_text_of_value(key)}: {_source_text_of_value(item)}' for key, item in pairs)}}}"
        case _:
            return repr(value)


def _has_named_arguments(call: NamedCall) -> bool:
    return isinstance(cast("object", call.name), str) and isinstance(cast("object", call.arguments), dict)
