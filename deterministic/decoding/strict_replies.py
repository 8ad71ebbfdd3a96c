"""Decoders of strict rules: nothing vanishes, nothing is taken for what it is not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, cast

from ...errors import DecodingError
from ...records import Language, Output, ToolCall
from .replies import Form, decode_prompt
from .strict_python_calls import decode_python_calls_strictly
from .wrapping import bounded, untag, wrap

_FIRST_OBJECT = re.compile(r"\[\s*\{")


def decode_prompt_strictly(
    text: str, *, language: Language = "python", form: Form = "python", tagged: bool = False
) -> Any:
    """Read the calls in a text reply as they were meant.

    Differs from `decode_prompt` for Python source (see `decode_python_calls_strictly`), for JSON (the whole outer list,
    or a failure) and for Java (values as written).

    Args:
        text: The reply.
        language: The language of the functions.
        form: How calls were to be written.
        tagged: Whether they were to stand between ``<TOOLCALL>`` and ``</TOOLCALL>``.

    Returns:
        A list of ``{name: {argument: value}}``, or whatever else `decode_prompt` gives for odd replies.

    Raises:
        DecodingError: The reply is not in that form.
    """
    code = wrap(text)
    if form == "json":
        return _decode_json(untag(code) if tagged else code)
    if form == "python" and language == "python":
        return decode_python_calls_strictly(untag(code) if tagged else code)
    if form == "python" and language == "java":
        from .java_calls import decode_java_call_as_written  # noqa: PLC0415 - tree-sitter is an extra

        return decode_java_call_as_written(code[1:-1])
    return decode_prompt(text, language=language, form=form, tagged=tagged)


def decode_native_strictly(result: Any) -> list[dict[Any, Any]]:
    """Read a stored BFCL result of native calls; an item with several names is a failure, as is lax JSON.

    Args:
        result: The stored value, of any type.

    Returns:
        One ``{name: arguments}`` per call.

    Raises:
        DecodingError: It is something else.
    """
    if not isinstance(result, list):
        raise DecodingError(f"expected a list of calls, got {type(result).__name__}")
    calls: list[dict[Any, Any]] = []
    for item in cast("list[Any]", result):
        pairs = list(cast("dict[Any, Any]", item).items()) if isinstance(item, dict) else []
        if len(pairs) != 1 or not isinstance(pairs[0][1], str):
            raise DecodingError("expected calls as {name: JSON text of the arguments}")
        calls.append({pairs[0][0]: load_json_strictly(pairs[0][1])})
    return calls


def decode_output_strictly(
    output: Output, *, language: Language = "python", form: Form = "python", tagged: bool = False
) -> Any:
    """Read the calls of an output: its native ones where it has that field, else those in its text.

    Args:
        output: What a system produced.
        language: As for `decode_prompt_strictly`.
        form: As for `decode_prompt_strictly`.
        tagged: As for `decode_prompt_strictly`.

    Returns:
        As `decode_prompt_strictly`.

    Raises:
        DecodingError: The calls cannot be read.
    """
    if output.tool_calls is not None:
        return _decode_tool_calls(output.tool_calls)
    return decode_prompt_strictly(output.text or "", language=language, form=form, tagged=tagged)


def load_json_strictly(text: str) -> Any:
    """JSON without the liberties of the standard reader: no NaN or Infinity, no key twice.

    Args:
        text: JSON text.

    Returns:
        Its value.

    Raises:
        DecodingError: It is not JSON in this sense.
    """
    return _guarded(lambda: _READER.decode(text))


def _decode_tool_calls(calls: Iterable[ToolCall]) -> list[dict[Any, Any]]:
    return [
        {call.name: load_json_strictly(call.arguments) if isinstance(call.arguments, str) else call.arguments}
        for call in calls
    ]


def _decode_json(text: str) -> list[dict[Any, Any]]:
    """The first list of objects in a text, whole, whatever stands around it."""
    found = _FIRST_OBJECT.search(text)
    start = found.start() if found else text.find("[")
    items = _guarded(lambda: _READER.raw_decode(bounded(text[start:]))[0])
    calls: list[dict[Any, Any]] = []
    for item in cast("list[Any]", items) if isinstance(items, list) else [None]:
        call = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        if not isinstance(call.get("function"), str) or "parameters" not in call:
            raise DecodingError("expected a list of objects with function and parameters")
        calls.append({call["function"]: call["parameters"]})
    return calls


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


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_READER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)
