"""Can the tools that a case offers produce the calls that its reference accepts? Who asks for more fails every system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from ...errors import InputError
from ...records import AcceptedCall, Case, ToolCallReference, accepted_calls, is_marked, nearest
from .expectation import document_of
from .fitting import misfit
from .languages import dialect_of
from .schemas import part_of, property_of, settled

_LISTS = "; each item of this list is one accepted value, so that a list as a value is written [[...]]"


def require_producible(case: Case) -> None:
    """Refuse a case whose reference its own tools cannot produce.

    References with BFCL's own ways of matching come with its data and keep its ways, and are not looked at.

    Args:
        case: A case of any kind; only references with ``match: auto`` can be refused.

    Raises:
        InputError: There is no such tool or argument, a required argument is given by no alternative, or no accepted value is
            of a type that the tool takes. The message names the case, ``field`` the field.
    """
    if case.kind != "tool_call":
        return
    reference = msgspec.convert(case.reference, ToolCallReference)
    if reference.match != "auto":
        return
    try:
        _require(case, reference)
    except InputError as error:
        raise InputError(f"case {case.id!r}: {error.message}", field=f"reference.{error.field}") from error


def _require(case: Case, reference: ToolCallReference) -> None:
    if not reference.calls:
        raise InputError("expected a call; a case in which none is right is of kind no_call", field="calls")
    documents = [tool["function"] for tool in case.tools]
    for number, call in enumerate(accepted_calls(reference.calls)):
        try:
            document = document_of(call.name, documents, only=True)
        except InputError as error:
            raise InputError(error.message, field=f"calls[{number}]") from error
        for field, problem in _problems(call, part_of(document.get("parameters")), reference):
            raise InputError(problem, field=field)


def _problems(
    call: AcceptedCall, parameters: Mapping[str, Any], reference: ToolCallReference
) -> Iterator[tuple[str, str]]:
    """What is wrong with an accepted call: the field, and a sentence."""
    dialect = dialect_of(reference.language)
    for name, accepted in call.arguments.items():
        schema, field = property_of(parameters, name), f"{call.field}.{name}"
        if schema is None:
            known = list(part_of(parameters.get("properties")))
            takes = f"takes {', '.join(known)}{nearest(name, known)}" if known else "takes no arguments"
            yield field, f"{call.name} has no argument {name!r}; it {takes}"
            continue
        if call.literal:
            yield from _ambiguities(cast("Any", call.written)["arguments"][name], schema, field)
        misfits = [misfit(value, schema, field, dialect, literal=call.literal) for value in accepted.values]
        if misfits and None not in misfits:
            place, problem = cast("tuple[str, str]", misfits[0])
            of_items = dialect.types.get(str(settled(schema).get("type"))) is list and place == field
            yield place, f"{problem}{_LISTS if of_items and not call.literal else ''}"
    for name in cast("list[str]", parameters.get("required") or []):
        accepted = call.arguments.get(name)
        if accepted is None or not accepted.values:
            yield call.field, f"{call.name} requires the argument {name!r}, and no accepted value gives it"


def _ambiguities(value: Any, schema: Mapping[str, Any], field: str) -> Iterator[tuple[str, str]]:
    """Where a spelling of alternatives may be meant as the value itself, since the document has a property of that name."""
    if is_marked(value):
        documented = [key for key in value if key in part_of(schema.get("properties"))]
        if documented and "exactly" not in value:
            yield (
                field,
                (
                    f"the tool documents a property {documented[0]!r} here, so this may be meant as the value itself: "
                    'write {"exactly": ...} for the value, and {"any_of": [{"exactly": ...}]} for alternatives'
                ),
            )
        return
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield from _ambiguities(item, property_of(schema, key) or {}, f"{field}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(cast("list[Any]", value)):
            yield from _ambiguities(item, part_of(schema.get("items")), f"{field}[{number}]")
