"""Decode JSON objects in replies, alone or between other text."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, cast

from ...errors import DecodingError
from ..as_json import well_formed
from .parsed_reply import bare_reply, without_thoughts

_MAX_DIGITS = 18
"""Maximum digits of an integer; a longer one may not fit into the 64 bits of a record's integer."""
_FENCE = "```"
_LANGUAGE = re.compile(r"\A(?:json[5c]?)?+\s", re.IGNORECASE)
_BRACES_AND_QUOTES = re.compile(r'[{}"]|\\.', re.DOTALL)


class NotJsonError(DecodingError):
    """A text is not a JSON object."""


class ReplyPart(NamedTuple):
    """Part of a reply: a JSON object, other braces, an unclosed brace, or text before them."""

    kind: Literal["object", "braces", "unclosed", "text"]
    text: str
    decoded: Mapping[str, Any] = {}


def decode_object(text: str) -> Mapping[str, Any]:
    """Return the JSON object that makes up a text; duplicate keys make it unreadable.

    Texts in it may have line breaks and tabs, which models do not always escape.
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
            value = json.loads(well_formed(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError) as error:
        raise NotJsonError(f"the reply is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise NotJsonError(f"expected a JSON object, got JSON of type {type(value).__name__}")
    return cast("dict[str, Any]", value)


def lone_object(text: str, keys: Collection[str]) -> Mapping[str, Any]:
    """Return the JSON object that makes up a reply.

    Thoughts before it and a code fence around it are ignored.

    Args:
        text: The reply.
        keys: Known keys, also of objects listed in it; see `with_keys`.
    """
    reply = without_thoughts(text).strip()
    inner = reply[len(_FENCE) : -len(_FENCE)]
    is_fenced = reply.startswith(_FENCE) and reply.endswith(_FENCE) and _LANGUAGE.match(inner) is not None
    return with_keys(decode_object(_LANGUAGE.sub("", inner) if is_fenced else bare_reply(text)), keys)


def with_keys(decoded: Mapping[str, Any], keys: Collection[str]) -> Mapping[str, Any]:
    """Return an object with known keys spelled as the prompt asks, whatever came.

    Raises:
        DecodingError: A key stands there in two ways, with different values.
    """
    spelled = {key.casefold(): key for key in keys}

    def renamed(fields: Mapping[str, Any]) -> Mapping[str, Any]:
        if all(name in keys or name.casefold() not in spelled for name in fields):
            return fields
        return _without_contradiction(
            [
                (name if name in keys else spelled.get(name.casefold(), name), each)
                for name, each in fields.items()
            ]
        )

    top = renamed(decoded)
    listed = {
        name: [
            renamed(cast("dict[str, Any]", each)) if isinstance(each, dict) else each
            for each in cast("list[Any]", value)
        ]
        for name, value in top.items()
        if name in keys and isinstance(value, list)
    }
    return {**top, **listed}


def parts_of(reply: str) -> Iterator[ReplyPart]:
    """Yield the parts of a reply, in order.

    A brace that is never closed hides no object behind it.
    """
    at, unclosed = 0, None
    for start, end in _braces(reply):
        if start < at:
            continue
        if end is None:
            unclosed = start if unclosed is None else unclosed
            continue
        yield from _around(reply, at, unclosed, start)
        text, at, unclosed = reply[start:end], end, None
        try:
            yield ReplyPart("object", text, decode_object(text))
        except NotJsonError:
            yield ReplyPart("braces", text)
    yield from _around(reply, at, unclosed, len(reply))


def _around(reply: str, start: int, unclosed: int | None, end: int) -> Iterator[ReplyPart]:
    """Yield the text before a brace that is not closed, and what follows from it."""
    yield ReplyPart("text", reply[start : end if unclosed is None else unclosed])
    if unclosed is not None:
        yield ReplyPart("unclosed", reply[unclosed:end])


def _braces(text: str) -> list[tuple[int, int | None]]:
    """Return the start of each opening brace, and the end of its part, in one pass.

    Braces within a string do not count, and where a string begins depends on where its object begins. So braces behind an even
    number of quotation marks match each other, and so do those behind an odd number.
    """
    opening, closing = list[int](), dict[int, int]()
    unclosed: tuple[list[int], list[int]] = ([], [])
    parity = 0
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
