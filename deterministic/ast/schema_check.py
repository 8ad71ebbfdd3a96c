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

_LISTS = "; each item of this list is one accepted value, so that a list as a value is written [[...]]"


class SchemaMisfit(NamedTuple):
    """Field of a reference that does not fit its tools, and the problem in a sentence."""

    field: str
    problem: str


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


def schema_error(
    value: Any, schema: Mapping[str, Any], field: str, dialect: Dialect, *, literal: bool
) -> SchemaMisfit | None:
    """Return the innermost part of an accepted value that does not fit its schema.

    None if the value fits, or if the schema says nothing. In languages other than Python, any text may be an expression. Unless
    ``literal``, a dict in a value may hold lists of acceptable values.
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
    wrong = _wrong_type(value, schema, field, dialect) or _not_listed(value, schema, field)
    return wrong or _misfit_inside(value, schema, field, literal=literal)


def _misfit_inside(
    value: Any, schema: Mapping[str, Any], field: str, *, literal: bool
) -> SchemaMisfit | None:
    if isinstance(value, list):
        return _misfit_in_list(cast("list[Any]", value), schema, field, literal=literal)
    if not isinstance(value, dict):
        return None
    members = cast("dict[str, Any]", value)
    as_plain_values = _misfit_in_dict(
        {key: [item] for key, item in members.items()}, schema, field, literal=True
    )
    if literal or as_plain_values is None or not all(isinstance(item, list) for item in members.values()):
        return as_plain_values
    return _misfit_in_dict(cast("dict[str, list[Any]]", members), schema, field, literal=False)


def _is_default(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether a value is the documented default, which a tool accepts in any case."""
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
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if kind is float:
        return isinstance(value, int | float)
    return isinstance(value, list if kind is set else kind)


def _not_listed(value: Any, schema: Mapping[str, Any], field: str) -> SchemaMisfit | None:
    listed = _listed(schema)
    if not listed or (isinstance(value, list) and not any(isinstance(each, list) for each in listed)):
        return None
    if any(is_acceptable(value, each, with_one_type(schema), literal=True) for each in listed):
        return None
    near = (
        nearest(value, [each for each in listed if isinstance(each, str)]) if isinstance(value, str) else ""
    )
    return SchemaMisfit(
        field, f"expected one of {', '.join(map(shorten, listed))}, got {shorten(value)}{near}"
    )


def _listed(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values that ``const`` or ``enum`` allow; empty if there is neither."""
    enum = [schema["const"]] if "const" in schema else schema.get("enum")
    return cast("list[Any]", enum) if isinstance(enum, list) else []


def _misfit_in_list(
    value: list[Any], schema: Mapping[str, Any], field: str, *, literal: bool
) -> SchemaMisfit | None:
    items = as_mapping(schema.get("items"))
    listed = _listed(schema)
    if listed and not any(isinstance(each, list) for each in listed):
        # Documents often put the enum of the items beside the array.
        items = {**items, "enum": listed}
    return _first(
        schema_error(item, items, f"{field}[{number}]", PYTHON, literal=literal)
        for number, item in enumerate(value)
    )


def _misfit_in_dict(
    choices: Mapping[str, list[Any]], schema: Mapping[str, Any], field: str, *, literal: bool
) -> SchemaMisfit | None:
    """Return the part of an object that does not fit its schema.

    The object has acceptable values per key. Unless literal, ``""`` among them marks a key that may be absent.
    """
    properties = as_mapping(schema.get("properties"))
    for key, values in choices.items():
        document = property_of(schema, key)
        if document is None:
            if properties:
                shown = f"it has {', '.join(properties)}{nearest(key, properties)}"
                return SchemaMisfit(f"{field}.{key}", f"the tool documents no {key!r} here; {shown}")
            continue
        stated = [value for value in values if literal or value != ""]
        misfits = [
            schema_error(value, document, f"{field}.{key}", PYTHON, literal=literal) for value in stated
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


def _first(misfits: Iterable[SchemaMisfit | None]) -> SchemaMisfit | None:
    return next((misfit for misfit in misfits if misfit is not None), None)
