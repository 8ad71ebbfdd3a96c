"""Validate cases beyond the types of their fields: reference, messages and tools."""

from __future__ import annotations

from typing import Any

import msgspec

from ..errors import InputError
from ..plugins import CHECKERS
from .accepted_calls import accepted_calls
from .case import (
    MAX_POINTS,
    Case,
    Kind,
    OpenReference,
    ToolCallReference,
)
from .case_kinds import KINDS, is_kind, kind_spec, unknown_kind
from .explanations import explained
from .typed_values import convert


def validate_case(case: Case) -> None:
    """Check a case's reference, messages and tools.

    Args:
        case: A case whose fields have the right types.

    Raises:
        msgspec.ValidationError: A field is wrong; the message names it in msgspec's form (``... - at `$.reference.calls` ``).
        ConfigurationError: The checker of a custom kind cannot be loaded.
    """
    reference_type = _reference_type(case.kind)
    if reference_type is not None:
        try:
            _validate_reference(convert(case.reference, reference_type))
        except msgspec.ValidationError as error:
            message = explained(str(error), reference_type, "this kind")
            raise msgspec.ValidationError(_nest_field("reference", message)) from error
    if len(case.messages) > 1 and len({isinstance(entry, list) for entry in case.messages}) > 1:
        raise msgspec.ValidationError(
            "Expected either messages or turns of messages, got both - at `$.messages`"
        )
    for entry in case.messages:
        for message in entry if isinstance(entry, list) else (entry,):
            if not isinstance(message.get("role"), str):
                raise msgspec.ValidationError("Expected every message to have a `role` - at `$.messages`")
    if case.tools:
        _validate_tools("tools", case.tools)
    if kind_spec(case.kind).family == "conversation":
        _validate_tools("reference.withheld_tools", case.reference.get("withheld_tools", []))


def _reference_type(kind: Kind) -> type[msgspec.Struct] | None:
    """Return the type of a kind's references, or None if they may have any form."""
    if kind not in KINDS:
        if not is_kind(kind):
            raise msgspec.ValidationError(f"{unknown_kind(kind)} - at `$.kind`")
        _ = CHECKERS[kind]  # loading the checker registers the type of its references
    return kind_spec(kind).reference


class _Named(msgspec.Struct):
    name: str


def _validate_tools(field: str, tools: list[dict[str, Any]]) -> None:
    for index, tool in enumerate(tools):
        try:
            convert(tool.get("function"), _Named)
        except msgspec.ValidationError as error:
            raise msgspec.ValidationError(_nest_field(f"{field}[{index}].function", str(error))) from error


def _validate_reference(reference: msgspec.Struct) -> None:
    if isinstance(reference, OpenReference):
        _validate_criteria(reference)
    if not isinstance(reference, ToolCallReference):
        return
    if reference.ordered and reference.match != "auto":
        raise msgspec.ValidationError(
            f"Expected `match: auto` beside `ordered: true`, got {reference.match!r} - at `$.match`"
        )
    try:
        accepted_calls(reference.calls)
    except InputError as error:
        raise msgspec.ValidationError(f"{error.message} - at `$.{error.field}`") from error


def _validate_criteria(reference: OpenReference) -> None:
    if (reference.criterion is None) == (not reference.criteria):
        raise msgspec.ValidationError("Expected either a `criterion` or a list of `criteria` - at `$`")
    for index, criterion in enumerate(reference.criteria):
        if not criterion.text.strip():
            raise msgspec.ValidationError(
                f"Expected a criterion, got nothing - at `$.criteria[{index}].text`"
            )
        if not abs(criterion.points) <= MAX_POINTS:
            raise msgspec.ValidationError(
                f"Expected points between -{MAX_POINTS:g} and {MAX_POINTS:g}, got {criterion.points:g} - at `$.criteria[{index}].points`"
            )


def _nest_field(field: str, message: str) -> str:
    """Return an error message in which the path of the wrong field begins with another field."""
    if " - at `$" in message:
        return message.replace(" - at `$", f" - at `$.{field}", 1)
    return f"{message} - at `$.{field}`"
