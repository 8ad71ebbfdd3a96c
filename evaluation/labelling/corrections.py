"""Write people's decisions on outputs as a patch of references, and apply it to a data set."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from ...calibration.decisions import Decision, LabelDecision, decisions_of, majority_decision
from ...deterministic.checkers import check, validate_reference
from ...deterministic.options import CheckOptions
from ...errors import FiducialError, InputError
from ...records import (
    Case,
    CaseFiles,
    InputPath,
    Output,
    case_files,
    decode_record,
    encode_record,
    name_of_files,
    read_numbered,
    read_records,
)
from ...records.case import Record
from ..checking.rules_version import text_rule_of
from ..inputs import read_outputs
from ..store.file_names import ADJUDICATIONS
from ..store.run_store import RunStore
from .extend_reference import extended_reference


class Correction(Record, frozen=True, kw_only=True):
    """Line of a data set patch: the corrected reference of a case.

    Attributes:
        was: SHA-256 of the earlier reference, as compact JSON with sorted keys; the patch applies to no other.
        faults: Faults of the earlier reference, as named by the people who decided.
        reason: Their reasons.
        by: Names of the people who decided.
    """

    case_id: str
    was: str
    reference: dict[str, Any]
    faults: list[str] = []
    reason: str = ""
    by: list[str] = []


class UnexpressedDecision(msgspec.Struct, frozen=True):
    """Decision that contradicts the checker and that no reference can express.

    Attributes:
        item: The output.
        found: The decision.
        why: Why no reference expresses it.
    """

    item: str
    found: LabelDecision
    why: str


class _DecidedOutput(NamedTuple):
    """An output with a clear decision, and the decisions of the people.

    Attributes:
        output: The output.
        decision: The decision that counts.
        decisions: The decision of each person.
    """

    output: Output
    decision: LabelDecision
    decisions: Sequence[Decision]


def corrections(store: RunStore) -> tuple[list[Correction], list[UnexpressedDecision]]:
    """Correct the references of a run's cases by decisions on its outputs.

    A reference that was written on the review page is used; else the case's reference is extended to accept the outputs that were
    found right. A correction is used only if the checker then agrees with every decision on the case's outputs.

    Returns:
        The corrections, and the decisions that no correction expresses.
    """
    outputs_by_case = _decided_outputs(store)
    identity = store.manifest.identity
    rules = CheckOptions(rules=identity.get("rules") or "strict", text=text_rule_of(identity))
    corrections_made: list[Correction] = []
    unexpressed: list[UnexpressedDecision] = []
    for case in chain.from_iterable(read_records(path, Case) for path in store.inputs.cases):
        decided_outputs = outputs_by_case.get(case.id, [])
        contradicted = [decided for decided in decided_outputs if _contradicts(case, decided, rules)]
        if contradicted:
            correction = _correct_case(case, decided_outputs, contradicted, rules)
            if isinstance(correction, Correction):
                corrections_made.append(correction)
            else:
                unexpressed += [
                    UnexpressedDecision(str(decided.output.key), decided.decision, correction)
                    for decided in contradicted
                ]
    return corrections_made, unexpressed


def _decided_outputs(store: RunStore) -> dict[str, list[_DecidedOutput]]:
    """Return the outputs with a clear decision, by case."""
    decisions = decisions_of(store.adjudications, store.path / ADJUDICATIONS).by_item
    by_case: dict[str, list[_DecidedOutput]] = {}
    for file in store.inputs.outputs:
        for output in read_outputs(file):
            decisions_on_output = decisions.get(str(output.key), ())
            if not decisions_on_output:
                continue
            decision = majority_decision(decisions_on_output)
            if decision != "undecidable":
                decided = _DecidedOutput(output, decision, decisions_on_output)
                by_case.setdefault(output.case_id, []).append(decided)
    return by_case


def _scores(case: Case, output: Output, options: CheckOptions) -> set[float | None]:
    both_options = (msgspec.structs.replace(options, names=names) for names in ("dotted", "underscored"))
    return {check(case, output, check_options).score for check_options in both_options}


def _agrees(case: Case, decided: _DecidedOutput, options: CheckOptions) -> bool:
    return (1.0 if decided.decision == "right" else 0.0) in _scores(case, decided.output, options)


def _contradicts(case: Case, decided: _DecidedOutput, options: CheckOptions) -> bool:
    """Return whether the checker contradicts the decision; it does not if it decides nothing."""
    opposite = 0.0 if decided.decision == "right" else 1.0
    return opposite in _scores(case, decided.output, options) and not _agrees(case, decided, options)


def _correct_case(
    case: Case,
    decided_outputs: Sequence[_DecidedOutput],
    contradicted: Sequence[_DecidedOutput],
    options: CheckOptions,
) -> Correction | str:
    """Return the correction of a case, or the reason there is none."""
    written_references = {
        decision.reference
        for decided in decided_outputs
        for decision in decided.decisions
        if decision.reference
    }
    if len(written_references) > 1:
        return "people wrote different references"
    try:
        reference = (
            _parse_reference(case, written_references.pop())
            if written_references
            else _extended_reference(case, contradicted)
        )
    except FiducialError as error:
        return f"the reference that was written cannot be used: {error}"
    if reference is None:
        return "no reference of this kind says so; write one on the review page"
    corrected = msgspec.structs.replace(case, reference=reference)
    if not all(_agrees(corrected, decided, options) for decided in decided_outputs):
        return "under the corrected reference the checker does not say what was decided"
    decisions = [
        decision
        for decided in decided_outputs
        for decision in decided.decisions
        if decision.found == decided.decision
    ]
    faults = Counter(decision.fault for decision in decisions if decision.fault)
    return Correction(
        case_id=case.id,
        was=reference_sha256(case),
        reference=reference,
        faults=[name for name, _ in faults.most_common()],
        reason="; ".join(dict.fromkeys(decision.reason for decision in decisions if decision.reason)),
        by=sorted({decision.by for decision in decisions}),
    )


def _parse_reference(case: Case, text: str) -> dict[str, Any]:
    """Parse a written reference and validate it for its kind of case."""
    reference = decode_record(text.encode("utf-8", "surrogatepass"), dict[str, Any])
    return _with_reference(case, reference).reference


def _with_reference(case: Case, reference: Mapping[str, Any]) -> Case:
    """Return the case with another reference, validated as if read from a file."""
    corrected = msgspec.structs.replace(case, reference=dict(reference))
    corrected = decode_record(encode_record(corrected), Case)
    validate_reference(corrected, CheckOptions())
    return corrected


def _extended_reference(case: Case, contradicted: Sequence[_DecidedOutput]) -> dict[str, Any] | None:
    """Extend the reference to accept these outputs; None if it cannot, or one was found wrong."""
    corrected = case
    for decided in contradicted:
        reference = extended_reference(corrected, decided.output) if decided.decision == "right" else None
        if reference is None:
            return None
        try:
            corrected = _with_reference(corrected, reference)
        except (FiducialError, TypeError):
            return None
    return corrected.reference


def reference_sha256(case: Case) -> str:
    """Return the hash by which a patch identifies the reference of a case."""
    try:
        raw = msgspec.json.encode(case.reference, order="sorted")
    except UnicodeEncodeError:  # a lone surrogate, which msgspec does not escape
        raw = json.dumps(case.reference, sort_keys=True, separators=(",", ":")).encode("ascii")
    return hashlib.sha256(raw).hexdigest()


def corrected_cases(cases: CaseFiles, patch: InputPath) -> Iterator[Case]:
    """Yield every case in order, with its reference corrected by a patch.

    Raises:
        InputError: A line of the patch cannot be applied.
    """
    corrections_by_case: dict[str, tuple[int, Correction]] = {}
    for line, correction in read_numbered(patch, Correction):
        case_id = correction.case_id
        if case_id in corrections_by_case:
            first, _ = corrections_by_case[case_id]
            raise _patch_error(patch, line, f"{case_id!r} is corrected on line {first} already")
        corrections_by_case[case_id] = (line, correction)
    files = case_files(cases)
    for case in chain.from_iterable(read_records(path, Case) for path in files):
        numbered_correction = corrections_by_case.pop(case.id, None)
        if numbered_correction is None:
            yield case
            continue
        line, correction = numbered_correction
        if reference_sha256(case) != correction.was:
            raise _patch_error(
                patch,
                line,
                f"the reference of {case.id!r} in {name_of_files(files)} is not the one that was corrected",
                "was",
            )
        try:
            yield _with_reference(case, correction.reference)
        except InputError as error:
            raise _patch_error(
                patch, line, error.message, f"reference.{error.field}" if error.field else "reference"
            ) from None
    for line, correction in corrections_by_case.values():
        raise _patch_error(
            patch, line, f"no case has the id {correction.case_id!r} in {name_of_files(files)}"
        )


def _patch_error(patch: InputPath, line: int, message: str, field: str = "case_id") -> InputError:
    return InputError(message, path=patch, line=line, field=field)
