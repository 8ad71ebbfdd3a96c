"""Match of a value with an accepted one: it fits, it differs, or only its form does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

from ..records import AnyOrder
from .pairing import first_unpairable

MatchLevel: TypeAlias = Literal[0, 1, 2]
"""``DIFFERS``, ``OPEN`` or ``FITS``; alternatives take the highest, parts of a whole the lowest."""

DIFFERS: MatchLevel = 0
OPEN: MatchLevel = 1
FITS: MatchLevel = 2


def of_alternatives(levels: Iterable[MatchLevel]) -> MatchLevel:
    """Return the highest level; ``DIFFERS`` if there are no alternatives."""
    best = DIFFERS
    for level in levels:
        if level > best:
            if level == FITS:
                return FITS
            best = level
    return best


def of_parts(levels: Iterable[MatchLevel]) -> MatchLevel:
    """Return the lowest level; ``FITS`` if there are no parts."""
    worst = FITS
    for level in levels:
        if level < worst:
            if level == DIFFERS:
                return DIFFERS
            worst = level
    return worst


def of_lists(
    actual: Sequence[Any], accepted: Sequence[Any], match: Callable[[Any, Any], MatchLevel]
) -> MatchLevel:
    """Compare lists of one length item by item, or in any order if accepted."""
    if not isinstance(accepted, AnyOrder):
        return of_parts(map(match, actual, accepted))
    return of_pairs([[match(each, expected) for each in actual] for expected in accepted])


def of_pairs(table: Sequence[Sequence[MatchLevel]]) -> MatchLevel:
    """Pair each row with another column, and return the level of the whole."""
    for level in (FITS, OPEN):
        if first_unpairable([[n for n, each in enumerate(row) if each >= level] for row in table]) is None:
            return level
    return DIFFERS


def states_form(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema says exactly how a text is written."""
    if not _EXACT.isdisjoint(schema):
        return True
    return any(
        states_form(cast("dict[str, Any]", variant))
        for variant in _variants(schema)
        if isinstance(variant, dict)
    )


def listed_texts(schema: Mapping[str, Any]) -> list[str]:
    """Return the texts that ``const`` or ``enum`` allow."""
    enum: Any = [schema["const"]] if "const" in schema else schema.get("enum")
    texts = (
        [each for each in cast("list[Any]", enum) if isinstance(each, str)] if isinstance(enum, list) else []
    )
    for variant in _variants(schema):
        if isinstance(variant, dict):
            texts += listed_texts(cast("dict[str, Any]", variant))
    return texts


def _variants(schema: Mapping[str, Any]) -> list[Any]:
    variants: list[Any] = []
    for name in ("anyOf", "oneOf", "allOf"):
        if isinstance(listed := schema.get(name), list):
            variants += cast("list[Any]", listed)
    return variants


_EXACT = frozenset({"enum", "const", "pattern", "format"})
