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
"""How texts are compared: by the case; by the run, where neither case nor schema says it; whether a schema may say it."""

_LOOSE: TextRules = ("loose", None, False)


def check_value_strictly(value: Any, argument: Argument, text: TextRule | None = None) -> Problem | None:
    """Check that a value is an acceptable one.

    An optional argument may also have its documented default, if that is null or of the documented type.
    The problem is one of type if neither an acceptable value nor the document has the value's type.

    Args:
        value: The value.
        argument: The argument.
        text: The run's rule for texts; None leaves a text open that only its loose form makes equal.
    """
    schema, literal = argument.schema, argument.literal
    rules: TextRules = (argument.text, text, argument.schema_settles)
    level = highest_level(
        [match_level(value, choice, schema, rules, literal=literal) for choice in argument.values]
    )
    if level != FITS and argument.optional:
        level = max(level, _with_default(value, argument, rules))
    if level != DIFFERS:
        return None if level == FITS else differs_in_form(argument, value)
    if _has_type(value, argument):
        return not_acceptable(_value_error(argument), argument, value)
    return wrong_type(argument, value)


def _with_default(value: Any, argument: Argument, rules: TextRules) -> MatchLevel:
    """Compare a value, null or of the documented type, with the documented default."""
    schema = argument.schema
    if "default" not in schema or not (value is None or _has_type(value, argument)):
        return DIFFERS
    return match_level(value, schema["default"], schema, rules, literal=argument.literal)


def is_acceptable(value: Any, choice: Any, schema: Mapping[str, Any], *, literal: bool = False) -> bool:
    """Return whether a value equals an acceptable one, types included and texts loosely."""
    return match_level(value, choice, schema, _LOOSE, literal=literal) == FITS


def match_level(
    value: Any, choice: Any, schema: Mapping[str, Any], rules: TextRules, *, literal: bool = False
) -> MatchLevel:
    """Compare a value with an acceptable one, types and signs included.

    A dict among the acceptable values holds a list of acceptable values per key, or plain values; with ``literal``, always plain values.
    """
    if isinstance(choice, (str, AnyValue)):
        return FITS if isinstance(choice, AnyValue) else _of_texts(value, choice, schema, rules)
    if isinstance(choice, bool) or isinstance(value, bool) or choice is None:
        return FITS if type(value) is type(choice) and value == choice else DIFFERS
    if isinstance(choice, _NUMBERS):
        return FITS if _is_same_number(value, choice, schema) else DIFFERS
    if isinstance(choice, list):
        return _of_lists(value, cast("list[Any]", choice), schema, rules, literal=literal)
    if isinstance(choice, dict) and type(value) is dict:
        actual, expected = cast("dict[Any, Any]", value), cast("dict[str, Any]", choice)
        level = _of_dicts(actual, expected, schema, rules, literal=literal)
        return level if literal or level == FITS else max(level, _of_choices(actual, expected, schema, rules))
    return DIFFERS


def _of_texts(value: Any, choice: str, schema: Mapping[str, Any], rules: TextRules) -> MatchLevel:
    if type(value) is Unquoted:
        # A name without quotes is right only if the reference names a variable, not a text.
        return FITS if schema.get("type") not in _TEXT_TYPES and str(value) == choice else DIFFERS
    if type(value) is not str:
        return DIFFERS
    if value == choice:
        return FITS
    if standardise_strictly(value) != standardise_strictly(choice):
        return DIFFERS
    return FITS if _composed(value) == _composed(choice) else _of_forms(value, choice, schema, rules)


def _of_forms(value: str, choice: str, schema: Mapping[str, Any], rules: TextRules) -> MatchLevel:
    """Compare texts whose loose forms are equal: by marker, case, schema, and run."""
    by_case, by_run, by_schema = rules
    rule = "exact" if type(choice) is ExactText else "loose" if type(choice) is LooseText else by_case
    if rule is None and by_schema and prescribes_form(schema):
        # The reference may be written otherwise than the document; both spellings are right.
        return FITS if _composed(value) in map(_composed, listed_texts(schema)) else DIFFERS
    rule = rule or by_run
    return OPEN if rule is None else FITS if rule == "loose" else DIFFERS


def _composed(text: str) -> str:
    return text if text.isascii() else normalize("NFC", text)


def _is_same_number(value: Any, choice: float, schema: Mapping[str, Any]) -> bool:
    """Return whether two numbers are the same, types included.

    An integer may stand for a float; a float may stand for an integer unless the document asks for an integer.
    """
    if type(cast("object", value)) not in _NUMBERS or value != choice:
        return False
    return type(value) is type(choice) or type(value) is int or schema.get("type") not in _INTEGER_TYPES


def _of_lists(
    value: Any, choice: list[Any], schema: Mapping[str, Any], rules: TextRules, *, literal: bool
) -> MatchLevel:
    if schema.get("type") == "tuple":
        value = as_list(value)
    if type(value) is not list:
        return DIFFERS
    actual, items = cast("list[Any]", value), _schema_of(schema, "items")
    if len(actual) != len(choice):
        return DIFFERS
    if "enum" in schema and "enum" not in items:
        items = {
            **items,
            "enum": schema["enum"],
        }  # documents often put the enum of the items beside the array
    return match_lists(
        actual, choice, lambda each, expected: match_level(each, expected, items, rules, literal=literal)
    )


def _of_dicts(
    value: dict[Any, Any],
    choice: dict[str, Any],
    schema: Mapping[str, Any],
    rules: TextRules,
    *,
    literal: bool,
) -> MatchLevel:
    """Compare with a dict of plain values.

    All values are plain if ``literal``, or if one of them is not a list; a single one if it is documented as a list.
    """
    if value.keys() != choice.keys():
        return DIFFERS
    properties = as_mapping(schema.get("properties"))
    all_plain = literal or not all(isinstance(expected, list) for expected in choice.values())
    return lowest_level(
        match_level(value[key], expected, _schema_of(properties, key), rules, literal=literal)
        if all_plain or _schema_of(properties, key).get("type") in _LIST_TYPES
        else DIFFERS
        for key, expected in choice.items()
    )


def _of_choices(
    value: dict[Any, Any], choice: dict[str, Any], schema: Mapping[str, Any], rules: TextRules
) -> MatchLevel:
    """Compare with a dict of acceptable values per key; ``""`` among them makes a key optional."""
    if not value.keys() <= choice.keys():
        return DIFFERS
    properties = as_mapping(schema.get("properties"))

    def of_key(key: str, choices: Any) -> MatchLevel:
        options = cast("list[Any]", choices) if isinstance(choices, list) else [choices]
        if key not in value:
            return FITS if "" in options else DIFFERS
        document = _schema_of(properties, key)
        return highest_level(
            match_level(value[key], option, document, rules) for option in options if option != ""
        )

    return lowest_level(of_key(key, choices) for key, choices in choice.items())


def _schema_of(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
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


_TEXT_TYPES = frozenset({"string", "String", "char"})
_LIST_TYPES = frozenset({"array", "tuple", "Array", "ArrayList"})
_INTEGER_TYPES = frozenset({"integer", "byte", "short", "long", "Bigint"})


def check_call_strictly(
    call: dict[Any, Any], expected: ExpectedCall, text: TextRule | None = None
) -> Problem | None:
    """Compare a call with an expected one.

    A documented name with dots may be written with underscores, since some providers forbid dots. A problem that leaves the call
    undecided is returned only if nothing is wrong.
    """
    function, arguments = next(iter(call.items()))
    if function not in expected.accepted_names:
        return wrong_name(expected.name, function)
    for required in (*expected.required_by_schema, *expected.required_by_reference):
        if required not in arguments:
            return missing_argument(required, expected)
    undecided = None
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
            undecided = undecided or problem
    return undecided


def _check_argument(value: Any, argument: Argument, language: str, text: TextRule | None) -> Problem | None:
    if argument.convert is None:
        return check_value_strictly(value, argument, text)
    if type(value) is not str:
        return not_source_text(argument, value, language)
    return check_value_strictly(_without_quotes(argument.convert(value)), argument, text)


def _without_quotes(value: Any) -> Any:
    """Strip the quotes of source text from Java texts, in arrays too.

    Some systems' calls include them, depending on how calls are made.
    """
    if isinstance(value, str):
        return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    return [_without_quotes(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


_BLANKS = re.compile(r" {2,}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INITIALS = re.compile(r"(?<![^\W_])([^\W\d_])\.(?=[^\W\d_](?:\.|(?![^\W_])))")
_FINAL_PERIOD = re.compile(r"(?<=[^\W\d_])\.(?=[ ,;:!?)\"]|$)")
_IMPLICIT_PRODUCT = re.compile(r"(?<=\d)\*(?=[^\W\d_(])")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_BLANKS_AT_PUNCTUATION = re.compile(r" ?([^\w ]) ?")

_LONGEST = 50_000
"""Longer texts are compared as they are."""

_MAX_CACHED_LENGTH, _CACHE_SIZE = 200, 4_096
"""Longest text whose standard form is cached, and size of the cache: one reference is compared with many outputs."""


def standardise_strictly(text: str) -> str:
    """Return the form of a text that strict rules compare.

    Except for composed and decomposed accents, texts with equal forms are also equal to BFCL. The converse does not hold: ``-5`` is not ``5``, ``1.5`` not
    ``15``, ``ab`` not ``a-b``. Ignored differences are: case; kinds of quote; runs of blanks, and blanks at punctuation; a comma,
    underscore or hyphen between words instead of a blank; commas between thousands; a period at the end of a word or
    between initials; ``**`` for ``^``, and ``2*x`` for ``2x``.
    """
    if not text.isascii():
        text = normalize("NFC", text)
    if len(text) > _LONGEST:
        return text
    if text.isalnum():
        return text.lower()
    return _cached_standard_form(text) if len(text) <= _MAX_CACHED_LENGTH else _standard_form(text)


def _standard_form(text: str) -> str:
    text = text.lower().replace("'", '"').replace("**", "^")
    text = _THOUSANDS.sub("", text).replace(",", " ").replace("_", " ")
    text = _BLANKS.sub(" ", text).strip(" ")
    text = _FINAL_PERIOD.sub("", _INITIALS.sub(r"\1", text))
    text = _HYPHEN.sub(" ", _IMPLICIT_PRODUCT.sub("", text).replace(" - ", "-"))
    text = _BLANKS.sub(" ", text)
    return _BLANKS_AT_PUNCTUATION.sub(r"\1", text).strip(" ")


_cached_standard_form = lru_cache(_CACHE_SIZE)(_standard_form)
