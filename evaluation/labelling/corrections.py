"""Corrected references: write decisions on outputs as a data set patch, and apply it."""

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
from .extend_reference import widened


class Correction(Record, frozen=True, kw_only=True):
    """Line of a data set patch: the corrected reference of a case.

    Attributes:
        was: SHA-256 of the earlier reference, as compact JSON with sorted keys; the patch is refused for any other.
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


class Unsaid(msgspec.Struct, frozen=True):
    """Decision that contradicts the checker and that no reference can express."""

    item: str
    found: LabelDecision
    why: str


class _Decided(NamedTuple):
    output: Output
    decided: LabelDecision
    decisions: Sequence[Decision]


def corrections(store: RunStore) -> tuple[list[Correction], list[Unsaid]]:
    """Correct the references of a run's cases by decisions on its outputs.

    A reference that was written on the review page is used; else the case's reference is extended to accept the outputs that were
    found right. A correction is used only if the checker then agrees with every decision on the case's outputs.

    Returns:
        The corrections, and the decisions that no correction expresses.
    """
    decided = _decided(store)
    identity = store.manifest.identity
    rules = CheckOptions(rules=identity.get("rules") or "strict", text=text_rule_of(identity))
    corrected: list[Correction] = []
    unsaid: list[Unsaid] = []
    for case in chain.from_iterable(read_records(path, Case) for path in store.inputs.cases):
        outputs = decided.get(case.id, [])
        wrong = [output for output in outputs if _contradicts(case, output, rules)]
        if wrong:
            made = _corrected(case, outputs, wrong, rules)
            if isinstance(made, Correction):
                corrected.append(made)
            else:
                unsaid += [Unsaid(str(each.output.key), each.decided, made) for each in wrong]
    return corrected, unsaid


def _decided(store: RunStore) -> dict[str, list[_Decided]]:
    """Return the outputs with a clear decision, by case."""
    decisions = decisions_of(store.adjudications, store.path / ADJUDICATIONS).by_item
    cases: dict[str, list[_Decided]] = {}
    for file in store.inputs.outputs:
        for output in read_outputs(file):
            on_output = decisions.get(str(output.key), ())
            if on_output and (decided := majority_decision(on_output)) != "undecidable":
                cases.setdefault(output.case_id, []).append(_Decided(output, decided, on_output))
    return cases


def _scores(case: Case, output: Output, options: CheckOptions) -> set[float | None]:
    """Return the checker's scores of an output, for dotted and for underscored names."""
    by_names = (msgspec.structs.replace(options, names=names) for names in ("dotted", "underscored"))
    return {check(case, output, check_options).score for check_options in by_names}


def _agrees(case: Case, decision: _Decided, options: CheckOptions) -> bool:
    return (1.0 if decision.decided == "right" else 0.0) in _scores(case, decision.output, options)


def _contradicts(case: Case, decision: _Decided, options: CheckOptions) -> bool:
    """Return whether the checker contradicts the decision; undecided outputs contradict nothing."""
    opposite = 0.0 if decision.decided == "right" else 1.0
    return opposite in _scores(case, decision.output, options) and not _agrees(case, decision, options)


def _corrected(
    case: Case, outputs: Sequence[_Decided], wrong: Sequence[_Decided], options: CheckOptions
) -> Correction | str:
    """Return the correction of a case, or the reason there is none."""
    written = {
        decision.reference for output in outputs for decision in output.decisions if decision.reference
    }
    if len(written) > 1:
        return "people wrote different references"
    try:
        reference = _read(case, written.pop()) if written else _widened(case, wrong)
    except FiducialError as error:
        return f"the reference that was written cannot be used: {error}"
    if reference is None:
        return "no reference of this kind says so; write one on the review page"
    corrected = msgspec.structs.replace(case, reference=reference)
    if not all(_agrees(corrected, output, options) for output in outputs):
        return "under the corrected reference the checker does not say what was decided"
    decisions = [
        decision for output in outputs for decision in output.decisions if decision.found == output.decided
    ]
    return Correction(
        case_id=case.id,
        was=reference_sha256(case),
        reference=reference,
        faults=[name for name, _ in Counter(each.fault for each in decisions if each.fault).most_common()],
        reason="; ".join(dict.fromkeys(each.reason for each in decisions if each.reason)),
        by=sorted({each.by for each in decisions}),
    )


def _read(case: Case, text: str) -> dict[str, Any]:
    """Parse a written reference and validate it for its kind of case."""
    reference = decode_record(text.encode("utf-8", "surrogatepass"), dict[str, Any])
    return _with(case, reference).reference


def _with(case: Case, reference: Mapping[str, Any]) -> Case:
    """Return the case with another reference, validated like a line of a file."""
    corrected = msgspec.structs.replace(case, reference=dict(reference))
    corrected = decode_record(encode_record(corrected), Case)
    validate_reference(corrected, CheckOptions())
    return corrected


def _widened(case: Case, wrong: Sequence[_Decided]) -> dict[str, Any] | None:
    corrected = case
    for decided in wrong:
        reference = widened(corrected, decided.output) if decided.decided == "right" else None
        if reference is None:
            return None
        try:
            corrected = _with(corrected, reference)
        except (FiducialError, TypeError):
            return None
    return corrected.reference


def reference_sha256(case: Case) -> str:
    """Return the hash by which a patch identifies the reference of a case."""
    try:
        raw = msgspec.json.encode(case.reference, order="sorted")
    except UnicodeEncodeError:  # a lone surrogate
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
            raise _refused(patch, line, f"{case_id!r} is corrected on line {first} already")
        corrections_by_case[case_id] = (line, correction)
    files = case_files(cases)
    for case in chain.from_iterable(read_records(path, Case) for path in files):
        line, correction = corrections_by_case.pop(case.id, (0, None))
        if correction is None:
            yield case
            continue
        if reference_sha256(case) != correction.was:
            raise _refused(
                patch,
                line,
                f"the reference of {case.id!r} in {name_of_files(files)} is not the one that was corrected",
                "was",
            )
        try:
            yield _with(case, correction.reference)
        except InputError as error:
            raise _refused(
                patch, line, error.message, f"reference.{error.field}" if error.field else "reference"
            ) from None
    for line, correction in corrections_by_case.values():
        raise _refused(patch, line, f"no case has the id {correction.case_id!r} in {name_of_files(files)}")


def _refused(patch: InputPath, line: int, message: str, field: str = "case_id") -> InputError:
    return InputError(message, path=patch, line=line, field=field)
