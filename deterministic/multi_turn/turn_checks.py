"""Checks after each turn: calls made, world states, expected results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..execution.call_texts import call_spelling
from ..finding import Finding, fault, plain, shorten, undecided
from .call_execution import FAILED
from .reference import ReferenceTurn, StateReader
from .turns import CallTurn
from .worlds import ABSENT, AnyWorld, Equality, State, equal, equal_in_kind, first_difference


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
    def failed_call_note(self) -> str:
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


def require_call(facts: TurnFacts) -> Finding | None:
    """Require a call in a turn in which the reference makes one."""
    if any(facts.steps) or len(facts.steps) > 1:
        return None
    return facts.fault(
        "empty_turn_model_response",
        f"nothing was called; the reference calls {shorten(facts.expected.calls)}",
        expected=plain(facts.expected.calls),
    )


def require_needed_call(facts: TurnFacts) -> Finding | None:
    """Require a call unless the reference only reads again what was shown."""
    finding = require_call(facts)
    if finding is None or require_equal_states_in_kind(facts) or require_results_for_each_turn(facts):
        return finding
    return None


def require_equal_states(facts: TurnFacts) -> Finding | None:
    """Require every compared attribute of every world to match the reference."""
    return _compare_states(facts, equal)


def require_equal_states_in_kind(facts: TurnFacts) -> Finding | None:
    """Check as ``require_equal_states``, but distinguish booleans from numbers."""
    return _compare_states(facts, equal_in_kind)


def require_results(facts: TurnFacts) -> Finding | None:
    """Require the reference results of this turn among all results of the model so far."""
    return _missing_result(facts, Counter(facts.results))


def require_results_for_each_turn(facts: TurnFacts) -> Finding | None:
    """Check as ``require_results``, but use up results that earlier turns needed.

    A turn without a call needs none if the reference only reads again what was shown.
    """
    if _is_read_again(facts):
        return None
    available = Counter(facts.results)
    for earlier in facts.reference[: facts.turn]:
        available.subtract(earlier.results)
    # Earlier turns have passed without this turn's results.
    calls = sum(map(len, facts.steps))
    available |= Counter(facts.results[len(facts.results) - calls :])
    return _missing_result(facts, available)


def _is_read_again(facts: TurnFacts) -> bool:
    """Return whether nothing was called, and the reference repeats calls that change nothing.

    Their results are those of the same calls in its earlier turns, and the model has seen them.
    """
    earlier = facts.reference[: facts.turn]
    if any(facts.steps) or not earlier or not equal_in_kind(earlier[-1].states, facts.expected.states):
        return False
    known = {
        (call_spelling(call), result)
        for turn in earlier
        for call, result in zip(turn.calls, turn.results, strict=True)
    }
    return all(
        (call_spelling(call), result) in known and result in facts.results
        for call, result in zip(facts.expected.calls, facts.expected.results, strict=True)
    )


def require_no_changes(facts: TurnFacts) -> Finding | None:
    """Refuse changes in a turn in which the reference calls nothing.

    Reading is allowed. Undecided if the reference makes these calls in its next turn with calls.
    """
    upcoming = next((turn.calls for turn in facts.reference[facts.turn + 1 :] if turn.calls), list[str]())
    awaited = {call_spelling(call) for call in upcoming}
    wrong = [call for call in facts.changing if call_spelling(call) not in awaited]
    if wrong:
        return facts.fault(
            "irrelevance_error:decoder_success",
            f"{shorten(wrong[0])} changed the state; the reference changes nothing",
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
    if same is equal and equal(expected, state):  # one comparison settles most states
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
        f"{difference}{facts.failed_call_note}",
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
                f"the result of {shorten(call)} never appeared: {shorten(result)}{facts.failed_call_note}",
                call=plain(call),
                expected=plain(result),
            )
        available[result] -= 1
    return None
