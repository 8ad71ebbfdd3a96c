"""Levels of a match with an accepted value: it fits, it differs, or only its form does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

from ..records import AnyOrder
from .pairing import first_unpairable

MatchLevel: TypeAlias = Literal[0, 1, 2]
"""``DIFFERS``, ``OPEN`` or ``FITS``. A value takes the highest level of its alternatives, and the lowest of its parts."""

DIFFERS: MatchLevel = 0
OPEN: MatchLevel = 1
"""Texts differ only in form, which the strict rules leave undecided."""
FITS: MatchLevel = 2


def highest_level(levels: Iterable[MatchLevel]) -> MatchLevel:
    """Return the highest level; ``DIFFERS`` if there are no alternatives."""
    best = DIFFERS
    for level in levels:
        if level > best:
            if level == FITS:
                return FITS
            best = level
    return best


def lowest_level(levels: Iterable[MatchLevel]) -> MatchLevel:
    """Return the lowest level; ``FITS`` if there are no parts."""
    worst = FITS
    for level in levels:
        if level < worst:
            if level == DIFFERS:
                return DIFFERS
            worst = level
    return worst


def match_lists(
    actual: Sequence[Any], accepted: Sequence[Any], match: Callable[[Any, Any], MatchLevel]
) -> MatchLevel:
    """Compare lists of equal length item by item, or in any order if the reference allows that."""
    if not isinstance(accepted, AnyOrder):
        return lowest_level(map(match, actual, accepted))
    return match_pairs([[match(item, expected) for item in actual] for expected in accepted])


def match_pairs(table: Sequence[Sequence[MatchLevel]]) -> MatchLevel:
    """Return the highest level at which each row can be paired with a column of its own."""
    for level in (FITS, OPEN):
        columns_by_row = [[column for column, cell in enumerate(row) if cell >= level] for row in table]
        if first_unpairable(columns_by_row) is None:
            return level
    return DIFFERS


def prescribes_form(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema prescribes how a text is written, so that its form counts."""
    if not _FORM_KEYWORDS.isdisjoint(schema):
        return True
    return any(
        prescribes_form(cast("dict[str, Any]", variant))
        for variant in _variants(schema)
        if isinstance(variant, dict)
    )


def listed_texts(schema: Mapping[str, Any]) -> list[str]:
    """Return the texts that ``const`` or ``enum`` allow, also those of the schema's variants."""
    enum: Any = [schema["const"]] if "const" in schema else schema.get("enum")
    allowed = (
        [text for text in cast("list[Any]", enum) if isinstance(text, str)] if isinstance(enum, list) else []
    )
    for variant in _variants(schema):
        if isinstance(variant, dict):
            allowed += listed_texts(cast("dict[str, Any]", variant))
    return allowed


def _variants(schema: Mapping[str, Any]) -> list[Any]:
    variants: list[Any] = []
    for name in ("anyOf", "oneOf", "allOf"):
        if isinstance(alternatives := schema.get(name), list):
            variants += cast("list[Any]", alternatives)
    return variants


_FORM_KEYWORDS = frozenset({"enum", "const", "pattern", "format"})
