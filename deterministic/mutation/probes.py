"""Probes: mutants and twins whose labels are certain.

Uncertain mutations are set aside; they point to weaknesses of the checker.
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
from .chance import generator
from .operator import FAMILY_KINDS, Mutation, Operator, Plants
from .subject import Subject

CheckerFault: TypeAlias = Literal["accepts a fault", "rejects a twin", "cannot decide"]
"""What a rule set does with an output that was meant to be right, or wrong."""

_TRIALS = 1_000
"""Room for the probes of one trial of a source before those of the next."""

PLANTED = "planted"
"""Key in a label's evidence of the step at which a trajectory goes wrong."""

_TRIES = 4
"""Mutations that are tried for each probe that is wanted: some are dropped, some come twice."""


class Probe(msgspec.Struct, frozen=True):
    """An output to test a judge with.

    Attributes:
        case: The case, with the operator's change if it makes one.
        output: The changed output; its system is ``<source>~<operator>``.
        label: What is right to say of it; its evidence is made by `origin`.
    """

    case: Case
    output: Output
    label: Verdict


class Weakness(msgspec.Struct, frozen=True, kw_only=True):
    """A mutation that a rule set judges otherwise than it was meant.

    It may be a weakness of the rules, or a mutation that happened to change nothing that matters: to be read.

    Attributes:
        rules: The rule set.
        failing: What it does.
        operator: The operator.
        case_id: The case whose output was mutated.
        system: System of the right output.
        change: Description of the change.
        reason: What the checker said, if anything.
    """

    rules: Rules
    failing: CheckerFault
    operator: str
    case_id: str
    system: str
    change: str
    reason: str | None


class _Attempt(NamedTuple):
    """One mutation, with its origin."""

    subject: Subject
    operator: Operator
    mutation: Mutation

    @property
    def is_twin(self) -> bool:
        return self.operator.plants == "twin"

    @property
    def meant(self) -> float:
        """The score that was meant; of fractions only that it is not 1."""
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
        options: Names, functions and worlds; strict rules decide, whatever rules are named here.
        seed: The same seed gives the same probes, whatever else is mutated, and in whatever order.
        per_operator: Probes of one operator at most.

    Yields:
        Probes; a weakness of strict rules for each mutation that they judge otherwise than it was meant, which then is no
        probe; and one of BFCL's rules for each probe that these judge otherwise.
    """
    strict = msgspec.structs.replace(options, rules="strict")
    bfcl = msgspec.structs.replace(options, rules="bfcl")
    right_by_bfcl = check(subject.case, subject.output, bfcl).score == 1.0
    for operator in operators:
        if subject.case.kind in FAMILY_KINDS[operator.family]:
            count = 0
            for attempt in _attempts(subject, operator, seed, per_operator * _TRIES):
                found = _labelled(attempt, count, strict)
                yield found
                if isinstance(found, Probe):
                    count += 1
                    if right_by_bfcl or not attempt.is_twin:
                        yield from _missed(found, attempt, bfcl)
                if count == per_operator:
                    break


def probe_number(trial: int) -> int:
    """Return a probe's number from its trial.

    Probes of one operator and right output are counted from 0.
    """
    return trial % _TRIALS


def origin(
    operator: str, plants: Plants | Literal["nothing"], source: Output, change: str = "", against: str = ""
) -> dict[str, Any]:
    """Return the evidence of a probe's label."""
    made_of = {"case_id": source.case_id, "system": source.system, "trial": source.trial}
    found = {"operator": operator, "plants": plants, "source": made_of}
    return found | {name: text for name, text in (("change", change), ("against", against)) if text}


def _attempts(subject: Subject, operator: Operator, seed: int, most: int) -> Iterator[_Attempt]:
    """Yield different mutations of one output by one operator."""
    chance = generator(seed, subject.output.key, operator.name)
    # Compared as written: dicts in another order are equal, and so are 1 and 1.0.
    seen = {encode_record(subject.output)}
    for mutation in islice(operator.mutate(subject, chance), most):
        written = encode_record(mutation.output)
        if mutation.case is not None or written not in seen:
            seen.add(written)
            yield _Attempt(subject, operator, mutation)


def _labelled(attempt: _Attempt, number: int, strict: CheckOptions) -> Probe | Weakness:
    """Return the mutation as a probe, or the weakness of the checker that it shows."""
    probe = _probe(attempt, number)
    verdict = check(probe.case, probe.output, strict)
    if attempt.mutation.label is None:
        if verdict.score != attempt.meant:
            return _weakness(verdict, attempt, "strict")
        evidence = {**verdict.evidence, **probe.label.evidence}
        return msgspec.structs.replace(probe, label=msgspec.structs.replace(verdict, evidence=evidence))
    doubtful = not attempt.is_twin and not attempt.mutation.by_design and _mentions_accepted(probe)
    if doubtful or (verdict.graded and (verdict.score == 1.0) != attempt.is_twin):
        return _weakness(verdict, attempt, "strict")
    return probe


def _missed(probe: Probe, attempt: _Attempt, bfcl: CheckOptions) -> Iterator[Weakness]:
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
        score=attempt.meant if mutation.label is None else mutation.label,
        by="construction",
        source="construction",
        error_type=None if attempt.is_twin else operator.name,
        reason=mutation.change,
        evidence=origin(operator.name, operator.plants, source, mutation.change, operator.against)
        | _place(attempt),
    )
    return Probe(case, output, label)


def _place(attempt: _Attempt) -> dict[str, Any]:
    """Return the step of a trajectory with the planted fault, as evidence; empty if none."""
    case, output = attempt.subject.case, attempt.mutation.output
    if attempt.operator.plants != "fault" or output.turns is None:
        return {}
    found = planted_step(case, attempt.subject.output, output)
    return {} if found is None else {PLANTED: found._asdict()}


def _mentions_accepted(probe: Probe) -> bool:
    """Return whether an accepted answer occurs in a wrong one, by the laxest rule."""
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
