"""Compare calls with the accepted calls most similar to them, argument by argument.

`review_compare` is a simpler comparison, for a page on which people decide.
"""

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
"""Most calls that are compared, since each is compared with each accepted one; with more, none is."""


class ArgumentDiff(msgspec.Struct, frozen=True, kw_only=True):
    """An argument of a call next to its accepted values.

    Attributes:
        name: Name of the argument.
        given: The given value, or None if it was left out.
        accepted: The accepted values, or None if the argument must not be given.
        fits: Whether strict rules accept it.
    """

    name: str
    given: GivenValue | None
    accepted: Sequence[Any] | str | None
    fits: bool


class GivenValue(msgspec.Struct, frozen=True):
    """A value that was given, which may be None."""

    value: Any


class CallDiff(msgspec.Struct, frozen=True, kw_only=True):
    """A call paired with the accepted call that is most similar.

    Attributes:
        made: Name of the called function, or None if an accepted call was not made.
        accepted: Name of the accepted function, or None if the call is superfluous.
        arguments: Arguments of both.
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
    """Pair an output's calls with accepted ones, in order; accepted calls not made come last.

    Empty if the case asks for no calls, or if the output cannot be read as calls or has too many.
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
    """Pair calls with accepted calls, each at most once, the most similar first.

    Args:
        made: The calls, each ``{name: arguments}``.
        accepted: The accepted calls.
    """
    calls = [next(iter(call.items())) for call in made]
    diffs = {
        (made_index, accepted_index): _call_diff(name, arguments, expected)
        for made_index, (name, arguments) in enumerate(calls)
        for accepted_index, expected in enumerate(accepted)
    }
    partners: dict[int, int] = {}
    for made_index, accepted_index in sorted(diffs, key=lambda pair: (-_similarity(diffs[pair]), pair)):
        if made_index not in partners and accepted_index not in partners.values():
            partners[made_index] = accepted_index
    paired = [
        diffs[made_index, partners[made_index]]
        if made_index in partners
        else _superfluous_diff(name, arguments)
        for made_index, (name, arguments) in enumerate(calls)
    ]
    return [
        *paired,
        *(
            _missing_diff(expected)
            for accepted_index, expected in enumerate(accepted)
            if accepted_index not in partners.values()
        ),
    ]


def _similarity(diff: CallDiff) -> float:
    """Score a pair: fits, else the same function, then right arguments, then few wrong ones.

    With fewer than 100 arguments, an earlier criterion outweighs all later ones.
    """
    right_arguments = sum(argument.fits for argument in diff.arguments)
    return (
        1000.0 * diff.fits
        + 100.0 * (diff.made == diff.accepted)
        + right_arguments
        - (len(diff.arguments) - right_arguments) / 100
    )


def _call_diff(name: str, arguments: Mapping[str, Any], expected: ExpectedCall) -> CallDiff:
    """Compare a call with an accepted call, applying strict rules to each argument alone."""
    # Without required arguments, a call with a single argument can be checked.
    without_required = msgspec.structs.replace(expected, required_by_schema=(), required_by_reference=())
    required = {*expected.required_by_schema, *expected.required_by_reference}
    names = list(dict.fromkeys([*expected.arguments, *required, *arguments]))
    rows = [
        ArgumentDiff(
            name=argument,
            given=GivenValue(arguments[argument]) if argument in arguments else None,
            accepted=expected.shown.get(argument),
            fits=check_call_strictly({expected.name: {argument: arguments[argument]}}, without_required)
            is None
            if argument in arguments
            else argument not in required,
        )
        for argument in names
    ]
    return CallDiff(
        made=name, accepted=name if name in expected.accepted_names else expected.name, arguments=rows
    )


def _superfluous_diff(name: str, arguments: Mapping[str, Any]) -> CallDiff:
    rows = [
        ArgumentDiff(name=argument, given=GivenValue(value), accepted=None, fits=False)
        for argument, value in arguments.items()
    ]
    return CallDiff(made=name, accepted=None, arguments=rows)


def _missing_diff(expected: ExpectedCall) -> CallDiff:
    rows = [
        ArgumentDiff(name=argument, given=None, accepted=accepted, fits=False)
        for argument, accepted in expected.shown.items()
    ]
    return CallDiff(made=None, accepted=expected.name, arguments=rows)
