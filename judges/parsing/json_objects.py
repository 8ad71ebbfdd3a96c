"""Decode JSON objects in replies.

`lone_object` reads a reply that is one object, `parts_of` finds objects between other text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, cast

from ...errors import DecodingError
from ..as_json import replace_surrogates
from .parsed_reply import bare_reply, without_thoughts

_MAX_DIGITS = 18
"""Longer integers are read as floats, since they may not fit into the 64 bits of integers in records."""
_FENCE = "```"
_FENCE_LANGUAGE = re.compile(r"\A(?:json[5c]?)?+\s", re.IGNORECASE)
_BRACES_AND_QUOTES = re.compile(r'[{}"]|\\.', re.DOTALL)
"""Braces and quotation marks. An escaped character is matched as a whole, so that an escaped mark does not count."""


class NotJsonError(DecodingError):
    """A text is not a JSON object."""


class ReplyPart(NamedTuple):
    """Part of a reply.

    It is a JSON object, braces around something else, a brace that is never closed, or text.
    """

    kind: Literal["object", "braces", "unclosed", "text"]
    text: str
    decoded: Mapping[str, Any] = {}


def decode_object(text: str) -> Mapping[str, Any]:
    """Decode a text that is a JSON object.

    Strings may contain line breaks and tabs, which models do not always escape.

    Raises:
        NotJsonError: The text is something else.
        DecodingError: A key has two different values.
    """
    try:
        value = json.loads(
            text,
            strict=False,
            object_pairs_hook=_without_contradiction,
            parse_constant=_reject_constant,
            parse_int=_integer,
        )
        if "\\u" in text:  # a lone surrogate could not be written to a run's files
            value = json.loads(replace_surrogates(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError) as error:
        raise NotJsonError(f"the reply is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise NotJsonError(f"expected a JSON object, got JSON of type {type(value).__name__}")
    return cast("dict[str, Any]", value)


def lone_object(text: str, keys: Collection[str]) -> Mapping[str, Any]:
    """Decode a reply that is a JSON object, ignoring thoughts and a code fence around it.

    Args:
        text: The reply.
        keys: Keys that the prompt asks for; see `with_keys`.
    """
    reply = without_thoughts(text).strip()
    in_fence = reply[len(_FENCE) : -len(_FENCE)]
    is_fenced = (
        reply.startswith(_FENCE) and reply.endswith(_FENCE) and _FENCE_LANGUAGE.match(in_fence) is not None
    )
    return with_keys(
        decode_object(_FENCE_LANGUAGE.sub("", in_fence) if is_fenced else bare_reply(text)), keys
    )


def with_keys(decoded: Mapping[str, Any], keys: Collection[str]) -> Mapping[str, Any]:
    """Return an object with its known keys spelled as the prompt asks, whatever their case.

    This includes keys of objects in the lists under known keys.

    Raises:
        DecodingError: A key appears in two spellings, with different values.
    """
    spellings = {key.casefold(): key for key in keys}

    def respelled(fields: Mapping[str, Any]) -> Mapping[str, Any]:
        if all(name in keys or name.casefold() not in spellings for name in fields):
            return fields
        return _without_contradiction(
            (name if name in keys else spellings.get(name.casefold(), name), value)
            for name, value in fields.items()
        )

    fields = respelled(decoded)
    respelled_lists = {
        name: [
            respelled(cast("dict[str, Any]", item)) if isinstance(item, dict) else item
            for item in cast("list[Any]", value)
        ]
        for name, value in fields.items()
        if name in keys and isinstance(value, list)
    }
    return {**fields, **respelled_lists}


def parts_of(reply: str) -> Iterator[ReplyPart]:
    """Yield the parts of a reply, in order.

    Objects after a brace that is never closed are found, too.
    """
    position, unclosed = 0, None
    for start, end in _braces(reply):
        if start < position:  # within the previous part
            continue
        if end is None:
            unclosed = start if unclosed is None else unclosed
            continue
        yield from _text_parts(reply, position, unclosed, start)
        text, position, unclosed = reply[start:end], end, None
        try:
            yield ReplyPart("object", text, decode_object(text))
        except NotJsonError:
            yield ReplyPart("braces", text)
    yield from _text_parts(reply, position, unclosed, len(reply))


def _text_parts(reply: str, start: int, unclosed: int | None, end: int) -> Iterator[ReplyPart]:
    """Yield the text from ``start`` to ``end``, divided at a brace that is never closed."""
    yield ReplyPart("text", reply[start : end if unclosed is None else unclosed])
    if unclosed is not None:
        yield ReplyPart("unclosed", reply[unclosed:end])


def _braces(text: str) -> list[tuple[int, int | None]]:
    """Return the start of each opening brace, and the end of its closing brace, if any.

    Braces within a string do not count. But whether a quotation mark begins or ends a string depends on where the object begins.
    So braces after an even number of quotation marks are matched only with each other, and so are braces after an odd number. This
    takes one pass over the text.
    """
    opening, closing = list[int](), dict[int, int]()
    # Open braces after an even and after an odd number of quotation marks.
    unclosed: tuple[list[int], list[int]] = ([], [])
    parity = 0  # of the number of quotation marks so far
    for mark in _BRACES_AND_QUOTES.finditer(text):
        if mark[0] == '"':
            parity ^= 1
        elif mark[0] == "{":
            opening.append(mark.start())
            unclosed[parity].append(mark.start())
        elif mark[0] == "}" and unclosed[parity]:
            closing[unclosed[parity].pop()] = mark.end()
    return [(start, closing.get(start)) for start in opening]


def _without_contradiction(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return pairs as an object; refuse a key with two different values."""
    decoded: dict[str, Any] = {}
    for key, value in pairs:
        if key in decoded and decoded[key] != value:
            raise DecodingError(f"the key {key!r} has two different values")
        decoded[key] = value
    return decoded


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
