"""Right outputs to mutate: those of systems that the strict checker calls right, or those that references make."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

import msgspec

from ...deterministic import CheckOptions, check
from ...deterministic.mutation import Subject, composed, rank, right_output
from ...records import Case, CaseIndex, Kind, Output

_SIBLINGS = 3
_WITH_SIBLINGS: tuple[Kind, ...] = ("memory_answer", "web_search_answer")


class Siblings:
    """Other cases of the same kind, for answers that are right elsewhere; only ids are kept.

    Args:
        cases: The cases.
    """

    def __init__(self, cases: CaseIndex) -> None:
        self._cases = cases
        self._rings: dict[Kind, list[tuple[int, str]]] = {}
        for case_id in cases:
            kind = cases.facts(case_id).kind
            if kind in _WITH_SIBLINGS:
                self._rings.setdefault(kind, []).append((rank(case_id), case_id))
        for ring in self._rings.values():
            ring.sort()

    def of(self, case: Case) -> list[Case]:
        """The siblings of a case: the next few, by hash, that are of other clusters."""
        ring = self._rings.get(case.kind, [])
        start = bisect_right(ring, (rank(case.id), case.id))
        found: list[Case] = []
        clusters = {case.cluster_id}
        for step in range(len(ring)):
            other = ring[(start + step) % len(ring)][1]
            if (cluster := self._cases.cluster(other)) not in clusters:
                clusters.add(cluster)
                found.append(self._cases[other])
            if len(found) == _SIBLINGS:
                break
        return found


def right_subjects(
    cases: CaseIndex, outputs: Iterator[Output] | None, options: CheckOptions, passed_over: Counter[str]
) -> Iterator[Subject]:
    """Find outputs that are right.

    Args:
        cases: The cases.
        outputs: What systems produced; None to make right outputs of the references.
        options: Names, functions and worlds.
        passed_over: Counts, by reason, what is no subject.

    Yields:
        Right outputs with their cases; then, for each grounded case with structured results, a statement composed of them.
    """
    strict = msgspec.structs.replace(options, rules="strict")
    siblings = Siblings(cases)
    for case, output in _candidates(cases, outputs, passed_over):
        verdict = check(case, output, strict)
        if verdict.score == 1.0:
            # Mutants have no recorded results: those of the right output would tell it apart.
            right = msgspec.structs.replace(output, turns=output.agent_turns)
            yield Subject(case, right, siblings.of(case))
        else:
            passed_over["not right" if verdict.graded else "not decided"] += 1
    for case_id in cases:
        if cases.facts(case_id).kind == "grounded_answer":
            made = composed(cases[case_id])
            if made is None:
                passed_over["no structured results"] += 1
            else:
                yield Subject(*made)


def _candidates(
    cases: CaseIndex, outputs: Iterator[Output] | None, passed_over: Counter[str]
) -> Iterator[tuple[Case, Output]]:
    if outputs is not None:
        for output in outputs:
            if cases.facts(output.case_id).kind != "grounded_answer":
                yield cases[output.case_id], output
        return
    for case_id in cases:
        case = cases[case_id]
        output = right_output(case)
        if output is not None:
            yield case, output
        elif case.kind != "grounded_answer":
            passed_over["no right output can be made"] += 1
