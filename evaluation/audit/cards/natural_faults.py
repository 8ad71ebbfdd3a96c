"""Natural faults: real outputs that a set names by id and hash, as probes."""

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
"""Operator of the faults that nobody planted."""


class NaturalReference(msgspec.Struct, frozen=True, kw_only=True):
    """A real output by reference.

    Attributes:
        case_id: Its case.
        system: Its system.
        trial: Its trial.
        case: SHA-256 of the case's record.
        output: SHA-256 of the output's record.
        score: Its label: 1 if it is right, else 0.
        by: Who labelled it.
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
    """Extent to which a set's natural part could be laid out.

    Attributes:
        named: Outputs that the set names.
        found: Those that were found, unchanged.
        differing: Those whose case or output is another text in the user's copy.
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
    """Write a probe folder of the named outputs that the user's copy holds.

    Args:
        references: The set's natural part.
        source: A folder with cases and outputs, such as `fiducial import` writes.
        out: The probe folder to write.

    Raises:
        InputError: The copy cannot be read.
    """
    wanted = {reference.key: reference for reference in references}
    in_copy = {
        record.key: record for record in read_records(source / OUTPUTS, Output) if record.key in wanted
    }
    needed = {key.case_id for key in in_copy}
    cases = {record.id: record for record in read_records(source / CASES, Case) if record.id in needed}
    found = {
        key: output
        for key, output in in_copy.items()
        if key.case_id in cases
        and _digest(cases[key.case_id]) == wanted[key].case
        and _digest(output) == wanted[key].output
    }
    if found:
        _write(out, [cases[name] for name in sorted({key.case_id for key in found})], found, wanted)
    return NaturalPart(named=len(wanted), found=len(found), differing=len(in_copy) - len(found))


def _write(
    out: Path,
    cases: list[Case],
    found: dict[ItemKey, Output],
    wanted: dict[ItemKey, NaturalReference],
) -> None:
    write_records(out / CASES, cases)
    write_records(out / OUTPUTS, found.values())
    write_records(out / LABELS, (_label(wanted[key]) for key in found))
    counts = Counter(wanted[key].score for key in found)
    write_json(
        out / PROBES,
        ProbeManifest(
            fiducial=VERSION,
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
