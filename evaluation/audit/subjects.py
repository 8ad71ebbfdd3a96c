"""Right outputs to mutate: outputs that the strict checker passes, or made from references."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from ...deterministic.checkers import check
from ...deterministic.mutation import Subject, compose_statement, rank, right_output
from ...deterministic.options import CheckOptions
from ...records import Case, CaseIndex, Kind, Output, kind_spec
from ..inputs import EvaluationInputs, FileSlice, outputs_in

_MAX_SIBLINGS = 3
"""Other cases whose answers are tried for a case."""

_CASES_PER_PIECE = 100
"""Cases that a process takes at once."""


class Siblings:
    """Other cases of the same kind, whose answers are wrong for a case.

    Only their ids are in memory.
    """

    def __init__(self, cases: CaseIndex) -> None:
        self._cases = cases
        self._rings: dict[Kind, list[tuple[int, str]]] = {}
        for case_id in cases:
            kind = cases.facts(case_id).kind
            if kind_spec(kind).family == "answer":
                self._rings.setdefault(kind, []).append((rank(case_id), case_id))
        for ring in self._rings.values():
            ring.sort()  # by hash, so that neighbours are a random choice that is the same in every run

    def of(self, case: Case) -> list[Case]:
        """Return a case's siblings: the next few cases, by hash, from other clusters."""
        ring = self._rings.get(case.kind, [])
        start = bisect_right(ring, (rank(case.id), case.id))
        siblings: list[Case] = []
        clusters = {case.cluster_id}
        for step in range(len(ring)):
            sibling_id = ring[(start + step) % len(ring)][1]
            if (cluster := self._cases.cluster(sibling_id)) not in clusters:
                clusters.add(cluster)
                siblings.append(self._cases[sibling_id])
            if len(siblings) == _MAX_SIBLINGS:
                break
        return siblings


class RightOutputs:
    """Right outputs to mutate, in pieces that any process can work on.

    Attributes:
        composed: Number of grounded cases. If the results of one are structured, a statement is composed from them.

    Args:
        inputs: Outputs of systems, from which the right ones are chosen; None to make right outputs from the references.
        cases: The cases.
        options: Options of the checkers.
    """

    def __init__(self, inputs: EvaluationInputs | None, cases: CaseIndex, options: CheckOptions) -> None:
        self._cases = cases
        self._strict = msgspec.structs.replace(options, rules="strict")
        self._siblings = Siblings(cases)
        grounded_ids = [
            case_id for case_id in cases if kind_spec(cases.facts(case_id).kind).family == "grounded"
        ]
        self.composed = len(grounded_ids)
        ids_with_references = [] if inputs is not None else list(cases)
        self._pieces: list[FileSlice | _ReferencePiece | _StatementPiece] = [
            *(inputs.pieces if inputs is not None else ()),
            *(_ReferencePiece(chunk) for chunk in _chunks(ids_with_references)),
            *(_StatementPiece(chunk) for chunk in _chunks(grounded_ids)),
        ]

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self._pieces)

    def subjects(self, piece: int, passed_over: Counter[str]) -> Iterator[Subject]:
        """Yield a piece's right outputs with their cases.

        Other outputs are counted in ``passed_over``, by reason. The right output of a grounded case is a statement composed from its
        structured results.
        """
        source = self._pieces[piece]
        if isinstance(source, _StatementPiece):
            yield from self._composed_subjects(source.ids, passed_over)
            return
        for case, output in self._candidates(source, passed_over):
            verdict = check(case, output, self._strict)
            if verdict.score == 1.0:
                # Mutants have no recorded results: with them, a judge could recognise the right output.
                without_results = msgspec.structs.replace(output, turns=output.agent_turns)
                yield Subject(case, without_results, self._siblings.of(case))
            else:
                passed_over["not right" if verdict.graded else "not decided"] += 1

    def _candidates(
        self, source: FileSlice | _ReferencePiece, passed_over: Counter[str]
    ) -> Iterator[tuple[Case, Output]]:
        if isinstance(source, FileSlice):
            for output in outputs_in(source):
                if kind_spec(self._cases.facts(output.case_id).kind).family != "grounded":
                    yield self._cases[output.case_id], output
                else:
                    passed_over["grounded, since statements are composed instead"] += 1
            return
        for case_id in source.ids:
            case = self._cases[case_id]
            output = right_output(case)
            if output is not None:
                yield case, output
            elif kind_spec(case.kind).family != "grounded":  # grounded cases have pieces of their own
                passed_over["no right output can be made"] += 1

    def _composed_subjects(self, ids: Sequence[str], passed_over: Counter[str]) -> Iterator[Subject]:
        for case_id in ids:
            statement = compose_statement(self._cases[case_id])
            if statement is None:
                passed_over["no structured results"] += 1
            else:
                case_with_claims, output = statement
                yield Subject(case_with_claims, output)


class _ReferencePiece(NamedTuple):
    """Cases from whose references right outputs are made."""

    ids: Sequence[str]


class _StatementPiece(NamedTuple):
    """Grounded cases from whose results statements are composed."""

    ids: Sequence[str]


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + _CASES_PER_PIECE] for start in range(0, len(ids), _CASES_PER_PIECE))
