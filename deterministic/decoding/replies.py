"""Decode native calls; for texts, find the form that was asked for and load the decoder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, cast

from ...errors import DecodingError
from ...records import Case, Language, Output, ToolCall
from ...records.output import calls_made
from .json_calls import load_json_strictly
from .wrapping import PLAIN, AskedForm, ReplyForm


def decode_native(result: Any) -> list[dict[Any, Any]]:
    """Read a stored BFCL result, a list of ``{name: JSON text of the arguments}``, as BFCL does.

    Only the first key of an item counts. An empty text or object counts as an empty list, as in BFCL, which only iterates. Arguments may be any JSON, not only an object.
    """
    if not isinstance(result, list | str | dict):
        raise DecodingError(f"expected a list of calls, got {_type_in_words(result)}")
    return [_decode_item(item) for item in cast("Iterable[Any]", result)]


def decode_native_strictly(result: Any) -> list[dict[Any, Any]]:
    """Read a stored BFCL result as `decode_native` does, but strictly.

    An item has one name. Its arguments are an object, or an object's JSON text without NaN or duplicate keys; an empty text or null
    means no arguments.
    """
    if not isinstance(result, list):
        raise DecodingError(f"expected a list of calls, got {type(result).__name__}")
    calls: list[dict[Any, Any]] = []
    for item in cast("list[Any]", result):
        pairs = list(cast("dict[Any, Any]", item).items()) if isinstance(item, dict) else []
        if len(pairs) != 1 or not isinstance(pairs[0][1], str | dict):
            raise DecodingError("expected calls as {name: arguments}, an object or its JSON text")
        name, arguments = pairs[0]
        calls.append({name: _read_object(name, arguments) if isinstance(arguments, str) else arguments})
    return calls


def decode_tool_calls(calls: Iterable[ToolCall], *, strictly: bool = False) -> list[dict[Any, Any]]:
    """Return the calls of an Output as ``{name: arguments}``; read arguments in JSON text."""
    return [{call.name: _arguments(call, strictly=strictly)} for call in calls]


def _arguments(call: ToolCall, *, strictly: bool) -> Any:
    if not isinstance(call.arguments, str):
        return call.arguments
    return _read_object(call.name, call.arguments) if strictly else _load_json(call.arguments)


def _read_object(name: str, text: str) -> Any:
    """Read the JSON text of a call's arguments: an object, or a sign that there are none."""
    if is_no_arguments(text):
        return {}
    value = load_json_strictly(text)
    if not isinstance(value, dict):
        raise DecodingError(f"expected the arguments of {name} as an object, got {_type_in_words(value)}")
    return cast("dict[Any, Any]", value)


def is_no_arguments(arguments: str) -> bool:
    """Return whether a text is one that clients write for a call without arguments."""
    return arguments.strip() in {"", "null"}


def _decode_item(item: Any) -> dict[Any, Any]:
    if not isinstance(item, dict) or not item:
        raise DecodingError(f"expected calls as {{name: arguments}}, got {_type_in_words(item)}")
    name, arguments = next(iter(cast("dict[Any, Any]", item).items()))
    if not isinstance(arguments, str):
        raise DecodingError(
            f"expected the arguments of {name!r} as JSON text, got {_type_in_words(arguments)}"
        )
    return {name: _load_json(arguments)}


def _load_json(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError as error:
        raise DecodingError("the arguments are nested too deeply") from error
    except ValueError as error:
        raise DecodingError(f"the arguments are not JSON: {error}") from error


def _type_in_words(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "text"
    return "an empty object" if value == {} else type(value).__name__


def asked_form(case: Case) -> AskedForm:
    """Return the form in which a system was asked to write its calls.

    BFCL's cases on format sensitivity state it in the tags ``ret_fmt`` and ``tool_call_tag``.
    """
    return AskedForm(
        language=cast("Language", case.reference.get("language", "python")),
        form=cast("ReplyForm", case.tags.get("ret_fmt", "python")),
        tagged=case.tags.get("tool_call_tag") is True,
        stated="ret_fmt" in case.tags,
    )


def decode_output(output: Output, form: AskedForm = PLAIN, *, strictly: bool = False) -> Any:
    """Read the native calls of an output, or the calls in its text if it has no native ones."""
    if (calls := calls_made(output)) is not None:
        return decode_tool_calls(calls, strictly=strictly)
    return _text_decoder()(output.text or "", form, strictly=strictly)


@cache  # imported once: an import statement would look the module up for each output
def _text_decoder() -> Callable[..., Any]:
    from .text_replies import decode_prompt  # noqa: PLC0415 - native calls need no parser

    return decode_prompt
