"""Make probes: changed outputs with certain labels, with which judges are tested.

A mutation that a checker grades differently than intended becomes a weakness of the checker instead of a probe.
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
"""How a rule set disagrees with the intended label."""

_TRIALS_PER_SOURCE = 1_000
"""Trial numbers for the probes of one right output: number n of trial t has the trial number 1,000 t + n."""

PLANTED = "planted"
"""Key of a label's evidence: the step at which a trajectory goes wrong."""

_MUTATIONS_PER_PROBE = 4
"""Limit on the mutations tried per requested probe, since some are weaknesses or come twice."""


class Probe(msgspec.Struct, frozen=True):
    """An output with a certain label, with which judges are tested.

    Attributes:
        case: The case, changed if the operator changes it.
        output: The changed output; its system is ``<source>~<operator>``.
        label: The output's label, with evidence as `origin` returns it.
    """

    case: Case
    output: Output
    label: Verdict


class Weakness(msgspec.Struct, frozen=True, kw_only=True):
    """A mutation that a rule set grades differently than intended.

    A person has to read it: the rules may be wrong, or the mutation may have changed nothing that matters.

    Attributes:
        rules: The rule set.
        failing: How it disagrees with the intended label.
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
        """1 for a twin, else 0; a mutation of a grounded answer has its own label instead."""
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
        options: Options of the checker; the rule set in them is ignored, since strict rules decide.
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
        for attempt in _attempts(subject, operator, seed, per_operator * _MUTATIONS_PER_PROBE):
            result = _label_attempt(attempt, count, strict)
            yield result
            if isinstance(result, Probe):
                count += 1
                # If BFCL's rules fail the right output, it is no surprise that they fail its twin.
                if right_by_bfcl or not attempt.is_twin:
                    yield from _bfcl_weakness(result, attempt, bfcl)
            if count == per_operator:
                break


def probe_number(trial: int) -> int:
    """Return a probe's number among those of one operator and output, from its trial number."""
    return trial % _TRIALS_PER_SOURCE


def origin(
    operator: str, plants: Plants | Literal["nothing"], source: Output, change: str = "", against: str = ""
) -> dict[str, Any]:
    """Return the evidence of a probe's label."""
    key = {"case_id": source.case_id, "system": source.system, "trial": source.trial}
    evidence: dict[str, Any] = {"operator": operator, "plants": plants, "source": key}
    return evidence | {name: text for name, text in (("change", change), ("against", against)) if text}


def _attempts(subject: Subject, operator: Operator, seed: int, max_mutations: int) -> Iterator[_Attempt]:
    """Yield the mutations of one output by one operator, without repetitions."""
    rng = generator(seed, subject.output.key, operator.name)
    # Compared as encoded: twins may differ only in the order of keys, or in 1 and 1.0, which Python takes for equal.
    encoded_outputs = {encode_record(subject.output)}
    for mutation in islice(operator.mutate(subject, rng), max_mutations):
        encoded = encode_record(mutation.output)
        if mutation.case is not None or encoded not in encoded_outputs:
            encoded_outputs.add(encoded)
            yield _Attempt(subject, operator, mutation)


def _label_attempt(attempt: _Attempt, number: int, strict: CheckOptions) -> Probe | Weakness:
    """Return a mutation as a probe, or as a weakness of the strict rules if they disagree."""
    probe = _make_probe(attempt, number)
    verdict = check(probe.case, probe.output, strict)
    if attempt.mutation.label is None:
        if verdict.score != attempt.intended_score:
            return _make_weakness(verdict, attempt, "strict")
        evidence = {**verdict.evidence, **probe.label.evidence}
        return msgspec.structs.replace(probe, label=msgspec.structs.replace(verdict, evidence=evidence))
    is_doubtful = not attempt.is_twin and not attempt.mutation.by_design and _mentions_accepted(probe)
    if is_doubtful or (verdict.graded and (verdict.score == 1.0) != attempt.is_twin):
        return _make_weakness(verdict, attempt, "strict")
    return probe


def _bfcl_weakness(probe: Probe, attempt: _Attempt, bfcl: CheckOptions) -> Iterator[Weakness]:
    verdict = check(probe.case, probe.output, bfcl)
    if verdict.graded and (verdict.score == 1.0) != attempt.is_twin:
        yield _make_weakness(verdict, attempt, "bfcl")


def _make_probe(attempt: _Attempt, number: int) -> Probe:
    subject, operator, mutation = attempt
    case, source = subject.case, subject.output
    system, trial = f"{source.system}~{operator.name}", source.trial * _TRIALS_PER_SOURCE + number
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
        | _planted_step_evidence(attempt),
    )
    return Probe(case, output, label)


def _planted_step_evidence(attempt: _Attempt) -> dict[str, Any]:
    """Return the step with the planted fault as evidence, or nothing if the output has no steps."""
    case, output = attempt.subject.case, attempt.mutation.output
    if attempt.operator.plants != "fault" or output.turns is None:
        return {}
    step = planted_step(case, attempt.subject.output, output)
    return {} if step is None else {PLANTED: step._asdict()}


def _mentions_accepted(probe: Probe) -> bool:
    """Return whether an output contains an accepted answer, by BFCL's lenient rule."""
    answers: list[str] = probe.case.reference.get("answers") or []
    text = answer_of_output(probe.output)
    return bool(answers and text) and check_answer(text, answers).valid


def _make_weakness(verdict: Verdict, attempt: _Attempt, rules: Rules) -> Weakness:
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
