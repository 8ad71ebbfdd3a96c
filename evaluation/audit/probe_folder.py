"""Probe folders: their files and manifest, and facts about each probe from its label.

An operator makes probes from a right output. See the package for these words.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from ...deterministic.mutation import PLANTED, OperatorFamily, Plants
from ...errors import InputError, RecordError
from ...records import FolderPath, InputPath, ItemKey, Verdict, decode_record, read_numbered
from ...records.folder_files import LABELS
from ...records.output import PlantedStep
from ...spelling import command
from ...version import VERSION
from ..inputs import file_sha256

WEAKNESSES, PROBES = "weaknesses.jsonl", "probes.json"
"""Files of a probe folder, in addition to its cases, outputs and labels."""

ProbeRole: TypeAlias = Plants | str
"""What an operator plants; ``nothing`` for the right outputs from which probes are made."""

ORIGINAL = "original"
"""Operator name of the unchanged right outputs."""


class OperatorCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Counts for one operator.

    Attributes:
        name: Name of the operator.
        family: Kind of output that it changes.
        plants: Kind of probe that it makes from a right output.
        about: One-line description.
        against: Name of an attack's control; empty for others.
        probes: Number of probes that it made.
        dropped: Number of mutations that strict rules did not confirm; each is listed.
        missed_by_bfcl: Number of probes that BFCL's rules grade differently; each is listed.
    """

    name: str
    family: OperatorFamily
    plants: Plants
    about: str
    against: str = ""
    probes: int
    dropped: int
    missed_by_bfcl: int


class ProbeManifest(msgspec.Struct, frozen=True, kw_only=True):
    """Manifest of a probe folder.

    Attributes:
        fiducial: The version that made it.
        seed: Seed of the random choices.
        per_operator: Maximum number of probes of one operator from one right output.
        inputs: SHA-256 of each input file.
        files: SHA-256 of each file of the folder.
        right_outputs: Number of right outputs that were mutated.
        passed_over: Number of outputs that were not mutated, by reason.
        operators: Counts for each operator; those that applied nowhere are omitted.
    """

    fiducial: str
    seed: int
    per_operator: int
    inputs: dict[str, str]
    files: dict[str, str]
    right_outputs: int
    passed_over: dict[str, int]
    operators: list[OperatorCounts]

    @property
    def about(self) -> dict[str, str]:
        """One-line description of each operator."""
        return {operator.name: operator.about for operator in self.operators}

    @property
    def controls(self) -> dict[str, str]:
        """The control of each attack that has one."""
        return {operator.name: operator.against for operator in self.operators if operator.against}

    @property
    def by_plants(self) -> dict[Plants, int]:
        """Number of probes of each kind."""
        counts: dict[Plants, int] = {"fault": 0, "twin": 0, "attack": 0, "control": 0}
        for operator in self.operators:
            counts[operator.plants] += operator.probes
        return counts


NO_PROBES = ProbeManifest(
    fiducial=VERSION,
    seed=0,
    per_operator=0,
    inputs={},
    files={},
    right_outputs=0,
    passed_over={},
    operators=[],
)
"""Manifest of an audit without probes."""


class ProbeFacts(NamedTuple):
    """Facts about a probe.

    Attributes:
        key: Key of the probe's output.
        operator: Name of the operator; ``original`` for a right output.
        plants: What the operator plants.
        source: Key of the right output from which it was made.
        label: Score of its label.
        change: Description of the change.
        planted: The step of a trajectory at which its fault was planted, if known.
    """

    key: ItemKey
    operator: str
    plants: ProbeRole
    source: ItemKey
    label: float
    change: str
    planted: PlantedStep | None = None

    @property
    def right(self) -> bool:
        """True if the output is right: unchanged, or a harmless twin of a right one."""
        return self.plants in {"twin", "nothing"}


def read_manifest(folder: FolderPath) -> ProbeManifest:
    """Read the manifest of a probe folder, and verify that its files are unchanged.

    Raises:
        InputError: It is not a folder of probes, or a file changed.
    """
    path = folder / PROBES
    try:
        manifest = decode_record(path.read_bytes(), ProbeManifest)
    except (OSError, RecordError) as error:
        reason = (error.strerror or error) if isinstance(error, OSError) else error
        raise InputError(
            f"not a folder of probes ({reason}); `{command('audit mutate', 'CASES', out='PROBES')}` makes one",
            path=path,
        ) from error
    for name, digest in manifest.files.items():
        # A manifest from elsewhere must not name files outside of the folder.
        if Path(name).name != name or _sha256(folder / name) != digest:
            raise InputError("is not the file that was written with these probes", path=folder / name)
    return manifest


def read_facts(folder: FolderPath) -> Iterator[ProbeFacts]:
    """Read the facts about each probe from its label.

    Raises:
        InputError: A label is not that of a probe.
    """
    path = folder / LABELS
    for line, label in read_numbered(path, Verdict):
        if label.score is None:
            raise InputError("the label of a probe has no score", path=path, line=line)
        try:
            yield _facts(label, label.score)
        except (KeyError, TypeError) as error:
            raise InputError(
                "the label does not say which operator made the probe", path=path, line=line
            ) from error


def _sha256(path: InputPath) -> str | None:
    """Return the SHA-256 of a file, or None if it cannot be read."""
    try:
        return file_sha256(path)
    except OSError:
        return None


def _facts(label: Verdict, score: float) -> ProbeFacts:
    evidence: dict[str, Any] = label.evidence
    source: dict[str, Any] = evidence["source"]
    return ProbeFacts(
        key=label.key,
        operator=evidence["operator"],
        plants=evidence["plants"],
        source=ItemKey(source["case_id"], source["system"], source["trial"]),
        label=score,
        change=evidence.get("change", ""),
        planted=PlantedStep(**evidence[PLANTED]) if PLANTED in evidence else None,
    )
