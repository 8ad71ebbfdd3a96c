"""Find the decoding parameter that a server refused.

Each server words it otherwise, and some name it in a field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import Any, NamedTuple, cast

from ...errors import ConfigurationError
from .exchange import CallError


class Refusal(NamedTuple):
    """A decoding parameter that a model does not take.

    Attributes:
        model: The model.
        name: The parameter.
        message: What the server says of it.
        instead: The name under which the model takes the same value; None if it takes it under none.
    """

    model: str
    name: str
    message: str
    instead: str | None = None


class RefusedParameterError(ConfigurationError):
    """A model refuses a parameter that a judge sends and can do without."""

    def __init__(self, by: str, refusal: Refusal) -> None:
        super().__init__(
            f"{by}: the model refuses {refusal.name!r}; leave it out with --judge-parameter {refusal.name}=null ({refusal.message})"
        )
        self.refusal = refusal


LIMITS = ("max_completion_tokens", "max_tokens")
"""Limits of tokens, by the name that reasoning models take and by the one that others do."""

_REFUSING = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
_WORDS = re.compile(
    r"unsupported|not supported|n[o']t support|unknown name|unknown (?:field|parameter|argument)|unrecognized|unexpected"
    r"|not permitted|not allowed|cannot both be|extra inputs|extra_forbidden|only the default|deprecated|does not accept|cannot be used",
    re.IGNORECASE,
)
"""Words for what a model or server does not take, rather than takes with another value."""
_DEEPEST = 8


def refused_parameter(error: CallError, names: Iterable[str]) -> str | None:
    """Return the parameter that a server refuses.

    Return None if the server names none, or refuses for another reason.

    A limit of tokens that is merely too large, say, is not refused: leaving it out would lift it.
    """
    if error.status not in _REFUSING or _WORDS.search(str(error)) is None:
        return None
    parameters = list(names)
    if error.param is not None and (named := error.param.partition(".")[0]) in parameters:
        return named
    found = {name: place.start() for name in parameters if (place := _named(name).search(str(error)))}
    return min(found, key=found.__getitem__) if found else None


def other_limit(error: CallError, name: str) -> str | None:
    """Return the name under which a server takes a token limit refused under this one.

    Return None if the server does not say.
    """
    return next(
        (other for other in LIMITS if name in LIMITS and other != name and _named(other).search(str(error))),
        None,
    )


def _named(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])")


def error_fields(body: object) -> Iterator[dict[str, Any]]:
    """Yield the objects in an error's body, the outermost first.

    They stand in a list, under ``error`` or ``detail``, or in the text of a gateway's upstream.
    """
    yield from _objects(body, 0)


def _objects(value: object, depth: int) -> Iterator[dict[str, Any]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _objects(each, depth + 1)
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
