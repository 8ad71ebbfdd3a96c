"""Natural faults: probes from real outputs, which a set refers to by id and hash.

Their texts are not shipped; users bring their own copy.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ....deterministic.mutation import OPERATORS
from ....records import (
    Case,
    FolderPath,
    ItemKey,
    Output,
    Verdict,
    encode_record,
    read_records,
    write_json,
    write_records,
)
from ....records.folder_files import CASES, LABELS, OUTPUTS
from ....version import VERSION
from ...inputs import file_sha256
from ..probe_folder import ORIGINAL, PROBES, OperatorCounts, ProbeManifest

NATURAL_FAULT = "natural_fault"
"""Operator name of faults that real systems made."""


class NaturalReference(msgspec.Struct, frozen=True, kw_only=True):
    """Reference to a real output.

    Attributes:
        case_id: Id of its case.
        system: System that made it.
        trial: Number of the trial.
        case: SHA-256 of the case's record.
        output: SHA-256 of the output's record.
        score: Its label: 1 if it is right, else 0.
        by: Author of the label.
    """

    case_id: str
    system: str
    trial: int = 0
    case: str
    output: str
    score: float
    by: str

    @property
    def key(self) -> ItemKey:
        """The output's key."""
        return ItemKey(self.case_id, self.system, self.trial)


class NaturalPart(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of natural outputs that the user's copy contains, unchanged or not.

    Attributes:
        named: Number of outputs that the set refers to.
        found: Number of these that were found unchanged.
        differing: Number of outputs in the copy whose case is missing, or whose case or output has another text.
    """

    named: int
    found: int
    differing: int


def reference_to(case: Case, output: Output, label: Verdict) -> NaturalReference:
    """Return the reference to an output with a label."""
    assert label.score is not None
    return NaturalReference(
        **output.key._asdict(), case=_digest(case), output=_digest(output), score=label.score, by=label.by
    )


def lay_out_natural(references: Iterable[NaturalReference], source: FolderPath, out: Path) -> NaturalPart:
    """Write a probe folder of the referenced outputs that the user's copy contains.

    Args:
        references: References to the outputs of the set's natural part.
        source: A folder with cases and outputs, such as `fiducial import` writes.
        out: The probe folder to write.

    Raises:
        InputError: The copy cannot be read.
    """
    references_by_key = {reference.key: reference for reference in references}
    in_copy = {
        record.key: record
        for record in read_records(source / OUTPUTS, Output)
        if record.key in references_by_key
    }
    case_ids = {key.case_id for key in in_copy}
    cases = {record.id: record for record in read_records(source / CASES, Case) if record.id in case_ids}
    unchanged = {
        key: output
        for key, output in in_copy.items()
        if key.case_id in cases
        and _digest(cases[key.case_id]) == references_by_key[key].case
        and _digest(output) == references_by_key[key].output
    }
    if unchanged:
        _write(
            out,
            [cases[case_id] for case_id in sorted({key.case_id for key in unchanged})],
            unchanged,
            references_by_key,
        )
    return NaturalPart(
        named=len(references_by_key), found=len(unchanged), differing=len(in_copy) - len(unchanged)
    )


def _write(
    out: Path,
    cases: list[Case],
    outputs: dict[ItemKey, Output],
    references_by_key: dict[ItemKey, NaturalReference],
) -> None:
    write_records(out / CASES, cases)
    write_records(out / OUTPUTS, outputs.values())
    write_records(out / LABELS, (_label(references_by_key[key]) for key in outputs))
    counts = Counter(references_by_key[key].score for key in outputs)
    write_json(
        out / PROBES,
        ProbeManifest(
            fiducial=VERSION,
            # Nothing is drawn or mutated, so these two required fields say nothing.
            seed=0,
            per_operator=1,
            inputs={},
            files={name: file_sha256(out / name) for name in (CASES, OUTPUTS, LABELS)},
            right_outputs=counts[1.0],
            passed_over={},
            operators=[
                OperatorCounts(
                    name=NATURAL_FAULT,
                    family=OPERATORS["wrong_type"].family,
                    plants="fault",
                    about="an error that a real system made",
                    probes=counts[0.0],
                    dropped=0,
                    missed_by_bfcl=0,
                )
            ],
        ),
    )


def _label(reference: NaturalReference) -> Verdict:
    is_right = reference.score == 1.0
    return Verdict.on(
        reference.key,
        score=reference.score,
        by=reference.by,
        source="construction",
        evidence={
            "operator": ORIGINAL if is_right else NATURAL_FAULT,
            "plants": "nothing" if is_right else "fault",
            "source": reference.key._asdict(),
        },
    )


def _digest(record: Case | Output) -> str:
    return hashlib.sha256(encode_record(record)).hexdigest()
