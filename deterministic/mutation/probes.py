"""Probes: changed outputs with certain labels.

Mutations that a checker grades differently than intended are weaknesses of the checker, not probes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from ...records import Case, Output, Verdict, encode_record
from ...records.output import planted_step
from ..answers import check_answer
from ..checkers import check
from ..options import CheckOptions, Rules
from .answer_operators import answer_of_output
from .operator import FAMILY_KINDS, Mutation, Operator, Plants
from .seeding import generator
from .subject import Subject

CheckerFault: TypeAlias = Literal["accepts a fault", "rejects a twin", "cannot decide"]
"""Disagreement of a rule set with the intended label."""

_TRIALS = 1_000
"""Trial numbers reserved for the probes of one trial of a source."""

PLANTED = "planted"
"""Key, in a label's evidence, of the step at which a trajectory goes wrong."""

_TRIES = 4
"""Mutations to try per requested probe, since some are dropped or come twice."""


class Probe(msgspec.Struct, frozen=True):
    """An output to test a judge with.

    Attributes:
        case: The case, with the operator's change if it makes one.
        output: The changed output; its system is ``<source>~<operator>``.
        label: Its label; the evidence is made by `origin`.
    """

    case: Case
    output: Output
    label: Verdict


class Weakness(msgspec.Struct, frozen=True, kw_only=True):
    """A mutation that a rule set grades differently than intended.

    A person has to read it: the rules may be weak, or the mutation may have changed nothing that matters.

    Attributes:
        rules: The rule set.
        failing: Its disagreement.
        operator: The operator.
        case_id: The case whose output was mutated.
        system: System of the right output.
        change: Description of the change.
        reason: The checker's reason, if any.
    """

    rules: Rules
    failing: CheckerFault
    operator: str
    case_id: str
    system: str
    change: str
    reason: str | None


class _Attempt(NamedTuple):
    """One mutation, with its subject and operator."""

    subject: Subject
    operator: Operator
    mutation: Mutation

    @property
    def is_twin(self) -> bool:
        return self.operator.plants == "twin"

    @property
    def intended_score(self) -> float:
        """1 for a twin, else 0; a groundedness label may be a fraction instead."""
        return 1.0 if self.is_twin else 0.0


def make_probes(
    subject: Subject,
    operators: Iterable[Operator],
    options: CheckOptions,
    *,
    seed: int = 0,
    per_operator: int = 3,
) -> Iterator[Probe | Weakness]:
    """Mutate one right output with every operator for its kind.

    Args:
        subject: The right output with its case.
        operators: The operators.
        options: Names, functions and worlds; the rules are ignored, since strict ones decide.
        seed: The same seed gives the same probes, whatever else is mutated.
        per_operator: Limit on the probes of one operator.

    Yields:
        Probes; a weakness of strict rules instead of each probe that they grade differently than intended; and a weakness of
        BFCL's rules for each probe that those grade differently.
    """
    strict = msgspec.structs.replace(options, rules="strict")
    bfcl = msgspec.structs.replace(options, rules="bfcl")
    right_by_bfcl = check(subject.case, subject.output, bfcl).score == 1.0
    for operator in operators:
        if subject.case.kind not in FAMILY_KINDS[operator.family]:
            continue
        count = 0
        for attempt in _attempts(subject, operator, seed, per_operator * _TRIES):
            result = _labelled(attempt, count, strict)
            yield result
            if isinstance(result, Probe):
                count += 1
                if right_by_bfcl or not attempt.is_twin:
                    yield from _bfcl_weakness(result, attempt, bfcl)
            if count == per_operator:
                break


def probe_number(trial: int) -> int:
    """Return a probe's number among those of one operator and right output, from its trial."""
    return trial % _TRIALS


def origin(
    operator: str, plants: Plants | Literal["nothing"], source: Output, change: str = "", against: str = ""
) -> dict[str, Any]:
    """Return the evidence of a probe's label."""
    key = {"case_id": source.case_id, "system": source.system, "trial": source.trial}
    evidence: dict[str, Any] = {"operator": operator, "plants": plants, "source": key}
    return evidence | {name: text for name, text in (("change", change), ("against", against)) if text}


def _attempts(subject: Subject, operator: Operator, seed: int, most: int) -> Iterator[_Attempt]:
    """Yield different mutations of one output by one operator."""
    rng = generator(seed, subject.output.key, operator.name)
    # Encoded, since dicts in another order are equal, and so are 1 and 1.0.
    seen = {encode_record(subject.output)}
    for mutation in islice(operator.mutate(subject, rng), most):
        written = encode_record(mutation.output)
        if mutation.case is not None or written not in seen:
            seen.add(written)
            yield _Attempt(subject, operator, mutation)


def _labelled(attempt: _Attempt, number: int, strict: CheckOptions) -> Probe | Weakness:
    """Return the mutation as a probe, or the weakness of the checker that it shows."""
    probe = _probe(attempt, number)
    verdict = check(probe.case, probe.output, strict)
    if attempt.mutation.label is None:
        if verdict.score != attempt.intended_score:
            return _weakness(verdict, attempt, "strict")
        evidence = {**verdict.evidence, **probe.label.evidence}
        return msgspec.structs.replace(probe, label=msgspec.structs.replace(verdict, evidence=evidence))
    doubtful = not attempt.is_twin and not attempt.mutation.by_design and _mentions_accepted(probe)
    if doubtful or (verdict.graded and (verdict.score == 1.0) != attempt.is_twin):
        return _weakness(verdict, attempt, "strict")
    return probe


def _bfcl_weakness(probe: Probe, attempt: _Attempt, bfcl: CheckOptions) -> Iterator[Weakness]:
    verdict = check(probe.case, probe.output, bfcl)
    if verdict.graded and (verdict.score == 1.0) != attempt.is_twin:
        yield _weakness(verdict, attempt, "bfcl")


def _probe(attempt: _Attempt, number: int) -> Probe:
    subject, operator, mutation = attempt
    case, source = subject.case, subject.output
    system, trial = f"{source.system}~{operator.name}", source.trial * _TRIALS + number
    if mutation.case is not None:
        case_id = f"{case.id}~{operator.name}~{source.system}~{trial}"
        case = msgspec.structs.replace(mutation.case, id=case_id, cluster=case.cluster_id)
    output = msgspec.structs.replace(mutation.output, case_id=case.id, system=system, trial=trial)
    label = Verdict.on(
        output.key,
        score=attempt.intended_score if mutation.label is None else mutation.label,
        by="construction",
        source="construction",
        error_type=None if attempt.is_twin else operator.name,
        reason=mutation.change,
        evidence=origin(operator.name, operator.plants, source, mutation.change, operator.against)
        | _planted(attempt),
    )
    return Probe(case, output, label)


def _planted(attempt: _Attempt) -> dict[str, Any]:
    """Return the step of a trajectory with the planted fault, as evidence; empty if none."""
    case, output = attempt.subject.case, attempt.mutation.output
    if attempt.operator.plants != "fault" or output.turns is None:
        return {}
    step = planted_step(case, attempt.subject.output, output)
    return {} if step is None else {PLANTED: step._asdict()}


def _mentions_accepted(probe: Probe) -> bool:
    """Return whether an accepted answer occurs in a wrong one, by BFCL's lenient rule."""
    answers: list[str] = probe.case.reference.get("answers") or []
    text = answer_of_output(probe.output)
    return bool(answers and text) and check_answer(text, answers).valid


def _weakness(verdict: Verdict, attempt: _Attempt, rules: Rules) -> Weakness:
    failing: CheckerFault = "rejects a twin" if attempt.is_twin else "accepts a fault"
    return Weakness(
        rules=rules,
        failing=failing if verdict.graded else "cannot decide",
        operator=attempt.operator.name,
        case_id=attempt.subject.case.id,
        system=attempt.subject.output.system,
        change=attempt.mutation.change,
        reason=verdict.reason,
    )
