"""What is checked after each turn: was anything done, are the worlds as they should be, did the expected results appear."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..evidence import plain, shorten
from ..finding import Finding, fault
from .difference import ABSENT, Equality, equal, equal_in_kind, first_difference
from .reference import ReferenceTurn, StateReader
from .turns import Turn
from .worlds import State, World


class TurnFacts(NamedTuple):
    """What is known when a turn has been executed on both sides."""

    turn: int
    steps: Turn
    results: Sequence[str]
    """All results of the model so far, those of earlier turns included."""
    reference: Sequence[ReferenceTurn]
    """All turns of the reference trajectory."""
    worlds: Mapping[str, World]
    """The model's."""
    read: StateReader

    @property
    def expected(self) -> ReferenceTurn:
        """This turn of the reference trajectory."""
        return self.reference[self.turn]

    def fault(self, error_type: str, what: str, **evidence: Any) -> Finding:
        """Something is wrong in this turn."""
        turn = f"turn {self.turn + 1} of {len(self.reference)}"
        return fault(f"multi_turn:{error_type}", f"{turn}: {what}", turn_index=self.turn, **evidence)


TurnCheck: TypeAlias = Callable[[TurnFacts], Finding | None]
"""Looks for one kind of fault in a turn."""


def something_was_called(facts: TurnFacts) -> Finding | None:
    """Where the reference calls something, the model has to call something."""
    if any(facts.steps) or len(facts.steps) > 1:
        return None
    return facts.fault(
        "empty_turn_model_response",
        f"nothing was called; the reference calls {shorten(facts.expected.calls)}",
        expected=plain(facts.expected.calls),
    )


def something_was_called_that_was_needed(facts: TurnFacts) -> Finding | None:
    """As ``something_was_called``, unless all that the reference does in this turn is read what the model has read already."""
    found = something_was_called(facts)
    if found is None or states_match_in_kind(facts) or results_appeared_for_each_turn(facts):
        return found
    return None


def states_match(facts: TurnFacts) -> Finding | None:
    """Every compared attribute of every world is as in the reference."""
    return _compare_states(facts, equal)


def states_match_in_kind(facts: TurnFacts) -> Finding | None:
    """As ``states_match``; a truth value is no number."""
    return _compare_states(facts, equal_in_kind)


def results_appeared(facts: TurnFacts) -> Finding | None:
    """What the reference calls of this turn return is among all that the model was told, in this turn or before."""
    return _missing_result(facts, Counter(facts.results))


def results_appeared_for_each_turn(facts: TurnFacts) -> Finding | None:
    """As ``results_appeared``; a result that an earlier turn needed is used up."""
    available = Counter(facts.results)
    for earlier in facts.reference[: facts.turn]:
        available.subtract(earlier.results)
    return _missing_result(facts, available)


def nothing_was_called(facts: TurnFacts) -> Finding | None:
    """Where the reference calls nothing, because something is missing, the model must not either."""
    calls = [call for step in facts.steps for call in step]
    if not calls:
        return None
    return facts.fault(
        "irrelevance_error:decoder_success",
        f"nothing should be called; {shorten(calls[0])} was",
        got=plain(calls),
    )


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
    if expected == state and same is equal:
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
        str(difference),
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
                f"the result of {shorten(call)} never appeared: {shorten(result)}",
                call=plain(call),
                expected=plain(result),
            )
        available[result] -= 1
    return None
