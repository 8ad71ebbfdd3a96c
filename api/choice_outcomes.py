"""Results of each choice that a table leaves open, for a dry run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice, product
from typing import Any, cast

from ..errors import ChoiceNeeded, FiducialError
from ..spelling import flag, spelled_pairs, spelled_scale, together, without
from ..tables.grades import UNKNOWN, as_number, usual_ends

MAX_CHOICES = 16
"""Maximum number of combinations of choices that are tried."""

_MAX_COMBINED_WORDS = 6
"""Maximum number of words for which every combination of scores is tried.

If there are more words, one word at a time counts as good.
"""

_UNKNOWN_SCALE = (UNKNOWN, UNKNOWN)


def choice_outcomes(measure: Callable[[Mapping[str, Any]], str]) -> Iterator[str]:
    """Yield a line for each choice: the arguments that make it, and their result.

    Nothing is yielded if no choice is open.

    Args:
        measure: Function that reads the table with further arguments, and returns a description of the result.
    """
    try:
        measure({})
    except ChoiceNeeded as needed:
        combinations = list(islice(_combinations(needed), MAX_CHOICES))
        for arguments in combinations:
            yield f"{_spelled_arguments(arguments)}: {_outcome(measure, arguments)}"
        if not combinations:
            yield f"too many choices to try: add {needed.options}"


def _outcome(measure: Callable[[Mapping[str, Any]], str], arguments: Mapping[str, Any]) -> str:
    try:
        return measure(arguments)
    except ChoiceNeeded as needed:
        return f"then add {needed.options}"
    except FiducialError as error:
        return f"refused: {error}"


def _combinations(needed: ChoiceNeeded) -> Iterator[dict[str, Any]]:
    """Yield the arguments of each combination of choices."""
    choices_by_argument = [
        [(name, choice) for choice in _values(name, value, needed)]
        for name, value in needed.arguments.items()
    ]
    for arguments in map(dict, product(*choices_by_argument)):
        if not _gives_one_score(arguments.get("map_label", {}), needed):
            yield arguments


def _gives_one_score(score_of_word: Mapping[str, Any], needed: ChoiceNeeded) -> bool:
    """Return whether all words of a column have one score, which would be refused."""
    words_of_columns = [choice.candidates for choice in needed.choices if choice.setting == "map_label"]
    return any(
        len(words) > 1
        and words.keys() <= score_of_word.keys()
        and len({score_of_word[word] for word in words}) == 1
        for words in words_of_columns
    )


def _values(name: str, value: Any, needed: ChoiceNeeded) -> Iterator[Any]:
    """Yield the values that an argument with unknown parts may have."""
    if name == "header":
        yield from (True, False)
        return
    if not isinstance(value, Mapping):
        yield from _scales(name, "", needed) if value == _UNKNOWN_SCALE else [value]
        return
    by_key = cast("Mapping[str, Any]", value)
    keys = [*by_key]
    open_words = [key for key in keys if by_key[key] == UNKNOWN] if name == "map_label" else []
    if len(open_words) > _MAX_COMBINED_WORDS:
        for good in open_words:
            yield {**by_key, **dict.fromkeys(open_words, 0), good: 1}
        return
    values_of_keys = [_values_of_key(name, key, by_key[key], needed) for key in keys]
    for values in product(*values_of_keys):
        if name != "map" or len(set(values)) == len(values):  # one column is not two fields
            yield dict(zip(keys, values, strict=True))


def _values_of_key(name: str, key: str, value: Any, needed: ChoiceNeeded) -> list[Any]:
    if value == _UNKNOWN_SCALE:
        return _scales(name, key, needed)
    if value != UNKNOWN:
        return [value]
    if name == "map_label":
        return [1, 0]
    return [
        column
        for choice in needed.choices
        if (choice.setting, choice.key) == (name, key)
        for column in choice.candidates
    ]


def _scales(name: str, key: str, needed: ChoiceNeeded) -> list[tuple[float, float]]:
    """Return the scale that the grades suggest, and its reverse."""
    values = [
        value
        for choice in needed.choices
        if (choice.setting, choice.key) == (name, key)
        for value in choice.candidates
    ]
    numbers = [number for value in values if (number := as_number(value)) is not None]
    # A grade above 1 shows that the scale is not from 0 to 1.
    ends = usual_ends(numbers) if numbers and max(numbers) > 1 else "0:1"
    low, high = map(float, ends.split(":"))
    return [(low, high), (high, low)]


def _spelled_arguments(arguments: Mapping[str, Any]) -> str:
    parts: list[str] = []
    for name, value in arguments.items():
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
