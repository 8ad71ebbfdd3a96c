"""Checks after each turn: calls made, world states, expected results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, cast

from ..execution.call_texts import call_spelling
from ..finding import Finding, fault, plain, shorten, undecided
from .call_execution import FAILED
from .reference import ReferenceTurn, StateReader
from .turns import CallTurn
from .worlds import AnyWorld, State

Equality: TypeAlias = Callable[[Any, Any], bool]


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT: Final = _Absent()
"""Marker for a value that only the other side has."""


class StateMismatch(NamedTuple):
    """First place where two values differ."""

    path: str
    expected: Any
    got: Any

    def __str__(self) -> str:
        return f"{self.path} should be {shorten(self.expected)}, is {shorten(self.got)}"


def equal(expected: Any, got: Any) -> bool:
    """Return whether two values are equal in Python: ``1 == 1.0 == True``.

    The order of dicts does not matter. Values that cannot be compared, such as arrays or very deep ones, are not equal.
    """
    try:
        return bool(expected == got)
    except Exception:  # noqa: BLE001 - a custom world may hold values of any type
        return False


def equal_in_kind(expected: Any, got: Any) -> bool:
    """Return whether values are equal, telling truth values from numbers at any depth."""
    return equal(expected, got) and _same_kind(expected, got)


def first_difference(expected: Any, got: Any, path: str, same: Equality) -> StateMismatch:
    """Find where two unequal values first differ, in the reference's order.

    ``path`` names the two values.
    """
    while True:
        step = _first_child_difference(expected, got, same)
        if step is None:
            return StateMismatch(path, expected, got)
        key, expected, got = step
        path += f"[{key!r}]"
        if expected is ABSENT or got is ABSENT:
            return StateMismatch(path, expected, got)


def _first_child_difference(expected: Any, got: Any, same: Equality) -> tuple[Any, Any, Any] | None:
    left, right = _children(expected), _children(got)
    if left is None or right is None or type(expected) is not type(got):
        return None
    for key in [*left, *(key for key in right if key not in left)]:
        one, other = left.get(key, ABSENT), right.get(key, ABSENT)
        if one is ABSENT or other is ABSENT or not same(one, other):
            return key, one, other
    return None


def _children(value: Any) -> dict[Any, Any] | None:
    if isinstance(value, dict):
        return cast("dict[Any, Any]", value)
    if isinstance(value, list | tuple):
        return dict(enumerate(cast("list[Any]", value)))
    return None


def _same_kind(expected: Any, got: Any) -> bool:
    """Return whether truth values match truth values in two equal values.

    The values are equal, so their keys and lengths are the same.
    """
    left, right = _children(expected), _children(got)
    if left is not None and right is not None:
        return all(_same_kind(value, right[key]) for key, value in left.items())
    return isinstance(expected, bool) == isinstance(got, bool)


class TurnFacts(NamedTuple):
    """Facts known once a turn has been executed on both sides."""

    turn: int
    steps: CallTurn
    results: Sequence[str]
    """All results of the model so far, those of earlier turns included."""
    reference: Sequence[ReferenceTurn]
    """All turns of the reference trajectory."""
    worlds: Mapping[str, AnyWorld]
    """The worlds in which the model's calls were executed."""
    read: StateReader
    changing: Sequence[str] = ()
    """Calls that changed a state, if the turn as a whole did and the reference calls nothing."""

    @property
    def expected(self) -> ReferenceTurn:
        """This turn of the reference trajectory."""
        return self.reference[self.turn]

    @property
    def failed_call(self) -> str:
        """The first call of this turn that raised, and its error; empty if none did."""
        calls = [call for step in self.steps for call in step]
        results = self.results[len(self.results) - len(calls) :]
        for call, result in zip(calls, results, strict=True):
            if result.startswith(FAILED):
                return f"; {shorten(call)} failed: {shorten(result.removeprefix(FAILED))}"
        return ""

    def fault(self, error_type: str, problem: str, **evidence: Any) -> Finding:
        """Return a finding for a fault in this turn."""
        turn = f"turn {self.turn + 1} of {len(self.reference)}"
        return fault(f"multi_turn:{error_type}", f"{turn}: {problem}", turn_index=self.turn, **evidence)


TurnCheck: TypeAlias = Callable[[TurnFacts], Finding | None]
"""Looks for one kind of fault in a turn."""


def something_was_called(facts: TurnFacts) -> Finding | None:
    """Require a call in a turn in which the reference makes one."""
    if any(facts.steps) or len(facts.steps) > 1:
        return None
    return facts.fault(
        "empty_turn_model_response",
        f"nothing was called; the reference calls {shorten(facts.expected.calls)}",
        expected=plain(facts.expected.calls),
    )


def needed_calls_were_made(facts: TurnFacts) -> Finding | None:
    """Check as ``something_was_called``, unless no call was needed.

    None is needed if the reference only reads in this turn what the model has already read.
    """
    finding = something_was_called(facts)
    if finding is None or states_match_in_kind(facts) or results_appeared_for_each_turn(facts):
        return finding
    return None


def states_match(facts: TurnFacts) -> Finding | None:
    """Require every compared attribute of every world to match the reference."""
    return _compare_states(facts, equal)


def states_match_in_kind(facts: TurnFacts) -> Finding | None:
    """Check as ``states_match``, but tell truth values from numbers."""
    return _compare_states(facts, equal_in_kind)


def results_appeared(facts: TurnFacts) -> Finding | None:
    """Require the reference results of this turn among all results of the model so far."""
    return _missing_result(facts, Counter(facts.results))


def results_appeared_for_each_turn(facts: TurnFacts) -> Finding | None:
    """Check as ``results_appeared``, but use up results that earlier turns needed."""
    available = Counter(facts.results)
    for earlier in facts.reference[: facts.turn]:
        available.subtract(earlier.results)
    return _missing_result(facts, available)


def nothing_was_changed(facts: TurnFacts) -> Finding | None:
    """Refuse changes in a turn in which the reference calls nothing.

    Reading is allowed. Calls that the reference makes in the next turn leave the turn undecided: the request may already ask for them.
    """
    upcoming = next((turn.calls for turn in facts.reference[facts.turn + 1 :] if turn.calls), list[str]())
    awaited = {call_spelling(call) for call in upcoming}
    wrong = [call for call in facts.changing if call_spelling(call) not in awaited]
    if wrong:
        return facts.fault(
            "irrelevance_error:decoder_success",
            f"nothing should be changed; {shorten(wrong[0])} did",
            got=plain(wrong),
        )
    if not facts.changing:
        return None
    turn = f"turn {facts.turn + 1} of {len(facts.reference)}"
    reason = f"{turn}: {shorten(facts.changing[0])} was called a turn before the reference calls it"
    return undecided(reason, turn_index=facts.turn, got=plain(list(facts.changing)))


def _compare_states(facts: TurnFacts, same: Equality) -> Finding | None:
    for name, expected in facts.expected.states.items():
        try:
            state = facts.read(facts.worlds[name])
        except Exception as error:  # noqa: BLE001 - what the calls have done to this world is the model's doing
            return facts.fault(
                "instance_state_mismatch", f"the state of {name} cannot be read: {error}", class_name=name
            )
        differing = _differing(expected, state, same)
        if differing:
            return _state_mismatch(facts, name, state, differing, same)
    return None


def _differing(expected: State, state: State, same: Equality) -> list[str]:
    if same is equal and equal(expected, state):
        return []
    return [name for name, value in expected.items() if not same(value, state.get(name, ABSENT))]


def _state_mismatch(
    facts: TurnFacts, name: str, state: State, differing: list[str], same: Equality
) -> Finding:
    attribute = differing[0]
    difference = first_difference(
        facts.expected.states[name][attribute], state.get(attribute, ABSENT), f"{name}.{attribute}", same
    )
    return facts.fault(
        "instance_state_mismatch",
        f"{difference}{facts.failed_call}",
        class_name=name,
        attributes=differing,
        path=difference.path,
        expected=plain(difference.expected),
        got=plain(difference.got),
    )


def _missing_result(facts: TurnFacts, available: Counter[str]) -> Finding | None:
    for call, result in zip(facts.expected.calls, facts.expected.results, strict=True):
        if available[result] <= 0:
            return facts.fault(
                "execution_response_mismatch",
                f"the result of {shorten(call)} never appeared: {shorten(result)}{facts.failed_call}",
                call=plain(call),
                expected=plain(result),
            )
        available[result] -= 1
    return None
