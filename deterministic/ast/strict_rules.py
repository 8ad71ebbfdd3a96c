"""Check a call against an expected call by strict rules, and return the first problem."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias, cast
from unicodedata import normalize

from ...records import AnyValue, ExactText, LooseText, TextRule
from ...records.python_syntax import Unquoted
from ..match_levels import (
    DIFFERS,
    FITS,
    OPEN,
    MatchLevel,
    highest_level,
    listed_texts,
    lowest_level,
    match_lists,
    prescribes_form,
)
from .expectation import Argument, ExpectedCall
from .problem import (
    Problem,
    differs_in_form,
    missing_argument,
    not_acceptable,
    not_source_text,
    unexpected_argument,
    wrong_name,
    wrong_type,
)
from .schemas import as_list, as_mapping, with_one_type

_NUMBERS = (int, float)

TextRules: TypeAlias = tuple[TextRule | None, TextRule | None, bool]
"""How texts are compared: the case's rule; the run's rule, used if neither case nor schema has one; whether schemas may have one."""

_LOOSE: TextRules = ("loose", None, False)


def check_value_strictly(value: Any, argument: Argument, text: TextRule | None = None) -> Problem | None:
    """Check that a value is an acceptable one.

    An optional argument may also have its documented default, if that is null or of the documented type. A value whose type is neither
    documented nor that of an acceptable value has a problem of type, any other one of value.

    Args:
        value: The value.
        argument: The argument.
        text: The run's rule for texts. With None, a difference in form only is left undecided.
    """
    schema, literal = argument.schema, argument.literal
    rules: TextRules = (argument.text, text, argument.schema_settles)
    level = highest_level(
        [match_level(value, choice, schema, rules, literal=literal) for choice in argument.values]
    )
    if level != FITS and argument.optional:
        level = max(level, _match_default(value, argument, rules))
    if level != DIFFERS:
        return None if level == FITS else differs_in_form(argument, value)
    if _has_type(value, argument):
        return not_acceptable(_value_error(argument), argument, value)
    return wrong_type(argument, value)


def _match_default(value: Any, argument: Argument, rules: TextRules) -> MatchLevel:
    """Compare a value, if it is null or of the documented type, with the documented default."""
    schema = argument.schema
    if "default" not in schema or not (value is None or _has_type(value, argument)):
        return DIFFERS
    return match_level(value, schema["default"], schema, rules, literal=argument.literal)


def is_acceptable(value: Any, choice: Any, schema: Mapping[str, Any], *, literal: bool = False) -> bool:
    """Return whether a value equals an acceptable one; types count, the form of texts does not."""
    return match_level(value, choice, schema, _LOOSE, literal=literal) == FITS


def match_level(
    value: Any, choice: Any, schema: Mapping[str, Any], rules: TextRules, *, literal: bool = False
) -> MatchLevel:
    """Compare a value with an acceptable one; types and signs count.

    An acceptable dict has a list of acceptable values per key, or plain values. With ``literal`` it always has plain values, so a list
    is a value.
    """
    if isinstance(choice, (str, AnyValue)):
        return FITS if isinstance(choice, AnyValue) else _match_texts(value, choice, schema, rules)
    if isinstance(choice, bool) or isinstance(value, bool) or choice is None:
        return FITS if type(value) is type(choice) and value == choice else DIFFERS
    if isinstance(choice, _NUMBERS):
        return FITS if _is_same_number(value, choice, schema) else DIFFERS
    if isinstance(choice, list):
        return _match_as_list(value, cast("list[Any]", choice), schema, rules, literal=literal)
    if isinstance(choice, dict) and type(value) is dict:
        actual, expected = cast("dict[Any, Any]", value), cast("dict[str, Any]", choice)
        level = _match_plain_dict(actual, expected, schema, rules, literal=literal)
        return (
            level
            if literal or level == FITS
            else max(level, _match_dict_of_choices(actual, expected, schema, rules))
        )
    return DIFFERS


def _match_texts(value: Any, choice: str, schema: Mapping[str, Any], rules: TextRules) -> MatchLevel:
    if type(value) is Unquoted:
        # A name without quotes is right only if the reference names a variable, not a text.
        return FITS if schema.get("type") not in _TEXT_TYPES and str(value) == choice else DIFFERS
    if type(value) is not str:
        return DIFFERS
    if value == choice:
        return FITS
    if standardise_strictly(value) != standardise_strictly(choice):
        return DIFFERS
    return FITS if _compose(value) == _compose(choice) else _match_forms(value, choice, schema, rules)


def _match_forms(value: str, choice: str, schema: Mapping[str, Any], rules: TextRules) -> MatchLevel:
    """Compare texts with equal loose forms, by the first rule of: marker, case, schema, run."""
    by_case, by_run, schemas_decide = rules
    rule = "exact" if type(choice) is ExactText else "loose" if type(choice) is LooseText else by_case
    if rule is None and schemas_decide and prescribes_form(schema):
        # The reference may spell the text in another way than the document; both are right.
        return FITS if _compose(value) in map(_compose, listed_texts(schema)) else DIFFERS
    rule = rule or by_run
    if rule is None:
        return OPEN
    return FITS if rule == "loose" else DIFFERS


def _compose(text: str) -> str:
    return text if text.isascii() else normalize("NFC", text)


def _is_same_number(value: Any, choice: float, schema: Mapping[str, Any]) -> bool:
    """Return whether two numbers are equal and of types that may stand for each other.

    An integer may stand for a float; a float for an integer only if the document does not ask for an integer.
    """
    if type(cast("object", value)) not in _NUMBERS or value != choice:
        return False
    return type(value) is type(choice) or type(value) is int or schema.get("type") not in _INTEGER_TYPES


def _match_as_list(
    value: Any, choice: list[Any], schema: Mapping[str, Any], rules: TextRules, *, literal: bool
) -> MatchLevel:
    if schema.get("type") == "tuple":
        value = as_list(value)
    if type(value) is not list:
        return DIFFERS
    actual, items = cast("list[Any]", value), _schema_at(schema, "items")
    if len(actual) != len(choice):
        return DIFFERS
    if "enum" in schema and "enum" not in items:
        # Documents often put the enum of the items into the schema of the array.
        items = {**items, "enum": schema["enum"]}
    return match_lists(
        actual, choice, lambda item, expected: match_level(item, expected, items, rules, literal=literal)
    )


def _match_plain_dict(
    value: dict[Any, Any],
    choice: dict[str, Any],
    schema: Mapping[str, Any],
    rules: TextRules,
    *,
    literal: bool,
) -> MatchLevel:
    """Compare with an acceptable dict, taking its values as plain values.

    That is right for all values if ``literal``, or if one of them is not a list. Else it is right for values documented as lists; others
    do not match.
    """
    if value.keys() != choice.keys():
        return DIFFERS
    properties = as_mapping(schema.get("properties"))
    are_all_plain = literal or not all(isinstance(expected, list) for expected in choice.values())
    return lowest_level(
        match_level(value[key], expected, _schema_at(properties, key), rules, literal=literal)
        if are_all_plain or _schema_at(properties, key).get("type") in _LIST_TYPES
        else DIFFERS
        for key, expected in choice.items()
    )


def _match_dict_of_choices(
    value: dict[Any, Any], choice: dict[str, Any], schema: Mapping[str, Any], rules: TextRules
) -> MatchLevel:
    """Compare with an acceptable dict, taking its values as lists of acceptable values.

    ``""`` among them makes the key optional.
    """
    if not value.keys() <= choice.keys():
        return DIFFERS
    properties = as_mapping(schema.get("properties"))

    def match_key(key: str, choices: Any) -> MatchLevel:
        options = cast("list[Any]", choices) if isinstance(choices, list) else [choices]
        if key not in value:
            return FITS if "" in options else DIFFERS
        document = _schema_at(properties, key)
        return highest_level(
            match_level(value[key], option, document, rules) for option in options if option != ""
        )

    return lowest_level(match_key(key, choices) for key, choices in choice.items())


def _schema_at(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return with_one_type(as_mapping(schema.get(key)))


def _has_type(value: Any, argument: Argument) -> bool:
    kind: type = type(cast("object", value))
    if kind is tuple and argument.declared == "tuple":
        kind = list
    return (
        kind is argument.python_type
        or (kind is int and argument.python_type is float)
        or (argument.type_differs and kind is argument.first_type)
    )


def _value_error(argument: Argument) -> str:
    if argument.python_type is str:
        return "value_error:string"
    if argument.python_type is list:
        return "value_error:list/tuple"
    return "value_error:dict_value" if argument.python_type is dict else "value_error:others"


# Type names of all three languages.
_TEXT_TYPES = frozenset({"string", "String", "char"})
_LIST_TYPES = frozenset({"array", "tuple", "Array", "ArrayList"})
_INTEGER_TYPES = frozenset({"integer", "byte", "short", "long", "Bigint"})


def check_call_strictly(
    call: dict[Any, Any], expected: ExpectedCall, text: TextRule | None = None
) -> Problem | None:
    """Compare a call with an expected one.

    A dotted function name may be written with underscores, since some providers forbid dots. A problem that leaves the call undecided is
    returned only if there is no fault.
    """
    function, arguments = next(iter(call.items()))
    if function not in expected.accepted_names:
        return wrong_name(expected.name, function)
    for required in (*expected.required_by_schema, *expected.required_by_reference):
        if required not in arguments:
            return missing_argument(required, expected)
    undecided_problem = None
    for name, value in arguments.items():
        argument = expected.arguments.get(name)
        problem = (
            unexpected_argument(name, value, expected)
            if argument is None
            else _check_argument(value, argument, expected.language, text)
        )
        if problem is not None:
            if not problem.undecided:
                return problem
            undecided_problem = undecided_problem or problem
    return undecided_problem


def _check_argument(value: Any, argument: Argument, language: str, text: TextRule | None) -> Problem | None:
    if argument.convert is None:
        return check_value_strictly(value, argument, text)
    if type(value) is not str:
        return not_source_text(argument, value, language)
    return check_value_strictly(_without_quotes(argument.convert(value)), argument, text)


def _without_quotes(value: Any) -> Any:
    """Strip the source text's quotes, which some systems' calls keep, from Java texts."""
    if isinstance(value, str):
        return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    return [_without_quotes(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


# Differences that `standardise_strictly` ignores. An initial is a single letter; marks are all other characters but letters and digits.
_BLANKS = re.compile(r" {2,}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INITIALS = re.compile(r"(?<![^\W_])([^\W\d_])\.(?=[^\W\d_](?:\.|(?![^\W_])))")
_FINAL_PERIOD = re.compile(r"(?<=[^\W\d_])\.(?=[ ,;:!?)\"]|$)")
_IMPLICIT_PRODUCT = re.compile(r"(?<=\d)\*(?=[^\W\d_(])")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_BLANKS_AROUND_MARK = re.compile(r" ?([^\w ]) ?")

_MAX_STANDARDISED_LENGTH = 50_000
"""Longer texts are compared as they are, not in standard form; in characters."""

_MAX_CACHED_LENGTH, _CACHE_SIZE = 200, 4_096
"""Length limit of texts whose standard form is cached, and size of the cache: a reference is compared with many outputs."""


def standardise_strictly(text: str) -> str:
    """Return the form of a text that strict rules compare.

    Ignored differences are: letter case; kinds of quote; runs of blanks, and blanks at punctuation; a comma, underscore or hyphen between
    words in place of a blank; commas between thousands; a period at the end of a word or between initials; ``**`` for ``^``, and ``2*x``
    for ``2x``. Apart from composed and decomposed accents, BFCL ignores all of these, too, but also others: for it ``-5`` is ``5``,
    ``1.5`` is ``15``, and ``ab`` is ``a-b``.
    """
    if not text.isascii():
        text = normalize("NFC", text)
    if len(text) > _MAX_STANDARDISED_LENGTH:
        return text
    if text.isalnum():
        return text.lower()
    return _cached_standard_form(text) if len(text) <= _MAX_CACHED_LENGTH else _standard_form(text)


def _standard_form(text: str) -> str:
    text = text.lower().replace("'", '"').replace("**", "^")
    # Commas between thousands go first, before the others become blanks.
    text = _THOUSANDS.sub("", text).replace(",", " ").replace("_", " ")
    text = _BLANKS.sub(" ", text).strip(" ")
    text = _FINAL_PERIOD.sub("", _INITIALS.sub(r"\1", text))
    text = _HYPHEN.sub(" ", _IMPLICIT_PRODUCT.sub("", text).replace(" - ", "-"))
    text = _BLANKS.sub(" ", text)
    return _BLANKS_AROUND_MARK.sub(r"\1", text).strip(" ")


_cached_standard_form = lru_cache(_CACHE_SIZE)(_standard_form)
