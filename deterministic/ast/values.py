"""Is a value one of the acceptable ones? BFCL's rules, one function per declared type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .expectation import Argument
from .problem import Problem
from .standard_text import standardise

_NOT_ACCEPTABLE = "argument {argument}: got {got}, acceptable {expected}"


def check_value(value: Any, argument: Argument) -> Problem | None:
    """Compare a value with the acceptable ones: by its declared type, or as it is where those are of another type.

    Args:
        value: What came; of the declared type, or of that of the first acceptable value.
        argument: What is expected.

    Returns:
        The problem, or None.
    """
    if argument.variable:
        return check_equal(value, argument)
    if argument.python_type is str:
        return check_text(value, argument)
    if argument.python_type is dict:
        return check_dict(value, argument)
    if argument.python_type is list:
        check = check_list_of_dicts if argument.inner is dict else check_list
        return check(value, argument)
    return check_equal(value, argument)


def check_equal(value: Any, argument: Argument) -> Problem | None:
    """Numbers and the like: equal, as Python sees it, to an acceptable value; so 1, 1.0 and True are the same."""
    if value in argument.acceptable:
        return None
    return Problem("value_error:others", _NOT_ACCEPTABLE, argument.name, argument.shown, value)


def check_text(value: str, argument: Argument) -> Problem | None:
    """A text: the same as an acceptable one in standard form. The marker ``""`` takes part."""
    if standardise(value) in argument.texts:
        return None
    return Problem("value_error:string", _NOT_ACCEPTABLE, argument.name, argument.shown, value)


def check_list(value: list[Any], argument: Argument) -> Problem | None:
    """A list: equal to an acceptable one, texts among its own items in standard form. The marker ``""`` is ``[]``."""
    standard = [_standard_item(item) for item in value]
    for acceptable in argument.acceptable:
        choices = _items(acceptable)
        if choices is not None and standard == [_standard_item(item) for item in choices]:
            return None
    return Problem("value_error:list/tuple", _NOT_ACCEPTABLE, argument.name, argument.shown, value)


def check_dict(value: dict[Any, Any], argument: Argument) -> Problem | None:
    """A dict: every key has an acceptable value in one of the acceptable dicts, and no key is missing there."""
    problem: Problem | None = Problem(
        "dict_checker:unclear", _NOT_ACCEPTABLE, argument.name, argument.shown, value
    )
    for acceptable in argument.acceptable:
        if acceptable == "":
            continue
        problem = _compare_dict(value, acceptable, argument)
        if problem is None:
            return None
    return problem


def check_list_of_dicts(value: list[Any], argument: Argument) -> Problem | None:
    """A list of dicts: each matches the dict at its place in one of the acceptable lists."""
    problem: Problem | None = Problem(
        "list_dict_checker:unclear", _NOT_ACCEPTABLE, argument.name, argument.shown, value
    )
    for acceptable in argument.acceptable:
        problem = _compare_list_of_dicts(value, acceptable, argument)
        if problem is None:
            return None
    return problem


def _compare_list_of_dicts(value: list[Any], acceptable: Any, argument: Argument) -> Problem | None:
    wanted = _items(acceptable)
    if wanted is None or len(value) != len(wanted):
        sentence = "argument {argument}: not as many items as in {expected}, got {got}"
        return Problem("value_error:list_dict_count", sentence, argument.name, [acceptable], value)
    for item, acceptable_item in zip(value, wanted, strict=True):
        problem = _compare_dict(item, acceptable_item, argument)
        if problem is not None:
            return problem
    return None


def _compare_dict(value: Any, acceptable: Any, argument: Argument) -> Problem | None:
    """Compare with one acceptable dict; a missing key is reported before a bad value."""
    if not isinstance(value, dict) or not isinstance(acceptable, dict):
        # The original fails here without a verdict.
        sentence = "argument {argument}: expected {expected}, got {got}"
        return Problem("dict_checker:not_a_dict", sentence, argument.name, [acceptable], value)
    given, wanted = cast("dict[Any, Any]", value), cast("dict[Any, Any]", acceptable)
    missing = _first_missing(given, wanted)
    if missing is not None:
        sentence = "argument {argument}: a key is missing, one of {expected}"
        return Problem(
            "value_error:dict_key", sentence, f"{argument.name}[{missing!r}]", acceptable[missing], None
        )
    for key, item in given.items():
        name = f"{argument.name}[{key!r}]"
        if key not in wanted:
            sentence = "argument {argument}: a key that is none of {expected}"
            return Problem("value_error:dict_key", sentence, name, list(wanted), item)
        if _standard_item(item) not in [_standard_item(choice) for choice in _choices(wanted[key])]:
            return Problem("value_error:dict_value", _NOT_ACCEPTABLE, name, wanted[key], item)
    return None


def _first_missing(value: Mapping[Any, Any], acceptable: Mapping[Any, Any]) -> Any:
    return next(
        (key for key, choices in acceptable.items() if key not in value and not _may_be_missing(choices)),
        None,
    )


def _may_be_missing(choices: Any) -> bool:
    return isinstance(choices, str) or "" in _choices(choices)


def _choices(acceptable: Any) -> list[Any]:
    """A key's acceptable values. A bare text (there is one in the original's data) counts as its characters."""
    items = _items(acceptable)
    return [acceptable] if items is None else items


def _items(acceptable: Any) -> list[Any] | None:
    """The items of an acceptable list, or the characters of a text in its place: ``""`` is an empty list."""
    return list(cast("list[Any] | str", acceptable)) if isinstance(acceptable, list | str) else None


def _standard_item(item: Any) -> Any:
    return standardise(item) if type(item) is str else item
