"""Results of each choice that a table leaves open, for a dry run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice, product
from typing import Any, cast

from ..errors import ChoiceNeeded, FiducialError
from ..spelling import flag, spelled_pairs, spelled_scale, together, without
from ..tables.grades import UNKNOWN, as_number, usual_ends

MAX_CHOICES = 16
"""Most combinations of choices that are tried."""

_MAX_WORDS = 6
"""Most words of which every combination is tried; of more, each alone is good."""

_OPEN = (UNKNOWN, UNKNOWN)


def choice_outcomes(measure: Callable[[Mapping[str, Any]], str]) -> Iterator[str]:
    """Yield each choice, spelled as arguments, with what it gives; nothing if none is open.

    Args:
        measure: Function that reads the table with further arguments, and returns what they give.
    """
    try:
        measure({})
    except ChoiceNeeded as asked:
        tried = list(islice(_combinations(asked), MAX_CHOICES))
        for chosen in tried:
            yield f"{_spelled(chosen)}: {_outcome(measure, chosen)}"
        if not tried:
            yield f"too many choices to try: add {asked.options}"


def _outcome(measure: Callable[[Mapping[str, Any]], str], chosen: Mapping[str, Any]) -> str:
    try:
        return measure(chosen)
    except ChoiceNeeded as asked:
        return f"then add {asked.options}"
    except FiducialError as error:
        return f"refused: {error}"


def _combinations(asked: ChoiceNeeded) -> Iterator[dict[str, Any]]:
    """Yield the arguments of each combination of choices."""
    parts = [
        [(name, each) for each in _values(name, value, asked)] for name, value in asked.arguments.items()
    ]
    for chosen in map(dict, product(*parts)):
        if not _makes_alike(chosen.get("map_label", {}), asked):
            yield chosen


def _makes_alike(words: Mapping[str, Any], asked: ChoiceNeeded) -> bool:
    """Return whether all words of a column have one score, which would be refused."""
    of_columns = [choice.candidates for choice in asked.choices if choice.setting == "map_label"]
    return any(
        len(column) > 1 and column.keys() <= words.keys() and len({words[word] for word in column}) == 1
        for column in of_columns
    )


def _values(name: str, value: Any, asked: ChoiceNeeded) -> Iterator[Any]:
    """Yield the values of an argument that is open in some part."""
    if name == "header":
        yield from (True, False)
        return
    if not isinstance(value, Mapping):
        yield from _scales(name, "", asked) if value == _OPEN else [value]
        return
    by_key = cast("Mapping[str, Any]", value)
    keys = [*by_key]
    open_words = [key for key in keys if by_key[key] == UNKNOWN] if name == "map_label" else []
    if len(open_words) > _MAX_WORDS:
        for good in open_words:
            yield {**by_key, **dict.fromkeys(open_words, 0), good: 1}
        return
    options = [_of_key(name, key, by_key[key], asked) for key in keys]
    for chosen in product(*options):
        if name != "map" or len(set(chosen)) == len(chosen):  # one column is not two fields
            yield dict(zip(keys, chosen, strict=True))


def _of_key(name: str, key: str, value: Any, asked: ChoiceNeeded) -> list[Any]:
    if value == _OPEN:
        return _scales(name, key, asked)
    if value != UNKNOWN:
        return [value]
    if name == "map_label":
        return [1, 0]
    return [
        column
        for choice in asked.choices
        if (choice.setting, choice.key) == (name, key)
        for column in choice.candidates
    ]


def _scales(name: str, key: str, asked: ChoiceNeeded) -> list[tuple[float, float]]:
    """Return a scale and the same turned round, by the grades that there are."""
    values = [
        value
        for choice in asked.choices
        if (choice.setting, choice.key) == (name, key)
        for value in choice.candidates
    ]
    numbers = [number for value in values if (number := as_number(value)) is not None]
    ends = usual_ends(numbers) if numbers and max(numbers) > 1 else "0:1"
    low, high = map(float, ends.split(":"))
    return [(low, high), (high, low)]


def _spelled(chosen: Mapping[str, Any]) -> str:
    parts: list[str] = []
    for name, value in chosen.items():
        if name in {"map", "map_label"}:
            parts.append(spelled_pairs(name, value))
        elif isinstance(value, bool):
            parts.append(flag(name) if value else without(name))
        elif isinstance(value, Mapping):
            scales = cast("Mapping[str, tuple[float, float]]", value)
            parts += [spelled_scale(name, f"{low:g}:{high:g}", key) for key, (low, high) in scales.items()]
        else:
            parts.append(spelled_scale(name, f"{value[0]:g}:{value[1]:g}"))
    return together(*parts)
