"""Checks that are made after each turn: calls, states of the worlds, expected results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..execution.call_texts import canonical_call
from ..finding import Finding, fault, plain, shorten, undecided
from .call_execution import FAILURE_PREFIX
from .reference import ReferenceTurn, StateReader
from .turns import CallTurn
from .worlds import ABSENT, AnyWorld, Equality, State, equal, equal_distinguishing_bools, first_difference


class TurnFacts(NamedTuple):
    """Facts about a turn that has been executed on both sides, model and reference."""

    turn: int
    steps: CallTurn
    results: Sequence[str]
    """All results of the model so far, including those of earlier turns."""
    reference: Sequence[ReferenceTurn]
    """All turns of the reference trajectory."""
    worlds: Mapping[str, AnyWorld]
    """The worlds in which the model's calls were executed."""
    read: StateReader
    changing: Sequence[str] = ()
    """Calls that changed a state, if the reference calls nothing and the turn as a whole changed one."""

    @property
    def expected(self) -> ReferenceTurn:
        """This turn of the reference trajectory."""
        return self.reference[self.turn]

    @property
    def failed_call_note(self) -> str:
        """Note on the first call of this turn that raised an error; empty if none did."""
        calls = [call for step in self.steps for call in step]
        # The last results are those of this turn. Counted from the start, since it may have none.
        results = self.results[len(self.results) - len(calls) :]
        for call, result in zip(calls, results, strict=True):
            if result.startswith(FAILURE_PREFIX):
                return f"; {shorten(call)} failed: {shorten(result.removeprefix(FAILURE_PREFIX))}"
        return ""

    def fault(self, error_type: str, problem: str, **evidence: Any) -> Finding:
        """Return a finding for a fault in this turn."""
        turn = f"turn {self.turn + 1} of {len(self.reference)}"
        return fault(f"multi_turn:{error_type}", f"{turn}: {problem}", turn_index=self.turn, **evidence)


TurnCheck: TypeAlias = Callable[[TurnFacts], Finding | None]
"""Looks for one kind of fault in a turn."""


def require_call(facts: TurnFacts) -> Finding | None:
    """Require a call in a turn in which the reference makes one."""
    # As in BFCL, a turn with several steps is not empty, even if none has a call.
    if any(facts.steps) or len(facts.steps) > 1:
        return None
    return facts.fault(
        "empty_turn_model_response",
        f"nothing was called; the reference calls {shorten(facts.expected.calls)}",
        expected=plain(facts.expected.calls),
    )


def require_needed_call(facts: TurnFacts) -> Finding | None:
    """Require a call, unless the reference only reads again what the model has seen."""
    finding = require_call(facts)
    if finding is None or require_equal_states_and_bools(facts) or require_results_for_each_turn(facts):
        return finding
    return None


def require_equal_states(facts: TurnFacts) -> Finding | None:
    """Require every compared attribute of every world to match the reference."""
    return _compare_states(facts, equal)


def require_equal_states_and_bools(facts: TurnFacts) -> Finding | None:
    """Check as `require_equal_states` does, but distinguish booleans from numbers."""
    return _compare_states(facts, equal_distinguishing_bools)


def require_results(facts: TurnFacts) -> Finding | None:
    """Require the reference's results of this turn among all results of the model so far."""
    return _missing_result(facts, Counter(facts.results))


def require_results_for_each_turn(facts: TurnFacts) -> Finding | None:
    """Check as `require_results` does, but do not reuse a result that an earlier turn needed.

    A turn without a call needs no result if the reference only reads again what the model has seen.
    """
    if _repeats_earlier_reads(facts):
        return None
    # Results are counted, not only looked for: two turns may need the same text.
    available = Counter(facts.results)
    for earlier_turn in facts.reference[: facts.turn]:
        available.subtract(earlier_turn.results)
    # This turn's own results all count: earlier turns passed without them.
    calls = sum(map(len, facts.steps))
    available |= Counter(facts.results[len(facts.results) - calls :])
    return _missing_result(facts, available)


def _repeats_earlier_reads(facts: TurnFacts) -> bool:
    """Return whether nothing was called, and the reference repeats calls that change nothing.

    The calls gave the same results in the reference's earlier turns, and the model has seen these results.
    """
    earlier_turns = facts.reference[: facts.turn]
    if (
        any(facts.steps)
        or not earlier_turns
        or not equal_distinguishing_bools(earlier_turns[-1].states, facts.expected.states)
    ):
        return False
    earlier_results = {
        (canonical_call(call), result)
        for turn in earlier_turns
        for call, result in zip(turn.calls, turn.results, strict=True)
    }
    return all(
        (canonical_call(call), result) in earlier_results and result in facts.results
        for call, result in zip(facts.expected.calls, facts.expected.results, strict=True)
    )


def require_no_changes(facts: TurnFacts) -> Finding | None:
    """Refuse changes of a state in a turn in which the reference calls nothing.

    Reading is allowed. If the reference makes the same calls in its next turn with calls, the turn is undecided.
    """
    next_calls = next((turn.calls for turn in facts.reference[facts.turn + 1 :] if turn.calls), list[str]())
    next_spellings = {canonical_call(call) for call in next_calls}
    unexpected_calls = [call for call in facts.changing if canonical_call(call) not in next_spellings]
    if unexpected_calls:
        return facts.fault(
            "irrelevance_error:decoder_success",
            f"{shorten(unexpected_calls[0])} changed the state; the reference changes nothing",
            got=plain(unexpected_calls),
        )
    if not facts.changing:
        return None
    turn = f"turn {facts.turn + 1} of {len(facts.reference)}"
    reason = f"{turn}: {shorten(facts.changing[0])} was called a turn before the reference calls it"
    return undecided(reason, turn_index=facts.turn, got=plain(list(facts.changing)))


def _compare_states(facts: TurnFacts, equals: Equality) -> Finding | None:
    for name, expected in facts.expected.states.items():
        try:
            state = facts.read(facts.worlds[name])
        except Exception as error:  # noqa: BLE001 - what the calls have done to this world is the model's doing
            return facts.fault(
                "instance_state_mismatch", f"the state of {name} cannot be read: {error}", class_name=name
            )
        attributes = _differing_attributes(expected, state, equals)
        if attributes:
            return _state_mismatch(facts, name, state, attributes, equals)
    return None


def _differing_attributes(expected: State, state: State, equals: Equality) -> list[str]:
    if equals is equal and equal(expected, state):  # the usual case, by one fast comparison
        return []
    return [name for name, value in expected.items() if not equals(value, state.get(name, ABSENT))]


def _state_mismatch(
    facts: TurnFacts, name: str, state: State, attributes: list[str], equals: Equality
) -> Finding:
    attribute = attributes[0]
    difference = first_difference(
        facts.expected.states[name][attribute], state.get(attribute, ABSENT), f"{name}.{attribute}", equals
    )
    return facts.fault(
        "instance_state_mismatch",
        f"{difference}{facts.failed_call_note}",
        class_name=name,
        attributes=attributes,
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
