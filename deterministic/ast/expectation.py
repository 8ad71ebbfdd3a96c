"""What a right answer looks like: function documents and acceptable values, compiled once per case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec

from ...errors import InputError
from ...records import Match, ToolCallReference
from ..checkers import Names
from .languages import Dialect, dialect_of
from .standard_text import standardise


class Argument(msgspec.Struct, frozen=True):
    """One argument of an expected call.

    Attributes:
        name: Its name.
        declared: The type that the document states.
        python_type: What a value of that type is here.
        inner: What an item of it is here, for types whose items are checked.
        acceptable: The acceptable values; ``""`` = may be left out.
        variable: The first acceptable value is of another type than the declared one (the original takes it for the
            name of a variable), so values are compared as they are.
        first_type: Type of the first acceptable value that is not ``""``; None when there is none.
        verbatim: The texts that are acceptable as they are, whatever else is; none where source text has to be converted, or
            another type is declared.
        texts: The acceptable texts in standard form.
        convert: From the source text of another language to a value; None for Python.
        document: The argument's own part of the document.
    """

    name: str
    declared: str
    python_type: type
    inner: type | None
    acceptable: list[Any]
    variable: bool
    first_type: type | None
    verbatim: frozenset[str]
    texts: frozenset[str]
    convert: Callable[[str], Any] | None
    document: Mapping[str, Any]


class ExpectedCall(msgspec.Struct, frozen=True):
    """One expected call.

    Attributes:
        name: The function's name, as the system had to write it.
        document_name: Its name in the document.
        reference_name: Its name in the reference.
        language: The language of its arguments, in the original's short form, for error types.
        required: Names that the document requires.
        documented: Names that the document knows.
        arguments: The arguments that are both documented and in the reference.
        needed: Names in the reference that may not be left out.
        reference: The reference itself.
    """

    name: str
    document_name: str
    reference_name: str
    language: str
    required: tuple[str, ...]
    documented: frozenset[str]
    arguments: dict[str, Argument]
    needed: tuple[str, ...]
    reference: dict[str, Any]


class Expectation(msgspec.Struct, frozen=True):
    """What is expected of an answer.

    Attributes:
        match: How calls are paired with expected calls.
        calls: The expected calls.
        count: How many calls there should be.
    """

    match: Match
    calls: tuple[ExpectedCall, ...]
    count: int


def compile_expectation(
    reference: ToolCallReference, tools: list[dict[str, Any]], names: Names = "dotted"
) -> Expectation:
    """Prepare a reference for checking.

    Args:
        reference: The acceptable calls.
        tools: Function documents in OpenAI's outer shape.
        names: How documented names with dots were offered to the system.

    Returns:
        The same, indexed.

    Raises:
        InputError: The reference names a function or a type that is not known.
    """
    dialect = dialect_of(reference.language)
    documents: list[dict[str, Any]] = [tool["function"] for tool in tools]
    if reference.match == "simple":
        # The reference's own function name is ignored: the one document is what counts.
        pairs = list(zip(documents[:1], reference.calls[:1], strict=False))
        count = 1
    else:
        count = len(reference.calls)
        wanted = reference.calls if reference.match == "parallel" else reference.calls[:1]
        pairs = [(_document_of(call, documents), call) for call in wanted]
    if not pairs:
        raise InputError(
            "a tool call needs a function document and a reference call", field="reference.calls"
        )
    calls = tuple([_compile_call(document, call, dialect, names) for document, call in pairs])
    return Expectation(reference.match, calls, count)


def _document_of(call: dict[str, Any], documents: list[dict[str, Any]]) -> dict[str, Any]:
    name = next(iter(call), None)
    for document in documents:
        if document["name"] == name:
            return document
    raise InputError(f"the reference calls {name!r}, which is not among the tools", field="reference.calls")


def _compile_call(
    document: dict[str, Any], call: dict[str, Any], dialect: Dialect, names: Names
) -> ExpectedCall:
    if len(call) != 1:
        raise InputError(f"expected one function name, got {list(call)!r}", field="reference.calls")
    reference_name, reference = next(iter(call.items()))
    for argument, acceptable in reference.items():
        if not isinstance(acceptable, list):
            raise InputError(
                f"expected a list of acceptable values, got {acceptable!r}",
                field=f"reference.calls.{argument}",
            )
    parameters: dict[str, Any] = document.get("parameters") or {}
    properties: dict[str, Any] = parameters.get("properties") or {}
    name: str = document["name"]
    return ExpectedCall(
        name=name.replace(".", "_") if names == "underscored" else name,
        document_name=name,
        reference_name=reference_name,
        language=dialect.short_name,
        required=tuple(parameters.get("required") or ()),
        documented=frozenset(properties),
        arguments={
            argument: _compile_argument(argument, properties[argument], acceptable, dialect)
            for argument, acceptable in reference.items()
            if argument in properties
        },
        needed=tuple([argument for argument, acceptable in reference.items() if "" not in acceptable]),
        reference=reference,
    )


def _compile_argument(
    name: str, document: Mapping[str, Any], acceptable: list[Any], dialect: Dialect
) -> Argument:
    declared = document.get("type")
    python_type = _python_type(name, declared, dialect)
    inner_declared = None
    if declared in dialect.nested:
        items: Mapping[str, Any] = document.get("items") or {}
        inner_declared = items.get("type")
    inner = None if inner_declared is None else _python_type(name, inner_declared, dialect)
    first_type: type | None = next((type(cast("object", value)) for value in acceptable if value != ""), None)
    texts = [value for value in acceptable if isinstance(value, str)]
    convert = dialect.converter(str(declared), inner_declared)
    as_written = python_type is str and convert is None
    return Argument(
        name=name,
        declared=str(declared),
        python_type=python_type,
        inner=inner,
        acceptable=acceptable,
        variable=first_type is not None and first_type is not python_type,
        first_type=first_type,
        verbatim=frozenset(texts if as_written else ()),
        texts=frozenset(map(standardise, texts)),
        convert=convert,
        document=document,
    )


def _python_type(name: str, declared: Any, dialect: Dialect) -> type:
    try:
        return dialect.types[declared]
    except (KeyError, TypeError):
        raise InputError(
            f"argument {name!r} is documented as {declared!r}; known types: {', '.join(dialect.types)}",
            field="tools",
        ) from None
