"""Check a call against an expected call by BFCL's rules, and return the first problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .expectation import Argument, ExpectedCall, standardise
from .problem import (
    NOT_ACCEPTABLE,
    Problem,
    missing_argument,
    not_acceptable,
    not_source_text,
    unexpected_argument,
    wrong_name,
    wrong_type,
)
from .schemas import as_list


def check_type(value: object, argument: Argument) -> Problem | None:
    """Check that a value has the declared type, or that of the first acceptable value.

    Types are compared exactly: a bool is not an int, an int not a float. Items are checked one level deep, against any one of the
    acceptable lists. As in BFCL, the marker ``""`` of an optional argument among the acceptable values lets all items pass.
    """
    kind = type(value)
    if kind is argument.python_type:
        if argument.inner is None or _items_pass(cast("list[Any]", value), argument):
            return None
        if kind is argument.first_type:
            sentence = "argument {argument}: items of the wrong type in {got}, acceptable {expected}"
            return Problem("type_error:nested", sentence, argument.name, argument.shown, value)
    elif kind is argument.first_type:
        return None
    return wrong_type(argument, value)


def _items_pass(value: list[Any], argument: Argument) -> bool:
    return any(
        type(acceptable) is not list or all(_item_passes(item, acceptable, argument.inner) for item in value)
        for acceptable in argument.bfcl_values
    )


def _item_passes(item: Any, acceptable: list[Any], inner_type: type | None) -> bool:
    """Return whether an item has the inner type, or the type of the first acceptable item.

    The marker ``""`` does not count as an item.
    """
    if type(item) is inner_type:
        return True
    return type(item) is next((type(cast("object", value)) for value in acceptable if value != ""), None)


def check_value(value: Any, argument: Argument) -> Problem | None:
    """Compare a value with the acceptable ones.

    The declared type decides how they are compared. If the acceptable values are of another type, they are compared unchanged.
    """
    if argument.type_differs:
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
    """Check that a value equals an acceptable one in Python; 1, 1.0 and True are equal."""
    if value in argument.bfcl_values:
        return None
    return not_acceptable("value_error:others", argument, value)


def check_text(value: str, argument: Argument) -> Problem | None:
    """Check a text against the acceptable ones, including the marker ``""``, in standard form."""
    if standardise(value) in argument.standard_texts:
        return None
    return not_acceptable("value_error:string", argument, value)


def check_list(value: list[Any], argument: Argument) -> Problem | None:
    """Check a list against the acceptable ones; its texts are compared in standard form.

    As in BFCL, the marker ``""`` of an optional argument accepts an empty list.
    """
    standard_items = [_standardise_item(item) for item in value]
    for acceptable in argument.bfcl_values:
        choices = _items(acceptable)
        if choices is not None and standard_items == [_standardise_item(item) for item in choices]:
            return None
    return not_acceptable("value_error:list/tuple", argument, value)


def check_dict(value: dict[Any, Any], argument: Argument) -> Problem | None:
    """Check a dict against the acceptable dicts.

    It passes if, by one of them, all its values are acceptable and no key is missing.
    """
    problem: Problem | None = not_acceptable("dict_checker:unclear", argument, value)
    for acceptable in argument.bfcl_values:
        if acceptable == "":
            continue
        problem = _compare_dict(value, acceptable, argument)
        if problem is None:
            return None
    return problem


def check_list_of_dicts(value: list[Any], argument: Argument) -> Problem | None:
    """Check a list of dicts: each must match its counterpart in one acceptable list."""
    problem: Problem | None = not_acceptable("list_dict_checker:unclear", argument, value)
    for acceptable in argument.bfcl_values:
        problem = _compare_list_of_dicts(value, acceptable, argument)
        if problem is None:
            return None
    return problem


def _compare_list_of_dicts(value: list[Any], acceptable: Any, argument: Argument) -> Problem | None:
    acceptable_items = _items(acceptable)
    if acceptable_items is None or len(value) != len(acceptable_items):
        sentence = "argument {argument}: not as many items as in {expected}, got {got}"
        return Problem("value_error:list_dict_count", sentence, argument.name, [acceptable], value)
    for item, acceptable_item in zip(value, acceptable_items, strict=True):
        problem = _compare_dict(item, acceptable_item, argument)
        if problem is not None:
            return problem
    return None


def _compare_dict(value: Any, acceptable: Any, argument: Argument) -> Problem | None:
    """Compare a dict with one acceptable dict; a missing key is reported before a wrong value."""
    if not isinstance(value, dict) or not isinstance(acceptable, dict):
        # BFCL raises an error here instead of giving a verdict.
        sentence = "argument {argument}: expected {expected}, got {got}"
        return Problem("dict_checker:not_a_dict", sentence, argument.name, [acceptable], value)
    actual_dict, choices_by_key = cast("dict[Any, Any]", value), cast("dict[Any, Any]", acceptable)
    missing_key = _first_missing_key(actual_dict, choices_by_key)
    if missing_key is not None:
        sentence = "argument {argument}: a key is missing, one of {expected}"
        return Problem(
            "value_error:dict_key",
            sentence,
            f"{argument.name}[{missing_key!r}]",
            choices_by_key[missing_key],
            None,
        )
    for key, item in actual_dict.items():
        name = f"{argument.name}[{key!r}]"
        if key not in choices_by_key:
            sentence = "argument {argument}: a key that is none of {expected}"
            return Problem("value_error:dict_key", sentence, name, list(choices_by_key), item)
        if _standardise_item(item) not in map(_standardise_item, _choice_list(choices_by_key[key])):
            return Problem("value_error:dict_value", NOT_ACCEPTABLE, name, choices_by_key[key], item)
    return None


def _first_missing_key(value: Mapping[Any, Any], acceptable: Mapping[Any, Any]) -> Any:
    return next(
        (key for key, choices in acceptable.items() if key not in value and not _may_be_missing(choices)),
        None,
    )


def _may_be_missing(choices: Any) -> bool:
    # BFCL tests ``"" in choices``, which is true of every text.
    return isinstance(choices, str) or "" in _choice_list(choices)


def _choice_list(acceptable: Any) -> list[Any]:
    """Return the acceptable values of a key.

    A text in place of a list (BFCL's data has one) counts as its characters.
    """
    items = _items(acceptable)
    return [acceptable] if items is None else items


def _items(acceptable: Any) -> list[Any] | None:
    return list(cast("list[Any] | str", acceptable)) if isinstance(acceptable, list | str) else None


def _standardise_item(item: Any) -> Any:
    return standardise(item) if type(item) is str else item


def check_call(call: dict[Any, Any], expected: ExpectedCall) -> Problem | None:
    """Return the first problem of a call, ``{name: {argument: value}}``, or None if it matches."""
    if expected.name not in call:
        return wrong_name(expected.name, next(iter(call)))
    arguments: dict[Any, Any] = call[expected.name]
    for name in expected.required_by_schema:
        if name not in arguments:
            return missing_argument(name, expected)
    for name, value in arguments.items():
        argument = expected.arguments.get(name)
        if argument is None:
            return unexpected_argument(name, value, expected)
        # A shortcut for most texts, which would pass the checks below.
        if type(value) is str and value in argument.accepted_unconverted:
            continue
        problem = _check_argument(value, argument, expected.language)
        if problem is not None:
            return problem
    for name in expected.required_by_reference:
        if name not in arguments:
            return missing_argument(name, expected)
    return None


def _check_argument(value: Any, argument: Argument, language: str) -> Problem | None:
    if argument.convert is not None:
        if type(value) is not str:
            return not_source_text(argument, value, language)
        value = argument.convert(value)
    elif argument.declared == "tuple":
        value = as_list(value)
    elif type(value) is int and argument.python_type is float:
        value = _as_float(value)
    if argument.any_value:
        return None
    return check_type(value, argument) or check_value(value, argument)


def _as_float(value: int) -> float | int:
    try:
        return float(value)
    except OverflowError:
        # BFCL raises an error here. The integer is kept, so it has the wrong type.
        return value
