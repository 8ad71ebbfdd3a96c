"""Check references against their tools: names, arguments, and schemas of values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from ...errors import InputError
from ...records import (
    AcceptedCall,
    AnyValue,
    Case,
    ToolCallReference,
    accepted_calls,
    is_marked,
    kind_spec,
    nearest,
)
from ...records.typed_values import convert
from ..finding import shorten
from ..options import CheckOptions
from .expectation import document_of
from .schemas import (
    NO_SCHEMA,
    PYTHON,
    Dialect,
    as_mapping,
    dialect_of,
    property_of,
    required_names,
    variants_of,
    with_one_type,
)
from .strict_rules import is_acceptable

_LIST_HINT = "; each item of this list is one accepted value, so that a list as a value is written [[...]]"


class SchemaMisfit(NamedTuple):
    """Value of a reference that does not fit its tools: its field, and the problem."""

    field: str
    problem: str


def validate_calls(case: Case, _options: CheckOptions) -> None:
    """Refuse a reference that its tools cannot produce; see `KindSpec.validate_reference`."""
    require_producible(case)


def require_producible(case: Case) -> None:
    """Refuse a case whose reference calls its tools in a way that their documents forbid.

    References with BFCL's match modes come with its data, so they are not checked.

    Raises:
        InputError: There is no such tool or argument, a required argument has no accepted value, or no accepted value has
            a type that the tool takes. The message names the case, ``field`` the field.
    """
    if not kind_spec(case.kind).compared:
        return
    reference = convert(case.reference, ToolCallReference)
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
        for field, problem in _misfits_of_call(call, as_mapping(document.get("parameters")), reference):
            raise InputError(problem, field=field)


def _misfits_of_call(
    call: AcceptedCall, parameters: Mapping[str, Any], reference: ToolCallReference
) -> Iterator[SchemaMisfit]:
    dialect = dialect_of(reference.language)
    for name in call.arguments:
        schema = property_of(parameters, name)
        if schema is None:
            yield _unknown_argument(call, name, parameters)
        else:
            yield from _misfits_of_argument(call, name, schema, dialect)
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


def _misfits_of_argument(
    call: AcceptedCall, name: str, schema: Mapping[str, Any], dialect: Dialect
) -> Iterator[SchemaMisfit]:
    """Yield the misfits of an argument; if one accepted value fits, the others need not."""
    field = f"{call.field}.{name}"
    if call.literal:
        yield from _ambiguous_markers(cast("Any", call.written)["arguments"][name], schema, field)
    misfits = [
        schema_error(value, schema, field, dialect, literal=call.literal)
        for value in call.arguments[name].values
    ]
    # None stands for a value that fits.
    if misfits and None not in misfits:
        innermost_field, problem = cast("SchemaMisfit", misfits[0])
        is_list = dialect.types.get(str(with_one_type(schema).get("type"))) is list
        hint = _LIST_HINT if is_list and innermost_field == field and not call.literal else ""
        yield SchemaMisfit(innermost_field, f"{problem}{hint}")


def _ambiguous_markers(value: Any, schema: Mapping[str, Any], field: str) -> Iterator[SchemaMisfit]:
    """Yield markers, such as ``{"any_of": ...}``, that may be meant as the value itself.

    That is possible if the document has a property of the marker's name.
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
            yield from _ambiguous_markers(item, property_of(schema, key) or {}, f"{field}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(cast("list[Any]", value)):
            yield from _ambiguous_markers(item, as_mapping(schema.get("items")), f"{field}[{number}]")


def schema_error(
    value: Any, schema: Mapping[str, Any], field: str, dialect: Dialect, *, literal: bool
) -> SchemaMisfit | None:
    """Return the innermost part of an accepted value that does not fit its schema, or None.

    In languages other than Python, any text fits, since it may be an expression. Unless ``literal``, a dict in the value may have lists
    of acceptable values.
    """
    if isinstance(value, AnyValue):
        return None
    if dialect is not PYTHON:
        return None if isinstance(value, str) else _wrong_type(value, schema, field, dialect)
    if (value is None and schema.get("nullable") is True) or _is_default(value, schema):
        return None
    variants = variants_of(schema)
    if variants:
        errors = [schema_error(value, variant, field, dialect, literal=literal) for variant in variants]
        if None in errors:
            return None
        return errors[0] if len(errors) == 1 else _fits_no_variant(value, field)
    misfit = _wrong_type(value, schema, field, dialect) or _value_not_listed(value, schema, field)
    return misfit or _misfit_inside(value, schema, field, literal=literal)


def _misfit_inside(
    value: Any, schema: Mapping[str, Any], field: str, *, literal: bool
) -> SchemaMisfit | None:
    if isinstance(value, list):
        return _misfit_in_list(cast("list[Any]", value), schema, field, literal=literal)
    if not isinstance(value, dict):
        return None
    members = cast("dict[str, Any]", value)
    # In BFCL's form a dict of lists has acceptable values per key. It fits if either reading does.
    as_plain_values = _misfit_in_dict(
        {key: [item] for key, item in members.items()}, schema, field, literal=True
    )
    if literal or as_plain_values is None or not all(isinstance(item, list) for item in members.values()):
        return as_plain_values
    return _misfit_in_dict(cast("dict[str, list[Any]]", members), schema, field, literal=False)


def _is_default(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether a value is the documented default, which a tool accepts whatever its type."""
    return "default" in schema and is_acceptable(value, schema["default"], NO_SCHEMA, literal=True)


def _wrong_type(value: Any, schema: Mapping[str, Any], field: str, dialect: Dialect) -> SchemaMisfit | None:
    declared = schema.get("type")
    names = cast("list[Any]", declared) if isinstance(declared, list) else [declared]
    if any(_has_type(value, name, dialect) for name in names):
        return None
    return SchemaMisfit(
        field, f"expected a value of type {' or '.join(map(str, names))}, got {shorten(value)}"
    )


def _has_type(value: Any, name: Any, dialect: Dialect) -> bool:
    if name == "null":
        return value is None
    kind = dialect.types.get(name) if isinstance(name, str) and name != "any" else None
    if kind is None or isinstance(value, bool) or value is None:
        return kind is None or type(value) is kind
    if kind is int:
        # In JSON Schema, 2.0 is an integer.
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if kind is float:
        return isinstance(value, int | float)
    return isinstance(value, list if kind is set else kind)


def _value_not_listed(value: Any, schema: Mapping[str, Any], field: str) -> SchemaMisfit | None:
    allowed = _listed_values(schema)
    # If no listed value is a list, the values are those of a list's items; see `_misfit_in_list`.
    lists_items = isinstance(value, list) and not any(
        isinstance(allowed_value, list) for allowed_value in allowed
    )
    if not allowed or lists_items:
        return None
    if any(
        is_acceptable(value, allowed_value, with_one_type(schema), literal=True) for allowed_value in allowed
    ):
        return None
    hint = (
        nearest(value, [allowed_value for allowed_value in allowed if isinstance(allowed_value, str)])
        if isinstance(value, str)
        else ""
    )
    return SchemaMisfit(
        field, f"expected one of {', '.join(map(shorten, allowed))}, got {shorten(value)}{hint}"
    )


def _listed_values(schema: Mapping[str, Any]) -> list[Any]:
    enum = [schema["const"]] if "const" in schema else schema.get("enum")
    return cast("list[Any]", enum) if isinstance(enum, list) else []


def _misfit_in_list(
    value: list[Any], schema: Mapping[str, Any], field: str, *, literal: bool
) -> SchemaMisfit | None:
    items = as_mapping(schema.get("items"))
    allowed = _listed_values(schema)
    if allowed and not any(isinstance(allowed_value, list) for allowed_value in allowed):
        # Documents often put the enum of the items into the schema of the array.
        items = {**items, "enum": allowed}
    return _first_misfit(
        schema_error(item, items, f"{field}[{number}]", PYTHON, literal=literal)
        for number, item in enumerate(value)
    )


def _misfit_in_dict(
    choices: Mapping[str, list[Any]], schema: Mapping[str, Any], field: str, *, literal: bool
) -> SchemaMisfit | None:
    """Return the part of an object that does not fit its schema.

    ``choices`` has acceptable values per key. Unless ``literal``, ``""`` among them marks a key that may be missing.
    """
    properties = as_mapping(schema.get("properties"))
    for key, values in choices.items():
        property_schema = property_of(schema, key)
        if property_schema is None:
            if properties:
                documented = f"it has {', '.join(properties)}{nearest(key, properties)}"
                return SchemaMisfit(f"{field}.{key}", f"the tool documents no {key!r} here; {documented}")
            continue
        stated_values = [value for value in values if literal or value != ""]
        misfits = [
            schema_error(value, property_schema, f"{field}.{key}", PYTHON, literal=literal)
            for value in stated_values
        ]
        if misfits and None not in misfits:
            return misfits[0]
    for key in required_names(schema):
        if not any(literal or value != "" for value in choices.get(key, [])):
            return SchemaMisfit(field, f"the tool requires {key!r} here, and no accepted value gives it")
    return None


def _fits_no_variant(value: Any, field: str) -> SchemaMisfit:
    return SchemaMisfit(
        field, f"expected a value of one of several forms that the tool documents, got {shorten(value)}"
    )


def _first_misfit(misfits: Iterable[SchemaMisfit | None]) -> SchemaMisfit | None:
    return next((misfit for misfit in misfits if misfit is not None), None)
