"""Pairs of outputs for one case, which judges grade like single outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from ...errors import UsageError
from ...records import ItemKey, Output, Pair
from ..inputs import EvaluationInputs

Members = tuple[ItemKey, ItemKey]
"""The two outputs of a pair, in the order in which they are shown."""


def length_of(output: Output) -> int | None:
    """Return the length of a text in characters, or None if the output has calls or turns."""
    is_text = output.tool_calls is None and output.turns is None
    return len(output.text) if is_text and output.text is not None else None


class PairInputs(EvaluationInputs):
    """Pairs of outputs of different systems for one case and trial, in both orders.

    The outputs are kept in memory, because each is read once per opponent.

    Attributes:
        systems: The systems, in order of first appearance.
        members: The outputs of each pair, by the key of its verdicts.

    Raises:
        UsageError: There are fewer than two systems, ``against`` is not one of them, or no case has outputs of two.
    """

    def __init__(self, inputs: EvaluationInputs, against: str | None = None) -> None:
        self._inputs = inputs
        self._against = against
        self.cases, self.output_files, self.survey = inputs.cases, inputs.output_files, inputs.survey
        self.systems = list(self.survey.answered)
        if len(self.systems) < 2:  # noqa: PLR2004 - a pair
            raise UsageError(
                f"preferences compare systems, and there is only {', '.join(self.systems) or 'none'}"
            )
        if against is not None and against not in self.systems:
            raise UsageError(f"there is no system {against!r}; there are {', '.join(self.systems)}")
        self._outputs = {output.key: output for output in inputs.outputs()}
        self.members: Mapping[ItemKey, Members] = self._make_pairs()

    def outputs(self) -> Iterator[Output]:
        """Yield every pair in both orders, by case in the order of first answers."""
        for first, second in self.members.values():
            yield Pair.of(self._outputs[first], self._outputs[second])

    def output(self, key: ItemKey) -> Output:
        """Return one of the paired outputs."""
        return self._outputs[key]

    def _make_pairs(self) -> dict[ItemKey, Members]:
        cases_and_trials = dict.fromkeys((key.case_id, key.trial) for key in self._outputs)
        members: dict[ItemKey, Members] = {}
        for case_id, trial in cases_and_trials:
            keys = [ItemKey(case_id, system, trial) for system in self.systems]
            for earlier, later in combinations([key for key in keys if key in self._outputs], 2):
                if self._against not in {None, earlier.system, later.system}:
                    continue
                for first, second in ((earlier, later), (later, earlier)):
                    pair = Pair.of(self._outputs[first], self._outputs[second]).key
                    if pair in members:
                        raise UsageError(f"two pairs of systems are called {pair.system!r}; rename a system")
                    members[pair] = first, second
        if not members:
            raise UsageError("no case has outputs of two systems that are to be compared; nothing to prefer")
        return members
