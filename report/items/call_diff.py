"""Calls beside the accepted ones nearest to them, argument by argument."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ...deterministic.ast.expectation import ExpectedCall
from ...deterministic.ast.strict_rules import check_call_strictly
from ...deterministic.ast.tool_calls import expectation_of, is_call_list
from ...deterministic.decoding.replies import asked_form, decode_output
from ...errors import DecodingError, InputError
from ...records import Case, Output, kind_spec

_MAX_CALLS = 50
"""Most calls compared; with more, none is, since every call is compared with every accepted one."""


class ArgumentDiff(msgspec.Struct, frozen=True, kw_only=True):
    """Given and accepted value of an argument, and whether strict rules accept it.

    A given value of None was left out; an accepted value of None must not be given.
    """

    name: str
    given: Given | None
    accepted: Sequence[Any] | str | None
    fits: bool


class Given(msgspec.Struct, frozen=True):
    """Wrapper of a value that was given, even None."""

    value: Any


class CallDiff(msgspec.Struct, frozen=True, kw_only=True):
    """Call paired with the nearest accepted one, by function names and arguments.

    ``made`` is None if an accepted call was not made, ``accepted`` if a call is superfluous.
    """

    made: str | None
    accepted: str | None
    arguments: Sequence[ArgumentDiff]

    @property
    def fits(self) -> bool:
        """Return whether the call matches the accepted one."""
        return (
            self.made is not None
            and self.made == self.accepted
            and all(argument.fits for argument in self.arguments)
        )


def call_diffs(case: Case, output: Output) -> list[CallDiff]:
    """Pair an output's calls, in order, with accepted ones; missing calls come last.

    Empty if the case asks for no calls, or the reply cannot be read as calls or is too long to compare.
    """
    if not kind_spec(case.kind).compared or output.error is not None:
        return []
    try:
        accepted = expectation_of(case, "dotted").calls
        made = decode_output(output, asked_form(case), strictly=True)
    except (DecodingError, InputError):
        return []
    if not is_call_list(made) or len(made) > _MAX_CALLS or len(accepted) > _MAX_CALLS:
        return []
    return paired_diffs(made, accepted)


def paired_diffs(
    made: Sequence[Mapping[str, dict[str, Any]]], accepted: Sequence[ExpectedCall]
) -> list[CallDiff]:
    """Pair calls, ``{name: arguments}`` each, with accepted calls, the most similar first.

    Each is paired once.
    """
    calls = [next(iter(call.items())) for call in made]
    diffs = {
        (n, m): _diff(name, arguments, expected)
        for n, (name, arguments) in enumerate(calls)
        for m, expected in enumerate(accepted)
    }
    partner: dict[int, int] = {}
    for n, m in sorted(diffs, key=lambda pair: (-_likeness(diffs[pair]), pair)):
        if n not in partner and m not in partner.values():
            partner[n] = m
    found = [
        diffs[n, partner[n]] if n in partner else _too_many(name, arguments)
        for n, (name, arguments) in enumerate(calls)
    ]
    return [*found, *(_missing(each) for m, each in enumerate(accepted) if m not in partner.values())]


def _likeness(diff: CallDiff) -> float:
    right = sum(argument.fits for argument in diff.arguments)
    return (
        1000.0 * diff.fits
        + 100.0 * (diff.made == diff.accepted)
        + right
        - (len(diff.arguments) - right) / 100
    )


def _diff(name: str, arguments: Mapping[str, Any], expected: ExpectedCall) -> CallDiff:
    """Compare one call with one accepted call; strict rules apply to each argument separately."""
    alone = msgspec.structs.replace(expected, required_by_schema=(), required_by_reference=())
    needed = {*expected.required_by_schema, *expected.required_by_reference}
    names = list(dict.fromkeys([*expected.arguments, *needed, *arguments]))
    rows = [
        ArgumentDiff(
            name=each,
            given=Given(arguments[each]) if each in arguments else None,
            accepted=expected.shown.get(each),
            fits=check_call_strictly({expected.name: {each: arguments[each]}}, alone) is None
            if each in arguments
            else each not in needed,
        )
        for each in names
    ]
    return CallDiff(
        made=name, accepted=name if name in expected.accepted_names else expected.name, arguments=rows
    )


def _too_many(name: str, arguments: Mapping[str, Any]) -> CallDiff:
    rows = [
        ArgumentDiff(name=each, given=Given(value), accepted=None, fits=False)
        for each, value in arguments.items()
    ]
    return CallDiff(made=name, accepted=None, arguments=rows)


def _missing(expected: ExpectedCall) -> CallDiff:
    rows = [
        ArgumentDiff(name=each, given=None, accepted=accepted, fits=False)
        for each, accepted in expected.shown.items()
    ]
    return CallDiff(made=None, accepted=expected.name, arguments=rows)
