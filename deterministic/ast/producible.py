"""Check that a case's own tools can produce what its reference accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from ...errors import InputError
from ...records import AcceptedCall, Case, ToolCallReference, accepted_calls, is_marked, kind_spec, nearest
from ..options import CheckOptions
from .expectation import document_of
from .schema_check import SchemaMisfit, schema_error
from .schemas import Dialect, as_mapping, dialect_of, property_of, required_names, with_one_type

_LISTS = "; each item of this list is one accepted value, so that a list as a value is written [[...]]"


def validate_calls(case: Case, _options: CheckOptions) -> None:
    """Refuse a reference that its tools cannot produce; see `KindSpec.validate_reference`."""
    require_producible(case)


def require_producible(case: Case) -> None:
    """Refuse a case whose reference its own tools cannot produce.

    References with BFCL's match modes come with its data, and are not checked.

    Raises:
        InputError: There is no such tool or argument, a required argument has no accepted value, or no accepted value has
            a type that the tool takes. The message names the case, ``field`` the field.
    """
    if not kind_spec(case.kind).compared:
        return
    reference = msgspec.convert(case.reference, ToolCallReference)
    if reference.match != "auto":
        return
    try:
        _require_fitting_calls(case, reference)
    except InputError as error:
        raise InputError(f"case {case.id!r}: {error.message}", field=f"reference.{error.field}") from error


def _require_fitting_calls(case: Case, reference: ToolCallReference) -> None:
    if not reference.calls:
        raise InputError("expected a call; a case in which none is right is of kind no_call", field="calls")
    documents = [tool["function"] for tool in case.tools]
    for number, call in enumerate(accepted_calls(reference.calls)):
        try:
            document = document_of(call.name, documents, unique=True)
        except InputError as error:
            raise InputError(error.message, field=f"calls[{number}]") from error
        for field, problem in _problems(call, as_mapping(document.get("parameters")), reference):
            raise InputError(problem, field=field)


def _problems(
    call: AcceptedCall, parameters: Mapping[str, Any], reference: ToolCallReference
) -> Iterator[SchemaMisfit]:
    """Yield the problems of an accepted call."""
    dialect = dialect_of(reference.language)
    for name in call.arguments:
        schema = property_of(parameters, name)
        if schema is None:
            yield _unknown_argument(call, name, parameters)
        else:
            yield from _value_problems(call, name, schema, dialect)
    for name in required_names(parameters):
        accepted = call.arguments.get(name)
        if accepted is None or not accepted.values:
            yield SchemaMisfit(
                call.field, f"{call.name} requires the argument {name!r}, and no accepted value gives it"
            )


def _unknown_argument(call: AcceptedCall, name: str, parameters: Mapping[str, Any]) -> SchemaMisfit:
    names = list(as_mapping(parameters.get("properties")))
    takes = f"takes {', '.join(names)}{nearest(name, names)}" if names else "takes no arguments"
    return SchemaMisfit(f"{call.field}.{name}", f"{call.name} has no argument {name!r}; it {takes}")


def _value_problems(
    call: AcceptedCall, name: str, schema: Mapping[str, Any], dialect: Dialect
) -> Iterator[SchemaMisfit]:
    """Yield the problems of the accepted values of one argument."""
    field = f"{call.field}.{name}"
    if call.literal:
        yield from _ambiguities(cast("Any", call.written)["arguments"][name], schema, field)
    misfits = [
        schema_error(value, schema, field, dialect, literal=call.literal)
        for value in call.arguments[name].values
    ]
    if misfits and None not in misfits:
        innermost, problem = cast("SchemaMisfit", misfits[0])
        is_list = dialect.types.get(str(with_one_type(schema).get("type"))) is list
        hint = _LISTS if is_list and innermost == field and not call.literal else ""
        yield SchemaMisfit(innermost, f"{problem}{hint}")


def _ambiguities(value: Any, schema: Mapping[str, Any], field: str) -> Iterator[SchemaMisfit]:
    """Yield markers that may be meant as literal values.

    A marker may if the document has a property of the same name.
    """
    if is_marked(value):
        documented = [key for key in value if key in as_mapping(schema.get("properties"))]
        if documented and "exactly" not in value:
            yield SchemaMisfit(
                field,
                f"the tool documents a property {documented[0]!r} here, so this may be meant as the value itself: "
                'write {"exactly": ...} for the value, and {"any_of": [{"exactly": ...}]} for alternatives',
            )
        return
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield from _ambiguities(item, property_of(schema, key) or {}, f"{field}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(cast("list[Any]", value)):
            yield from _ambiguities(item, as_mapping(schema.get("items")), f"{field}[{number}]")
