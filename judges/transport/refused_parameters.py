"""Find the decoding parameter that a server refused, in the fields or the text of its error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import Any, NamedTuple, cast

from ...errors import ConfigurationError
from ...spelling import setting
from .exchange import CallError


class Refusal(NamedTuple):
    """Decoding parameter that a model does not accept.

    Attributes:
        model: The model.
        name: The parameter.
        message: The server's message.
        instead: Name under which the model accepts the parameter, or None if it does not accept it at all.
    """

    model: str
    name: str
    message: str
    instead: str | None = None


class RefusedParameterError(ConfigurationError):
    """A model refuses a parameter that its judge does not need."""

    def __init__(self, by: str, refusal: Refusal) -> None:
        super().__init__(
            f"{by}: the model refuses {refusal.name!r}; leave it out with {setting('judge_parameter', f'{refusal.name}=null')} ({refusal.message})"
        )
        self.refusal = refusal


LIMITS = ("max_completion_tokens", "max_tokens")
"""Parameters that limit a reply's tokens: the first for reasoning models, the second for other models."""

_REFUSAL_STATUSES = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
_REFUSAL_WORDS = re.compile(
    r"unsupported|not supported|n[o']t support|unknown name|unknown (?:field|parameter|argument)|unrecognized|unexpected"
    r"|not permitted|not allowed|cannot both be|extra inputs|extra_forbidden|only the default|deprecated|does not accept|cannot be used",
    re.IGNORECASE,
)
"""Words in errors about a parameter that is not accepted, as opposed to a wrong value of one."""
_MAX_DEPTH = 8
"""Maximum nesting of the error objects that are searched, since a hostile body may nest without end."""


def refused_parameter(error: CallError, names: Iterable[str]) -> str | None:
    """Return the parameter that a server does not accept, or None for any other error.

    A wrong value, such as a token limit that is too large, is another reason: without the limit, replies could be longer still.
    """
    if error.status not in _REFUSAL_STATUSES or _REFUSAL_WORDS.search(str(error)) is None:
        return None
    parameters = list(names)
    field = (error.param or "").partition(".")[0]
    if field in parameters:
        return field
    # Else the parameter that the message names first.
    positions = {name: match.start() for name in parameters if (match := _pattern(name).search(str(error)))}
    return min(positions, key=positions.__getitem__) if positions else None


def other_limit(error: CallError, name: str) -> str | None:
    """Return the other name of a refused token limit if the server suggests it, else None."""
    if name not in LIMITS:
        return None
    others = (other for other in LIMITS if other != name and _pattern(other).search(str(error)))
    return next(others, None)


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])")


def error_fields(body: object) -> Iterator[dict[str, Any]]:
    """Yield the objects in an error's body, the outermost first.

    Nested objects may be in a list, under ``error``, ``detail`` or ``metadata``, or in ``raw``: the JSON text of the error that a
    gateway received.
    """
    yield from _objects(body, 0)


def _objects(value: object, depth: int) -> Iterator[dict[str, Any]]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _objects(item, depth + 1)
    elif isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        yield fields
        for name in ("error", "detail", "metadata"):
            yield from _objects(fields.get(name), depth + 1)
        raw = fields.get("raw")
        if isinstance(raw, str):
            try:
                yield from _objects(json.loads(raw), depth + 1)
            except (ValueError, RecursionError):
                return
