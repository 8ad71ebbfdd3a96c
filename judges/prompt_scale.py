"""Scale that a prompt file, an option or a prompt's text declares.

A scale must be declared, under ``scale`` or in the ``response_format``. A guess could be wrong: 1 is the worst grade from 1 to 5, but
the best of 0 and 1.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, cast

import msgspec

from ..errors import PromptError
from ..records.scale import PASS_OR_FAIL, Scale
from ..records.typed_values import convert
from ..spelling import setting, together
from .front_matter import FrontMatter, read_yaml

_RANGE_IN_TEXT = re.compile(
    r"(?<![\w.,/:-])([0-9]{1,3})[\"']?(?: ?\([^()\n]{1,60}\))?(?: ?[-\u2013\u2014] ?| (?:to|and|or|through) )[\"']?([0-9]{1,3})(?![\w%/:-]|[.,][0-9])"
)
_MAX_NAMED_SCORE = 100
"""Numbers up to this may be the upper end of a scale that a text names."""
_RANGE_OPTION = re.compile(
    r"(-?[0-9]{1,9}(?:\.[0-9]{1,9})?) ?(?:-|\u2013|:|,|\.\.|to) ?(-?[0-9]{1,9}(?:\.[0-9]{1,9})?)"
)
_SCHEMA_PATH = ("response_format", "json_schema", "schema", "properties")
"""Keys that lead from the decoding parameters to the fields of a reply."""


class _ScaleFields(msgspec.Struct, forbid_unknown_fields=True):
    minimum: float
    maximum: float
    step: float | None = None
    better: Literal["high", "low"] = "high"


def declared_scale(front: FrontMatter, parameters: Mapping[str, Any], parse: Mapping[str, Any]) -> Scale:
    """Return the scale that a prompt file declares.

    Raises:
        PromptError: It declares no scale; the message suggests the line to add.
    """
    if front.values.get("scale") is not None:
        try:
            return scale_of(front.values["scale"])
        except ValueError as error:
            raise front.fault(str(error), "scale") from error
    format_scale = listed_scale(parameters, str(parse.get("score", "score")))
    if format_scale is not None:
        return format_scale
    suggested, reason = suggested_scale(front.body)
    raise PromptError(
        f"{front.path}:{front.body_line - 1}: scale: which scores are possible is not declared; "
        f"add this line to the front matter: {scale_line(suggested)} ({reason}; add better: low if the lowest score is the best)"
    )


def scale_of(declared: Any) -> Scale:
    """Read a scale from a mapping of ``minimum``, ``maximum``, perhaps ``step`` and ``better``.

    Raises:
        ValueError: It is not such a mapping, or the numbers do not make a scale.
    """
    try:
        values = convert(declared, _ScaleFields)
    except msgspec.ValidationError as error:
        raise ValueError(str(error).replace("`$.", "`").replace("`$", "`scale")) from error
    return Scale(values.minimum, values.maximum, values.step, values.better)


def scale_line(scale: Scale) -> str:
    """Return the line of front matter that declares a scale."""
    step = "" if scale.step is None else f", step: {scale.step:g}"
    better = "" if scale.better == "high" else f", better: {scale.better}"
    return f"scale: {{minimum: {scale.minimum:g}, maximum: {scale.maximum:g}{step}{better}}}"


def scale_from_option(text: str, step: float | None = None) -> Scale:
    """Parse ``--scale``: ``1-5``, ``5-1`` if 1 is the best, or a prompt file's form."""
    ends = _RANGE_OPTION.fullmatch(text.strip())
    if ends is not None:
        return Scale.from_ends((float(ends[1]), float(ends[2])), step=step)
    declared: Any = read_yaml(text.strip().removeprefix("scale:"))
    if isinstance(declared, dict):
        return scale_of(declared if step is None else {**cast("dict[str, Any]", declared), "step": step})
    raise ValueError("expected the worst score and the best, such as 1-5, or 5-1 if 1 is the best")


def scale_text(scale: Scale) -> str:
    """Return the options (or arguments) that declare a scale."""
    worst, best = scale.ends
    step = "" if scale.step is None else setting("step", f"{scale.step:g}")
    return together(setting("scale", f"{worst:g}-{best:g}"), step)


def suggested_scale(text: str) -> tuple[Scale, str]:
    """Return the scale that a prompt seems to ask for, and why; for suggestions only."""
    range_ = _named_range(text)
    if range_ is None:
        return PASS_OR_FAIL, "or with the ends that the prompt asks for"
    step = None if range_.is_unit and " or " not in range_.words else 1.0
    return Scale(range_.low, range_.high, step), f"the text says {range_.words!r}"


def names_other_scale(text: str) -> bool:
    """Return whether a prompt mentions a scale other than 0 to 1."""
    range_ = _named_range(text)
    return range_ is not None and not range_.is_unit


def listed_scale(parameters: Mapping[str, Any], key: str) -> Scale | None:
    """Return the scale that a ``response_format`` declares, or None if it declares none.

    It may list evenly spaced scores, or allow whole numbers between two ends. The highest score is the best.
    """
    value: Any = parameters
    for name in (*_SCHEMA_PATH, key):
        value = cast("dict[str, Any]", value).get(name) if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping):
        return None
    schema = cast("Mapping[str, Any]", value)
    if isinstance(schema.get("enum"), list):
        return _evenly_spaced(schema["enum"])
    low, high = _number(schema.get("minimum")), _number(schema.get("maximum"))
    if schema.get("type") != "integer" or low is None or high is None:
        return None
    return _scale_or_none(low, high, 1.0)


def _scale_or_none(low: float, high: float, step: float) -> Scale | None:
    try:
        return Scale(low, high, step)
    except ValueError:
        return None


def _evenly_spaced(values: Sequence[Any]) -> Scale | None:
    """Return the scale whose scores are these values, or None if they are not evenly spaced."""
    try:
        scores = sorted({float(score) for score in values if not isinstance(score, bool)})
    except (TypeError, ValueError, OverflowError):
        return None
    steps = [after - before for before, after in pairwise(scores)]
    if not steps or not math.isfinite(sum(steps)) or not math.isclose(min(steps), max(steps)):
        return None
    return _scale_or_none(scores[0], scores[-1], steps[0])


def _number(value: Any) -> float | None:
    """Return a finite number, or None for any other value."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


class _NamedRange(NamedTuple):
    """Range of numbers, and the part of a text that names it."""

    low: int
    high: int
    words: str

    @property
    def is_unit(self) -> bool:
        return (self.low, self.high) == (0, 1)


def _named_range(text: str) -> _NamedRange | None:
    """Return the range of numbers from 0 or 1 that a text names most often."""
    ranges = [
        _NamedRange(int(match[1]), int(match[2]), re.sub("[\"']", "", match[0]))
        for match in _RANGE_IN_TEXT.finditer(text)
    ]
    plausible = [
        range_ for range_ in ranges if range_.low in {0, 1} and range_.low < range_.high <= _MAX_NAMED_SCORE
    ]
    if not plausible:
        return None
    ((usual_ends, _),) = Counter((range_.low, range_.high) for range_ in plausible).most_common(1)
    return next(range_ for range_ in plausible if (range_.low, range_.high) == usual_ends)
