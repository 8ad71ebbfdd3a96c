"""Compile the expected calls of a case once, for checking many outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import permutations
from typing import Any, cast

import msgspec

from ...errors import InputError
from ...records import (
    AcceptedCall,
    AnyOrder,
    AnyValue,
    Match,
    TextRule,
    ToolCallReference,
    accepted_calls,
    nearest,
)
from ..finding import shorten
from ..options import NameStyle
from .schemas import Dialect, as_mapping, dialect_of, property_of, required_names, with_one_type

_MAX_PERMUTED_LENGTH = 6
"""Longer lists in any order are not expanded to all their permutations, since 7 items have 5,040 of them.

BFCL's rules compare lists in order, so they need the permutations.
"""


class Argument(msgspec.Struct, frozen=True):
    """One argument of an expected call.

    Attributes:
        name: Its name.
        declared: The type that the function document states.
        python_type: Python type of values of the declared type.
        inner: Python type of the items, for declared types whose items are checked.
        bfcl_values: The acceptable values in BFCL's form. Unless ``literal``, the marker ``""`` among them means that the argument may
            be omitted.
        values: The acceptable values without that marker; texts in them may be marked (`AcceptedValues.marked`).
        any_value: True if every value is acceptable.
        optional: True if the argument may be omitted.
        literal: True if acceptable values are plain values. If False, a dict among them may have lists of acceptable values.
        shown: The acceptable values for display.
        type_differs: True if the first acceptable value has another type than the declared one. BFCL assumes that it names a
            variable, so values are compared unconverted.
        first_type: Type of the first acceptable value that is not ``""``, or None if there is none.
        accepted_unconverted: Texts accepted as written; empty if source text has to be converted, or another type is declared.
        standard_texts: The acceptable texts as BFCL compares them (`standardise`).
        convert: Converts source text of another language to a value, or None for Python.
        schema: The argument's schema in the document.
        text: The case's rule for texts.
        schema_settles: Whether a schema that prescribes a form (by an enum, for example) decides how texts are compared; False in
            BFCL's cases.
    """

    name: str
    declared: str
    python_type: type
    inner: type | None
    bfcl_values: list[Any]
    values: list[Any]
    any_value: bool
    optional: bool
    literal: bool
    shown: list[Any] | str
    type_differs: bool
    first_type: type | None
    accepted_unconverted: frozenset[str]
    standard_texts: frozenset[str]
    convert: Callable[[str], Any] | None
    schema: Mapping[str, Any]
    text: TextRule | None = None
    schema_settles: bool = True


class ExpectedCall(msgspec.Struct, frozen=True):
    """One expected call.

    Attributes:
        name: The function's name, as it was offered to the system.
        document_name: The function's name in its document.
        accepted_names: Names that strict rules accept: dots may be underscores, unless another function has that name.
        written: The call as written in the reference.
        language: The language of its arguments, in BFCL's short form, for error types.
        required_by_schema: Arguments that the document requires.
        documented: Arguments that the document lists.
        arguments: The arguments that are both documented and in the reference.
        required_by_reference: Arguments that the reference requires.
        shown: The acceptable values for display, by argument in the reference.
    """

    name: str
    document_name: str
    accepted_names: frozenset[str]
    written: dict[str, Any]
    language: str
    required_by_schema: tuple[str, ...]
    documented: frozenset[str]
    arguments: dict[str, Argument]
    required_by_reference: tuple[str, ...]
    shown: dict[str, list[Any] | str]


class Expectation(msgspec.Struct, frozen=True):
    """Expected calls: their number, how they are matched, and whether order counts."""

    match: Match
    calls: tuple[ExpectedCall, ...]
    count: int
    ordered: bool = False


def compile_expectation(
    reference: ToolCallReference, tools: list[dict[str, Any]], name_style: NameStyle = "dotted"
) -> Expectation:
    """Compile a reference for checking.

    Args:
        reference: The accepted calls, and how outputs are matched with them.
        tools: Offered tools in OpenAI's form, ``{"type": "function", "function": {...}}``.
        name_style: How dotted function names were offered.

    Raises:
        InputError: The reference does not fit the tools.
    """
    dialect = dialect_of(reference.language)
    documents: list[dict[str, Any]] = [tool["function"] for tool in tools]
    accepted = accepted_calls(reference.calls)
    is_auto = reference.match == "auto"
    if reference.match == "simple":
        # The function's name in the reference is ignored, since there is only one document.
        pairs = list(zip(documents[:1], accepted[:1], strict=False))
        count = 1
    else:
        count = len(accepted)
        # As in BFCL, "multiple" means several documents and one call.
        calls_to_find = accepted[:1] if reference.match == "multiple" else accepted
        pairs = [(document_of(call.name, documents, unique=is_auto), call) for call in calls_to_find]
    if not pairs:
        raise InputError(
            "a tool call needs a function document and an accepted call; a case in which none is right is of kind no_call",
            field="calls",
        )
    offered = frozenset(str(document["name"]) for document in documents)
    calls = tuple(
        [
            _compile_call(document, call, dialect, name_style, offered, text=reference.text, lenient=is_auto)
            for document, call in pairs
        ]
    )
    return Expectation(reference.match, calls, count, reference.ordered)


def document_of(name: str, documents: list[dict[str, Any]], *, unique: bool) -> dict[str, Any]:
    """Return a function's document: the first of its name, or with ``unique`` the only one."""
    documents_of_name = [document for document in documents if document["name"] == name]
    if unique and len(documents_of_name) > 1:
        raise InputError(
            f"{len(documents_of_name)} tools have the name {name!r}, which the reference calls", field="calls"
        )
    if documents_of_name:
        return documents_of_name[0]
    offered = [str(document["name"]) for document in documents]
    if not offered:
        raise InputError(f"the reference calls {name!r}, but the case has no tools", field="calls")
    raise InputError(
        f"the reference calls {name!r}, which is not among the tools; there are {', '.join(offered)}{nearest(name, offered)}",
        field="calls",
    )


def _compile_call(
    document: dict[str, Any],
    call: AcceptedCall,
    dialect: Dialect,
    name_style: NameStyle,
    offered: frozenset[str],
    *,
    text: TextRule | None,
    lenient: bool,
) -> ExpectedCall:
    parameters = as_mapping(document.get("parameters"))
    schemas = _argument_schemas(parameters, call, lenient=lenient)
    name: str = document["name"]
    underscored = name.replace(".", "_")
    return ExpectedCall(
        name=underscored if name_style == "underscored" else name,
        document_name=name,
        accepted_names=frozenset({name} if lenient and underscored in offered else {name, underscored}),
        written=call.written,
        language=dialect.short_name,
        required_by_schema=tuple(required_names(parameters)),
        documented=frozenset(as_mapping(parameters.get("properties"))),
        arguments={
            argument: _compile_argument(argument, schema, call, dialect, text=text, lenient=lenient)
            for argument, schema in schemas.items()
        },
        required_by_reference=tuple(
            [argument for argument, accepted in call.arguments.items() if not accepted.optional]
        ),
        shown={argument: _values_for_display(call, argument) for argument in call.arguments},
    )


def _argument_schemas(
    parameters: Mapping[str, Any], call: AcceptedCall, *, lenient: bool
) -> dict[str, Mapping[str, Any]]:
    """Return the schemas of those arguments of a call that the document allows.

    With ``lenient`` (cases that are not BFCL's), additional properties are allowed, and null is ignored in a union with another type.
    """
    if not lenient:
        properties = as_mapping(parameters.get("properties"))
        return {name: properties[name] for name in call.arguments if properties.get(name) is not None}
    schemas = {name: property_of(parameters, name) for name in call.arguments}
    return {name: with_one_type(schema) for name, schema in schemas.items() if schema is not None}


def _compile_argument(
    name: str,
    schema: Mapping[str, Any],
    call: AcceptedCall,
    dialect: Dialect,
    *,
    text: TextRule | None,
    lenient: bool,
) -> Argument:
    accepted = call.arguments[name]
    acceptable = accepted.values
    declared = schema.get("type")
    first_type: type | None = next(map(_type_ignoring_order, acceptable), None)
    # In cases that are not BFCL's, an unknown declared type stands for that of the first acceptable value.
    python_type = _python_type(name, declared, dialect, (first_type or object) if lenient else None)
    declared_inner, inner = _item_types(name, schema, dialect, lenient=lenient)
    shown = _values_for_display(call, name)
    as_bfcl = _in_bfcl_form(acceptable, python_type, inner) if call.literal else cast("list[Any]", shown)
    texts = [value for value in as_bfcl if isinstance(value, str)]
    convert = dialect.converter(str(declared), declared_inner)
    as_written = python_type is str and convert is None
    return Argument(
        name=name,
        declared=str(declared),
        python_type=python_type,
        inner=inner,
        bfcl_values=as_bfcl,
        values=accepted.marked,
        any_value=any(isinstance(value, AnyValue) for value in acceptable),
        optional=accepted.optional,
        literal=call.literal,
        shown=shown,
        type_differs=first_type is not None and first_type is not python_type,
        first_type=first_type,
        accepted_unconverted=frozenset(texts if as_written else ()),
        standard_texts=frozenset(map(standardise, texts)),
        convert=convert,
        schema=schema,
        text=text,
        schema_settles=lenient,
    )


def _item_types(
    name: str, schema: Mapping[str, Any], dialect: Dialect, *, lenient: bool
) -> tuple[Any, type | None]:
    """Return the declared and the Python type of an argument's items; None if unknown."""
    if schema.get("type") not in dialect.nested:
        return None, None
    items = as_mapping(schema.get("items"))
    declared = (with_one_type(items) if lenient else items).get("type")
    if declared is None or (lenient and declared not in dialect.types):
        return declared, None
    return declared, _python_type(name, declared, dialect)


def _in_bfcl_form(values: list[Any], python_type: type, inner: type | None) -> list[Any]:
    """Return plain values in BFCL's form.

    A dict gets lists with one acceptable value per key; a list in any order becomes all its permutations.
    """
    if python_type is dict:
        return [_wrap_values(value) for value in values]
    if python_type is not list:
        return values
    lists = [order for value in values for order in _orders(value)]
    if inner is not dict:
        return lists
    return [
        list(map(_wrap_values, cast("list[Any]", value))) if isinstance(value, list) else value
        for value in lists
    ]


def _orders(value: Any) -> Iterable[Any]:
    """Return all permutations of a list that is accepted in any order, the written one last.

    It comes last since BFCL's rules report the problem of the last acceptable value. For a long list only the written order is returned.
    """
    if isinstance(value, AnyOrder) and len(value) <= _MAX_PERMUTED_LENGTH:
        return [list(order) for order in permutations(value)][::-1]
    return [value]


def _type_ignoring_order(value: object) -> type:
    """Return the type of a value; `AnyOrder` and other subtypes of list count as list."""
    return list if isinstance(value, list) else type(value)


def _wrap_values(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: [item] for key, item in cast("dict[str, Any]", value).items()}


def _values_for_display(call: AcceptedCall, argument: str) -> list[Any] | str:
    """Return the acceptable values for display.

    In a reference of BFCL's form they stay as written, where ``""`` marks an argument that may be omitted.
    """
    if not call.literal:
        return call.written[call.name][argument]
    accepted = call.arguments[argument]
    values = accepted.values
    if "" in values:  # here an empty text, not the marker
        words = [*map(shorten, values), *(["left out"] if accepted.optional else [])]
        return ", ".join(words)
    return [*values, ""] if accepted.optional else values


def _python_type(name: str, declared: Any, dialect: Dialect, otherwise: type | None = None) -> type:
    """Return the Python type of a declared type, or ``otherwise`` for an unknown one."""
    try:
        return dialect.types[declared]
    except (KeyError, TypeError):
        if otherwise is not None:
            return otherwise
        raise InputError(
            f"argument {name!r} is documented as {declared!r}; known types: {', '.join(dialect.types)}",
            field="tools",
        ) from None


def standardise(text: str) -> str:
    """Return a text as BFCL compares it.

    Spaces and ``, . / - _ * ^`` are removed, capitals become small letters, single quotes double quotes. Tabs, newlines, accents
    and other punctuation stay. This also removes signs and decimal points, which `standardise_strictly` keeps.
    """
    return text.translate(_IGNORED_CHARACTERS).lower().replace("'", '"')


_IGNORED_CHARACTERS = str.maketrans("", "", " ,./-_*^")
